# Parallel aggregates return the same results as one process; a draw is made once, by the leader.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => q{
min_parallel_table_scan_size = 0
min_parallel_index_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
jit = off
});

$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($node, 'models.sql');
$node->safe_psql('postgres', q{
	CREATE TABLE item (id integer, kind integer, features real[], reward float8);
	INSERT INTO item
	SELECT i, i % 3, numbers(12, i), cos(i)
	FROM generate_series(1, 20000) i;
	CREATE TABLE model (name text, state dlints);
	INSERT INTO model
	SELECT name, m || (SELECT dlints_evidence(m, features, reward ORDER BY id) FROM item
		WHERE id < 500)
	FROM (VALUES ('lasting', dlints_new(12, 5, discount => 1)),
	             ('drifting', dlints_new(12, discount => 0.99))) AS new(name, m);
	INSERT INTO model VALUES ('timed', dlints_new(12, 5, half_life => '3 days', memories => 2));
	INSERT INTO model
	SELECT 'personal', m || (SELECT dlints_evidence(m, features, reward, features ORDER BY id)
		FROM item WHERE id < 500)
	FROM dlints_new(12, discount => 1, interactions => 'matched') m;
	CREATE TABLE history AS
	SELECT id / 10 AS n, dlints_evidence((SELECT state FROM model WHERE name = 'lasting'),
	                                     features, reward) AS state
	FROM item GROUP BY id / 10;
	ANALYZE;
});

my $serial = 'SET max_parallel_workers_per_gather = 0;';

# The leader reads no rows
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off;';

sub actual_plan
{
	my ($query) = @_;

	return $node->safe_psql('postgres', "$parallel EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query");
}

sub both
{
	my ($query) = @_;

	return map { $node->safe_psql('postgres', "$_ $query") } $serial, $parallel;
}

# Check that a statement uses workers, and that its result satisfies "same", or equals that of one process
sub in_workers
{
	my ($query, $name, $same) = @_;
	my ($expected, $actual) = both($query);
	my $plan = actual_plan($query);

	like($plan, qr/Partial (Hash|Group)?Aggregate/, "$name: partial aggregate");
	like($plan, qr/Workers Launched: [12]\b/, "$name: workers launched");
	cmp_ok(length($expected), '>', 0, "$name: has a result");
	if ($same)
	{
		is($node->safe_psql('postgres',
			"SELECT $same FROM (SELECT '$expected'::dlints, '$actual'::dlints) AS r (a, b)"),
			't', "$name: the result is that of one process");
		return;
	}
	is($actual, $expected, "$name: the result is that of one process");
	return;
}

### Learning

# The order of rows depends on the workers, so that without a discount sums are equal up to rounding.
my $near = '(dlints_info(b)).updates = 20000 AND distance(a, b) < 1e-12';
in_workers(q{SELECT dlints_evidence((SELECT state FROM model WHERE name = 'lasting'), features, reward)
		FROM item},
	'dlints_evidence', $near);
in_workers(q{SELECT dlints_evidence((SELECT state FROM model WHERE name = 'personal'), features,
		reward, features)
	  FROM item},
	'dlints_evidence with profiles', $near);
in_workers('SELECT dlints_concat_agg(state) FROM history', 'dlints_concat_agg', $near);
in_workers(q{SELECT dlints_evidence((SELECT state FROM model WHERE name = 'timed'), features, reward, '{}',
	                         timestamptz '2026-01-01 00:00:00+00' + id % 1000 * interval '1 hour')
	  FROM item},
	'dlints_evidence by time', $near);

# Groups, and a discount: the number and the weight of observations that a
# group has do not depend on their order.
in_workers(q{SELECT kind, i.updates, round(i.effective_sample_size::numeric, 9)
	  FROM (SELECT kind, dlints_evidence((SELECT state FROM model WHERE name = 'drifting'),
	                                     features, reward) AS e
	        FROM item GROUP BY kind) g, dlints_info(e) i
	  ORDER BY kind},
	'dlints_evidence with GROUP BY');

