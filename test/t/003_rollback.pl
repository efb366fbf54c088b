# What is rolled back leaves no trace, and what fails changes nothing.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main');

# The second model is stored out of line
$node->safe_psql(
	'postgres', $DlintsTest::tables . q{
	INSERT INTO model VALUES
		('small', dlints_update(dlints_new(3), ARRAY[1, 2, 3], 1)),
		('large', dlints_update(dlints_new(90, 40), array_fill(0.5, ARRAY[90]), 1));
	CREATE FUNCTION fill_queue() RETURNS void LANGUAGE sql AS $$
		DELETE FROM feedback;
		INSERT INTO feedback (model, features, reward)
		SELECT 'small', ARRAY[1, 1, i], i FROM generate_series(1, 100) i
		UNION ALL SELECT 'large', array_fill(0.5::real, ARRAY[90]), i
			FROM generate_series(1, 100) i $$;
});

my $before = DlintsTest->stored($node);
my $fold = $DlintsTest::fold;
my $update = q{UPDATE model SET state = dlints_update(state,
	array_fill(0.1, ARRAY[(dlints_info(state)).dim]), 1)};

sub unchanged
{
	my ($name, $queued) = @_;

	is(DlintsTest->stored($node), $before, "$name leaves no trace in the models");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM feedback'), $queued,
		"$name: nor in the queue");
	return;
}

### Transactions and savepoints

for my $case (
	[ 'a transaction', "BEGIN; $update; $fold; $update; ROLLBACK" ],
	[ 'a savepoint',
		"BEGIN; SAVEPOINT s; $update; SAVEPOINT t; $fold; RELEASE t; ROLLBACK TO s; COMMIT" ],
	[ 'a block that caught an error', "DO \$\$ BEGIN $update; $fold; RAISE division_by_zero;
	                                   EXCEPTION WHEN division_by_zero THEN NULL; END \$\$" ])
{
	my ($name, $statements) = @$case;

	$node->safe_psql('postgres', "SELECT fill_queue(); $statements");
	unchanged($name, 200);
}

### Errors, in the middle of the work and in a session that goes on

# the 150th of 200
my %batch = (
	'NaN' => '22003',
	'-Infinity' => '22003',
	'NULL' => '22004',
	'1e200' => '22003');
my %queued = (
	q{ARRAY[1, 1, 1], 'NaN'} => '22003',
	q{'{1, NaN, 1}', 1} => '22003',
	q{'{1, NULL, 1}', 1} => '22004',
	q{ARRAY[1, 1], 1} => '22000');
my @failures = (
	map({ [ "a reward $_ in a batch", $batch{$_}, 'SELECT fill_queue()', qq{
		UPDATE model SET state = dlints_update_batch(state, array_fill(0.5, ARRAY[200, 3]),
			array_fill(1::float8, ARRAY[149]) || '{$_}'::float8[]
				|| array_fill(1::float8, ARRAY[50]))
		WHERE name = 'small'} ] } sort keys %batch),
	map({ [ "$_ in the queue", $queued{$_}, qq{
		SELECT fill_queue(); UPDATE feedback SET (features, reward) = ROW ($_)
		WHERE id = (SELECT max(id) - 50 FROM feedback WHERE model = 'small')},
			$fold ] } sort keys %queued));

for my $case (@failures)
{
	my ($name, $sqlstate, $prepare, $statement) = @$case;
	my ($status, $stdout) = $node->psql(
		'postgres', qq{
\\set ON_ERROR_STOP 0
\\set VERBOSITY sqlstate
\\o /dev/null
$prepare;
$statement;
\\o
\\echo :SQLSTATE
SELECT (dlints_info(state)).updates FROM model WHERE name = 'small'});

	is($stdout, "$sqlstate\n1", "$name: SQLSTATE, and the session is alive");
	unchanged($name, 200);
}

# A savepoint that was rolled back takes with it what it held and no more
$node->safe_psql('postgres', "BEGIN; SAVEPOINT s; $update; ROLLBACK TO s; $update; COMMIT");
is(DlintsTest->updates($node, $_), 2,
	"$_: what follows a savepoint that was rolled back counts once")
  for 'small', 'large';

$node->stop;
done_testing();
