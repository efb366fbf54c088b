# Transactions that fail with a deadlock, a serialization failure or an unavailable lock leave none of their
# rewards, and a retry counts once.
use strict;
use warnings;

use DlintsTest 'sessions';
use List::Util qw(sum0);
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => "deadlock_timeout = 10ms\n");

$node->safe_psql('postgres', $DlintsTest::tables
	  . q{INSERT INTO model VALUES ('a', dlints_new(2, discount => 1, intercept => false)),
		('b', dlints_new(2, discount => 1, intercept => false))});

# Rewards are powers of two, so that their sum shows which of them count
my $reward = 1;
my %expected = (a => [], b => []);
my $fold = $DlintsTest::fold;
my $sessions = Sessions->new($node);

sub learn
{
	my ($model, $reward) = @_;

	return "UPDATE model SET state = dlints_update(state, ARRAY[1, 0], $reward) WHERE name = '$model'";
}

sub next_reward
{
	return $reward *= 2;
}

# Rewards that have been committed
sub counts
{
	my ($model, @rewards) = @_;

	push @{ $expected{$model} }, @rewards;
	return;
}

sub queue
{
	my ($reward) = @_;

	$node->safe_psql('postgres', "INSERT INTO feedback (model, features, reward) VALUES ('a', ARRAY[1, 0], $reward)");
	return;
}

# The models contain these rewards and no others
sub check
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is($node->safe_psql('postgres', q{
		SELECT name, (dlints_info(state)).updates,
			coalesce(state::jsonb->'evidence'->0->'reward_sum', '0') FROM model ORDER BY name}),
		join("\n", map { join '|', $_, scalar @{ $expected{$_} }, sum0 @{ $expected{$_} } } 'a',
			'b'),
		$name);
	return;
}

### An update or a fold on an old snapshot

for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	for my $what ('an update', 'a fold')
	{
		my ($first, $second) = (next_reward(), next_reward());
		my $statement = $what eq 'a fold' ? $fold : learn('a', $second);

		queue($second) if $what eq 'a fold';
		$sessions->run(1, "BEGIN ISOLATION LEVEL $level", 'SELECT count(*) FROM model');
		$sessions->run(2, learn('a', $first));
		counts('a', $first);
		is($sessions->sqlstate(1, $statement), '40001', "$level: $what that meets another update is refused");
		$sessions->sqlstate(1, 'ROLLBACK');
		check("$level: nothing of $what is there");

		$sessions->run(1, "BEGIN ISOLATION LEVEL $level", $statement, 'COMMIT');
		counts('a', $second);
		check("$level: $what that is retried counts once");
	}
}

### Two models in opposite orders

# Only the second waiting session checks for a deadlock
$sessions->run(1, "SET deadlock_timeout = '1h'");
for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	my ($first, $second) = (next_reward(), next_reward());

	$sessions->run($_, "BEGIN ISOLATION LEVEL $level") for 1, 2;
	$sessions->run(1, learn('a', $first));
	$sessions->run(2, learn('b', $second));
	$sessions->wait_with(1, learn('b', $first));
	is($sessions->sqlstate(2, learn('a', $second)), '40P01', "$level: one of two sessions ends with a deadlock");
	$sessions->sqlstate(2, 'ROLLBACK');
	is($sessions->outcome(1), '00000', "$level: the other one goes on");
	$sessions->run(1, 'COMMIT');
	counts($_, $first) for 'a', 'b';
	check("$level: half of what was refused for a deadlock is not there");

	$sessions->run(2, "BEGIN ISOLATION LEVEL $level", learn('b', $second), learn('a', $second), 'COMMIT');
	counts($_, $second) for 'a', 'b';
	check("$level: retried it counts once");
}

### A deadlock within a savepoint undoes later changes

{
	my ($kept, $first, $second) = (next_reward(), next_reward(), next_reward());

	$sessions->run(2, 'BEGIN', learn('b', $kept), 'SAVEPOINT s');
	$sessions->run(1, 'BEGIN', learn('a', $first));
	$sessions->wait_with(1, learn('b', $first));
	is($sessions->sqlstate(2, learn('b', $second) . ';' . learn('a', $second)),
		'40P01', 'a deadlock after a savepoint ends one session');
	$sessions->sqlstate(2, 'ROLLBACK TO s; COMMIT');
	is($sessions->outcome(1), '00000', 'the other one goes on');
	$sessions->run(1, 'COMMIT');
	counts('b', $kept, $first);
	counts('a', $first);
	check('what came before the savepoint counts, what came after it does not');
}

### Each session reads the model that the other one writes

{
	my ($first, $second) = (next_reward(), next_reward());
	my $read = 'SELECT dlints_predict(state, ARRAY[1, 0]) FROM model WHERE name =';

	$sessions->run(1, 'BEGIN ISOLATION LEVEL SERIALIZABLE', "$read 'a'");
	$sessions->run(2, 'BEGIN ISOLATION LEVEL SERIALIZABLE', "$read 'b'");
	$sessions->run(1, learn('b', $first));
	$sessions->run(2, learn('a', $second));
	$sessions->run(1, 'COMMIT');
	is($sessions->sqlstate(2, 'COMMIT'), '40001', 'SERIALIZABLE: one of two that cannot be put in an order');
	counts('b', $first);
	check('SERIALIZABLE: nothing of it is there');
}

### NOWAIT and lock_timeout

{
	my ($first, $second) = (next_reward(), next_reward());

	queue($second);
	$sessions->run(1, 'BEGIN', learn('a', $first));
	$sessions->run(2, "SET lock_timeout = '10ms'");
	is($sessions->sqlstate(2, $fold), '55P03', 'a fold ends at its lock_timeout');
	is($sessions->sqlstate(2, q{SELECT FROM model WHERE name = 'a' FOR UPDATE NOWAIT}),
		'55P03', 'NOWAIT fails while another session trains the model');
	check('nothing of it is there');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM feedback'),
		1, 'the row of a fold that failed is still in the queue');

	$sessions->run(1, 'COMMIT');
	$sessions->run(2, $fold);
	counts('a', $first, $second);
	check('retried it counts once');
}

$sessions->quit;

### Many sessions that retry

SKIP:
{
	skip 'pgbench does not retry', 12 unless `pgbench --help` =~ /--max-tries/;

	for my $level ('read committed', 'repeatable read', 'serializable')
	{
		# two models in any order
		my $transaction = qq{
			\\set first random(0, 1)
			BEGIN ISOLATION LEVEL $level;
			UPDATE model SET state = dlints_update(state, ARRAY[0, 1], 1)
			WHERE name = CASE :first WHEN 0 THEN 'a' ELSE 'b' END;
			UPDATE model SET state = dlints_update(state, ARRAY[0, 1], 1)
			WHERE name = CASE :first WHEN 0 THEN 'b' ELSE 'a' END;
			INSERT INTO feedback (model) VALUES ('$level');
			COMMIT;};
		my $updates = 'SELECT sum((dlints_info(state)).updates) FROM model';
		my $before = $node->safe_psql('postgres', $updates);

		$node->pgbench(
			'--no-vacuum --client=6 --jobs=2 --transactions=25 --max-tries=100000',
			0,
			[qr{processed: 150/150}],
			[qr{^$}],
			"$level: six sessions that retry",
			{ "013_$level" =~ s/ /_/r => $transaction });
		is($node->safe_psql('postgres', $updates) - $before, 300, "$level: each reward counts once");
		is($node->safe_psql('postgres', "SELECT count(*) FROM feedback WHERE model = '$level'"),
			150, "$level: other changes of the sessions are stored once");
	}
}

$node->stop;
done_testing();
