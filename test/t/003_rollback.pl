# What is rolled back leaves no trace, and what fails changes nothing.
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
	-- the second one is stored out of line
	INSERT INTO model VALUES
		('small', dlints_update(dlints_new(3), ARRAY[1, 2, 3]::real[], 1)),
		('large', dlints_update(dlints_new(90, 40), array_fill(0.5::real, ARRAY[90]), 1));
});

my $fold = q{
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
WHERE m.name = e.name
};

# Every stored byte of every model
sub stored
{
	return $node->safe_psql('postgres',
		q{SELECT name, encode(dlints_send(state), 'hex') FROM model ORDER BY name}
	);
}

sub updates
{
	my ($name) = @_;

	return $node->safe_psql('postgres',
		"SELECT (dlints_info(state)).updates FROM model WHERE name = '$name'");
}

my $before = stored();
my $update = q{UPDATE model SET state = dlints_update(state,
	array_fill(0.1::real, ARRAY[(dlints_info(state)).context_dim]), 1)};

### Transactions and savepoints

$node->safe_psql('postgres', "BEGIN; $update; $update; ROLLBACK");
is(stored(), $before, 'a rolled-back transaction leaves no trace');

$node->safe_psql(
	'postgres', qq{
	BEGIN;
	SAVEPOINT s;
	$update;
	SAVEPOINT t;
	$update;
	RELEASE t;
	ROLLBACK TO s;
	COMMIT});
is(stored(), $before, 'a rolled-back savepoint leaves no trace');

$node->safe_psql(
	'postgres', qq{
	INSERT INTO feedback (model, features, reward)
	SELECT 'small', ARRAY[1, 1, i], i FROM generate_series(1, 100) i;
	BEGIN; $fold; ROLLBACK});
is(stored(), $before, 'a rolled-back fold leaves no trace in the model');
is($node->safe_psql('postgres', 'SELECT count(*) FROM feedback'),
	100, 'and its rows are in the queue again');

$node->safe_psql(
	'postgres', qq{
	DO \$\$
	BEGIN
		$update;
		$fold;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		NULL;
	END \$\$});
is(stored(), $before, 'a block that caught an error leaves no trace');

# A savepoint that is kept counts once
$node->safe_psql(
	'postgres', qq{
	BEGIN;
	SAVEPOINT s;
	$update;
	ROLLBACK TO s;
	$update;
	COMMIT});
is($node->safe_psql(
		'postgres',
		q{SELECT string_agg((dlints_info(state)).updates::text, ',') FROM model}
	),
	'2,2',
	'after a savepoint was rolled back, what follows counts once');

### Errors

# In one session: the statement fails with this SQLSTATE, nothing has changed,
# and the session goes on.
sub fails
{
	my ($statement, $sqlstate, $name) = @_;
	my $stored = stored();
	my ($status, $stdout, $stderr) = $node->psql(
		'postgres', qq{
\\set ON_ERROR_STOP 0
\\set VERBOSITY sqlstate
$statement;
\\echo :SQLSTATE
SELECT (dlints_info(state)).updates > 0 FROM model WHERE name = 'small'});

	is($stdout, "$sqlstate\nt", "$name: SQLSTATE, and the session is alive");
	is(stored(), $stored, "$name: nothing has changed");
	return;
}

sub batch
{
	my ($rewards) = @_;

	return "UPDATE model SET state = dlints_update(state,
		array_fill(0.5::real, ARRAY[200, 3]), $rewards) WHERE name = 'small'";
}

fails(batch(q{array_fill(1::float8, ARRAY[100]) || 'NaN'::float8 || array_fill(1::float8, ARRAY[99])}),
	'22003', 'NaN reward in the middle of a batch');
fails(batch(q{array_fill(1::float8, ARRAY[199]) || '-Infinity'::float8}),
	'22003', 'infinite reward at the end of a batch');
fails(batch(q{array_fill(1::float8, ARRAY[100]) || NULL::float8 || array_fill(1::float8, ARRAY[99])}),
	'22004', 'NULL reward in the middle of a batch');
