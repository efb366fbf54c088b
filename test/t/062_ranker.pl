# A ranker under many sessions and a crash: its models are always those of its log, and
# an event has one answer.
use strict;
use warnings;

use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => q{
full_page_writes = on
restart_after_crash = on
jit = off
max_connections = 30
max_locks_per_transaction = 10
});
$node->safe_psql('postgres', 'CREATE EXTENSION dlints; ' . DlintsTest->included('models.sql') . q{
	SELECT dlints_create_ranker('offer', attribution_window => '0', apprentice => true, repeated => 'last');
	SELECT offer.go_live(0.5);
	CREATE FUNCTION ask(event text) RETURNS text LANGUAGE sql AS $$
		SELECT string_agg(action || probability, ' ' ORDER BY "position")
		FROM   offer.rank(event, jsonb_build_object('hour', hashtext(event) & 3), '["a", "b", "c", "d"]') $$;
});

sub value
{
	return $node->safe_psql('postgres', "SELECT $_[0]");
}

sub models_are_those_of_the_log
{
	my ($name) = @_;

	cmp_ok(value(q{difference_from_log('offer')}), '<', 1e-9, $name);
	return;
}

### Messages

sub messages
{
	my ($statements) = @_;

	my (undef, undef, $messages) = $node->psql('postgres', $statements, extra_params => ['--set=VERBOSITY=verbose']);
	return $messages;
}

like(messages(q{BEGIN READ ONLY; SELECT offer.rank('e', '{}', '["a"]')}),
	qr/ERROR:  25006: cannot log a decision in a read-only transaction/, 'rank() refuses a read-only transaction');
like(messages('SET default_transaction_read_only = on; CALL offer.run()'),
	qr/^[^\n]*ERROR:  25006: cannot execute run\(\) in a read-only transaction/,
	'run() refuses a read-only transaction');
value(q{offer.rank('known', '{}', '["a", "b"]')});
is(messages(q{BEGIN READ ONLY; SELECT offer.rank('known', '{}', '["a", "b"]')}), '',
	'rank() returns a known answer in a read-only transaction');
like(messages(q{SELECT offer.winner(actions => '{a,typo}')}),
	qr/NOTICE:  00000: no event since the beginning of the comparison had an action "typo"/,
	'winner() says that no event had an action');
unlike(messages(q{SELECT offer.winner(actions => '{a,b}')}), qr/NOTICE/, 'winner() says nothing about known actions');

my @numbers = map { "[" . join(', ', 1 .. $_) . "]" } 8, 9;

is(messages(qq{SELECT offer.rank(NULL, '{"x": $numbers[0]}', '["a"]')}), '',
	'rank() says nothing about an array of 8 numbers');
is(messages(q{SELECT offer.rank(NULL, '{"x": ["1", 2, 3, 4, 5, 6, 7, 8, 9, 10]}', '["a"]')}), '',
	'rank() says nothing about an array of numbers and texts');
my $twice = messages(qq{SELECT offer.rank(NULL, '{"x": $numbers[1]}', '["a"]'); } x 2);
like($twice, qr/NOTICE:  00000: the 9 numbers of "x" in the context are read as words, in any order/,
	'rank() says that an undeclared vector is read as words');
is(scalar(() = $twice =~ /NOTICE/g), 1, 'rank() says so once in a session');

value(q{dlints_create_ranker('misspelt', constraints => '{"USD": {"max": 1}}')});
$twice = messages(q{SELECT misspelt.rank(NULL, '{}', '[{"id": "a", "usd": 2}]'); } x 2);
like($twice, qr/NOTICE:  00000: no action has a cost "USD", which a constraint names/,
	'rank() says that no action has the cost of a constraint');
is(scalar(() = $twice =~ /NOTICE/g), 1, 'rank() says so about a constraint once in a session');
is(messages(q{SELECT misspelt.rank(NULL, '{}', '[{"id": "a", "USD": 2}]')}), '',
	'rank() says nothing about a constraint that an action names');

### Many events in one transaction

is(value(q{count(*) FROM generate_series(1, 3000) e, LATERAL offer.rank('many ' || e, '{}', '["a"]')}), 3000,
	'a transaction can rank more events than the lock table of the server has room for');
value('offer.learn()');

### One interleaving at a time

my $sessions = Sessions->new($node);

is($sessions->interleave("SELECT dlints_create_ranker('twin')", 'COMMIT', "SELECT dlints_create_ranker('twin')"),
	'42P06', 'a ranker that another session has just created exists already');
is($sessions->interleave("SELECT dlints_grant('twin', 'pg_monitor')", 'COMMIT',
	q{DO $$BEGIN PERFORM dlints_grant('twin', 'pg_monitor'); END$$}), '00000',
	'two sessions grant privileges on a ranker');
value(q{dlints_alter_ranker('twin', '{"constraints": {"usd": {"max": 1}}}')});
is($sessions->interleave(q{INSERT INTO twin.event VALUES ('e', 1);
	SELECT dlints_alter_ranker('twin', '{"constraints": {}}'); DELETE FROM twin.event}, 'COMMIT',
	q{DO $$BEGIN PERFORM twin.rank('e', '{}', '["a", "b"]'); END$$}), '00000',
	'rank() succeeds while another session removes the last constraint');

