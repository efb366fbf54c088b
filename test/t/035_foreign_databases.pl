# Recommenders and rankers in databases of users: notices, warnings, schemas that are dropped during requests, and
# unusual settings, encodings and privileges.
use strict;
use warnings;

use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");
my $shop = q{
	CREATE TABLE product (id integer PRIMARY KEY, kind text, price numeric);
	INSERT INTO product SELECT i, 'kind ' || i % 3, i % 50 FROM generate_series(21, 120) i;
	CREATE TABLE click (person integer, product integer, at timestamptz);
	INSERT INTO click SELECT p, 21 + (p * i) % 100, now() - i * interval '1 hour'
	FROM generate_series(1, 30) p, generate_series(1, 30) i;
	INSERT INTO click SELECT 25, 1000, now();
};
my $make = q{SELECT dlints_create_recommender('r', 'product', '{kind,price}',
	clicks => 'SELECT person, product, at FROM click', factors => 4)};
my $make_small = q{SELECT dlints_create_recommender('r', 'product', '{kind}', user_type => 'integer', factors => 0)};

$node->safe_psql('postgres', "CREATE EXTENSION dlints; $shop");

# Messages of a statement
sub said
{
	my ($statement) = @_;
	my (undef, undef, $stderr) = $node->psql('postgres', $statement);

	return $stderr;
}

# ---------- notices ----------

my $types = qr/users have type integer in the click log and type text in the recommender/;
my $swapped = qr/more clicks have the key of an item as user than as item/;
my $said = said($make);
unlike($said, qr/$types|$swapped/, 'making a recommender of a proper log raises no notice of types or keys');
$said = said(q{SELECT dlints_create_recommender('t', 'product', '{kind}', user_type => 'text',
	clicks => 'SELECT person + 30, product, at FROM click')});
like($said, $types, 'a notice tells of users whose type differs in the click log');
unlike($said, $swapped, 'users may have numbers of items, of which one was deleted');
like(
	said(q{SELECT dlints_create_recommender('s', 'product', '{kind}',
		clicks => 'SELECT product, person, at FROM click')}),
	$swapped, 'a notice tells of a click log whose users and items are swapped');
like($node->safe_psql('postgres', q{SELECT meaning FROM s.report() WHERE measure = 'clicks of unknown items'}),
	$swapped, 'the report tells of a click log whose users and items are swapped');
$node->safe_psql('postgres', q{
	CREATE TABLE visit AS SELECT person, product, at - n * interval '1 minute' AS at
	FROM click, generate_series(1, 30) n;
	ANALYZE visit});
$said = said(q{SELECT dlints_create_recommender('v', 'product', '{kind}', factors => 4,
	clicks => 'SELECT person, product, at FROM visit')});
like($said, qr/NOTICE:  $_/, "making a recommender of a long log says that it is $_")
  for 'encoding items', 'fitting the latent factors of items', 'drawing training examples from the click log',
  'choosing the half-life of popularity', 'computing trends', 'writing blocks of item vectors',
  'computing the prior of the models';
like($said, qr/each call of recommend\(\) for a user reads the complete click log/,
	'a notice tells of a long click log without an index of users');
like(said('SELECT v.refresh()'), qr/NOTICE:  computing trends/, 'refresh() says what it is at');
like(said('SELECT v.refit()'), qr/NOTICE:  fitting the latent factors/, 'refit() says what it is at');
like(said('SELECT v.warm_start()'), qr/NOTICE:  drawing training examples/, 'warm_start() says what it is at');
like(said('SELECT v.rebuild()'), qr/NOTICE:  training the models/, 'rebuild() says what it is at');
is(said('SET client_min_messages = warning; SELECT v.refresh()'), '', 'a client can ignore the notices');

# ---------- warnings ----------

$node->safe_psql('postgres', q{
	ALTER TABLE product ADD made date;
	UPDATE product SET made = current_date - id;
	SELECT dlints_create_recommender('dated', 'product', '{kind,made}')});
my $dated = said(
	q{SELECT dated.recommend(1, 3, context => '{"like": {"kind": "kind 1", "made": "2026-01-01", "x": 1}}')});
like($dated, qr/WARNING:  column "made" cannot be in "like"\nDETAIL:  A column of dates/,
	'a warning says why dates cannot be liked');
like($dated, qr/WARNING:  column "x" in "like" does not exist/, 'a warning names a column that does not exist');
unlike($dated, qr/"kind"/, 'a column that can be liked raises no warning');
like(said(q{SELECT dated.recommend(1, 3, context => '{"like": [1]}')}),
	qr/WARNING:  "like" is ignored: it must be an object/, 'a warning says that only an object can be liked');

