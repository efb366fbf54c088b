# Evidence computed where the events are and appended to a model on another
# server counts exactly once, whatever dies in between.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $models = DlintsTest->node('models');

plan skip_all => 'no postgres_fdw here'
  unless DlintsTest->has_extension($models, 'postgres_fdw');

my %events = map { $_ => DlintsTest->node($_) } 'north', 'south';

# Where the events are: rewards, the models' parameters, and evidence to be
# fetched; and for the test whatever was rewarded
for my $node (values %events)
{
	$node->safe_psql(
		'postgres', q{
		CREATE EXTENSION dlints;
		CREATE TABLE feedback (id bigint GENERATED ALWAYS AS IDENTITY, model text, features real[],
			reward float8);
		CREATE TABLE fresh (name text PRIMARY KEY, state dlints NOT NULL);
		CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, model text,
			evidence dlints);
		INSERT INTO fresh VALUES ('home', dlints_new(40, 12, seed => 7)),
			('search', dlints_new(40));
		CREATE TABLE history (id bigint, model text, features real[], reward float8)});
}

# Where the models are: what is to be fetched, and what has been
$models->safe_psql(
	'postgres', q{
	CREATE EXTENSION dlints;
	CREATE EXTENSION postgres_fdw;
	CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
	INSERT INTO model VALUES ('home', dlints_new(40, 12, seed => 7)), ('search', dlints_new(40));
	CREATE TABLE applied (server text, id bigint, PRIMARY KEY (server, id))});
DlintsTest->run_file($models, 'models.sql');
for my $server (sort keys %events)
{
	DlintsTest->foreign_server($models, $server, $events{$server});
	$models->safe_psql(
		'postgres', qq{
		CREATE FOREIGN TABLE outbox_$server (id bigint, model text, evidence dlints)
		SERVER $server OPTIONS (table_name 'outbox');
		CREATE FOREIGN TABLE history_$server (id bigint, model text, features real[], reward float8)
		SERVER $server OPTIONS (table_name 'history')});
}
$models->safe_psql(
	'postgres', q{
	CREATE VIEW outbox AS
	SELECT 'north' AS server, * FROM outbox_north UNION ALL SELECT 'south', * FROM outbox_south;
	CREATE VIEW history AS
	SELECT 'north' AS server, * FROM history_north UNION ALL SELECT 'south', * FROM history_south});

# On a server with events
my $fold = q{
	WITH batch AS (DELETE FROM feedback RETURNING *)
	INSERT INTO outbox (model, evidence)
	SELECT f.name, dlints_evidence(f.state, b.features, b.reward ORDER BY b.id)
	FROM   batch b JOIN fresh f ON f.name = b.model GROUP BY f.name};

# On the server with the models
my $gather = q{
	WITH new AS (
		INSERT INTO applied SELECT server, id FROM outbox ORDER BY server, id
		ON CONFLICT DO NOTHING RETURNING *)
	UPDATE model m SET state = m.state || e.evidence
	FROM  (SELECT o.model, dlints_concat_agg(o.evidence ORDER BY o.server, o.id) AS evidence
	       FROM new JOIN outbox o USING (server, id) GROUP BY o.model) e
	WHERE m.name = e.model};
my $clear = q{
	DELETE FROM outbox_north o USING applied a WHERE a.server = 'north' AND a.id = o.id;
	DELETE FROM outbox_south o USING applied a WHERE a.server = 'south' AND a.id = o.id};

# Rewards of a round, and the order in which the models will see them
my $rounds = 0;

sub reward
{
	my (@servers) = @_;

	$rounds++;
	for my $server (@servers)
	{
		$events{$server}->safe_psql(
			'postgres', qq{
			WITH new AS (
				INSERT INTO feedback (model, features, reward)
				SELECT CASE i % 3 WHEN 0 THEN 'search' ELSE 'home' END,
				       ARRAY(SELECT sin(i * j * $rounds)::real FROM generate_series(1, 40) j),
					cos(i + $rounds)
				FROM generate_series(1, 20) i
				RETURNING *)
			INSERT INTO history SELECT 1000 * $rounds + id, model, features, reward FROM new});
	}
	return;
}

# The models are what one model that saw all rewards would be
sub check
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is( $models->safe_psql(
			'postgres', q{
		SELECT m.name, (dlints_info(m.state)).updates - (dlints_info(e.evidence)).updates,
		       distance(m.state, e.evidence) < 1e-10
		FROM  (SELECT f.name, dlints_evidence(f.state, h.features, h.reward
			ORDER BY h.id / 1000, server, h.id) AS evidence
		       FROM model f JOIN history h ON h.model = f.name GROUP BY f.name) e
			JOIN model m USING (name)
		ORDER BY name}),
		"home|0|t\nsearch|0|t",
		$name);
	return;
}

reward('north', 'south');
$_->safe_psql('postgres', $fold) for values %events;
is($models->safe_psql('postgres', 'SELECT count(*) FROM outbox'), 4, 'two models gather from two servers');
$models->safe_psql('postgres', $gather);
check('evidence of two servers');
$models->safe_psql('postgres', $gather);
check('fetched twice it counts once');
$models->safe_psql('postgres', $clear);
is($models->safe_psql('postgres', 'SELECT count(*) FROM outbox'), 0, 'fetched evidence is deleted');
$models->safe_psql('postgres', $gather);
check('nothing to fetch');

### The server with events dies before it has committed

reward('north');
my $session = DlintsTest->session($events{north});
$session->query_safe('BEGIN');
$session->query_safe($fold);
$events{north}->stop('immediate');
$session->quit;
$events{north}->start;
is( $events{north}->safe_psql('postgres',
		'SELECT (SELECT count(*) FROM feedback), (SELECT count(*) FROM outbox)'),
	'20|0',
	'rewards are still to be folded');
$events{north}->safe_psql('postgres', $fold);
$models->safe_psql('postgres', $gather);
check('after a crash of a server with events');

### The server with the models dies before it has committed, and after

reward('north', 'south');
$_->safe_psql('postgres', $fold) for values %events;
my $before = $models->safe_psql('postgres', 'SELECT * FROM model ORDER BY name');
$session = DlintsTest->session($models);
$session->query_safe('BEGIN');
$session->query_safe($gather);
$models->stop('immediate');
$session->quit;
$models->start;
is($models->safe_psql('postgres', 'SELECT * FROM model ORDER BY name'),
	$before, 'a crash before the commit leaves the models unchanged');
$models->safe_psql('postgres', $gather);
$models->stop('immediate');
$models->start;
$models->safe_psql('postgres', "$gather; $clear");
check('after crashes of the server with the models');

### A server with events is away

reward('south');
$events{south}->safe_psql('postgres', $fold);
$before = $models->safe_psql('postgres', 'SELECT * FROM model ORDER BY name');
$events{north}->stop;
my ($status) = $models->psql('postgres', $gather);
isnt($status, 0, 'fetching fails if one of the servers is down');
is($models->safe_psql('postgres', 'SELECT * FROM model ORDER BY name'),
	$before, 'a failed fetch leaves the models unchanged');
$events{north}->start;
$models->safe_psql('postgres', $gather);
check('when it is back');

### Two sessions fetch at once

reward('north', 'south');
$_->safe_psql('postgres', $fold) for values %events;
my $sessions = Sessions->new($models);
is($sessions->interleave($gather, 'COMMIT', $gather), '00000', 'two sessions at once');
check('two sessions at once');
$sessions->quit;

$_->stop for $models, values %events;
done_testing();
