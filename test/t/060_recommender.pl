# A recommender under many sessions and a crash.  Its models always equal those that
# a rebuild gives; after all users are erased they equal those of the warm start.
use strict;
use warnings;

use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => q{
full_page_writes = on
restart_after_crash = on
jit = off
});
$node->safe_psql('postgres', 'CREATE EXTENSION dlints; ' . DlintsTest->included('recommender.sql'));

# Users of this test have no earlier clicks.
$node->safe_psql('postgres', q{
	SELECT dlints_create_recommender('board', 'job', '{field,city_id,skills,remote}', factors => 4,
		clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5}');
	CREATE TABLE at_first AS SELECT * FROM board.model;
	-- a list for a user, with some clicks
	CREATE FUNCTION visit_page(user_id bigint) RETURNS bigint LANGUAGE sql AS $$
		SELECT count(CASE WHEN random() < 0.3 THEN board.reward(decision, item) END)
		FROM   board.recommend(user_id, 5) $$;
	-- a reward of an impression without rewards
	CREATE FUNCTION click_late() RETURNS void LANGUAGE sql AS $$
		SELECT board.reward(decision, item, CASE WHEN random() < 0.5 THEN 'apply' ELSE 'click' END)
		FROM   board.impression s LEFT JOIN board.reward r USING (decision, item) WHERE r.decision IS NULL
		ORDER  BY random() LIMIT 1 $$;
});

sub value
{
	return $node->safe_psql('postgres', "SELECT $_[0]");
}

sub is_the_logs
{
	my ($what) = @_;

	cmp_ok(value(q{difference_from_log('board')}), '<', 1e-8, $what);
	return;
}

sub without_months
{
	$node->safe_psql('postgres', q{
		SELECT format('DROP TABLE board.%I', c.relname) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
		WHERE  inhparent IN ('board.decision'::regclass, 'board.reward'::regclass)
		AND    c.relname !~ '_rest$'
		\gexec
		SELECT board.rebuild(), visit_page(1000)});
	return;
}

### One interleaving at a time

my $sessions = Sessions->new($node);
my $learn = q{SELECT board.learn('0')};

for my $end ('COMMIT', 'ROLLBACK')
{
	value("sum(visit_page(p)) FROM generate_series(1000, 1019) p");
	$sessions->run(1, 'BEGIN', $learn);
	$sessions->run(2, 'SELECT visit_page(1000)', 'SELECT click_late() FROM generate_series(1, 5)');
	$sessions->wait_with(2, "DO 'BEGIN PERFORM board.learn(''0''); END'");
	$sessions->run(1, $end);
	is($sessions->outcome(2), '00000', "learn() waits for the $end of another session's learn()");
	is(value('count(*) FROM board.pending'), 0, 'no decision is pending after two sessions learned');
	is(value(q{updates - (SELECT count(*) FROM board.impression)
		FROM board.models WHERE name = 'personal'}),
		0, 'two sessions train on each impression once');
	is_the_logs("the models equal a rebuild after two sessions learned, $end");
}

for my $other ('board.erase(1000)', 'board.rebuild()', 'board.warm_start()')
{
	value("sum(visit_page(p)) FROM generate_series(1000, 1019) p");
	$sessions->run(1, 'BEGIN', $learn);
	$sessions->wait_with(2, "DO 'BEGIN PERFORM $other; END'");
	$sessions->run(1, 'COMMIT');
	is($sessions->outcome(2), '00000', "$other waits for learn()");
	is_the_logs("the models equal a rebuild after $other");
}

$sessions->run(1, 'BEGIN', 'SELECT FROM board.job FOR UPDATE');
$sessions->wait_with(2, q{DO 'BEGIN PERFORM dlints_alter_recommender(''board'', ''{"cap": null}''); END'});
is(value(q{count(*) FROM pg_locks WHERE relation = 'board.setting'::regclass AND mode = 'RowShareLock'}), 1,
	'a change locks the settings before it waits for rows, as a change of items does');
$sessions->run(1, 'COMMIT');
is($sessions->outcome(2), '00000', 'a change waits for a part of the maintenance');

### A month begins while lists of that month are made

