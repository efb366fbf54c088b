# dlints on Citus: a coordinator and two workers do what doc/scaling.md teaches.
# Aggregates are computed in parts, a statement makes one draw, and nothing is
# lost when a shard moves or both workers stop.
use strict;
use warnings;

use FindBin;
use DlintsTest;
use IPC::Run;
use Test::More;
use Time::HiRes qw(usleep);

my $settings = q{
	shared_preload_libraries = 'citus, dlints'
	wal_level = logical
	max_wal_senders = 20
	max_replication_slots = 20
	max_connections = 100
	shared_buffers = 256MB
	citus.node_conninfo = 'sslmode=prefer'
	citus.enable_statistics_collection = off
	citus.shard_count = 8
};
my ($coordinator, @workers) = map { DlintsTest->node($_, conf => $settings) } 'coordinator', 'north', 'south';

sub sql
{
	my ($statement) = @_;

	return $coordinator->safe_psql('postgres', $statement);
}

for my $node ($coordinator, @workers)
{
	my $host = $node->host;

	$node->safe_psql('postgres', "ALTER SYSTEM SET citus.local_hostname = '$host'");
	$node->restart;
	$node->safe_psql('postgres', 'CREATE EXTENSION citus');
}
sql(sprintf q{SELECT citus_set_coordinator_host('%s', %d)}, $coordinator->host, $coordinator->port);
sql(sprintf q{SELECT citus_add_node('%s', %d)}, $_->host, $_->port) for @workers;
diag(sql('SELECT citus_version()'));

### Statements of the documentation

my ($section) = DlintsTest->slurp("$FindBin::RealBin/../../doc/scaling.md") =~ /^## Citus\n(.*)/ms;
my @blocks = $section =~ /^(?:```|<!-- )sql\n(.*?)^(?:```|-->)$/msg;

cmp_ok(scalar @blocks, '>=', 5, 'the documentation has statements');
is($coordinator->psql('postgres', $_, on_error_stop => 1), 0, "as documented: $_") for @blocks;
is(sql(q{SELECT (dlints_info(state)).updates FROM model WHERE name IN ('m3', 'm4') ORDER BY name}),
	"41\n10000", 'the models have learned');
is(sql('SELECT count(*) FROM run_command_on_workers($$SELECT extversion FROM pg_extension
	WHERE extname = \'dlints\'$$) WHERE success AND result <> \'\''),
	2, 'the extension is on the workers');

### Placement of computations

sub plan_of
{
	my ($query) = @_;

	return sql("EXPLAIN (VERBOSE, COSTS OFF) $query");
}

# Train one model on its queue.
sub fold
{
	my ($name) = @_;

	return qq{
		WITH batch AS (DELETE FROM feedback WHERE model = $name RETURNING *)
		UPDATE model m SET state = m.state || e.evidence
		FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id)
			AS evidence
		       FROM batch b JOIN model p ON p.name = b.model WHERE p.name = $name GROUP BY p.name) e
		WHERE m.name = e.name AND m.name = $name};
}

my $model = q{WITH m AS MATERIALIZED (SELECT 0 * state AS state FROM model WHERE name = 'm4')};
my $evidence = 'dlints_evidence((SELECT state FROM m), features, reward';

