# A streaming standby recommends from the replicated model, with draws of its
# own.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $primary = DlintsTest->node('primary', allows_streaming => 1);

$primary->safe_psql(
	'postgres', q{
	CREATE EXTENSION dlints;
	CREATE TABLE item (id integer, features real[]);
	INSERT INTO item
	SELECT i, ARRAY(SELECT sin(i * j)::real FROM generate_series(1, 40) j)
	FROM generate_series(1, 300) i;
	CREATE TABLE model (name text PRIMARY KEY, state dlints);
	INSERT INTO model VALUES ('plain', dlints_new(40)), ('projected', dlints_new(40, 12, seed => 9));
});

$primary->backup('backup');
my $standby = DlintsTest->bare_node('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# Learned after the backup: these come by the stream
$primary->safe_psql(
	'postgres', q{
	UPDATE model m SET state = state || (
		SELECT dlints_evidence(m.state, features, cos(id) ORDER BY id) FROM item);
	UPDATE model SET state = dlints_update(state, features, 1) FROM item WHERE id = 17});
$primary->wait_for_catchup($standby);

is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'),
	't', 'there is a standby');

sub same
{
	my ($query, $name) = @_;
	my $result = $primary->safe_psql('postgres', $query);

	cmp_ok(length($result), '>', 0, "$name on the primary");
	is($standby->safe_psql('postgres', $query),
		$result, "$name on the standby: the same");
	return;
}

same('SELECT name, md5(dlints_send(state)) FROM model ORDER BY name', 'model');
same(
	q{SELECT name, id, dlints_predict(state, features), dlints_stddev(state, features)
	  FROM model, item ORDER BY name, id},
	'prediction');
same('SELECT name, dlints_project(state, features) FROM model, item ORDER BY name, id',
	'projection');
same('SELECT name, dlints_draw_weights(state, 5) FROM model ORDER BY name',
	'draw with a seed');

my $recommend = q{
	SELECT name, cardinality(dlints_recommend(state, id, features, 5))
	FROM model, item GROUP BY name ORDER BY name};
is($standby->safe_psql('postgres', $recommend),
	"plain|5\nprojected|5", 'the standby recommends');

# First draws of sessions on both servers, all different
my %draws;
for my $server ($primary, $standby)
{
	for (1 .. 5)
	{
		my $draws = $server->safe_psql('postgres',
			q{SELECT dlints_draw(state) FROM model, generate_series(1, 3) WHERE name = 'projected'}
		);

		$draws{$_}++ for split /\n/, $draws;
	}
}
is(scalar(keys %draws), 30,
	'draws without a seed differ, on one server and between servers');

my $ranking = q{
	SELECT dlints_recommend(dlints_set(state, exploration => 5), id, features, 50)
	FROM model, item WHERE name = 'projected'};
isnt(
	$standby->safe_psql('postgres', $ranking),
	$primary->safe_psql('postgres', $ranking),
	'the standby explores otherwise than its primary');

my ($status, $stdout, $stderr) = $standby->psql('postgres',
	q{UPDATE model SET state = dlints_update(state, features, 1) FROM item WHERE id = 1});
like(
	$stderr,
	qr/cannot execute UPDATE in a read-only transaction/,
	'the standby does not learn');

# It answers with what it last heard of, and learns when promoted
$primary->stop;
is($standby->safe_psql('postgres', $recommend),
	"plain|5\nprojected|5", 'the standby recommends without its primary');
$standby->promote;
$standby->safe_psql('postgres',
	q{UPDATE model SET state = dlints_update(state, features, 1) FROM item WHERE id = 1});
is( $standby->safe_psql(
		'postgres', 'SELECT DISTINCT (dlints_info(state)).updates FROM model'),
	302,
	'once promoted it goes on where the primary was');

$standby->stop;
done_testing();