# ---------- settings and casts ----------

# All functions of a recommender and a ranker, under settings of a session that differ from the usual ones and casts
# that migrations from other databases add
$node->safe_psql('postgres', q{
	DO $$
	DECLARE
		type text;
	BEGIN
		FOREACH type IN ARRAY '{int2,int4,int8,oid,float4,float8,numeric,date,timestamp,timestamptz,interval,uuid,
			jsonb}'::text[]
		LOOP
			EXECUTE format('CREATE CAST (%s AS text) WITH INOUT AS IMPLICIT', type);
			EXECUTE format('CREATE CAST (varchar AS %s) WITH INOUT AS IMPLICIT', type);
		END LOOP;
	END $$;
	ALTER TABLE product ADD weight float8, ADD tags text[];
	UPDATE product SET weight = 0.1 + id % 3 * 0.01, tags = ARRAY[format('tag %s', id % 4)]});
my $odd = q{
	SET client_min_messages = warning;
	DO $$ BEGIN PERFORM set_config('standard_conforming_strings', 'off', false)    -- not in PostgreSQL 19
	            WHERE   current_setting('server_version_num')::int < 190000; END $$;
	SET extra_float_digits = -15; SET DateStyle = 'German';
	SET IntervalStyle = 'sql_standard'; SET TimeZone = 'Australia/Lord_Howe'; SET bytea_output = 'escape';
	SET default_transaction_isolation = 'serializable'; SET quote_all_identifiers = on; SET transform_null_equals = on;
	SET plpgsql.variable_conflict = 'use_column'; SET check_function_bodies = off;
};
is(said($odd . q{
	SELECT dlints_create_recommender('odd', 'product', '{kind,price,made,weight,tags}', factors => 4,
		clicks => 'SELECT person, product, at FROM click', candidates => 'i.price >= 0', bonus => 'i.weight',
		cap => 5, cap_group => 'i.kind', outcomes => '{"click": 1, "buy": 5.5}', control => 0.123456789012345,
		examination => '{1,0.712345678901234}', constraints => '{"c": {"of": "i.price", "max": 30.5}}');
	SELECT odd.reward(decision, item) FROM odd.recommend(1, 5, context => '{"like": {"weight": 0.11}}');
	SELECT odd.reward(decision, item, 'buy', 3.25) FROM odd.more_like(25, 3); SELECT odd.trending(3);
	SELECT odd.learn('0'); CALL odd.run(); SELECT odd.refresh(), odd.refit(), odd.warm_start(), odd.rebuild();
	SELECT odd.report(), odd.profile(1), odd.position_bias(); SELECT odd.backtest(10);
	SELECT odd.explain(max(id)) FROM odd.decision; SELECT odd.erase(1);
	SELECT dlints_alter_recommender('odd', '{"half_life": "3 days", "retention": "100 days 12:34:56.789"}');
	SELECT dlints_alter_recommender('odd', '{"user_type": "bigint"}');
	SELECT dlints_backtest('product', '{kind}', 'SELECT person, product, at FROM click', users => 5, factors => 2);
	SELECT dlints_create_ranker('odd_k', vectors => '{"v": 3}', constraints => '{"usd": {"max": 0.25}}');
	SELECT odd_k.rank('e', '{"user_id": "u", "v": [1, 0.25, 1e-3], "x": 0.1}', '[{"id": "a", "usd": 0.1}, "b"]');
	SELECT odd_k.reward('e', 0.5, '{"usd": 0.2}'); SELECT odd_k.learn('0'); CALL odd_k.run(); SELECT odd_k.rebuild();
	SELECT odd_k.report(); SELECT odd_k.winner(); SELECT odd_k.erase('u');
	SELECT dlints_alter_ranker('odd_k', '{"half_life": "5 days", "constraints": {}}')}),
	'', 'recommenders and rankers work under unusual settings and casts');
is($node->safe_psql('postgres', q{
	SELECT control, examination, retention, vectors -> 'columns' -> 3 -> 'few' FROM odd.setting}),
	'0.123456789012345|{1,0.712345678901234}|100 days 12:34:56.789|["0.1", "0.11", "0.12"]',
	'numbers of settings and columns keep their digits');
is($node->safe_psql('postgres', q{SELECT count(*) FROM odd.report() WHERE measure ~ '^failed'}), 0,
	'the report has no failed part under unusual settings');

# ---------- row-level security ----------