for my $query (
	"$model SELECT $evidence) FROM event",
	"$model SELECT member, $evidence) FROM event GROUP BY member",
	"$model SELECT $evidence) FILTER (WHERE reward > 0) FROM event",
	"$model SELECT $evidence, '{}', now()) FROM event",
	"$model SELECT $evidence, '{}', NULL, 2) FROM event",
	"$model SELECT $evidence, features) FROM event",
	'SELECT dlints_concat_agg(state) FROM model',
	'SELECT dlints_profile(features) FROM event',
	'SELECT dlints_profile(features, reward) FROM event',
	'SELECT dlints_policy_value(reward, 0.5, 0.25) FROM event',
	'SELECT dlints_policy_value(reward, 0.5, 0.25, 0.4, 0.6) FROM event')
{
	like(plan_of($query), qr/coord_combine_agg.*worker_partial_agg/s, "in parts: $query");
}
for my $query (
	"$model SELECT $evidence ORDER BY id) FROM event",
	"$model SELECT dlints_recommend((SELECT state FROM m), id, features, 3) FROM event",
	'SELECT dlints_ndcg(reward, reward, 3) FROM event')
{
	unlike(plan_of($query), qr/worker_partial_agg/, "pulled: $query");
}
for my $query (
	q{UPDATE model SET state = dlints_update(state, '{1}', 1) WHERE name = 'm3'},
	q{SELECT dlints_recommend(m.state, i.id, i.features, 5) FROM model m
		JOIN item i ON i.model = m.name WHERE m.name = 'm3'},
	fold(q{'m3'}))
{
	my $plan = plan_of($query);

	like($plan, qr/\A *Custom Scan \(Citus Adaptive\).*Task Count: 1\n/s, "on one worker: $query");
	unlike($plan, qr/Subplan \d+_/, '... as a whole');
}
for my $query (
	'SELECT m.name, dlints_recommend(m.state, i.id, i.features, 5) FROM model m
		JOIN item i ON i.model = m.name GROUP BY m.name')
{
	like(plan_of($query), qr/\ACustom Scan.*Task Count: 8.*Agg.*dlints_recommend/s, "on the workers: $query");
}

for my $query (
	q{SELECT dlints_evidence(m.state, features, reward) FROM event, model m WHERE m.name = 'm4'},
	q{SELECT id FROM event ORDER BY dlints_dot((SELECT dlints_draw_weights(state) FROM model
		WHERE name = 'm4'), features) LIMIT 10})
{
	my (undef, undef, $message) = $coordinator->psql('postgres', $query);

	like($message, qr/complex joins|Cartesian products/, "refused: $query");
}

sql(q{CREATE TABLE catalogue (id integer PRIMARY KEY, features real[] NOT NULL);
	SELECT create_reference_table('catalogue');
	INSERT INTO catalogue SELECT id, features FROM item WHERE model = 'm1'});
my $shared = q{SELECT cardinality(dlints_recommend(m.state, i.id, i.features, 5))
	FROM model m, catalogue i WHERE m.name = 'm3'};
like(plan_of($shared), qr/Task Count: 1\n/, 'on one worker: a catalogue that is a reference table');
is(sql($shared), 5, '... and its best');
is(sql(q{SELECT count(DISTINCT c.rank)
	FROM model m, (SELECT array_agg(id) AS ids, array_agg(features) AS features FROM item WHERE model = 'm3') i,
	LATERAL dlints_decide(m.state, i.ids, i.features, k => 3) c WHERE m.name = 'm3'}),
	3, 'dlints_decide chooses a slate');
is(sql(q{SELECT count(*)
	FROM dlints_factors('SELECT id % 10, member, 1.0::float8 FROM event WHERE id <= 400',
	2) AS f (member integer, factors real[])}),
	100, 'dlints_factors reads a distributed table');

sql($DlintsTest::fold);
is(sql(q{SELECT DISTINCT (dlints_info(state)).updates FROM model WHERE name NOT IN ('m3', 'm4')
	UNION ALL SELECT count(*) FROM feedback}),
	"40\n0", 'queues of all models are folded at once');

### Parts and the whole

DlintsTest->run_file($coordinator, '../t/models.sql');
sql(q{INSERT INTO model VALUES ('timed', dlints_new(24, half_life => '7 days')),
	('all', dlints_new(24, discount => 1))});
for my $name ('timed', 'all')
{
	my $parts = "dlints_evidence((SELECT state FROM m), features, reward, '{}',
	timestamptz '2026-01-01' + id * interval '1 minute'";

	is(sql(qq{
		WITH m AS MATERIALIZED (SELECT state FROM model WHERE name = '$name'),
		parts AS MATERIALIZED (SELECT $parts) AS e FROM event),
		pulled AS MATERIALIZED (SELECT $parts ORDER BY id) AS e FROM event)
		SELECT distance(parts.e, pulled.e) < 1e-10 FROM parts, pulled}),
		't', "$name: evidence in parts is that of all rows");
}
is(sql('SELECT max(abs(p - w)) < 1e-6 FROM (SELECT unnest(p.f) AS p, unnest(w.f) AS w
	FROM (SELECT dlints_profile(features, reward) AS f FROM event) p,
	     (SELECT dlints_profile(features, reward ORDER BY id) AS f FROM event) w) s'),
	't', 'so are profiles');
