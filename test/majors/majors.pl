# Data of an older major version work in this one: models of every kind, hash indexes, generated columns, a recommender
# and rankers with pending decisions.  By pg_dump of this version, and by pg_upgrade.
use strict;
use warnings;

use Catalogue;
use DlintsTest;
use File::Basename qw(dirname);
use Test::More;

my ($bindir) = map { dirname($_) } grep { -x } map { "$_/pg_upgrade" } split /:/, $ENV{PATH};
my $installation = $ENV{OLD_INSTALLATION};

# Both sides of pg_upgrade need equal data checksums, and PostgreSQL 18 changed the default.
sub server
{
	my ($name, $programs, %params) = @_;
	my @extra = `'$programs/initdb' --help` =~ /--no-data-checksums/ ? '--no-data-checksums' : ();

	return DlintsTest->node($name, conf => "jit = off\n", extra => \@extra, %params);
}

my $old = server('old', "$installation/bin", install_path => $installation);
my $new = server('new', $bindir);
my ($from, $to) = map { $_->safe_psql('postgres', 'SHOW server_version_num') =~ s/\d{4}$//r } $old, $new;
diag "from PostgreSQL $from to $to";

### Data of the old version

$old->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($old, "$_.sql") for 'pages', 'models', 'kinds';
$old->safe_psql('postgres', q{
	CREATE TABLE fixed (projected dlints(8, 3) DEFAULT dlints_new(8, 3, seed => 4),
		personal dlints(8, matched, intercept) CHECK ((dlints_info(personal)).updates < 100));
	INSERT INTO fixed
	SELECT learned(dlints_new(8, 3), i), learned(dlints_new(8, interactions => 'matched'), i)
	FROM   generate_series(1, 5) i;
	CREATE INDEX ON fixed USING hash (projected);
	CREATE TABLE item (id integer PRIMARY KEY, name text, tags text[], price numeric, size real,
		sold boolean, key uuid, details jsonb,
		given dlints_vector,
		features real[] GENERATED ALWAYS AS (dlints_encode(64, 'name', name, 'tags', tags,
			'price', price, 'size', size, 'sold', sold, 'key', key)
			|| dlints_encode(16, details)) STORED);
	CREATE INDEX ON item (dlints_encode(2, 'name', name));
	INSERT INTO item VALUES
		(1, 'Strauß', '{new,"on sale"}', 0.1, 1e-7, true,
			'c0ffee00-0000-0000-0000-000000000001',
			'{"pages": 300, "author": {"name": "Ω"}, "list": [1, "two", null]}', '{0.1, 1e300}'),
		(2, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL),
		(3, '', '{NULL,""}', 12345678901234567890.5, 0.3, false,
			'c0ffee00-0000-0000-0000-000000000002', '[]', ARRAY[0.1, 0.3]::real[]);
	SELECT dlints_create_ranker('task', attribution_window => '0', constraints => '{"usd": {"max": 0.002}}');
	SELECT task.reward(event_id, e % 3)
	FROM   generate_series(1, 60) e, task.rank('e' || e, jsonb_build_object('kind', e % 4),
			'[{"id": "large", "usd": 0.015}, {"id": "small", "usd": 0.00003}, "free"]')
	WHERE  "position" = 1;
	SELECT task.learn();
	CALL task.run();
	-- rewards and an event that are pending
	SELECT board.reward(decision, item) FROM board.impression WHERE "position" = 2 ORDER BY decision LIMIT 9;
	SELECT count(*) FROM task.rank('waiting', '{"kind": 1}', '["free", "large"]')});

# Queries with equal results afterwards
my %same = (
	'models and their hashes' => q{
		SELECT name, md5(dlints_send(state)), md5(state::text), md5(state::jsonb::text), dlints_hash(state)
		FROM   model ORDER BY name},
	'columns with type modifiers' => q{
		SELECT md5(dlints_send(projected)), md5(dlints_send(personal)) FROM fixed ORDER BY 1;
		SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE  attrelid = 'fixed'::regclass AND attnum > 0 ORDER BY attnum},
	'stored encodings' => q{
		SELECT id, features, given, encode(dlints_vector_send(given), 'hex') FROM item ORDER BY id},
	'encodings of stored rows' => q{
		SELECT id, dlints_encode(64, 'name', name, 'tags', tags, 'price', price, 'size', size,
				'sold', sold, 'key', key) || dlints_encode(16, details)
		FROM   item ORDER BY id},
	map {
		("all rows of $_" => qq{
			SELECT relname, (xpath('//text()', query_to_xml(format(
				'SELECT count(*), md5(string_agg(t::text, '' '' ORDER BY t::text)) FROM %s t',
				oid::regclass), false, true, '')))::text
			FROM   pg_class WHERE relnamespace = '$_'::regnamespace AND relkind = 'r' ORDER BY 1},
		 "functions of $_" => qq{
			SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid), provolatile,
			       proconfig, md5(prosrc), obj_description(oid, 'pg_proc'),
			       ARRAY(SELECT a::text FROM unnest(coalesce(proacl, acldefault('f', proowner))) a ORDER BY 1)
			FROM   pg_proc WHERE pronamespace = '$_'::regnamespace ORDER BY proname, 2})
	} 'board', 'front', 'task');
