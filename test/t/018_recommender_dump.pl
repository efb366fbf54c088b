# A recommender survives pg_dump, with the database or as its schema alone.  It
# recommends, learns and erases after a restore into a database whose
# search_path does not lead to dlints.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");
my $folder = $node->basedir;
my $tables = DlintsTest->included('recommender.sql');

# A recommender, with dlints in a schema of the search_path
sub board
{
	my ($database, $schema) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database;
		ALTER DATABASE $database SET search_path = public, $schema");
	$node->safe_psql($database, "CREATE SCHEMA IF NOT EXISTS $schema;
		CREATE EXTENSION dlints SCHEMA $schema; $tables");
	$node->safe_psql($database, q{
		SELECT dlints_create_recommender('board', 'job', '{field,city_id,skills,remote}', factors => 4,
			clicks => 'SELECT who, job, at FROM visit', candidates => 'i.open')});
	$node->safe_psql($database, q{
		SELECT board.reward(decision, item)
		FROM generate_series(1, 20) p, board.recommend(p, 5) WHERE "position" = 1});
	$node->safe_psql($database, q{SELECT board.learn('0')});
	return;
}

# All rows of the recommender; those of a source do not change
my %rows;
sub rows
{
	my ($database) = @_;

	return $rows{$database} //= join "\n", map { $node->safe_psql($database,
			"SELECT '$_', count(*), md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM board.$_ t") }
	  'setting', 'item_vector', 'item_version', 'model', 'decision', 'impression', 'reward', 'pending',
	  'warm_start_example', 'job';
}

sub dump_to
{
	my ($database, $file, @options) = @_;

	$node->command_ok([ 'pg_dump', '--no-sync', @options, '--file', $file, $database ],
		"$database: pg_dump @options succeeds");
	return;
}

# The statements that create its objects, without two lines that have a random key since August 2025
my %definition;
sub definition
{
	my ($database) = @_;

	$definition{$database} //= do
	{
		dump_to($database, "$folder/definition", '--schema=board', '--schema-only', '--no-comments');
		DlintsTest->slurp("$folder/definition") =~ s/^\\(un)?restrict .*$//gmr;
	};
	return $definition{$database};
}

sub restore
{
	my ($database, $file, $is_script) = @_;

	$node->command_ok(
		$is_script
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $database, '-f', $file ]
		: [ 'pg_restore', '--exit-on-error', '--dbname', $database, $file ],
		"$database: a dump can be restored");
	return;
}

# A restored recommender equals its source and works
sub check
{
	my ($database, $source) = @_;

	is(rows($database), rows($source), "$database: a restore has the same rows");
	is($node->safe_psql($database, q{SET search_path = public, bandit;
			SELECT string_agg(name || ' ' || kind, ',') FROM dlints_recommenders}),
		'board recommender', "$database: dlints_recommenders lists it after a restore");
	is(definition($database), definition($source), "$database: a restore has the same objects");
	is($node->safe_psql($database, q{SELECT count(*) FROM board.recommend(7, 5)}),
		5, "$database: recommend() works after a restore");
	is($node->safe_psql($database, q{
			SELECT count(*) FROM (SELECT board.reward(decision, item)
				FROM board.impression WHERE position = 2 OFFSET 0) r}),
		21, "$database: reward() works after a restore");
	cmp_ok($node->safe_psql($database, q{SELECT board.learn('0')}), '>', 0, "$database: learn() works after a restore");
	$node->safe_psql($database, 'CALL board.run()');
	is($node->safe_psql($database, q{
			SELECT board.erase(p) FROM generate_series(1, 3) p;
			SELECT count(*) FROM board.decision WHERE user_id < 4}) =~ s/.*\n//sr,
		0, "$database: erase() works after a restore");
	return;
}

board('source', 'bandit');
dump_to('source', "$folder/whole", '--format=custom');
$node->safe_psql('postgres', 'CREATE DATABASE whole');
restore('whole', "$folder/whole", 0);
check('whole', 'source');

# first the shop, then the recommender, without comments
dump_to('source', "$folder/shop", '--exclude-schema=board', '--format=plain');
dump_to('source', "$folder/alone", '--schema=board', '--no-comments', '--format=plain');
$node->safe_psql('postgres', 'CREATE DATABASE alone');
restore('alone', "$folder/$_", 1) for 'shop', 'alone';
check('alone', 'source');

$node->stop;
done_testing();