is(sql('SELECT abs((p.v).snips - (w.v).snips) < 1e-12 AND (p.v).observations = (w.v).observations
	FROM (SELECT dlints_policy_value(reward, 0.5, 0.25) AS v FROM event) p,
	     (SELECT dlints_policy_value(reward, 0.5, 0.25 ORDER BY id) AS v FROM event) w'),
	't', '... and values of policies');
is(sql(q{SELECT (dlints_info(dlints_concat_agg(state))).updates = sum((dlints_info(state)).updates)
	FROM (SELECT state FROM model WHERE name ~ '^m' OFFSET 0) m}),
	't', 'histories of all models are put together');

### One draw

sql(q{CREATE TABLE shared_model (LIKE model INCLUDING ALL);
	SELECT create_reference_table('shared_model');
	INSERT INTO shared_model SELECT * FROM model});

# Number of draws that the rows of a distributed table use
sub draws
{
	my ($with, $weights) = @_;

	return sql("$with SELECT count(DISTINCT dlints_dot($weights, array_fill(1::real, '{24}'))) FROM event");
}

for my $table ('model', 'shared_model')
{
	my $draw = "SELECT dlints_draw_weights(state) AS weights FROM $table WHERE name = 'm4'";

	is(draws("WITH w AS MATERIALIZED ($draw)", '(SELECT weights FROM w)'), 1, "$table: one draw in a CTE");
	is(draws('', "($draw OFFSET 0)"), 1, "$table: one draw with OFFSET 0") if $table eq 'shared_model';
	is(sql(qq{SELECT count(DISTINCT dlints_dot(weights, array_fill(1::real, '{24}')))
		FROM event, ($draw OFFSET 0) w}),
		1, "$table: one draw in FROM with OFFSET 0");
}
is(draws('', "(SELECT dlints_draw_weights(state) FROM shared_model WHERE name = 'm4')"),
	8, 'a scalar subquery over a reference table draws for each shard');

my $best = q{ORDER BY dlints_dot((SELECT weights FROM w), features) DESC LIMIT 10};
my $seeded = q{WITH w AS MATERIALIZED (SELECT dlints_draw_weights(state, seed => 5) AS weights
	FROM model WHERE name = 'm4')};
like(plan_of("$seeded SELECT id FROM event $best"), qr/LIMIT '10'.*->  Limit/s, 'each shard finds its best');
is(sql("$seeded SELECT id FROM event $best"),
	sql("$seeded SELECT id FROM (SELECT * FROM event OFFSET 0) e $best"),
		'... and the best of them win');

### Statements that end early

# Train on all events, except those that a condition excludes.
sub learning
{
	my ($condition) = @_;

	return qq{$model, e AS (SELECT $evidence) AS evidence FROM event WHERE $condition)
		UPDATE model SET state = state || e.evidence FROM e WHERE name = 'm4'};
}

# Error of a statement that fails while a worker trains, or "done"
sub failure
{
	my ($statement) = @_;
	my ($status, undef, $message) = $coordinator->psql('postgres', $statement, on_error_stop => 1);

	return $status ? $message : 'done';
}

sub updates
{
	return sql(q{SELECT (dlints_info(state)).updates FROM model WHERE name = 'm4'});
}