without_months();
$sessions->run(1, 'BEGIN', 'SELECT visit_page(1001)');
is($sessions->sqlstate(2, q{SELECT board.run_part('months')}), '00000',
	'maintenance of partitions gives up while another session writes to the log');
$sessions->run(1, 'COMMIT');
value(q{board.run_part('months')});
is(value('count(*) || \' \' || (SELECT count(*) FROM board.decision) FROM board.decision_rest'), '0 2',
	'a new partition gets all decisions of its month');

without_months();
$sessions->run(1, 'BEGIN', 'SELECT board.reward(999, 1)');
$sessions->{2}->query_until(qr/sent/, "\\echo sent\nDO 'BEGIN PERFORM board.run_part(''months''); END';\n");
is($sessions->sqlstate(1, 'SELECT visit_page(1001)'), '00000',
	'a list after a reward does not wait for partitions for ever');
is($sessions->outcome(2), '00000', 'maintenance of partitions does not wait for a list for ever');
$sessions->run(1, 'COMMIT');
value(q{board.run_part('months')});
is(value('count(*) FROM board.decision_rest'), 0, 'partitions are made by a later call');

### Factors are fitted while a list is not committed

for my $fit (1 .. 4)
{
	$node->safe_psql('postgres', 'UPDATE job SET city_id = city_id + 1 WHERE id % 3 = 0; SELECT board.refresh()');
	$sessions->run(1, 'BEGIN', 'SELECT FROM board.recommend(1002, 200)') if $fit == 1;
	value('board.refit()');
}
$sessions->run(1, 'COMMIT');
is(value('bool_and(features IS NOT NULL) FROM board.impression_user WHERE user_id = 1002'), 't',
	'a list that is committed after several fits has its features');
$node->safe_psql('postgres', 'UPDATE job SET city_id = city_id - 4 WHERE id % 3 = 0');
value('board.warm_start()');    # else each run() below does it, and waits a minute for the models

### Two sessions call run()

for my $part ('learn', 'items', 'refit')
{
	value("sum(visit_page(p)) FROM generate_series(1000, 1009) p");
	value(q{board.run_part('refresh')});
	$node->safe_psql('postgres',
		qq{UPDATE board.job SET done_at = '-infinity' WHERE name IN ('refresh', nullif('$part', 'learn'))});
	$sessions->run(1, 'BEGIN', "SELECT board.run_part('$part')");
	$sessions->run(2, q{SET lock_timeout = '20s'});
	is($sessions->sqlstate(2, 'CALL board.run()'), '00000',
		"run() neither waits nor fails while another session is at \"$part\"");
	$sessions->run(1, 'COMMIT');
	is(value(qq{count(*) FROM board.job WHERE problem IS NOT NULL
		OR '$part' = 'learn' AND name = 'refresh' AND done_at = '-infinity'}),
		0, "no part has an error, and other parts are done, after two sessions were at \"$part\"");
	$sessions->run(2, 'RESET lock_timeout');
}
# a part fails as soon as a change waits for it, and the change has time to go on before the error is written
$node->safe_psql('postgres', q{
	CREATE FUNCTION fail_beside_change() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF TG_TABLE_NAME = 'job' THEN
			PERFORM pg_sleep(0.3) FROM pg_stat_activity WHERE query ~ 'alter' AND pid <> pg_backend_pid();
			RETURN NULL;
		END IF;
		WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP;
		RAISE '%', current_setting('transaction_isolation');
	END $$;
	CREATE TRIGGER failing BEFORE UPDATE ON board.item_vector EXECUTE FUNCTION fail_beside_change();
	CREATE TRIGGER failing BEFORE UPDATE ON board.job EXECUTE FUNCTION fail_beside_change();
	UPDATE board.job SET done_at = '-infinity' WHERE name = 'refresh'});
$sessions->run(2, q{SET default_transaction_isolation = 'serializable'});
$sessions->{2}->query_until(qr/sent/, "\\echo sent\nCALL board.run();\n");
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
$sessions->run(1, 'BEGIN', q{SELECT dlints_alter_recommender('board', '{"cap": null}')});
is($sessions->outcome(2), '00000', 'run() continues after a part that fails while a change waits for it');
$sessions->run(1, 'COMMIT');
$sessions->run(2, 'RESET default_transaction_isolation');
is(value(q{problem FROM board.job WHERE name = 'refresh'}), 'read committed',
	'the error of a part is kept, and run() sets the isolation level');
