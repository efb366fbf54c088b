# Many sessions learn on the same model row: nothing is lost, nothing is
# counted twice.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main');

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION dlints;
	CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
	CREATE TABLE feedback (id bigserial PRIMARY KEY, model text,
	                       features real[], reward float8);
	-- what was rewarded, by transactions that committed
	CREATE TABLE ledger (model text, features integer[], reward integer);
	-- what was tried; sequences do not roll back
	CREATE SEQUENCE rolled_back;
});

# The statement that folds the queue into the models
my $fold = q{
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
WHERE m.name = e.name
};

sub updates
{
	my ($name) = @_;

	return $node->safe_psql('postgres',
		"SELECT (dlints_info(state)).updates FROM model WHERE name = '$name'");
}

### Eight sessions at random

# Transactions of pgbench.  The numbers are small integers, so that the sums
# are exact in whatever order they are made.
sub scripts
{
	my ($model, $settings) = @_;
	my $single = qq{
		$settings
		INSERT INTO ledger VALUES ('$model', ARRAY[:a, :b, :c], :r);
		UPDATE model SET state = dlints_update(state, ARRAY[:a, :b, :c]::real[], :r)
		WHERE name = '$model';
	};
	my $enqueue = qq{
		$settings
		WITH new AS (
			INSERT INTO feedback (model, features, reward)
			SELECT '$model', ARRAY[:a, :b, :c], :r FROM generate_series(1, :n)
			RETURNING model, features, reward)
		INSERT INTO ledger SELECT * FROM new;
	};
	my $undo = "SELECT nextval('rolled_back');\nROLLBACK;\n";

	return {
		"${model}_001_single\@6" => "BEGIN;\n$single\nCOMMIT;\n",
		"${model}_002_single_undone\@2" => "BEGIN;\n$single\n$undo",
		"${model}_003_enqueue\@3" => $enqueue,
		"${model}_004_enqueue_undone\@1" => "BEGIN;\n$enqueue\n$undo",
		"${model}_005_fold\@3" => "$fold;\n",
		"${model}_006_fold_undone\@2" => "BEGIN;\n$fold;\n$undo",
		"${model}_007_own_feedback\@3" => "BEGIN;\n$enqueue\n$fold;\nCOMMIT;\n",
		"${model}_008_savepoint\@2" =>
		  "BEGIN;\nSAVEPOINT s;\n$single\nROLLBACK TO s;\n$enqueue\nCOMMIT;\n",
	};
}

sub eight_sessions
{
	my ($model, $settings) = @_;

	$node->pgbench(
		'--no-vacuum --client=8 --jobs=2 --transactions=90',
		0,
		[qr{processed: 720/720}],
		[qr{^$}],
		"eight sessions learn on $model",
		scripts($model, $settings));
	$node->safe_psql('postgres', $fold);
	is($node->safe_psql('postgres', 'SELECT count(*) FROM feedback'),
		0, "$model: the queue is empty");
	cmp_ok($node->safe_psql('postgres', 'SELECT last_value FROM rolled_back'),
		'>', 10, "$model: transactions were rolled back");
	is( updates($model),
		$node->safe_psql('postgres',
			"SELECT count(*) FROM ledger WHERE model = '$model'"),
		"$model: updates are the committed rewards");
	return;
}

$node->safe_psql('postgres',
	"INSERT INTO model VALUES ('exact', dlints_new(3, discount => 1))");
eight_sessions(
	'exact', q{
	\set a random(-3, 3)
	\set b random(-5, 5)
	\set c random(0, 7)
	\set r random(-2, 3)
	\set n random(1, 5)});

is( $node->safe_psql(
		'postgres', q{
	SELECT s->'updates', s->'weight_sum', s->'reward_sum', s->'reward_square_sum', s->'b', s->'G'
	FROM (SELECT state::jsonb AS s FROM model WHERE name = 'exact') m}),
	$node->safe_psql(
		'postgres', q{
	WITH number AS (
		SELECT l.ctid AS row, i, x, reward
		FROM ledger l, unnest(features) WITH ORDINALITY u(x, i) WHERE model = 'exact'),
	b AS (SELECT i, sum(reward * x) AS value FROM number GROUP BY i),
	entry AS (
		SELECT p.i, q.i AS j, sum(p.x * q.x) AS value
		FROM number p JOIN number q ON p.row = q.row AND q.i <= p.i GROUP BY p.i, q.i),
	line AS (SELECT i, jsonb_agg(value ORDER BY j) AS value FROM entry GROUP BY i)
	SELECT count(*), count(*), sum(reward), sum(reward * reward),
	       (SELECT jsonb_agg(value ORDER BY i) FROM b),
	       (SELECT jsonb_agg(value ORDER BY i) FROM line)
	FROM ledger WHERE model = 'exact'}),
	'exact: the sums are those of all committed rewards, to the last bit');

# With a discount the order counts; the same observation over and over has
# the same sums in every order.
$node->safe_psql('postgres',
	"INSERT INTO model VALUES ('discounted', dlints_new(3, discount => 0.99))"
);
eight_sessions(
	'discounted', q{
	\set a 1
	\set b -2
	\set c 3
	\set r 2
	\set n random(1, 5)});