$node->safe_psql('postgres', q{
	CREATE ROLE app; DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO app', current_database()); END $$;
	CREATE TABLE ware (id integer PRIMARY KEY, kind text);
	CREATE TABLE sale (person integer, ware integer, at timestamptz);
	INSERT INTO ware SELECT i, format('kind %s', i % 3) FROM generate_series(1, 20) i;
	INSERT INTO sale SELECT i, i, now() FROM generate_series(1, 20) i;
	CREATE POLICY half ON ware USING (id < 10); CREATE POLICY half ON sale USING (ware < 10);
	GRANT SELECT ON ware, sale TO app});
for my $table ('ware', 'sale')
{
	$node->safe_psql('postgres', "ALTER TABLE $table ENABLE ROW LEVEL SECURITY");
	like(
		said(q{SET ROLE app; SELECT dlints_create_recommender('wares', 'ware', '{kind}',
			clicks => 'SELECT person, ware, at FROM sale')}),
		$table eq 'ware' ? qr/ERROR:  argument "items": row-level security applies to ware for role app/
			: qr/ERROR:  in the argument "clicks": query would be affected by row-level security policy/,
		"an error names the argument that a policy of $table affects");
	$node->safe_psql('postgres', "ALTER TABLE $table DISABLE ROW LEVEL SECURITY");
}

$node->safe_psql('postgres', q{
	CREATE FUNCTION n_wares() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM public.ware); END';
	CREATE VIEW here AS SELECT w.*, n_wares() > 0 AS is_far FROM ware w;
	SELECT dlints_create_recommender('far', 'here', '{kind,is_far}', item_key => 'id');
	ALTER TABLE ware RENAME TO thing});
like(said('SELECT far.refresh()'), qr/HINT:  A table, column or function that it reads was dropped or renamed/,
	'a hint says that the items read an object that was renamed');
$node->safe_psql('postgres', 'DROP SCHEMA far CASCADE; ALTER TABLE thing RENAME TO ware');

# ---------- default privileges ----------

is(said(q{
	SET client_min_messages = warning;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO app, PUBLIC;
	SELECT dlints_create_recommender('shared', 'ware', '{kind}'); SELECT dlints_create_ranker('shared_k');
	SELECT shared.recommend(1); SELECT shared_k.rank('e', '{}', '["a"]');
	ALTER DEFAULT PRIVILEGES REVOKE ALL ON SCHEMAS FROM app, PUBLIC}),
	'', 'recommenders and rankers work under default privileges on schemas');
is($node->safe_psql('postgres', q{
	SELECT has_schema_privilege('app', s, 'CREATE'), has_schema_privilege('app', s, 'USAGE')
	FROM unnest('{shared,shared_k}'::text[]) s}), "f|t\nf|t", 'nobody but the owner may create objects in their schemas');

# ---------- schemas that are dropped ----------

$node->safe_psql('postgres', q{SELECT dlints_create_ranker('f'); SELECT f.rank('e', '{}', '["a", "b"]')});
my $sessions = Sessions->new($node);
$sessions->run($_, q{SET client_min_messages = warning}) for 1, 2;
for my $call (
	'count(*) FROM r.recommend(5, 3)', 'count(*) FROM r.more_like(25)', 'count(*) FROM r.trending()',
	'count(*) FROM r.next(1, 3, 5)', 'r.reward(1, 25)', 'r.profile(5)', 'count(*) FROM r.explain(1)', 'r.learn()',
	'r.erase(5)', 'r.refresh()', 'count(*) FROM r.report()',
	q{count(*) FROM f.rank('g', '{}', '["a", "b"]')}, q{f.reward('e', 1)}, 'count(*) FROM f.report()')
{
	my ($schema) = $call =~ /\b([rf])\./;

	# a first call, so that the session has cached its plans
	$sessions->sqlstate(2, "SELECT $call");
	is($sessions->interleave("DROP SCHEMA $schema CASCADE", 'COMMIT', "SELECT $call"),
		'42704', "SELECT $call raises 42704 while its schema is dropped");
	$node->safe_psql('postgres', $schema eq 'r' ? $make_small : q{SELECT dlints_create_ranker('f')});
}
# 55P03 if the COMMIT comes after the time limit that run() has for locks
like($sessions->interleave('DROP SCHEMA r CASCADE', 'COMMIT', 'CALL r.run()'),
	qr/^(?:42704|55P03)$/, 'run() raises 42704 or 55P03 while its schema is dropped');
$node->safe_psql('postgres', $make);
is($sessions->interleave('DROP SCHEMA r CASCADE', 'ROLLBACK', 'DO $$BEGIN PERFORM r.recommend(5, 3); END$$'),
	'00000', 'a page waits for a schema that is not dropped in the end');
$sessions->quit;

done_testing();