my %before = map { $_ => $old->safe_psql('postgres', $same{$_}) } keys %same;

# Calls with their results
my @work = (
	[ 'SELECT count(*) FROM board.recommend(7, 3)', 3, 'recommend() works' ],
	[ 'SELECT count(*) FROM board.recommend(999, 3)', 3, 'recommend() works for an unknown user' ],
	[ q{SELECT count(*) FROM board.impression i, board.reward(i.decision, i.item) WHERE i."position" = 3}, 22,
		'reward() works' ],
	[ q{SELECT board.learn('0') > 20}, 't', 'learn() works' ],
	[ q{CALL board.run()}, '', 'run() of a recommender works' ],
	[ q{SELECT count(*) > 5, bool_and(meaning <> '') FROM board.report()}, 't|t', 'report() of a recommender works' ],
	[ q{SELECT count(*) FROM task.rank('new', '{"kind": 2}',
		'[{"id": "large", "usd": 0.015}, {"id": "small", "usd": 0.00003}, "free"]')}, 3, 'rank() works' ],
	[ q{SELECT task.reward('new', 1), task.reward('waiting', 2), task.learn()}, '||2',
		'learn() trains on an event of the old version' ],
	[ q{CALL task.run()}, '', 'run() of a ranker works' ],
	[ q{SELECT count(*) > 5, bool_and(meaning <> '') FROM task.report()}, 't|t', 'report() of a ranker works' ],
	[ q{SELECT sum(events) FROM task.winner()}, 61, 'winner() works' ],
	[ q{SELECT decisions > 30 AND price >= 0 FROM task.constraint_price}, 't', 'prices are computed' ],
	[ q{BEGIN; CREATE TEMP TABLE was AS TABLE board.model; SELECT count(board.rebuild());
		SELECT max(far(w.state, m.state)) < 1e-9 FROM was w JOIN board.model m USING (name);
		ROLLBACK}, "1\nt", 'the models equal those of a rebuild' ],
	[ q{SELECT count(board.erase(p)) FROM generate_series(1, 60) p}, 60, 'erase() works' ],
	[ q{SELECT count(*) FROM board.decision WHERE user_id <> 999}, 0, 'erase() removes all decisions' ],
	[ q{UPDATE model SET state = dlints_update(state, ARRAY[1, 2, 3], 1) WHERE name = 'fresh'
		RETURNING (dlints_info(state)).updates}, 1, 'dlints_update() works' ],
	[ q{SET enable_seqscan = off; SELECT count(*) FROM fixed
		WHERE projected = (SELECT projected FROM fixed ORDER BY md5(dlints_send(projected)) LIMIT 1)},
		1, 'a hash index finds a model' ],
	[ q{INSERT INTO item (id, name) SELECT 4, name FROM item WHERE id = 1;
		SELECT count(DISTINCT dlints_encode(2, 'name', name)) FROM item WHERE id IN (1, 4)}, 1,
		'encodings equal those of the old version' ]);

sub goes_on
{
	my ($how, $database) = @_;

	is($new->safe_psql($database, $same{$_}), $before{$_}, "$how: $_") for sort keys %same;
	is($new->safe_psql($database, 'SELECT name, kind FROM dlints_recommenders ORDER BY 1'),
		"board|recommender\nfront|ranker\ntask|ranker", "$how: dlints_recommenders lists all");
	is(Catalogue::differences($new, $database, 'fresh'), '', "$how: the catalogue equals that of a new extension");
	is($new->safe_psql($database, $_->[0]), $_->[1], "$how: $_->[2]") for @work;
	return;
}

### pg_dump

my $dump = $new->basedir . '/dump';
$new->safe_psql('postgres', "CREATE DATABASE $_") for 'fresh', 'plain', 'custom';
$new->safe_psql('fresh', 'CREATE EXTENSION dlints');
for my $form ('plain', 'custom')
{
	$new->command_ok([ 'pg_dump', '--no-sync', "--format=$form", '--file', $dump,
			'--host', $old->host, '--port', $old->port, 'postgres' ], "$form: pg_dump");
	$new->command_ok(
		$form eq 'plain'
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $form, '-f', $dump ]
		: [ 'pg_restore', '--exit-on-error', '--dbname', $form, $dump ], "$form: restored");
	goes_on($form, $form);
}

### pg_upgrade, to a server that has nothing yet

my $upgraded = server('upgraded', $bindir);
$_->stop for $old, $upgraded;
chdir $upgraded->basedir or die 'no folder to work in';
# since PostgreSQL 15
my @no_sync = `'$bindir/pg_upgrade' --help` =~ /--no-sync/ ? '--no-sync' : ();
$upgraded->command_ok(
	[
		'pg_upgrade', @no_sync,
		'--old-datadir', $old->data_dir,
		'--new-datadir', $upgraded->data_dir,
		'--old-bindir', "$installation/bin",
		'--new-bindir', $bindir,
		'--socketdir', $upgraded->host,
		'--old-port', $old->port,
		'--new-port', $upgraded->port
	],
	'pg_upgrade');
$upgraded->start;
$new->stop;
$new = $upgraded;
$new->safe_psql('postgres', 'CREATE DATABASE fresh');
$new->safe_psql('fresh', 'CREATE EXTENSION dlints');
goes_on('pg_upgrade', 'postgres');

$new->stop;
done_testing();
