# Many sessions train the same model row: no observation is lost or counted twice.
use strict;
use warnings;

use DlintsTest 'sessions';
use DlintsStream;
use Sessions;
use Test::More;

my $node = DlintsTest->node('main');

### Eight sessions at random

DlintsStream::create($node);
my $stream = DlintsStream->start($node, clients => 8, limit => '--transactions=90');
is($stream->finish, 720, 'eight sessions learn');
DlintsStream::check($node, 'eight sessions');

### One interleaving at a time

# Untrained model "pair", with rewards 1, 2 and 4 in the queue
sub reset_pair
{
	$node->safe_psql('postgres', q{
		TRUNCATE feedback;
		DELETE FROM model WHERE name = 'pair';
		INSERT INTO model VALUES ('pair', dlints_new(2, discount => 1, intercept => false));
		INSERT INTO feedback (model, features, reward)
		SELECT 'pair', ARRAY[1, 0], 2 ^ i FROM generate_series(0, 2) i;
	});
	return;
}

sub queue
{
	my ($reward) = @_;

	$node->safe_psql('postgres',
		"INSERT INTO feedback (model, features, reward) VALUES ('pair', ARRAY[1, 0], $reward)");
	return;
}

# Updates and sum of rewards of "pair", whose bits show the rewards; and the rest of the queue
sub pair_has
{
	return $node->safe_psql('postgres', q{
		SELECT (dlints_info(state)).updates,
			coalesce(state::jsonb->'evidence'->0->'reward_sum', '0'),
			coalesce(state::jsonb->'evidence'->0->'b'->0, '0'),
		       (SELECT count(*) FROM feedback)
		FROM model WHERE name = 'pair'});
}

my $single = q{UPDATE model SET state = dlints_update(state, ARRAY[1, 0], 64) WHERE name = 'pair'};
my $batch = q{UPDATE model SET state
	= dlints_update_batch(state, ARRAY[[1, 0], [1, 0]], ARRAY[64, 128])
	WHERE name = 'pair'};
my $fold = $DlintsTest::fold;

# The wrong form: the new state is computed from a joined copy of the row
my $wrong_fold = q{
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = e.new_state
FROM  (SELECT p.name, p.state || (SELECT dlints_evidence(p.state, b.features, b.reward
	ORDER BY b.id)
                                  FROM batch b WHERE b.model = p.name) AS new_state
       FROM model p WHERE p.name = 'pair') e
WHERE m.name = e.name};

my $sessions = Sessions->new($node);

for my $case (
	[ $single, 'COMMIT', $fold, '4|71|71|0', 'a fold that waited for an update keeps it' ],
	[ $single, 'ROLLBACK', $fold, '3|7|7|0',
		'a fold that waited for an update that was rolled back' ],
	[ $batch, 'COMMIT', $fold, '5|199|199|0', 'a fold that waited for a batch keeps it' ],
	[ $fold, 'COMMIT', $single, '4|71|71|0', 'an update that waited for a fold keeps it' ],
	[ $fold, 'ROLLBACK', $single, '1|64|64|3',
		'an update that waited for a fold that was rolled back' ],
	[ $single, 'COMMIT', $single, '2|128|128|3', 'an update that waited for another keeps it' ],
	[ $fold, 'COMMIT', $fold, '3|7|7|0', 'two folds at once: each queue row counts once' ],
	[ $fold, 'ROLLBACK', $fold, '3|7|7|0',
		'two folds at once: the second takes what the first gave back' ],
	[ $single, 'COMMIT', $wrong_fold, '3|7|7|0',
		'a fold that computes the new state from a joined copy loses the update' ])
{
	my ($held, $end, $waiting, $expected, $name) = @$case;

	reset_pair();
	$sessions->interleave($held, $end, $waiting);
	is(pair_has(), $expected, $name);
}

# Rows inserted in between belong to the second session only
reset_pair();
$sessions->run(1, 'BEGIN', $fold);
queue(8);
$sessions->wait_with(2, $fold);
queue(16);
$sessions->run(1, 'COMMIT');
$sessions->outcome(2);
is(pair_has(), '4|15|15|1', 'two folds at once: a row of the queue is folded by one session');

$sessions->quit;
$node->stop;
done_testing();
