# A recommender and a ranker that another version of dlints wrote are renewed: functions that are
# missing, other, or called otherwise become those of this version, tables and what a page may call
# stay, and work goes on.  And a scaffold is a migration file.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Catalogue;
use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");
my $folder = $node->basedir;
my $tables = DlintsTest->slurp("$FindBin::RealBin/../pgtap/include/recommender.sql");
my $arguments = q{'job', '{field,salary,posted}', clicks => 'SELECT who, job, at FROM visit',
	candidates => 'i.open', bonus => 'CASE WHEN i.remote THEN 0.01 ELSE 0 END'};

sub value
{
	my ($database, $expression) = @_;

	return $node->safe_psql($database, "SELECT $expression");
}

sub definition
{
	return Catalogue::definition($node, @_);
}

$node->safe_psql('postgres', "CREATE ROLE page; CREATE EXTENSION dlints; $tables");
value('postgres', "dlints_create_recommender('board', $arguments)");
value('postgres', "dlints_create_ranker('front', wait => '0')");
$node->safe_psql('postgres', q{
	SELECT dlints_grant('board', 'page'), dlints_grant('front', 'page');
	SELECT board.reward(decision, item)
	FROM   generate_series(1, 20) p, board.recommend(p, 5) WHERE place = 1;
	SELECT front.reward(event_id, 1) FROM generate_series(1, 9) e, front.rank('e' || e, '{}', '[{"id": 40}, "b"]');
	SELECT board.learn('0'), front.learn()});

### A scaffold

for my $kind ('recommender', 'ranker')
{
	my ($name, $made, $scaffold) = $kind eq 'ranker'
	  ? ('front', q{wait => '0'}, 'dlints_scaffold_ranker')
	  : ('board', $arguments, 'dlints_scaffold');

	$node->safe_psql('postgres', "CREATE DATABASE migrated_$kind");
	$node->safe_psql("migrated_$kind", "CREATE EXTENSION dlints; $tables");
	DlintsTest->spew("$folder/$kind.sql", value("migrated_$kind", "$scaffold('$name', $made)") . "\n");
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', "migrated_$kind", '-f',
			"$folder/$kind.sql" ], "the scaffold of a $kind is a file that psql runs");
	is(definition("migrated_$kind", $name), definition('postgres', $name),
		'which makes what is made in one call');
}
like(value('migrated_recommender', 'string_agg(line, E\'\n\') FROM (SELECT dlints_scaffold(\'again\', '
	  . "$arguments)) s (line)"), qr/;\z/, 'each statement ends');

### What another version wrote, in a database of its own

$node->command_ok([ 'pg_dump', '--no-sync', '--file', "$folder/dump", 'postgres' ], 'a dump');
$node->safe_psql('postgres', 'CREATE DATABASE old');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'old', '-f', "$folder/dump" ],
	'is restored');
my $rows = q{(SELECT md5(string_agg(d::text, '')) FROM board.decision d)
	|| (SELECT md5(string_agg(m.state::text, '' ORDER BY name)) FROM board.model m)
	|| (SELECT md5(string_agg(d::text, '')) FROM front.decision d)};
my $before = value('old', $rows);

is(join(' ', ($node->psql('old', q{SELECT dlints_renew('board'), dlints_renew('front')}))[ 0 .. 2 ]), '0 | ',
	'what this version wrote is renewed, without a word');
is(definition('old', $_), definition('postgres', $_), "$_ is as it was") for 'board', 'front';

