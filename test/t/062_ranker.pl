# A ranker under many sessions and a crash: whatever happens, its models are those
# that its log gives, and an event has one answer.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => q{
full_page_writes = on
restart_after_crash = on
jit = off
});
$node->safe_psql('postgres', q{
	CREATE EXTENSION dlints;
	SELECT dlints_create_ranker('offer', wait => '0', apprentice => true, repeated => 'last');
	SELECT offer.go_live(0.5);
	CREATE FUNCTION ask(event text) RETURNS text LANGUAGE sql AS $$
		SELECT string_agg(action || probability, ' ' ORDER BY place)
		FROM   offer.rank(event, jsonb_build_object('hour', hashtext(event) & 3), '["a", "b", "c", "d"]') $$;
	-- how far the models are from those of the log; they stay as they are
	CREATE FUNCTION off() RETURNS float8 LANGUAGE plpgsql AS $$
	DECLARE
		most float8;
	BEGIN
		CREATE TEMP TABLE was ON COMMIT DROP AS SELECT * FROM offer.model;
		PERFORM offer.rebuild();
		SELECT max(CASE WHEN (dlints_info(w.state)).updates = (dlints_info(m.state)).updates
		                THEN d.off ELSE 'infinity' END) INTO most
		FROM   was w JOIN offer.model m USING (name),
		       LATERAL (SELECT max(abs(x - y)) / max(greatest(abs(x), abs(y))) AS off
		                FROM unnest(dlints_mean(w.state), dlints_mean(m.state)) u (x, y)) d;
		UPDATE offer.model m SET state = w.state FROM was w WHERE w.name = m.name;
		RETURN coalesce(most, 'infinity');
	END $$;
});

sub value
{
	return $node->safe_psql('postgres', "SELECT $_[0]");
}

sub is_the_logs
{
	my ($what) = @_;

	cmp_ok(value('off()'), '<', 1e-9, $what);
	return;
}

### What is told

sub told
{
	my ($statement) = @_;

	my (undef, undef, $told) = $node->psql('postgres', $statement, extra_params => ['--set=VERBOSITY=verbose']);
	return $told;
}

like(told(q{BEGIN READ ONLY; SELECT offer.rank('e', '{}', '["a"]')}),
	qr/ERROR:  25006: a decision cannot be logged in a read-only transaction/, 'what is ranked has to be logged');
value(q{offer.rank('known', '{}', '["a", "b"]')});
like(told(q{SELECT offer.winner(actions => '{a,typo}')}),
	qr/NOTICE:  00000: no event since then had an action "typo"/, 'an action that there never was is told');
unlike(told(q{SELECT offer.winner(actions => '{a,b}')}), qr/NOTICE/, 'one that nobody rewarded yet is not');

### One interleaving at a time

my $sessions = Sessions->new($node);

for my $end ('COMMIT', 'ROLLBACK')
{
	value("ask('$end ' || e) FROM generate_series(1, 40) e");
	value("offer.reward('$end ' || e, e % 2) FROM generate_series(1, 20) e");
	$sessions->run(1, 'BEGIN', 'SELECT offer.learn()');
	$sessions->run(2, "SELECT ask('$end later')",
		"SELECT offer.reward('$end ' || e, 1) FROM generate_series(31, 40) e");
	$sessions->wait_with(2, q{DO 'BEGIN PERFORM offer.learn(); END'});
	$sessions->run(1, $end);
	is($sessions->outcome(2), '00000', "a session that learns waits for another one's $end");
	is(value('count(*) FROM offer.due'), 0, 'all is learned');
	is(value("count(*) FROM offer.reward WHERE learned IS DISTINCT FROM value"), 0, 'rewards, too');
	is(value("updates - (SELECT count(*) FROM offer.decision) FROM offer.models WHERE name = 'reward'"), 0,
		'once each');
	is_the_logs("two sessions learned, $end");
}

# It does not wait for a reward that is told again, be it of an event that is learned now or before
for my $is_learned (0, 1)
{
	my $event = "again $is_learned";

	$sessions->run(2, "SET lock_timeout = '10s'");
	value("ask('$event')");
	value("offer.reward('$event', 1)");
	value('offer.learn()') if $is_learned;
	value("offer.reward('$event', 0.7)");
	$sessions->run(1, 'BEGIN', "SELECT offer.reward('$event', 0.5)");
	is($sessions->sqlstate(2, 'SELECT offer.learn()'), '00000', 'but for no reward');
	$sessions->run(1, 'COMMIT');
	value('offer.learn()');
	is(value("learned FROM offer.reward WHERE event = '$event'"), 0.5, 'which is learned afterwards');
	is_the_logs('and the models know it');
	$sessions->run(2, 'RESET lock_timeout');
}

$sessions->run(1, 'BEGIN', q{SELECT ask('the same')});
$sessions->wait_with(2, q{DO 'BEGIN PERFORM ask(''the same''); END'});
$sessions->run(1, 'COMMIT');
is($sessions->outcome(2), '00000', 'who asks for the same event waits');
is(value(q{count(*) FROM offer.decision WHERE event = 'the same'}), 1, 'and gets the same answer');

$sessions->run(1, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
value("ask('before')");
is($sessions->sqlstate(1, q{SELECT ask('before')}), '23505', 'who does not see the answer makes no other one');
$sessions->run(1, 'ROLLBACK');

# Prices of promises: one session finds them, others do not wait
value(q{dlints_create_ranker('kept', wait => '0', promises => '{"usd": {"most": 1}, "ms": {"most": 5}}')});
my $kept = q{SELECT count(*) FROM kept.rank(NULL, '{}', '[{"id": "a", "usd": 2, "ms": 1}, {"id": "b", "ms": 9}]')};
value("count(*) FROM generate_series(1, 5), LATERAL ($kept) r");
$sessions->run(1, 'BEGIN', $kept);
is(value("count(*) FROM pg_locks WHERE relation = 'kept.job'::regclass AND mode = 'RowShareLock'"), 1,
	'a session finds prices');
$sessions->run(2, q{SET lock_timeout = '5s'});
is($sessions->sqlstate(2, $kept), '00000', 'another one goes on meanwhile');
$sessions->run(2, 'RESET lock_timeout');
$sessions->run(1, 'COMMIT');
$sessions->run(1, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM kept.promise');
value("count(*) FROM generate_series(1, 9), LATERAL ($kept) r");
is($sessions->sqlstate(1, $kept), '00000', 'so does one that does not see the prices that another has found');
$sessions->run(1, 'COMMIT');

### Many at random, and the server crashes

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
SELECT offer.run();
\endif
END
close $file or die "$script: $!";

for my $round (1 .. 2)
{
	my $bench = IPC::Run::start(
		[ 'pgbench', '-n', '-c', 4, '-j', 1, '-T', 4, '-f', $script, '-h', $node->host,
			'-p', $node->port, 'postgres' ],
		'>', \my $out, '2>', \my $err);
	if ($round > 1)
	{
		sleep 2;
		$node->stop('immediate');
		$bench->finish;
		$node->start;
	}
	else
	{
		ok($bench->finish, 'sessions that rank, reward and learn do not disturb each other') or diag $err;
	}
	is_the_logs($round > 1 ? 'after a crash the models are those of the log' : 'and the models are those of the log');
	value('offer.learn()');
	is_the_logs('and go on');
	is(value('count(*) - count(DISTINCT event) FROM offer.decision'), 0, 'an event has one answer');
}

done_testing();