is( $node->safe_psql(
		'postgres', q{
	WITH expected AS (
		SELECT (1 - 0.99 ^ n) / (1 - 0.99) AS w, (1 - 0.99 ^ (2 * n)) / (1 - 0.99 ^ 2) AS w2
		FROM (SELECT count(*)::float8 AS n FROM ledger WHERE model = 'discounted') l),
	pair AS (
		SELECT unnest(ARRAY[i.effective_sample_size, i.mean_reward,
		                    (s->'b'->>2)::float8, (s->'G'->1->>0)::float8,
		                    (s->'G'->2->>2)::float8, (s->'H'->2->>1)::float8]) AS is,
		       unnest(ARRAY[w, 2, 6 * w, -2 * w, 9 * w, -6 * w2]) AS should
		FROM expected, model, dlints_info(state) i, LATERAL (SELECT state::jsonb AS s) j
		WHERE name = 'discounted')
	SELECT count(*), max(abs(pair.is / should - 1)) < 1e-10 FROM pair}),
	'6|t',
	'discounted: the sums are those of all committed rewards');

### One interleaving at a time

# A session that has to wait for a row lock
sub start_waiting
{
	my ($session, $statement) = @_;
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$session->query_until(qr/sent/, "\\echo sent\n$statement;\n");
	$node->poll_query_until(
		'postgres', qq{
		SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $pid})
	  or die 'the session does not wait';
	return;
}

# Model "pair" with nothing learned, and rewards 1, 2, 4, ... in the queue
sub reset_pair
{
	my ($queued) = @_;

	$node->safe_psql(
		'postgres', qq{
		DELETE FROM feedback;
		DELETE FROM model WHERE name = 'pair';
		INSERT INTO model VALUES ('pair', dlints_new(2, discount => 1));
		INSERT INTO feedback (model, features, reward)
		SELECT 'pair', ARRAY[1, 0], 2 ^ i FROM generate_series(0, $queued - 1) i;
	});
	return;
}

# Updates and the sum of rewards of "pair": which rewards it has, as bits;
# and what still waits in the queue
sub pair_has
{
	return $node->safe_psql(
		'postgres', q{
		SELECT (dlints_info(state)).updates, state::jsonb->'reward_sum', state::jsonb->'b'->0,
		       (SELECT count(*) FROM feedback)
		FROM model WHERE name = 'pair'});
}

my $single_64 =
  q{UPDATE model SET state = dlints_update(state, ARRAY[1, 0]::real[], 64) WHERE name = 'pair'};
my $batch_64 = q{UPDATE model SET state = dlints_update(state, ARRAY[[1, 0], [1, 0]]::real[],
	ARRAY[64, 128]) WHERE name = 'pair'};

# The form not to use: the whole new state from a joined copy of the row
my $wrong_fold = q{
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = e.new_state
FROM  (SELECT p.name, p.state || (SELECT dlints_evidence(p.state, b.features, b.reward ORDER BY b.id)
                                  FROM batch b WHERE b.model = p.name) AS new_state
       FROM model p) e
WHERE m.name = e.name};

my $first = $node->background_psql('postgres');
my $second = $node->background_psql('postgres');

sub interleave
{
	my ($queued, $held, $end, $waiting) = @_;

	reset_pair($queued);
	$first->query_safe('BEGIN');
	$first->query_safe($held);
	start_waiting($second, $waiting);
	$first->query_safe($end);
	$second->query_safe('');
	return pair_has();
}

is(interleave(3, $single_64, 'COMMIT', $fold),
	'4|71|71|0', 'a fold that waited for an update keeps it');
is(interleave(3, $single_64, 'ROLLBACK', $fold),
	'3|7|7|0', 'a fold that waited for an update that was rolled back');
is(interleave(3, $batch_64, 'COMMIT', $fold),
	'5|199|199|0', 'a fold that waited for a batch keeps it');
is(interleave(3, $fold, 'COMMIT', $single_64),
	'4|71|71|0', 'an update that waited for a fold keeps it');
is(interleave(3, $fold, 'ROLLBACK', $single_64),
	'1|64|64|3', 'an update that waited for a fold that was rolled back');
is(interleave(3, $single_64, 'COMMIT', $single_64),
	'2|128|128|3', 'an update that waited for another keeps it');
is(interleave(3, $fold, 'COMMIT', $fold),
	'3|7|7|0', 'two folds at once: each queue row counts once');
is(interleave(3, $fold, 'ROLLBACK', $fold),
	'3|7|7|0', 'two folds at once: the second takes what the first gave back');

# Rows that came in between belong to the second session alone
reset_pair(3);
$first->query_safe('BEGIN');
$first->query_safe($fold);
$node->safe_psql('postgres',
	q{INSERT INTO feedback (model, features, reward) VALUES ('pair', ARRAY[1, 0], 8)});
start_waiting($second, $fold);
$node->safe_psql('postgres',
	q{INSERT INTO feedback (model, features, reward) VALUES ('pair', ARRAY[1, 0], 16)});
$first->query_safe('COMMIT');
$second->query_safe('');
is(pair_has(), '4|15|15|1',
	'two folds at once: a row of the queue is folded by one session');

is(interleave(3, $single_64, 'COMMIT', $wrong_fold),
	'3|7|7|0',
	'a fold that computes the new state from a joined copy loses the update');

$first->quit;
$second->quit;
$node->stop;
done_testing();
