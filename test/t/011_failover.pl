# During a stream of rewards, backups, dumps and a standby contain complete transactions. The standby returns the
# same results as its primary, except draws, and after a failover it has every acknowledged reward.
use strict;
use warnings;

use DlintsTest;
use DlintsStream;
use Test::More;

my $primary = DlintsTest->node('primary', allows_streaming => 1);
my $standby = DlintsTest->bare_node('standby');
my $restored = DlintsTest->node('restored');
my $recommend = q{
	SELECT name, cardinality(dlints_recommend(state, i,
		numbers((dlints_info(state)).dim, i), 5))
	FROM model, generate_series(1, 100) i GROUP BY name ORDER BY name};

DlintsStream::create($primary);

### A base backup and a dump, taken in the middle

my $stream = DlintsStream->start($primary);
$stream->wait_for(100);
$primary->backup('backup');
$primary->command_ok(
	[
		'pg_dump', '--no-sync', '--format=custom',
		'--file', $primary->basedir . '/dump', 'postgres'
	],
	'dumped while sessions learn');
$stream->wait_for(100);
$stream->kill;

$restored->command_ok(
	[
		'pg_restore', '--exit-on-error',
		'--dbname', 'postgres', $primary->basedir . '/dump'
	],
	'restored');
DlintsStream::check($restored, 'a dump taken while sessions learned');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);
DlintsStream::check($standby, 'a standby from a backup taken while sessions learned');

### Queries on a standby

for my $query (
	'SELECT name, md5(dlints_send(state)) FROM model ORDER BY name',
	q{SELECT name, i, dlints_predict(state, x), dlints_stddev(state, x), dlints_project(state, x)
	  FROM model, generate_series(1, 20) i, numbers((dlints_info(state)).dim, i) x
		ORDER BY name, i},
	'SELECT name, dlints_draw_weights(state, seed => 5) FROM model ORDER BY name')
{
	is($standby->safe_psql('postgres', $query), $primary->safe_psql('postgres', $query),
		'the standby has the same: ' . substr($query, 0, 40));
}

# First draws of sessions on both servers
my %draws = map { $_ => 1 } map {
	split /\n/,
	  $_->safe_psql('postgres',
		q{SELECT dlints_draw(state) FROM model, generate_series(1, 3) WHERE name = 'reduced'})
} ($primary, $standby) x 5;
is(scalar(keys %draws), 30, 'draws without a seed differ, on one server and between servers');

### A standby that follows

# From here on, a commit waits for the standby
$primary->append_conf('postgresql.conf', "synchronous_standby_names = '*'\n");
$primary->reload;
$primary->poll_query_until('postgres',
	q{SELECT sync_state = 'sync' FROM pg_stat_replication})
  or die 'the standby is not synchronous';

$stream = DlintsStream->start($primary);
for my $look (1 .. 3)
{
	$stream->wait_for(100);
	DlintsStream::check($standby, "the standby while sessions learn, look $look");
	is($standby->safe_psql('postgres', $recommend),
		"memories|5\nopen|5\nplain|5\nreduced|5\ntimed|5", 'the standby recommends while sessions learn');
}

### The primary dies, the standby takes over

$primary->kill9;
my $acknowledged = $stream->finish;
$standby->promote;
DlintsStream::check($standby, 'after failover');
$stream->check_acknowledged($standby, $acknowledged, 'after failover');
is($standby->safe_psql('postgres', $recommend),
	"memories|5\nopen|5\nplain|5\nreduced|5\ntimed|5", 'the new primary recommends after the failover');

my $updates = q{SELECT sum((dlints_info(state)).updates) FROM model};
my $before = $standby->safe_psql('postgres', $updates);
$stream = DlintsStream->start($standby, limit => '--transactions=50');
is($stream->finish, 200, 'sessions learn on the new primary');
cmp_ok($standby->safe_psql('postgres', $updates), '>', $before, 'the models of the new primary have more observations');
DlintsStream::check($standby, 'at the end');

$standby->stop;
$restored->stop;
done_testing();
