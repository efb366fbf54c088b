# Many sessions train the same model row: no observation is lost or counted twice.
use strict;
use warnings;

use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => "synchronize_seqscans = off\n");

### Four sessions at random

# A ledger has the rewards that transactions learned, and as which of the model's observations: that number follows the
# order in which sessions locked the model's row.  "reduced" is stored out of line.
my %dim = (plain => 6, reduced => 30, memories => 6, timed => 6);

$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($node, 'models.sql');
$node->safe_psql('postgres', q{
	CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
	INSERT INTO model VALUES
		('plain', dlints_new(6, discount => 0.99)),
		('reduced', dlints_new(30, 20, discount => 0.995, seed => 4)),
		('memories', dlints_new(6)),
		('timed', dlints_new(6, half_life => '7 days'));
	CREATE TABLE fresh (LIKE model INCLUDING INDEXES);
	INSERT INTO fresh TABLE model;
	CREATE TABLE feedback (id bigserial PRIMARY KEY, model text, features real[], reward float8, at timestamptz);
	CREATE TABLE arrival (id bigint PRIMARY KEY);    -- what has ever been in the queue
	CREATE TABLE ledger (model text, n bigint, feedback bigint, features real[], reward float8, at timestamptz,
		PRIMARY KEY (model, n))});

# One reward, trained immediately
sub single
{
	my ($model, $a) = @_;
	my $observation = "numbers($dim{$model}, $a), cos($a)";
	my $at = "seen(($a) % 1000)";

	return qq{
		WITH learned AS (
			UPDATE model SET state = dlints_update(state, $observation, at => $at)
			WHERE name = '$model' RETURNING (dlints_info(state)).updates AS n)
		INSERT INTO ledger (model, n, features, reward, at)
		SELECT '$model', n, $observation, $at
			FROM learned;};
}

# A few rewards for the queue
sub enqueue
{
	my ($model) = @_;

	return qq{
		WITH new AS (
			INSERT INTO feedback (model, features, reward, at)
			SELECT '$model', numbers($dim{$model}, :a + i), cos(:a + i), seen((:a + i) % 1000)
			FROM generate_series(1, 1 + :a % 4) i
			RETURNING id)
		INSERT INTO arrival SELECT id FROM new;};
}

# Train on the queue as one batch
sub fold
{
	my ($model) = @_;

	return qq{
		WITH batch AS (DELETE FROM feedback WHERE model = '$model' RETURNING *),
		learned AS (
			UPDATE model m SET state = m.state || e.evidence
			FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward, '{}', b.at
			                                      ORDER BY b.id)
				AS evidence
			       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
			WHERE m.name = e.name
			RETURNING m.name, (dlints_info(m.state)).updates AS n)
		INSERT INTO ledger (model, n, feedback, features, reward, at)
		SELECT name, n + 1 - row_number() OVER (ORDER BY id DESC), id, features, reward, at
		FROM learned JOIN batch ON model = name;};
}

my $script = "\\set a random(1, 1000000)\n\\set model random(1, 4)\n\\set what random(1, 13)\nBEGIN;\n\\if false\n";
my $number = 0;
for my $model (sort keys %dim)
{
	my $one = single($model, ':a');
	# in the order of a fold: the queue's rows, then the model
	my $all = enqueue($model) . fold($model) . $one;
	my @transactions = ([ 4, $one ], [ 8, enqueue($model) ], [ 10, fold($model) ], [ 11, $all ],
		[ 12, "SAVEPOINT s; $one ROLLBACK TO s;" . single($model, ':a + 1') ], [ 13, "$all ROLLBACK; BEGIN;" ]);

	$number++;
	$script .= "\\elif :model = $number and :what <= $_->[0]\n$_->[1]\n" for @transactions;
}
DlintsTest->spew($node->basedir . '/learn.pgbench', "$script\\endif\nCOMMIT;\n");
my ($succeeds, $messages) = DlintsTest->run_random($node, $node->basedir . '/learn.pgbench');
ok($succeeds, 'sessions learn at once') or diag $messages;

# A model that forgets by time does so in any order.
is($node->safe_psql('postgres', q{
		WITH rebuilt AS (
			SELECT f.name, f.state || dlints_evidence(f.state, l.features, l.reward, '{}', l.at
			                ORDER BY CASE f.name WHEN 'timed' THEN l.reward ELSE l.n END) AS state,
			       count(*) AS rewards, max(n) AS last
			FROM fresh f JOIN ledger l ON l.model = f.name GROUP BY f.name)
		SELECT m.name, (dlints_info(m.state)).updates - r.rewards, r.last - r.rewards,
		       distance(m.state, r.state) < 1e-10
		FROM model m LEFT JOIN rebuilt r USING (name)
		UNION ALL
		SELECT 'queue', count(*) FILTER (WHERE seen IS NULL), count(*) FILTER (WHERE id IS NULL),
		       count(DISTINCT id) = count(*)
		FROM arrival FULL JOIN (SELECT id AS seen FROM feedback UNION ALL
		                        SELECT feedback FROM ledger WHERE feedback IS NOT NULL) s ON id = seen
		ORDER BY 1}),
	"memories|0|0|t\nplain|0|0|t\nqueue|0|0|t\nreduced|0|0|t\ntimed|0|0|t",
	'the models are the committed rewards, all of them and no others');

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

# A snapshot without the newest state of the model
for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	reset_pair();
	$sessions->run(1, "BEGIN ISOLATION LEVEL $level", 'SELECT count(*) FROM model');
	$sessions->run(2, $single);
	is($sessions->sqlstate(1, $fold), '40001', "$level: a fold fails after an update of another session");
	$sessions->run(1, 'ROLLBACK', "BEGIN ISOLATION LEVEL $level", $fold, 'COMMIT');
	is(pair_has(), '4|71|71|0', "$level: a fold that failed and was repeated counts once");
}

$sessions->quit;
$node->stop;
done_testing();
