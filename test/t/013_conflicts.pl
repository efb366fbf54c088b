# Transactions that PostgreSQL refuses, for a deadlock, a dependency between what
# they read and wrote, or a lock that is not to be had, leave nothing of their
# rewards, and a retry counts once.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "deadlock_timeout = 10ms\n");

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION dlints;
	CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
	INSERT INTO model VALUES ('a', dlints_new(2, discount => 1)), ('b', dlints_new(2, discount => 1));
	CREATE TABLE feedback (id bigserial PRIMARY KEY, model text, features real[], reward float8);
});

# Rewards are powers of two, so that their sum tells which of them count
my $reward = 1;
my %expected = (a => [], b => []);

sub learn
{
	my ($model, $reward) = @_;

	return "UPDATE model SET state = dlints_update(state, ARRAY[1, 0]::real[], $reward) WHERE name = '$model'";
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

# The models hold these and no others
sub check
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @lines;

	for my $model ('a', 'b')
	{
		my $sum = 0;

		$sum += $_ for @{ $expected{$model} };
		push @lines, join('|', $model, scalar @{ $expected{$model} }, $sum, $sum);
	}
	is( $node->safe_psql(
			'postgres', q{
		SELECT name, (dlints_info(state)).updates, state::jsonb->'reward_sum', state::jsonb->'b'->0
		FROM model ORDER BY name}),
		join("\n", @lines),
		$name);
	return;
}

my %session =
  map { $_ => $node->background_psql('postgres', on_error_stop => 0) } 1, 2;
my %pid = map { $_ => $session{$_}->query_safe('SELECT pg_backend_pid()') } 1, 2;

# The SQLSTATE of the last statement of a session, when it has ended
sub last_sqlstate
{
	my ($number) = @_;
	my $sqlstate = $session{$number}->query('\echo :SQLSTATE');

	$session{$number}->{stderr} = '';
	return $sqlstate;
}

sub sqlstate
{
	my ($number, $statement) = @_;

	$session{$number}->query($statement);
	return last_sqlstate($number);
}

# Send a statement that has to wait for a lock
sub start_waiting
{
	my ($number, $statement) = @_;

	$session{$number}->query_until(qr/sent/, "\\echo sent\n$statement;\n");
	$node->poll_query_until(
		'postgres', qq{
		SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $pid{$number}})
	  or die 'the session does not wait';
	return;
}

### Two models in opposite orders

for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	my ($first, $second) = (next_reward(), next_reward());

	# Only the second to wait looks for a deadlock
	$session{1}->query_safe("SET deadlock_timeout = '1h'");
	$session{$_}->query_safe("BEGIN ISOLATION LEVEL $level") for 1, 2;
	$session{1}->query_safe(learn('a', $first));
	$session{2}->query_safe(learn('b', $second));
	start_waiting(1, learn('b', $first));
	is(sqlstate(2, learn('a', $second)), '40P01', "$level: a deadlock");
	$session{2}->query('ROLLBACK');
	is(last_sqlstate(1), '00000', "$level: the other one goes on");
	$session{1}->query_safe('COMMIT');
	counts($_, $first) for 'a', 'b';
	check("$level: half of what was refused for a deadlock is not there");

	$session{2}->query_safe("BEGIN ISOLATION LEVEL $level");
	$session{2}->query_safe(learn('b', $second));
	$session{2}->query_safe(learn('a', $second));
	$session{2}->query_safe('COMMIT');
	counts($_, $second) for 'a', 'b';
	check("$level: retried it counts once");
}

### A deadlock within a savepoint takes back what came after it

{
	my ($kept, $first, $second) = (next_reward(), next_reward(), next_reward());

	$session{$_}->query_safe('BEGIN') for 1, 2;
	$session{2}->query_safe(learn('b', $kept));
	$session{2}->query_safe('SAVEPOINT s');
	$session{1}->query_safe(learn('a', $first));
	start_waiting(1, learn('b', $first));
	is(sqlstate(2, learn('b', $second) . ';' . learn('a', $second)),
		'40P01', 'a deadlock after a savepoint');
	$session{2}->query('ROLLBACK TO s');
	$session{2}->query('COMMIT');
	is(last_sqlstate(1), '00000', 'the other one goes on');
	$session{1}->query_safe('COMMIT');
	counts('b', $kept, $first);
	counts('a', $first);
	check('what came before the savepoint counts, what came after it does not');
}

