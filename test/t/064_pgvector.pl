# Vectors of pgvector can be features and profiles: every call accepts them and returns the same as for arrays, and
# no other call changes.  Objects that use them can be dumped and restored, and other types with their names are not
# confused with them.  Without pgvector, a stand-in has types with the same storage.
use strict;
use warnings;

use FindBin;
use DlintsTest;
use ExtensionFiles;
use Test::More;

my $files = ExtensionFiles->new;
my $node = DlintsTest->node('main', conf => "jit = off\n");
my $is_real = DlintsTest->has_extension($node, 'vector');
my @written;

sub write_file
{
	my ($file, $text) = @_;

	$files->write($file, $text);
	push @written, $files->path($file);
	return;
}

# A type with pgvector's name, and the text of a bytea.  The cast from an array computes the bits of a number with
# an expression of the number x and of its bytes b from float4send.
sub stand_in_type
{
	my ($type, $bits) = @_;

	return qq{
	CREATE TYPE $type;
	CREATE FUNCTION ${type}_in(cstring) RETURNS $type AS 'byteain' LANGUAGE internal IMMUTABLE STRICT;
	CREATE FUNCTION ${type}_out($type) RETURNS cstring AS 'byteaout' LANGUAGE internal IMMUTABLE STRICT;
	CREATE TYPE $type (INPUT = ${type}_in, OUTPUT = ${type}_out, STORAGE = external);
	CREATE FUNCTION array_to_$type(real[], integer, boolean) RETURNS $type LANGUAGE sql IMMUTABLE STRICT
	RETURN (SELECT ('\\x' || two_bytes(cardinality(\$1)) || '0000' || string_agg($bits, '' ORDER BY n))::$type
	   FROM unnest(\$1) WITH ORDINALITY u (x, n), LATERAL (SELECT float4send(x) AS b) v);
	CREATE FUNCTION ${type}_to_float4($type, integer, boolean) RETURNS real[] LANGUAGE sql RETURN ARRAY['NaN'::real];
	CREATE CAST (real[] AS $type) WITH FUNCTION array_to_$type(real[], integer, boolean) AS ASSIGNMENT;
	CREATE CAST ($type AS real[]) WITH FUNCTION ${type}_to_float4($type, integer, boolean)};
}

# Two bytes in hexadecimal, in the order of this machine
my $is_little = unpack('C', pack 'S', 1);
my $two_bytes = $is_little ? '$1 & 255, $1 >> 8' : '$1 >> 8, $1 & 255';

sub write_stand_in
{
	write_file('vector.control', "default_version = '1'\nrelocatable = true\n");
	write_file(
		'vector--0.sql', qq{
	CREATE FUNCTION two_bytes(integer) RETURNS text LANGUAGE sql
	RETURN (SELECT string_agg(lpad(to_hex(b), 2, '0'), '') FROM unnest(ARRAY[$two_bytes]) b);}
		  . stand_in_type('vector', join ' || ',
			map { "two_bytes(get_byte(b, $_) * 256 + get_byte(b, $_ + 1))" } $is_little ? (2, 0) : (0, 2))
		  . ' AS IMPLICIT;');
	# a fraction of ten bits and an exponent of five, for a number in the range of halves
	write_file(
		'vector--0--1.sql',
		stand_in_type('halfvec', q{two_bytes(CASE WHEN x = 0 THEN 0 ELSE (get_byte(b, 0) >> 7) * 32768
			+ (((get_byte(b, 0) & 127) << 1) + (get_byte(b, 1) >> 7) - 112) * 1024
			+ ((get_byte(b, 1) & 127) << 3) + (get_byte(b, 2) >> 5) END)})
		  . ' AS ASSIGNMENT;');
	return;
}

sub sql
{
	my ($database, @statements) = @_;

	return $node->safe_psql($database, join ";\n", @statements);
}

sub sqlstate
{
	my ($database, $statements) = @_;
	my ($status, undef, $stderr) = $node->psql($database, "\\set VERBOSITY sqlstate\n$statements");

	return $stderr =~ /ERROR:\s+(\w{5})/ ? $1 : "none, status $status";
}

sub database
{
	my ($name, @statements) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	sql($name, @statements);
	return $name;
}

my $casts = q{SELECT castsource::regtype FROM pg_cast
	WHERE casttarget = 'dlints_vector'::regtype AND castfunc::regproc::text LIKE '%dlints\_from\_%' ORDER BY 1};

diag('there is no pgvector: a stand-in has its types') if !$is_real;
write_stand_in() if !$is_real;

### Every call

my $calls = database('calls', 'CREATE EXTENSION dlints_pgvector CASCADE');