fails(
	q{UPDATE model SET state = dlints_update(state, array_fill(1e200::float8, ARRAY[200, 3]),
	  array_fill(1::float8, ARRAY[200])) WHERE name = 'small'},
	'22003', 'batch whose sums overflow');

for my $bad (
	[ q{ARRAY[1, 1, 1], 'NaN'}, '22003', 'NaN reward in the queue' ],
	[ q{'{1, NaN, 1}', 1}, '22003', 'NaN feature in the queue' ],
	[ q{ARRAY[1, NULL, 1], 1}, '22004', 'NULL feature in the queue' ],
	[ q{ARRAY[1, 1], 1}, '22000', 'short context in the queue' ])
{
	my ($values, $sqlstate, $name) = @$bad;

	$node->safe_psql(
		'postgres', qq{
		DELETE FROM feedback;
		INSERT INTO feedback (model, features, reward)
		SELECT 'small', ARRAY[1, 1, i], i FROM generate_series(1, 100) i;
		INSERT INTO feedback (model, features, reward) VALUES ('small', $values);
		INSERT INTO feedback (model, features, reward)
		SELECT 'large', array_fill(0.5::real, ARRAY[90]), i FROM generate_series(1, 100) i});
	fails($fold, $sqlstate, $name);
	is($node->safe_psql('postgres', 'SELECT count(*) FROM feedback'),
		201, "$name: the queue is as it was");
}

### Isolation levels: a conflict is refused, and a retry counts once

$node->safe_psql(
	'postgres', q{
	DELETE FROM feedback;
	INSERT INTO feedback (model, features, reward)
	SELECT 'small', ARRAY[1, 1, i], i FROM generate_series(1, 10) i});

my $single = q{UPDATE model SET state = dlints_update(state, ARRAY[1, 1, 1]::real[], 1)
	WHERE name = 'small'};
my $session = $node->background_psql('postgres', on_error_stop => 0);

for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	for my $case ([ 'an update', $single, 1 ], [ 'a fold', $fold, 10 ])
	{
		my ($what, $statement, $rewards) = @$case;
		my $count = updates('small');

		$session->query_safe("BEGIN ISOLATION LEVEL $level");
		$session->query_safe('SELECT count(*) FROM model');
		$node->safe_psql('postgres', $single);
		my $other = stored();
		$session->query($statement);
		is($session->query('\echo :SQLSTATE'),
			'40001', "$level: $what that meets another update is refused");
		$session->{stderr} = '';
		$session->query('ROLLBACK');
		is(stored(), $other, "$level: half of $what is not there");

		$session->query_safe("BEGIN ISOLATION LEVEL $level");
		$session->query_safe($statement);
		$session->query_safe('COMMIT');
		is(updates('small'), $count + 1 + $rewards,
			"$level: $what that is retried counts once");
		$node->safe_psql(
			'postgres', q{
			INSERT INTO feedback (model, features, reward)
			SELECT 'small', ARRAY[1, 1, i], i FROM generate_series(1, 10) i
			WHERE NOT EXISTS (SELECT FROM feedback)});
	}
}

# Two that read the same state and both write: serializable lets one through
my $other = $node->background_psql('postgres', on_error_stop => 0);
my $count = updates('small');

$_->query_safe('BEGIN ISOLATION LEVEL SERIALIZABLE') for $session, $other;
$_->query_safe(q{SELECT dlints_mean(state) FROM model WHERE name = 'small'})
  for $session, $other;
$session->query_safe($single);
$other->query_until(qr/sent/, "\\echo sent\n$single;\n");
$session->query_safe('COMMIT');
is($other->query('\echo :SQLSTATE'),
	'40001', 'SERIALIZABLE: an update that waited for another is refused');
$other->{stderr} = '';
$other->query('ROLLBACK');
is(updates('small'), $count + 1, 'SERIALIZABLE: and the other one counts');

$session->quit;
$other->quit;
$node->stop;
done_testing();