$node->safe_psql('postgres', q{DROP FUNCTION fail_beside_change CASCADE; SELECT board.refresh()});
$node->safe_psql('postgres', 'CALL board.run()');
is_the_logs('the models equal a rebuild after two sessions called run()');
# training continues while a fit is computed
$node->safe_psql('postgres', q{UPDATE board.job SET done_at = '-infinity' WHERE name = 'refit'});
$sessions->run(1, 'BEGIN', q{SELECT board.run_part('refit')});
value("sum(visit_page(p)) FROM generate_series(1000, 1009) p");
is($sessions->sqlstate(2, q{SET lock_timeout = '5s'}), '00000', 'a lock timeout is set');
is($sessions->sqlstate(2, q{SELECT board.learn('0')}), '00000', 'learn() does not wait for the weekly fit');
$sessions->run(1, 'ROLLBACK');
$sessions->run(2, 'RESET lock_timeout');
$sessions->run(1, 'BEGIN', 'LOCK TABLE board.model');
is($sessions->sqlstate(2, q{SELECT board.run_part('learn')}), '00000',
	'run() does not fail while the models are locked');
$sessions->run(1, 'ROLLBACK');
# one transaction for each part, and all of them in the caller's transaction block
value("sum(visit_page(p)) FROM generate_series(1000, 1009) p");
my $before = value('txid_current()');
$node->safe_psql('postgres', 'CALL board.run()');
cmp_ok(value('txid_current()') - $before, '>', 3, 'run() commits after each part');
$before = value('txid_current()');
is($sessions->sqlstate(1, 'BEGIN'), '00000', 'a transaction block begins');
is($sessions->sqlstate(1, 'CALL board.run()'), '00000', 'run() works inside a transaction block');
is($sessions->sqlstate(1, 'ROLLBACK'), '00000', 'run() leaves the transaction block to its caller');
$node->safe_psql('postgres', 'BEGIN; CALL board.run(); COMMIT');
is_the_logs('the models equal a rebuild after run() in a transaction block');

### A reward that is reported before its decision is committed

$sessions->run(1, 'BEGIN');
my ($decision, $item) = split ' ',
  $sessions->{1}->query_safe(q{SELECT decision || ' ' || item FROM board.recommend(1000, 1)});
value("board.reward($decision, $item)");
value(q{board.learn('0')});
is(value("applied FROM board.reward WHERE decision = $decision"), '', 'a reward waits for its decision');
$sessions->run(1, 'COMMIT');
value(q{board.learn('0')});
is(value("applied FROM board.reward WHERE decision = $decision"), 1, 'a reward is applied with its decision');
is_the_logs('the models equal a rebuild after a reward came before its decision');

### A reward that is being reported again does not delay training

$sessions->run(2, "SET lock_timeout = '10s'");
for my $is_learned (0, 1)
{
	($decision, $item) = split ' ', value(q{decision || ' ' || item FROM board.recommend(1000, 1)});
	value("board.reward($decision, $item)");
	value(q{board.learn('0')}) if $is_learned;
	value("board.reward($decision, $item, value => 0.7)");
	$sessions->run(1, 'BEGIN', "SELECT board.reward($decision, $item, value => 0.5)");
	is($sessions->sqlstate(2, $learn), '00000', 'learn() does not wait for a session that reports a reward');
	$sessions->run(1, 'COMMIT');
	value(q{board.learn('0')});
	is(value("applied FROM board.reward WHERE decision = $decision"), 0.5,
		'a reward that learn() skipped is applied afterwards');
	is_the_logs('the models equal a rebuild after a reward was reported again');
}
$sessions->run(2, 'RESET lock_timeout');

### Functions lock the settings before other tables, so that DROP SCHEMA can wait for them without a deadlock

