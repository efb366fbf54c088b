# Models, recommenders and rankers survive pg_upgrade, and the catalogue of the extension stays equal.
#
# From a server to one of the same version, which pg_upgrade allows.
use strict;
use warnings;

use File::Basename qw(dirname);
use Catalogue;
use DlintsTest;
use Test::More;

my ($bindir) = map { dirname($_) } grep { -x } map { "$_/pg_upgrade" } split /:/, $ENV{PATH};
plan skip_all => 'there is no pg_upgrade' if !$bindir;
# since PostgreSQL 15
my @no_sync = `pg_upgrade --help` =~ /--no-sync/ ? '--no-sync' : ();

my $old = DlintsTest->node('old');
my $new = DlintsTest->node('new');

my $state = q{
	SELECT name, md5(dlints_send(state)), dlints_draw(state, 3), (dlints_info(state)).updates
	FROM model ORDER BY name};
my $column = q{SELECT format_type(atttypid, atttypmod) FROM pg_attribute
	WHERE attrelid = 'fixed'::regclass AND attname = 'state'};

$old->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($old, 'pages.sql');
DlintsTest->run_file($old, 'models.sql');
$old->safe_psql('postgres', q{
	CREATE TABLE model (name text PRIMARY KEY, state dlints);
	INSERT INTO model VALUES
		('fresh', dlints_new(3)),
		('plain', learned(dlints_new(3), 30)),
		('projected', learned(dlints_new(9, 4, seed => 7), 30)),
		('long, out of line', learned(dlints_new(60, 40), 30)),
		('by time', learned(dlints_new(5, half_life => '3 days', memories => 2), 30)),
		('matched', learned(dlints_new(4, interactions => 'matched'), 30)),
		('matched, projected', learned(dlints_new(9, 4, seed => 7, interactions => 'matched'), 30)),
		('no forgetting', learned(dlints_new(5, discount => 1), 30));
	CREATE TABLE fixed (state dlints(9, 4));
	INSERT INTO fixed SELECT state FROM model WHERE name = 'projected';
	CREATE INDEX ON fixed USING hash (state);
	CREATE VIEW best AS
	SELECT dlints_recommend(state, i, ARRAY[i, 1, 1]::real[]) FROM model, generate_series(1, 3) i
	WHERE name = 'plain'});
my $pages = 'TABLE learned';
my %before = map { $_ => $old->safe_psql('postgres', $_) } $state, $column, $pages;
my @catalogue = Catalogue::lines($old, 'postgres');

$_->stop for $old, $new;
chdir $new->basedir or die 'no folder to work in';
$new->command_ok(
	[
		'pg_upgrade', @no_sync,
		'--old-datadir', $old->data_dir,
		'--new-datadir', $new->data_dir,
		'--old-bindir', $bindir,
		'--new-bindir', $bindir,
		'--socketdir', $new->host,
		'--old-port', $old->port,
		'--new-port', $new->port
	],
	'pg_upgrade succeeds');
$new->start;

is($new->safe_psql('postgres', $_), $before{$_}, 'pg_upgrade changes nothing: ' . substr($_, 0, 40) =~ s/\s+/ /gr)
  for $state, $column, $pages;
is($new->safe_psql('postgres', q{
	SET enable_seqscan = off;
	SELECT count(*) FROM fixed WHERE state = (SELECT state FROM model WHERE name = 'projected')}),
	1,
	'a hash index finds its model after pg_upgrade');
is($new->safe_psql('postgres',
		q{UPDATE model SET state = dlints_update(state, ARRAY[1, 2, 3], 1) WHERE name = 'plain'
		  RETURNING (dlints_info(state)).updates}),
	31,
	'dlints_update() works after pg_upgrade');
like($new->safe_psql('postgres', 'TABLE best'), qr/^[123]$/, 'a view of recommendations works after pg_upgrade');

is(join("\n", Catalogue::lines($new, 'postgres')), join("\n", @catalogue),
	'pg_upgrade changes nothing in the catalogue');

is($new->safe_psql('postgres', q{
	SELECT count(*) FROM board.recommend(7, 3);
	SELECT count(*) FROM front.rank('one', '{}', '["a"]');
	SELECT board.learn('0'), front.learn()}), "3\n1\n1|1", 'recommenders and rankers work after pg_upgrade');

$new->stop;
done_testing();