SKIP:
{
	skip 'there is no pgTAP', 2 if !DlintsTest->has_extension($node, 'pgtap');
	sql($calls, 'CREATE EXTENSION pgtap');
	my ($status, $output, $messages) = $node->psql($calls, "\\i $FindBin::RealBin/../pgtap/36_calls.sql");

	is(join("\n", $messages, $output =~ /^((?:not ok|#).*)$/mg), '',
		'every call gives the same result for vectors as for arrays');
	like($output, qr/^ok \d+ - $_, fractions numbers, sends \d+ calls$/m, "calls with $_ are tested")
	  for 'vector', $output =~ /halfvec/ ? 'halfvec' : ();
}

### Vectors of another size

sql($calls, 'CREATE TABLE item (id integer PRIMARY KEY, kind text, v vector)',
	q{INSERT INTO item SELECT i, i % 2, ARRAY[i, 1]::real[]::vector FROM generate_series(1, 3) i});
is(sql($calls, q{SELECT dlints_pack(NULL::vector) IS NULL, dlints_pack('{}'::vector[]) = dlints_pack('{}')}),
	't|t', 'dlints_pack() returns NULL for a NULL vector and packs an empty array of vectors');
is(sqlstate($calls, 'SELECT dlints_predict(dlints_new(3), v) FROM item'), '22000',
	'dlints_predict() rejects a vector of another length');
is(sqlstate($calls, 'SELECT dlints_pack(array_agg(v) || ARRAY[1]::real[]::vector) FROM item'), '22000',
	'dlints_pack() rejects vectors of two lengths');
is(sqlstate($calls, 'SELECT dlints_pack(array_agg(v) || NULL::vector) FROM item'), '22004',
	'dlints_pack() rejects a NULL among vectors');
is(sqlstate($calls, 'SELECT dlints_pack(ARRAY[array_agg(v)]) FROM item'), '2202E',
	'dlints_pack() rejects arrays of arrays of vectors');

SKIP:
{
	skip 'pgvector makes no such value', 4 if $is_real;
	is(sqlstate($calls, "SELECT dlints_pack('\\x$_'::vector)"), '0A000', "a malformed vector is rejected: $_")
	  for '', '00', '0000000000', '0300000000000000';
}

### Recommenders beside it, dump and restore

sql($calls, 'CREATE VIEW shown AS SELECT dlints_recommend(dlints_new(2), id, v, 3) FROM item',
	q{SELECT dlints_create_recommender('shop', 'item', '{kind}', user_type => 'bigint')});
is(sql($calls, 'SELECT count(*) FROM shop.recommend(1, 3)'), 3,
	'a recommender works beside the casts of dlints_pgvector');
my $dump = $node->basedir . '/dump';
$node->command_ok([ 'pg_dump', '--no-sync', '--file', $dump, $calls ], 'pg_dump succeeds with dlints_pgvector');
database('restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'restored', '-f', $dump ],
	'a dump with dlints_pgvector can be restored');
is(sql('restored', 'SELECT cardinality(dlints_recommend) FROM shown'), 3, 'a restored view reads vectors');
is(sql('restored', $casts), sql($calls, $casts), 'a restore has the casts');
is(sqlstate($calls, 'DROP EXTENSION vector'), '2BP01',
	'DROP EXTENSION vector is refused while dlints_pgvector needs it');

### Other types with these names

my $moved = database(
	'moved', 'CREATE SCHEMA d', 'CREATE SCHEMA v', 'CREATE SCHEMA trap', 'CREATE ROLE owner',
	'ALTER DATABASE moved OWNER TO owner',
	'CREATE TYPE trap.vector AS (a int)', 'CREATE TYPE trap.dlints_vector AS (a int)',
	'GRANT ALL ON SCHEMA trap TO owner',
	'CREATE EXTENSION dlints SCHEMA d', 'CREATE EXTENSION vector SCHEMA v',
	'SET ROLE owner', 'CREATE EXTENSION dlints_pgvector SCHEMA trap');
like(sql($moved, 'SET search_path = d', $casts), qr/^v\.vector$/m,
	'the owner of the database makes casts of the type of pgvector');
is(sql($moved, 'ALTER EXTENSION dlints_pgvector SET SCHEMA public',
		q{SELECT d.dlints_pack(ARRAY[1, 2]::real[]::v.vector) = d.dlints_pack('{1,2}')}), 't',
		'dlints_pgvector can be moved to another schema');

my $added = database(
	'added', 'CREATE EXTENSION dlints', 'CREATE EXTENSION vector', 'CREATE SCHEMA trap',
	'CREATE DOMAIN trap.vector AS bigint', 'ALTER EXTENSION vector ADD DOMAIN trap.vector',
	'CREATE EXTENSION dlints_pgvector');
is(sql($added, q{SELECT count(*) FROM pg_proc WHERE proargtypes[0] = 'trap.vector'::regtype}),
	0, 'a domain that was added to pgvector gets no cast');

### An older pgvector

SKIP:
{
	skip 'this pgvector has halfvec', 3 if $is_real;
	my $older = database('older', "CREATE EXTENSION vector VERSION '0'", 'CREATE EXTENSION dlints_pgvector CASCADE');

	is(sql($older, $casts), "vector\nvector[]", 'an old pgvector without halfvec gets casts of vector');
	sql($older, "ALTER EXTENSION vector UPDATE TO '1'");
	is(sql($older, $casts), "vector\nvector[]", 'an update of pgvector adds no casts');
	sql($older, 'DROP EXTENSION dlints_pgvector', 'CREATE EXTENSION dlints_pgvector');
	is(sql($older, $casts), "vector\nvector[]\nhalfvec\nhalfvec[]",
		'dlints_pgvector has casts of halfvec after it is created again');
}

$node->stop;
unlink @written;
done_testing();