my $learned = updates();
like(failure(q{SET statement_timeout = '2s'; } . learning('id <> 5000 OR pg_sleep(600) IS NULL')),
	qr/canceling statement due to statement timeout/,
	'evidence is cancelled while a worker learns');
is(updates(), $learned, '... and the model is what it was');
ok($coordinator->poll_query_until('postgres', q{
	SELECT sum(result::integer) = 0 FROM run_command_on_workers(
		$$SELECT count(*) FROM pg_stat_activity
			WHERE state = 'active' AND query ~ 'pg_sleep' AND pid <> pg_backend_pid()$$)}),
	'... and nothing is left on the workers');

sql(q{INSERT INTO event VALUES (10001, 1, array_fill('NaN'::real, '{24}'), 1)});
like(failure(learning('true')), qr/NaN not allowed in array/, 'a worker finds a bad number');
is(updates(), $learned, '... and the model is what it was');
is(failure(join "\n", 'BEGIN;', learning('id <= 1000') . ';', 'SAVEPOINT s;',
		'\set ON_ERROR_STOP 0', learning('true') . ';', '\set ON_ERROR_STOP 1',
		'ROLLBACK TO s;', learning('id BETWEEN 1001 AND 1500') . ';', 'COMMIT;'),
	'done', '... also in a subtransaction');
is(updates(), $learned += 1500, '... of a transaction that learns before and after it');
is(failure(learning('dlints_accepts((SELECT state FROM m), features, reward)')), 'done',
	'what no model learns is passed over');
is(updates(), $learned + 10000, '... and the rest learned once');
sql('DELETE FROM event WHERE id > 10000');

### A shard that moves

# Every stored byte, on any node
sub stored
{
	return sql(q{SELECT name, md5(dlints_send(state)) FROM model ORDER BY name});
}

# Move a shard to the other worker.
sub move
{
	my ($name) = @_;
	my ($shard, $from) = split /\|/, sql(qq{
		SELECT shardid, nodeport FROM citus_shards
		WHERE shardid = get_shard_id_for_distribution_column('model', '$name')});
	my ($source, $target) = sort { ($b->port == $from) <=> ($a->port == $from) } @workers;

	sql(sprintf q{SELECT citus_move_shard_placement(%d, '%s', %d, '%s', %d, 'force_logical')},
		$shard, $source->host, $source->port, $target->host, $target->port);
	return sql(qq{SELECT nodeport FROM citus_shards WHERE shardid = $shard}) == $target->port;
}

my $before = stored();
ok(move('m3'), 'a shard moves');
is(stored(), $before, 'its models are the same to the last bit');

### Writers, a shard that moves under them, and both workers stopped

sql(q{
	TRUNCATE feedback;
	UPDATE model SET state = dlints_new(24);
	CREATE TABLE ledger (model text, transaction bigint, step integer, rewards integer,
	                     PRIMARY KEY (model, transaction, step));
	SELECT create_distributed_table('ledger', 'model', colocate_with => 'model')});

my $x = "array_fill(0.5::real, '{24}')";
my %script = (
	# Update two models, usually on different workers, in a fixed order
	pair => qq{
\\set a random(1, 8)
\\set b random(1, 8)
\\set a least(:a, :b)
\\set b greatest(:a, :b)
BEGIN;
UPDATE model SET state = dlints_update(state, $x, :n % 2) WHERE name = 'm' || :a;
INSERT INTO ledger VALUES ('m' || :a, :t, 1, 1);
UPDATE model SET state = dlints_update(state, $x, :n % 2) WHERE name = 'm' || :b;
INSERT INTO ledger VALUES ('m' || :b, :t, 2, 1);
COMMIT;
},
	# Three rewards for the queue
	queue => qq{
\\set a random(1, 8)
BEGIN;
INSERT INTO feedback (model, features, reward) SELECT 'm' || :a, $x, i FROM generate_series(0, 2) i;
INSERT INTO ledger VALUES ('m' || :a, :t, 1, 3);
COMMIT;
},
	fold => qq{
\\set a random(1, 8)
BEGIN;
${\fold(q{'m' || :a})};
INSERT INTO ledger VALUES ('m' || :a, :t, 1, 0);
COMMIT;
});
my $clients = 6;
my $rounds = 0;