for my $end ('COMMIT', 'ROLLBACK')
{
	value("ask('$end ' || e) FROM generate_series(1, 40) e");
	value("offer.reward('$end ' || e, e % 2) FROM generate_series(1, 20) e");
	$sessions->run(1, 'BEGIN', 'SELECT offer.learn()');
	$sessions->run(2, "SELECT ask('$end later')",
		"SELECT offer.reward('$end ' || e, 1) FROM generate_series(31, 40) e");
	$sessions->wait_with(2, q{DO 'BEGIN PERFORM offer.learn(); END'});
	$sessions->run(1, $end);
	is($sessions->outcome(2), '00000', "learn() waits for the $end of another session's learn()");
	is(value('count(*) FROM offer.pending'), 0, "two sessions apply all decisions, $end");
	is(value("count(*) FROM offer.reward WHERE applied IS DISTINCT FROM value"), 0,
		"two sessions apply all rewards, $end");
	is(value("updates - (SELECT count(*) FROM offer.decision) FROM offer.models WHERE name = 'reward'"), 0,
		"two sessions apply each decision once, $end");
	models_are_those_of_the_log("after two sessions trained, the models are those of the log, $end");
}

# learn() does not wait for a reward that is being reported again, whether its event was applied before or is
# applied now
for my $is_applied (0, 1)
{
	my $event = "again $is_applied";
	my $which = $is_applied ? 'an applied event' : 'a pending event';

	$sessions->run(2, "SET lock_timeout = '10s'");
	value("ask('$event')");
	value("offer.reward('$event', 1)");
	value('offer.learn()') if $is_applied;
	value("offer.reward('$event', 0.7)");
	$sessions->run(1, 'BEGIN', "SELECT offer.reward('$event', 0.5)");
	is($sessions->sqlstate(2, 'SELECT offer.learn()'), '00000', "learn() does not wait for a locked reward of $which");
	$sessions->run(1, 'COMMIT');
	value('offer.learn()');
	is(value("applied FROM offer.reward WHERE event = '$event'"), 0.5, "the reward of $which is applied afterwards");
	models_are_those_of_the_log("with the later reward of $which, the models are those of the log");
	$sessions->run(2, 'RESET lock_timeout');
}

# An event that two sessions rank at once
$sessions->run(1, 'BEGIN', q{SELECT ask('at once')});
$sessions->wait_with(2, q{CREATE TEMP TABLE answer AS SELECT ask('at once') AS answer});
$sessions->run(1, 'COMMIT');
is($sessions->outcome(2), '00000', 'rank() waits for another session that ranks the event');
is(value(q{count(*) FROM offer.decision WHERE event = 'at once'}), 1,
	'two sessions that rank an event log one decision');
is($sessions->{2}->query_safe('SELECT answer FROM answer'), value(q{ask('at once')}),
	'two sessions that rank an event get the same answer');

$sessions->run(1, 'BEGIN', q{SELECT ask('undone')});
$sessions->wait_with(2, q{DO 'BEGIN PERFORM ask(''undone''); END'});
$sessions->run(1, 'ROLLBACK');
is($sessions->outcome(2), '00000', 'rank() continues when another session rolls back');
is(value(q{count(*) FROM offer.decision JOIN offer.event USING (event) WHERE event = 'undone' AND id = decision}), 1,
	'a session that rolls back leaves the event to the next one');

$sessions->run(1, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
value("ask('before')");
is($sessions->sqlstate(1, q{SELECT ask('before')}), '40001',
	'rank() fails in a snapshot that does not contain the answer of the event');
$sessions->run(1, 'ROLLBACK');

# Prices of constraints: one session computes them, and others do not wait
value(q{dlints_create_ranker('kept', attribution_window => '0',
	constraints => '{"usd": {"max": 1}, "ms": {"max": 5}}')});
my $kept = q{SELECT count(*) FROM kept.rank(NULL, '{}', '[{"id": "a", "usd": 2, "ms": 1}, {"id": "b", "ms": 9}]')};
value("count(*) FROM generate_series(1, 5), LATERAL ($kept) r");
$sessions->run(1, 'BEGIN', $kept);
is(value("count(*) FROM pg_locks WHERE relation = 'kept.job'::regclass AND mode = 'RowShareLock'"), 1,
	'a session that computes prices locks the job');
$sessions->run(2, q{SET lock_timeout = '5s'});
is($sessions->sqlstate(2, $kept), '00000', 'another session continues with the present prices');
$sessions->run(2, 'RESET lock_timeout');
$sessions->run(1, 'COMMIT');
$sessions->run(1, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM kept.constraint_price');
value("count(*) FROM generate_series(1, 9), LATERAL ($kept) r");
is($sessions->sqlstate(1, $kept), '00000', 'a session whose snapshot does not contain the newest prices continues');
$sessions->run(1, 'COMMIT');

### Many sessions at random, and a crash

my $script = $node->basedir . '/mixed.pgbench';
open my $file, '>', $script or die "$script: $!";
print {$file} <<'END';
\set event random(1, 400)
\set value random(0, 1)
\set what random(1, 20)
\if :what <= 10
SELECT ask('event ' || :event);
\elif :what <= 17
SELECT offer.reward('event ' || :event, :value);
\elif :what <= 19
SELECT offer.learn();
\else
CALL offer.run();
\endif
END
close $file or die "$script: $!";

for my $round (1 .. 2)
{
	my $when = $round > 1 ? 'after a crash' : 'after many sessions';
	my ($succeeds, $messages) = DlintsTest->run_random($node, $script, $round > 1);

	ok($succeeds, 'sessions that rank, reward and learn do not disturb each other') or diag $messages if $round == 1;
	models_are_those_of_the_log("$when the models are those of the log");
	value('offer.learn()');
	models_are_those_of_the_log("$when training continues");
	is(value('count(*) - count(DISTINCT event) FROM offer.decision'), 0, "$when an event has one answer");
	is(value('count(*) FROM offer.decision d FULL JOIN offer.event e ON e.decision = d.id AND e.event = d.event
	          WHERE d.id IS NULL OR e.event IS NULL'), 0, "$when each decision has its event");
}

done_testing();