### Each reads the model that the other one writes

{
	my ($first, $second) = (next_reward(), next_reward());
	my $read = 'SELECT dlints_predict(state, ARRAY[1, 0]::real[]) FROM model WHERE name =';

	$session{$_}->query_safe('BEGIN ISOLATION LEVEL SERIALIZABLE') for 1, 2;
	$session{1}->query_safe("$read 'a'");
	$session{2}->query_safe("$read 'b'");
	$session{1}->query_safe(learn('b', $first));
	$session{2}->query_safe(learn('a', $second));
	$session{1}->query_safe('COMMIT');
	is(sqlstate(2, 'COMMIT'), '40001', 'SERIALIZABLE: one of two that cannot be put in an order');
	counts('b', $first);
	check('SERIALIZABLE: nothing of it is there');

	$session{2}->query_safe('BEGIN ISOLATION LEVEL SERIALIZABLE');
	$session{2}->query_safe("$read 'b'");
	$session{2}->query_safe(learn('a', $second));
	$session{2}->query_safe('COMMIT');
	counts('a', $second);
	check('SERIALIZABLE: retried it counts once');
}

### Not waiting, or not for long

{
	my ($first, $second) = (next_reward(), next_reward());
	my $fold = q{
		WITH batch AS (DELETE FROM feedback RETURNING *)
		UPDATE model m SET state = m.state || e.evidence
		FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
		       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
		WHERE m.name = e.name};

	$node->safe_psql('postgres',
		"INSERT INTO feedback (model, features, reward) VALUES ('a', ARRAY[1, 0], $second)");
	$session{1}->query_safe('BEGIN');
	$session{1}->query_safe(learn('a', $first));
	$session{2}->query_safe("SET lock_timeout = '10ms'");
	is(sqlstate(2, $fold), '55P03', 'a fold that may not wait for long');
	is(sqlstate(2, q{SELECT FROM model WHERE name = 'a' FOR UPDATE NOWAIT}),
		'55P03', 'nor take the model at once');
	check('nothing of it is there');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM feedback'),
		1, 'and its row is still in the queue');

	$session{1}->query_safe('COMMIT');
	$session{2}->query_safe($fold);
	counts('a', $first, $second);
	check('retried it counts once');
}

$_->quit for values %session;

### Many sessions that retry by themselves

SKIP:
{
	skip 'pgbench does not retry', 12 unless `pgbench --help` =~ /--max-tries/;

	for my $level ('read committed', 'repeatable read', 'serializable')
	{
		# two models in any order
		my $transaction = qq{
			\\set first random(0, 1)
			BEGIN ISOLATION LEVEL $level;
			UPDATE model SET state = dlints_update(state, ARRAY[0, 1]::real[], 1)
			WHERE name = CASE :first WHEN 0 THEN 'a' ELSE 'b' END;
			UPDATE model SET state = dlints_update(state, ARRAY[0, 1]::real[], 1)
			WHERE name = CASE :first WHEN 0 THEN 'b' ELSE 'a' END;
			INSERT INTO feedback (model) VALUES ('$level');
			COMMIT;};
		my $before = $node->safe_psql('postgres',
			'SELECT sum((dlints_info(state)).updates) FROM model');

		$node->pgbench(
			'--no-vacuum --client=6 --jobs=2 --transactions=25 --max-tries=100000',
			0,
			[qr{processed: 150/150}],
			[qr{^$}],
			"$level: six sessions that retry",
			{ "013_$level" =~ s/ /_/r => $transaction });
		is( $node->safe_psql(
				'postgres', qq{
			SELECT sum((dlints_info(state)).updates) - $before,
			       (SELECT count(*) FROM feedback WHERE model = '$level')
			FROM model}),
			'300|150',
			"$level: each reward counts once");
	}
}

$node->stop;
done_testing();
