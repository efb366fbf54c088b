# Logical replication carries models to a subscriber as the identical values, and all tables of a recommender.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $publisher = DlintsTest->node('publisher', allows_streaming => 'logical');
my $subscriber = DlintsTest->node('subscriber');

# A table with a key, and a table with REPLICA IDENTITY FULL, which compares models
$publisher->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($publisher, $_) for 'models.sql', 'kinds.sql';
$publisher->safe_psql('postgres', q{
	CREATE TABLE keyless (name text, note text, small dlints(6), large dlints(30, 20));
	ALTER TABLE keyless REPLICA IDENTITY FULL;
	INSERT INTO keyless
	SELECT i, 'first', dlints_update(dlints_new(6), numbers(6, i), i),
	       dlints_update(dlints_new(30, 20, discount => 0.995, seed => i), numbers(30, i), i)
	FROM generate_series(1, 5) i;
	-- two that only their last bits tell apart, and an empty one
	INSERT INTO keyless
	VALUES ('twin', '', dlints_update(dlints_new(6), numbers(6, 1), 1), NULL),
	       ('twin', '', dlints_update(dlints_new(6), numbers(6, 1), 1 + 2.3e-16), NULL),
	       ('empty', NULL, NULL, NULL);
	CREATE TABLE item (id integer PRIMARY KEY, tags text[], price float8,
	                   features real[] GENERATED ALWAYS
		AS (dlints_encode(16, 'tags', tags, 'price', price)) STORED);
	INSERT INTO item VALUES (1, '{new,"on sale"}', 0.3);
	CREATE PUBLICATION learned FOR TABLE model, item, keyless;
	-- what the subscriber gets as initial copy
	UPDATE keyless SET small = dlints_update(small, numbers(6, 9), 1) WHERE name <> 'twin'});
is($publisher->safe_psql('postgres',
		q{SELECT count(DISTINCT dlints_send(small)) FROM keyless WHERE name = 'twin'}),
	2,
	'twins differ');

# Formats of values
my %options = (as_text => 'copy_data = true', as_binary => 'binary = true');

# Tables as on the publisher, with the extension in a schema of its own
for my $how (sort keys %options)
{
	$subscriber->safe_psql('postgres', "CREATE DATABASE $how");
	$subscriber->safe_psql($how, 'CREATE SCHEMA bandit; CREATE EXTENSION dlints SCHEMA bandit');
	$subscriber->safe_psql($how, "ALTER DATABASE $how SET search_path = public, bandit");
	$subscriber->safe_psql($how, q{
		CREATE TABLE model (name text PRIMARY KEY, state dlints);
		CREATE TABLE item (id integer PRIMARY KEY, tags text[], price float8,
		                   features real[] GENERATED ALWAYS
			AS (dlints_encode(16, 'tags', tags, 'price', price)) STORED);
		CREATE TABLE keyless (name text, note text, small dlints(6), large dlints(30, 20))});
	$subscriber->safe_psql($how, qq{
		CREATE SUBSCRIPTION $how CONNECTION '${\ $publisher->connstr } dbname=postgres'
		PUBLICATION learned WITH ($options{$how})});
}

# Checksum of all stored bytes of models, the other tables, and the encoding of the server
my $sent = q{
	SELECT name, md5(dlints_send(state)), NULL, NULL FROM model
	UNION ALL
	SELECT 'item ' || id, features::text, NULL, NULL FROM item
	UNION ALL
	SELECT name, note, md5(dlints_send(small)), md5(dlints_send(large)) FROM keyless
	ORDER BY 1, 2, 3};

sub same
{
	my ($when) = @_;
	my $expected = $publisher->safe_psql('postgres', $sent);
	my $model = $publisher->safe_psql('postgres', q{SELECT state FROM model WHERE name = 'projected'});

	for my $how (sort keys %options)
	{
		$publisher->wait_for_catchup($how);
		is($subscriber->safe_psql($how, $sent), $expected, "$when, $how: replicated values are identical");
		is($subscriber->safe_psql(
				$how, "SELECT name FROM model WHERE state = '$model'"),
			'projected',
			"$when, $how: equal values");
	}
	return;
}

for my $how (sort keys %options)
{
	$subscriber->poll_query_until($how,
		q{SELECT bool_and(srsubstate IN ('r', 's')) FROM pg_subscription_rel})
	  or die 'the tables are not copied';
}
same('initial copy');

### Streamed

$publisher->safe_psql('postgres', DlintsTest->train_all);
same('trained');
$publisher->safe_psql('postgres', q{
	UPDATE item SET tags = '{old}' WHERE id = 1;
	INSERT INTO item VALUES (2, '{new}', NULL), (3, NULL, 0.7)});