my $older = q{
	UPDATE board.setting SET version = '0.0.1', arguments = arguments - '{value_limit,archive,diversity,promises}'::text[];
	UPDATE front.setting SET version = '0.0.1', arguments = arguments - '{person_key,vectors,promises}'::text[];
	COMMENT ON TABLE board.setting IS 'dlints 0.0.1: recommender';
	COMMENT ON TABLE front.setting IS 'dlints 0.0.1: ranker';
	DROP TABLE board.promise CASCADE; DELETE FROM board.job WHERE name = 'prices';
	ALTER TABLE board.item_vector DROP promised CASCADE, DROP rates CASCADE;
	ALTER TABLE board.decision DROP prices CASCADE, DROP costs CASCADE;
	DROP FUNCTION board.refit, board.more_like, board.next, board.trending, board.erase;
	CREATE FUNCTION board.erase(person bigint) RETURNS bigint LANGUAGE sql RETURN 0;
	DROP TABLE board.trend CASCADE; DROP INDEX board.decision_session;
	ALTER FUNCTION board.set_months() SECURITY INVOKER;
	GRANT EXECUTE ON FUNCTION board.set_months() TO PUBLIC;
	CREATE OR REPLACE FUNCTION board.looked_at(place integer) RETURNS float8 LANGUAGE sql IMMUTABLE
		AS 'SELECT 7.0::float8';
	UPDATE front.model SET state = dlints_scale(0::float8, state);
	DROP FUNCTION front.run};
my $oldest = q{
	DROP FUNCTION board.reward;
	CREATE FUNCTION board.reward(decision bigint, item integer) RETURNS void
		LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN END';
	GRANT EXECUTE ON FUNCTION board.reward TO page;
	DROP VIEW board.models; CREATE VIEW board.models AS SELECT 1 AS one;
	DROP FUNCTION front.report; CREATE FUNCTION front.report() RETURNS text LANGUAGE sql RETURN 'fine'};

# Who may do what, but for owners
my $grants = q{(SELECT string_agg(g, ' ' ORDER BY g) FROM (
	SELECT proname || a.grantee::regrole || a.privilege_type || a.is_grantable
	FROM pg_proc, aclexplode(proacl) a WHERE pronamespace = 'board'::regnamespace AND a.grantee <> proowner AND proname <> 'set_months'
	UNION ALL
	SELECT relname || a.grantee::regrole || a.privilege_type || a.is_grantable
	FROM pg_class, aclexplode(relacl) a WHERE relnamespace = 'board'::regnamespace AND a.grantee <> relowner) t (g))};
$node->safe_psql('old', q{
	CREATE ROLE analyst; GRANT SELECT ON board.outcome, board.models TO analyst WITH GRANT OPTION;
	GRANT EXECUTE ON FUNCTION board.why TO PUBLIC; GRANT EXECUTE ON FUNCTION board.run TO analyst;
	REVOKE EXECUTE ON FUNCTION board.report FROM PUBLIC});

for my $changes ($older, $older . ';' . $oldest)
{
	$node->safe_psql('old', $changes);
	my $granted = value('old', $grants);
	like($granted, qr/outcomeanalystSELECTtrue.* whypageEXECUTEfalse/, 'rights beside those of a page');
	is($node->safe_psql('old', 'SELECT name, current FROM dlints_recommenders'),
		"board|f\nfront|f", 'of another version');
	my (undef, undef, $first) = $node->psql('old', q{SELECT dlints_alter_recommender('board', '{"epsilon": 0}')});
	like($first, qr/was written by dlints 0\.0\.1\nHINT:  Call dlints_renew first/, 'which is not changed before');
	my (undef, undef, $said) = $node->psql('old', 'SELECT _dlints_say_outdated()');
	like($said, qr/schema "board" .*dlints_renew\('board'\).*schema "front"/s, 'it is said which');
	$node->safe_psql('old', q{SELECT dlints_renew('board'), dlints_renew('front')});
	is($node->safe_psql('old', 'SELECT name, owner = current_user, kind, current FROM dlints_recommenders'),
		"board|t|recommender|t\nfront|t|ranker|t", 'renewed');
	is(definition('old', $_), definition('postgres', $_), "the functions of $_ are those of this version")
	  for 'board', 'front';
	is(value('old', q{(SELECT count(*) FROM board.trend) || ' ' || (SELECT count(*) FROM pg_indexes
		WHERE schemaname = 'board' AND indexdef LIKE '%hashtextextended%')}),
		value('postgres', q{'0 ' || (SELECT count(*) FROM pg_indexes
		WHERE schemaname = 'board' AND indexdef LIKE '%hashtextextended%')}), 'with the table and the index that were missing');
	is(value('old', $rows), $before, 'and nothing else has changed');
	is(value('old', q{(SELECT updates FROM front.models WHERE name = 'reward')}), '9',
		'but what was learned by ids that were amounts, which is learned anew');
	is(value('old', $grants), $granted, 'nor who may do what');
	is(value('old', q{has_function_privilege('analyst', 'board.set_months()', 'EXECUTE')}), 'f',
		'but that nobody gets the rights of the owner');
}
is($node->safe_psql('old', q{
		SET ROLE page;
		SELECT count(board.reward(decision, item)) FROM board.recommend(7, 3);
		SELECT count(*) FROM front.rank('new', '{}', '["a"]')}), "3\n1", 'a page goes on');
