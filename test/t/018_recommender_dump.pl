# A recommender comes out of pg_dump as what it was, in every form, with the
# database or as its schema alone, and goes on there: it recommends, learns and
# erases, wherever dlints is and whatever search_path the new database has.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");
my $folder = $node->basedir;
my $tables = DlintsTest->slurp("$FindBin::RealBin/../pgtap/include/recommender.sql");

# With dlints in this schema, where the sessions of the database look for it
sub board
{
	my ($database, $schema) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database;
		ALTER DATABASE $database SET search_path = public, $schema");
	$node->safe_psql($database, "CREATE SCHEMA IF NOT EXISTS $schema;
		CREATE EXTENSION dlints SCHEMA $schema; $tables");
	$node->safe_psql($database, q{
		SELECT dlints_create_recommender('board', 'job', '{field,city_id,skills,remote}',
			clicks => 'SELECT who, job, at FROM visit', candidates => 'i.open')});
	$node->safe_psql($database, q{
		SELECT board.reward(decision, item)
		FROM generate_series(1, 20) p, board.recommend(p, 5) WHERE place = 1});
	$node->safe_psql($database, q{SELECT board.learn('0')});
	return;
}

# Every row of it
sub rows
{
	my ($database) = @_;

	return join "\n", map { $node->safe_psql($database,
			"SELECT '$_', count(*), md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM board.$_ t") }
	  'setting', 'item_vector', 'model', 'decision', 'shown', 'reward', 'due', 'beginning', 'job';
}

sub dump_to
{
	my ($database, $file, @options) = @_;

	$node->command_ok([ 'pg_dump', '--no-sync', @options, '--file', $file, $database ],
		"$database: pg_dump @options");
	return;
}

# What its objects are made by; two lines have a random key since August 2025
sub definition
{
	my ($database) = @_;

	dump_to($database, "$folder/definition", '--schema=board', '--schema-only');
	return DlintsTest->slurp("$folder/definition") =~ s/^\\(un)?restrict .*$//gmr;
}

sub restore
{
	my ($database, $file, $is_script) = @_;

	$node->command_ok(
		$is_script
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $database, '-f', $file ]
		: [ 'pg_restore', '--exit-on-error', '--dbname', $database, $file ],
		"$database: restored");
	return;
}

# Whether it is what it was, and goes on
sub check
{
	my ($database, $source) = @_;

	is(rows($database), rows($source), "$database: the same rows");
	is(definition($database), definition($source), "$database: the same objects");
	is($node->safe_psql($database, q{SELECT count(*) FROM board.recommend(7, 5)}),
		5, "$database: it recommends");
	is( $node->safe_psql($database, q{
			SELECT count(board.reward(decision, item)) FROM board.shown WHERE place = 2}),
		21, "$database: is told of clicks");
	cmp_ok($node->safe_psql($database, q{SELECT board.learn('0')}), '>', 0, "$database: learns");
	$node->safe_psql($database, 'SELECT board.run()');
	is( $node->safe_psql($database, q{
			SELECT board.erase(p) FROM generate_series(1, 3) p;
			SELECT count(*) FROM board.decision WHERE person < 4}) =~ s/.*\n//sr,
		0, "$database: and erases");
	return;
}

for my $schema ('public', 'bandit')
{
	my $source = "board_$schema";

	board($source, $schema);
	for my $form ('plain', $schema eq 'public' ? 'custom' : 'directory')
	{
		my ($whole, $alone) = map { "${_}_${form}_$schema" } 'whole', 'alone';

		dump_to($source, "$folder/$whole", "--format=$form");
		$node->safe_psql('postgres', "CREATE DATABASE $whole");
		restore($whole, "$folder/$whole", $form eq 'plain');
		check($whole, $source);

		# the shop first, then the recommender
		dump_to($source, "$folder/shop_$alone", '--exclude-schema=board', "--format=$form");
		dump_to($source, "$folder/$alone", '--schema=board', "--format=$form");
		$node->safe_psql('postgres', "CREATE DATABASE $alone");
		restore($alone, "$folder/$_", $form eq 'plain') for "shop_$alone", $alone;
		check($alone, $source);
	}
}

$node->stop;
done_testing();