$sessions->run(1, 'BEGIN', 'LOCK TABLE board.setting');
for my $call ('recommend(1000)', 'trending()', 'reward(1, 1)', 'learn()', "run_part(''refresh'')", 'report()',
	'erase(1000)')
{
	$sessions->wait_with(2, "DO 'BEGIN PERFORM board.$call; END'");
	is(value(q{string_agg(DISTINCT c.relname, ' ')
		FROM   pg_stat_activity a JOIN pg_locks l USING (pid) JOIN pg_class c ON c.oid = l.relation
		WHERE  c.relnamespace = 'board'::regnamespace AND a.backend_type = 'client backend'}), 'setting',
		"$call locks the settings first");
	value(q{count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event_type = 'Lock'});
	is($sessions->outcome(2), '57014', "$call is cancelled while it waits");
}
$sessions->run(1, 'COMMIT');

### Privileges are granted during a change of key types

$node->safe_psql('postgres', 'CREATE ROLE page');
$sessions->run(1, 'SET client_min_messages = warning', 'BEGIN',
	q{SELECT dlints_alter_recommender('board', '{"user_type": "numeric"}')});
$sessions->wait_with(2, q{DO 'BEGIN PERFORM dlints_grant(''board'', ''page''); END'});
$sessions->run(1, 'COMMIT');
is($sessions->outcome(2), '00000', 'dlints_grant() waits for a change of key types');
is(value(q{bool_and(has_function_privilege('page', p.oid, 'EXECUTE')) FROM pg_proc p
	WHERE p.pronamespace = 'board'::regnamespace AND p.proname IN ('recommend', 'explain')}), 't',
	'dlints_grant() grants privileges on the new functions');

### Random sessions, and a crash of the server

my $script = $node->basedir . '/mixed.pgbench';
open my $file, '>', $script or die "$script: $!";
print {$file} <<'END';
\set visitor random(1000, 1030)
\set what random(1, 20)
\if :what <= 10
SELECT visit_page(:visitor);
\elif :what <= 15
SELECT click_late();
\elif :what <= 18
SELECT board.learn('0');
\elif :what = 19
CALL board.run();
\else
SELECT board.erase(:visitor);
\endif
END
close $file or die "$script: $!";

for my $round (1 .. 2)
{
	my ($succeeds, $messages) = DlintsTest->run_random($node, $script, $round > 1);

	ok($succeeds, 'sessions recommend, click, learn, run and erase at once') or diag $messages if $round == 1;
	is_the_logs($round > 1 ? 'the models equal a rebuild after a crash'
		: 'the models equal a rebuild after random sessions');
	value(q{board.learn('0')});
	is_the_logs('the models equal a rebuild after learning went on');
	cmp_ok(value('count(*) FROM board.decision'), '>', 10, 'the log has decisions after random sessions');
}

### A condition that is false for some items and fails for the others

my (undef, $items, $messages) = $node->psql('postgres', q{
	SELECT dlints_alter_recommender('board', '{"candidates":
		"CASE WHEN i.id > 100 THEN context = ''{}'' ELSE coalesce((context ->> ''max'')::integer, 1) > 0 END"}');
	SELECT item FROM board.recommend(1, context => '{"max": "ten"}')});
is($items, '', 'recommend() returns no item that fails');
like($messages, qr/WARNING:  no item is eligible: in the argument "candidates": invalid input syntax.*"ten"/,
	'an empty list has a warning with the error of the condition');

(undef, undef, $messages) = $node->psql('postgres', q{
	BEGIN;
	ALTER TABLE visit ADD divisor integer DEFAULT 1;
	SELECT dlints_alter_recommender('board', '{"clicks": "SELECT who, job, at, 1 / divisor FROM visit"}');
	UPDATE visit SET divisor = 0 WHERE who = 1;
	SELECT item FROM board.recommend(1, context => '{"max": 0}');
	ROLLBACK});
is(join(' ', $messages =~ /WARNING:  (.*)/g), 'in the argument "clicks": division by zero',
	'an empty list has no warning about expressions if only clicks fail');

### All users are erased

value(q{sum(board.erase(user_id)) FROM (SELECT DISTINCT user_id FROM board.decision) d});
is(value('count(*) FROM board.decision') + value('count(*) FROM board.impression'), 0,
	'the log is empty after all users are erased');
value('board.warm_start()');
cmp_ok(value(q{max(far(dlints_with_prior(b.state, 0 * b.state), dlints_with_prior(m.state, 0 * m.state)))
	FROM board.model m JOIN at_first b USING (name) WHERE m.learns}), '<', 1e-9,
	'the models equal the warm start after all users are erased');

done_testing();