# Six sessions that train until they are disconnected
sub writers
{
	my $self = { out => '', err => '' };
	my @command = (
		'pgbench', '--no-vacuum', "--client=$clients", '--jobs=2', '--time=120', '--define=n=0',
		'--host', $coordinator->host, '--port', $coordinator->port);

	$rounds++;
	for my $name (sort keys %script)
	{
		my $path = $coordinator->basedir . "/$name.sql";

		DlintsTest->spew($path, "\\set n :n + 1\n\\set t ($rounds * 100 + :client_id) * 1000000 + :n$script{$name}");
		push @command, '--file', $path;
	}
	$self->{run} = IPC::Run::start([ @command, 'postgres' ], \undef, \$self->{out}, \$self->{err});
	return $self;
}

my $committed = 'SELECT count(DISTINCT transaction) FROM ledger WHERE transaction / 100000000 =';

sub wait_for
{
	my ($writers, $count) = @_;

	until (sql("$committed $rounds") >= $count)
	{
		$writers->{run}->pump_nb if $writers->{run}->pumpable;
		die "no more rewards: $writers->{err}" if $writers->{err} =~ /aborted/;
		usleep(50_000);
	}
	return;
}

# Number of acknowledged transactions, after the last writer has ended
sub acknowledged
{
	my ($writers) = @_;

	$writers->{run}->finish;
	my ($count) = $writers->{out} =~ /actually processed: (\d+)/ or die "pgbench: $writers->{out}$writers->{err}";
	return $count;
}

# Do the models, with their queues, agree with the ledger, and is each transaction complete?
sub check
{
	my ($when, $count) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $there = sql("$committed $rounds");

	diag("$when: $count transactions acknowledged, $there committed");
	cmp_ok($there, '>=', $count, "$when: every acknowledged transaction is there");
	cmp_ok($there, '<=', $count + $clients, "$when: and at most one more of each session");
	is(sql(q{
		SELECT m.name, (dlints_info(m.state)).updates + coalesce(q.rewards, 0) - l.rewards
		FROM model m JOIN (SELECT model, sum(rewards) AS rewards FROM ledger
			GROUP BY model) l ON l.model = m.name
		LEFT JOIN (SELECT model, count(*) AS rewards FROM feedback GROUP BY model) q ON q.model
			= m.name
		ORDER BY 1}),
		join("\n", map { "m$_|0" } 1 .. 8),
		"$when: each reward has been learned once, or waits");
	is(sql(q{SELECT count(*) FROM (SELECT transaction FROM ledger WHERE rewards = 1 GROUP BY 1
		HAVING count(*) <> 2) l}),
		0, "$when: what was learned on two workers is there on both");
	return;
}

my $writers = writers();
wait_for($writers, 100);
ok(move('m3'), 'a shard moves while models learn');
wait_for($writers, 100 + sql("$committed $rounds"));
# Stop both workers immediately, at the same time.
kill QUIT => map { DlintsTest->slurp($_->data_dir . '/postmaster.pid') =~ /^(\d+)/ } @workers;
$_->stop('immediate', fail_ok => 1) for @workers;
my $count = acknowledged($writers);
$_->start for @workers;
$coordinator->poll_query_until('postgres', q{
	SELECT recover_prepared_transactions() IS NOT NULL
	AND NOT EXISTS (SELECT FROM run_command_on_workers('SELECT count(*) FROM pg_prepared_xacts')
		WHERE result <> '0')})
  or die 'transactions stay prepared';
check('both workers stopped', $count);

$writers = writers();
wait_for($writers, 50);
$writers->{run}->signal('TERM');
$writers->{run}->finish;
check('and went on', 0 + sql("$committed $rounds"));

done_testing();