same('items');

# Rows identified by all columns; large models that do not change; a row that moves within the table
for my $case (
	[ 'an update',
		q{UPDATE keyless SET small = dlints_update(small, numbers(6, 3), 1) WHERE name = '3'} ],
	[ 'an update of a large model',
		q{UPDATE keyless SET large = dlints_update(large, numbers(30, 4), 1) WHERE name = '4'} ],
	[ 'another column', q{UPDATE keyless SET note = 'second' WHERE name IN ('1', '4')} ],
	[ 'one of two that hardly differ', q{
		UPDATE keyless SET note = 'this'
			WHERE ctid = (SELECT max(ctid) FROM keyless WHERE name = 'twin')} ],
	[ 'a model where there was none',
		q{UPDATE keyless SET small = dlints_new(6) WHERE name = 'empty'} ],
	[ 'a deletion', q{DELETE FROM keyless WHERE name = '5'} ])
{
	my ($what, $statement) = @$case;
	my $before = $publisher->safe_psql('postgres', $sent);

	$publisher->safe_psql('postgres', $statement);
	isnt($publisher->safe_psql('postgres', $sent), $before, "found by all columns, $what");
	same("found by all columns, $what");
}

### All tables of a recommender and a ranker

$_->safe_psql('postgres', 'CREATE DATABASE shop') for $publisher, $subscriber;
$publisher->safe_psql('shop', q{
	CREATE EXTENSION dlints;
	CREATE TABLE item (id integer PRIMARY KEY, kind text);
	INSERT INTO item SELECT i, 'kind ' || i % 3 FROM generate_series(1, 50) i;
	CREATE TABLE click (user_id integer, item integer, at timestamptz);
	INSERT INTO click SELECT u, 1 + (7 * u * n + n) % 50, now() - n * interval '1 day'
	FROM generate_series(1, 30) u, generate_series(1, 9) n;
	CREATE PUBLICATION everything FOR ALL TABLES;
	SELECT dlints_create_recommender('home', 'item', '{kind}', clicks => 'SELECT * FROM click', factors => 4,
		attribution_window => '0');
	SELECT dlints_create_ranker('front', attribution_window => '0')});
my $schema = $publisher->basedir . '/shop.sql';
$publisher->command_ok([ 'pg_dump', '--schema-only', '--no-publications', '--file', $schema, 'shop' ],
	'the tables of a recommender and a ranker are dumped without rows');
$subscriber->safe_psql('shop', "\\i $schema");
$subscriber->safe_psql('shop', qq{
	CREATE SUBSCRIPTION shop CONNECTION '${\ $publisher->connstr } dbname=shop' PUBLICATION everything});
$subscriber->poll_query_until('shop', q{SELECT bool_and(srsubstate IN ('r', 's')) FROM pg_subscription_rel})
  or die 'the tables are not copied';
$publisher->safe_psql('shop', $_) for (
	q{SELECT count(home.reward(decision, item)), home.learn() FROM generate_series(1, 30) u, home.recommend(u, 5)
		WHERE item % 3 = 1},
	q{SELECT home.reward(decision, item, value => 0), home.learn() FROM home.impression LIMIT 20},
	q{SELECT home.erase(3), home.refit(), home.warm_start()},
	q{UPDATE item SET kind = 'kind 4' WHERE id = 7; DELETE FROM item WHERE id = 8},
	q{UPDATE home.job SET done_at = '-infinity'}, q{CALL home.run()}, q{SELECT count(*) FROM home.backtest(10)},
	q{SELECT dlints_alter_recommender('home', '{"half_life": "1 day"}')},
	q{SELECT count(*) FROM generate_series(1, 20) n, front.rank('e' || n, '{}', '["a", "b"]')},
	q{SELECT count(front.reward('e' || n, n % 2)), front.learn() FROM generate_series(1, 20) n},
	q{CALL front.run()});
$publisher->wait_for_catchup('shop');
my $tables = $publisher->safe_psql('shop', q{
	SELECT string_agg(format('SELECT %L, count(*), md5(string_agg(t::text, '','' ORDER BY t::text)) FROM %s t',
	                         c.oid::regclass, c.oid::regclass), ' UNION ALL ') || ' ORDER BY 1'
	FROM   pg_class c WHERE c.relkind = 'r' AND c.relnamespace IN ('home'::regnamespace, 'front'::regnamespace)});
is($subscriber->safe_psql('shop', $tables), $publisher->safe_psql('shop', $tables),
	'a subscriber has the rows of all tables of a recommender and a ranker');

$subscriber->stop;
$publisher->stop;
done_testing();
