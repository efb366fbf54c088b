# Names have the same vectors in databases of every encoding and locale.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main');

# Encodings and their locales; "C" is everywhere
my @databases = (
	[ 'utf8', 'UTF8', 'C' ],
	[ 'latin1', 'LATIN1', 'C' ],
	[ 'latin9', 'LATIN9', 'C' ],
	[ 'win1252', 'WIN1252', 'C' ],
	[ 'eucjp', 'EUC_JP', 'C' ],
	[ 'ascii', 'SQL_ASCII', 'C' ]);
# further locales of the system
for my $locale (grep { /utf-?8$/i } split /\n/, `locale -a 2>/dev/null`)
{
	push @databases, [ lc('utf8_' . $locale =~ s/\W/_/gr), 'UTF8', $locale ] if @databases < 10;
}
for my $database (@databases)
{
	my ($name, $encoding, $locale) = @$database;

	$node->safe_psql('postgres', qq{
		CREATE DATABASE "$name" TEMPLATE template0 ENCODING '$encoding'
			LC_COLLATE '$locale' LC_CTYPE '$locale'});
	$node->safe_psql($name, 'CREATE EXTENSION dlints');
}

# Output of a session with client encoding UTF-8 or that of the database
sub says
{
	my ($database, $client, $statement) = @_;

	return $node->safe_psql($database, "SET client_encoding = '$client'; $statement");
}

### ASCII: a row and a document, as in test/pgtap

my $golden = '{0.3686049,0.07372098,0.3686049,0.3686049,-0.6634888,0.3686049,-0.07372098,0.07372098}';

for my $database (@databases)
{
	my ($name, $encoding) = @$database;

	is(says($name, $encoding,
			q{SELECT dlints_encode(8, 'category', 'book', 'tags', ARRAY['a', 'b'], 'used', true,
				'price', 0.5)}),
		$golden, "$name: a row");
	is(says($name, $encoding,
			q{SELECT dlints_encode(8,
				'{"category": "book", "tags": ["a", "b"], "used": true, "price": 0.5}'::jsonb)}),
		$golden, "$name: a document");
}

### Other characters, of which each encoding has some.  The expected values are
### those of the names' bytes in UTF-8.

my %names = (
	"\xc3\xa4\xc3\x9f" => [ 'utf8', 'latin1', 'latin9', 'win1252' ],	# a umlaut, sharp s
	"\xe2\x82\xac" => [ 'utf8', 'latin9', 'win1252' ],	# the euro
	"\xe6\x9c\xac" => [ 'utf8', 'eucjp' ],	# a book
	"\xf0\x9f\x93\x95" => ['utf8']);	# a pictograph

for my $name (sort keys %names)
{
	my $query = qq{
		SELECT dlints_encode(100, '$name', '$name', 'weight $name', 0.7, 'tags',
			ARRAY['$name', 'book']),
		       dlints_encode(100, '{"$name": "$name", "tags": [{"$name": "x"}]}'::jsonb)};
	# databases without conversion
	my $expected = says('ascii', 'SQL_ASCII', $query);

	for my $database (grep { my $d = $_->[0]; grep { $d
		=~ /^$_(_|$)/ } @{ $names{$name} } } @databases)
	{
		my ($where) = @$database;

		is(says($where, 'UTF8', $query), $expected, "$where: " . join ' ', map { sprintf '%02x', ord } split //, $name);
	}
}

# Bytes that are invalid in UTF-8
is($node->safe_psql('ascii', q{
	SELECT dlints_encode(64, 'name', E'\\xe9') = dlints_encode(64, 'name', E'\\xe9'),
	       dlints_encode(64, 'name', E'\\xe9') = dlints_encode(64, 'name', E'\\xe8'),
	       dlints_encode(64, jsonb_build_object('name', E'\\xe9')) = dlints_encode(64, 'name', E'\\xe9')}),
	't|f|t', 'names are hashed as they are in a database that does not know its encoding');
is($node->safe_psql('ascii', q{
	SELECT dlints_create_ranker('k') IS NULL;
	SELECT count(*) FROM k.rank('e', jsonb_build_object('name', E'\\xe9'), jsonb_build_array('a', E'\\xe8'))}),
	"f\n2", 'rank() takes such names');

$node->stop;
done_testing();