# Some or all workers may have no observation
in_workers(q{SELECT (dlints_info(dlints_evidence((SELECT state FROM model WHERE name = 'lasting'),
	                                      CASE WHEN id = 11111 THEN features END, reward))).updates
	  FROM item},
	'dlints_evidence of one row among NULLs');
in_workers(q{SELECT dlints_evidence((SELECT state FROM model WHERE name = 'lasting'),
	                         features, NULL) IS NULL
	  FROM item},
	'dlints_evidence of nothing');

# ORDER BY of the aggregate is respected
my $ordered = q{
	SELECT dlints_evidence((SELECT state FROM model WHERE name = 'drifting'), features, reward
		ORDER BY id)
	FROM item};
my @ordered = both($ordered);
is($ordered[0], $ordered[1], 'dlints_evidence with ORDER BY keeps the order');
unlike(actual_plan($ordered), qr/Partial Aggregate/, 'dlints_evidence with ORDER BY is not split');

### Judging

# Sums over parts are those over the whole, up to rounding.
my $value = q{
	SELECT (v).observations, (v).max_weight, round(x::numeric, 8) FROM (
		SELECT kind, dlints_policy_value(3 + reward, (1 + id % 7) / 8.0, (1 + id % 5) / 8.0MODEL)
			AS v FROM item GROUP BY kind) s,
	LATERAL (VALUES ((v).mean_reward), ((v).mean_reward_stderr), ((v).ips), ((v).ips_stderr),
		((v).snips), ((v).snips_stderr), ((v).dr), ((v).dr_stderr),
	                ((v).mean_weight), ((v).mean_weight_stderr), ((v).effective_sample_size))
		AS c (x)
	ORDER BY kind, x};
in_workers($value =~ s/MODEL//r, 'dlints_policy_value');
in_workers($value =~ s/MODEL/, 3 + id % 2, 3 + id % 3/r, 'dlints_policy_value with a model');
in_workers('SELECT dlints_policy_value(NULL, 1, 1) FROM item', 'dlints_policy_value of nothing');
in_workers('SELECT dlints_policy_value(CASE WHEN id = 11111 THEN id END, 1, 1) FROM item',
	'dlints_policy_value of one row among NULLs');

### Choosing

# A draw in a scalar subquery is an InitPlan, even without a seed: all workers score with this draw.
my $one_draw = q{
	SELECT min(score) = max(score), count(*)
	FROM (SELECT dlints_dot((SELECT dlints_draw_weights(state) FROM model WHERE name = 'lasting'),
	                        array_fill(1::real, ARRAY[cardinality(features)])) AS score
		FROM item) s};
like(actual_plan($one_draw), qr/Workers Launched: [12]\b/, 'a draw without seed: workers launched');
is($node->safe_psql('postgres', "$parallel $one_draw"), 't|20000', 'a draw without seed: one for all workers');

# dlints_recommend draws in the leader, from rows that workers bring
for my $case (
	[ 'one item', 'drifting', '' ],
	[ 'k items', 'drifting', ', 5' ],
	[ 'k items to a user', 'personal', ", 5, '{1,2,3,4,1,2,3,4,1,2,3,4}'::real[]" ])
{
	my ($name, $model, $more) = @$case;
	my $recommend = qq{
		SELECT dlints_recommend((SELECT state FROM model WHERE name = '$model'), id, features$more)
		FROM item WHERE reward > -0.5};

	my $plan = actual_plan($recommend);
	like(
		$plan,
		qr/^Aggregate.*Gather.*Workers Launched: [12]\b.*Parallel Seq Scan on item/s,
		"dlints_recommend of $name runs above Gather");
	unlike($plan, qr/Partial Aggregate/, "dlints_recommend of $name is not split");
}

# Without exploration there is only one result
is($node->safe_psql('postgres', qq{
	$parallel
	SELECT dlints_recommend(greedy, id, features, 5)
		= (array_agg(id ORDER BY dlints_predict(greedy, features) DESC))[1:5]
	FROM item, (SELECT dlints_set(state, exploration => 0) AS greedy FROM model
		WHERE name = 'drifting'
	            OFFSET 0) m}),
	't',
	'without exploration dlints_recommend ranks by expected reward');

$node->stop;
done_testing();