is($node->safe_psql('old', q{SELECT board.learn('0'), front.learn()}), '1|1', 'so does learning');
is($node->safe_psql('old', q{
		SELECT dlints_alter_recommender('board', '{"promises": {"far": {"of": "i.remote", "most": 0.2},
			"clicked": {"outcome": "click", "least": 0.01}}}');
		SELECT count(*) FROM board.recommend(7, 3);
		SELECT count(*) FROM board.spent(9);
		SELECT bool_and(promised[1] = rates[1] AND cardinality(promised) = 2) FROM board.item_vector}), "\n3\n2\nt",
	'and promises can be made, also of outcomes');
is(($node->psql('old', q{SELECT dlints_renew('public')}))[0], 3, 'another schema is refused');
my $other = 'DROP FUNCTION board.learn; CREATE FUNCTION board.learn() RETURNS text LANGUAGE sql RETURN 1';
$node->safe_psql('old', "CREATE VIEW mine AS SELECT * FROM board.shown, board.models; $other");
$node->safe_psql('old', q{SELECT dlints_renew('board')});
is($node->safe_psql('old', q{SELECT count(*) > 0 FROM mine}), 't', 'what stands before a change is not touched');
$node->safe_psql('old', "CREATE VIEW other AS SELECT * FROM board.outcome; $other");
my (undef, undef, $refused) = $node->psql('old', q{SELECT dlints_renew('board')});
like($refused, qr{cannot drop view board\.outcome because other objects depend on it}, 'what a user has built on it is not dropped');

### Two changes at once

my $sessions = eval { require Sessions; Sessions->new($node) };
SKIP:
{
	skip 'the test modules of this PostgreSQL have no BackgroundPsql', 3 unless $sessions;
	$sessions->run(1, 'BEGIN', q{SELECT dlints_alter_recommender('board', '{"wait": "1 hour"}')});
	$sessions->wait_with(2, q{DO $$BEGIN PERFORM dlints_alter_recommender('board', '{"epsilon": 0.5}'); END$$});
	$sessions->run(1, 'COMMIT');
	is($sessions->outcome(2), '00000', 'of two who change it one waits');
	is(value('postgres', q{(arguments ->> 'wait') || ' ' || (arguments ->> 'epsilon') FROM board.setting}),
		'1 hour 0.5', 'and both changes are there');

	# what run() locks first a change locks first
	$sessions->run(1, 'BEGIN', q{SELECT FROM board.job WHERE name = 'refresh' FOR UPDATE});
	$sessions->wait_with(2, q{DO $$BEGIN PERFORM dlints_alter_recommender('board', '{"exposure": 0.5}'); END$$});
	$sessions->run(1, 'SELECT board.refresh()', q{SELECT board.learn('0')}, 'COMMIT');
	is($sessions->outcome(2), '00000', 'a change and upkeep do not wait for each other');
}

$node->stop;
done_testing();
