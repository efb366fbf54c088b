# Functions of the extension call nothing from a caller's search_path, whether they are called through a
# recommender or a ranker, by dlints_create_...() or directly.  There are traps for every function and operator that
# their code names, for all pairs of types, since an exact argument type beats what is found first.
#
# This takes over 20 s, since a recommender and a ranker are used three times, from creation to erasure.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");

# Keys and users of types that PostgreSQL's own functions have to convert
$node->safe_psql('postgres', q{
	CREATE ROLE mallory;
	CREATE ROLE owner;
	CREATE SCHEMA bandit;
	CREATE FUNCTION bandit.array_cat(real[], real[]) RETURNS real[] LANGUAGE sql AS 'SELECT NULL::real[]';
	CREATE EXTENSION dlints SCHEMA bandit;
	CREATE SCHEMA traps AUTHORIZATION mallory;
	GRANT USAGE ON SCHEMA traps, bandit TO PUBLIC;
	GRANT CREATE ON DATABASE postgres TO owner;
	GRANT CREATE ON SCHEMA public TO PUBLIC;
	CREATE SCHEMA app AUTHORIZATION owner;
	SET ROLE owner;
	CREATE TABLE app.item (key varchar(20) PRIMARY KEY, kind name, price numeric, made timestamp, tags varchar[],
		facts jsonb, good boolean, boost real, maker bpchar);
	INSERT INTO app.item SELECT 'key ' || i, 'kind ' || i % 3, i % 50, now() - i * interval '1 day',
		ARRAY['a' || i % 4], jsonb_build_object('n', i % 3), i % 9 > 0, 0, 'm' || i % 5 FROM generate_series(1, 100) i;
	CREATE TABLE app.seen (who varchar, what varchar, at timestamp);
	INSERT INTO app.seen SELECT 'p' || i % 20, 'key ' || 1 + i * 7 % 100, now() - i * interval '1 hour'
	FROM generate_series(1, 300) i});

# Statements of a victim; "S" is the prefix of its schemas.  The victim's own expressions call nothing.
my @makes = (
	q{SELECT bandit.dlints_create_recommender('S_shop', 'app.item', '{kind,price,made,tags,facts,good}',
		clicks => 'SELECT who, what, at FROM app.seen', factors => 4, candidates => 'i.good', bonus => 'i.boost',
		cap_group => 'i.maker', cap => 9, outcomes => '{"click": 1, "buy": 5}', examination => '{1, 0.5}', epsilon => 0,
		diversity => 0.1,
		constraints => '{"dear": {"of": "i.price", "max": 9}, "good": {"of": "i.good", "min": 0.1},
			"bought": {"outcome": "buy", "min": 0.01}}')},
	q{SELECT bandit.dlints_create_ranker('S_front', attribution_window => '0', apprentice => true, repeated => 'sum',
		vectors => '{"text": 3, "image": 65}', constraints => '{"usd": {"max": 0.5}}')});
my @changes = (
	q{SELECT bandit.dlints_alter_recommender('S_shop', '{"attribution_window": "1 minute", "candidates": "i.good",
		"half_life": "5 days", "constraints": {"dear": {"of": "i.price", "max": 8},
		"bought": {"outcome": "buy", "max": 0.1}}}')},
	q{SELECT bandit.dlints_alter_ranker('S_front', '{"default_reward": 0.5, "half_life": "5 days"}')});
my @uses = (
	q{SELECT bandit.dlints_grant('S_shop', 'owner'), bandit.dlints_grant('S_front', 'owner')},
	q{SELECT decision, S_shop.reward(decision, item, user_id => 'p1') FROM S_shop.recommend('p1', 5, '{key 3}',
		'{"like": {"kind": "kind 1", "price": "none", "nothing": 1}}')},
	q{SELECT S_shop.reward(decision, item, 'buy', 2) FROM S_shop.recommend(NULL, 2, session => 's')},
	q{SELECT count(n)
	  FROM   S_shop.more_like('key 4', 3, 'p1', '{"mine": 1}', 's') m, S_shop.next(m.decision, 2, 'p1') n},
	q{SELECT count(t) FROM S_shop.trending(3, NULL, '{"after": 1}', 's') t},
	q{SELECT S_shop.learn('0')},
	q{SELECT S_shop.reward(decision, item, 'click', 0.5) FROM S_shop.impression},
	q{CALL S_shop.run()}, q{SELECT S_shop.explain(id) FROM S_shop.decision},
	q{SELECT S_shop.report(), S_shop.position_bias(), S_shop.profile('p1', '{key 3}')},
	q{SELECT S_shop.refresh(), S_shop.refit(), S_shop.warm_start()}, q{SELECT count(*) FROM S_shop.backtest(5)},
	q{UPDATE S_shop.job SET done_at = '-infinity'}, q{CALL S_shop.run()},
	q{SELECT S_shop.rebuild()}, q{TABLE S_shop.outcome}, q{TABLE S_shop.training_example}, q{TABLE S_shop.models},
	q{SELECT S_shop.erase('p1', 's')}, q{TABLE bandit.dlints_recommenders},
	q{SELECT count(*) FROM bandit.dlints_backtest('app.item', '{kind}',
		'SELECT who, what, at FROM app.seen', users => 5)},
	q{SELECT S_front.rank('e', '{"hour": 3, "user": ["x", {"y": 40.5}]}', '[{"id": "a", "price": 0.5}, "b"]')},
	sprintf(q{SELECT S_front.rank('v', '{"text": [1, 2, 3], "image": [%s], "other": [1, 2, 3, 4, 5, 6, 7, 8, 9]}',
		'[{"id": "a"}, "b"]')}, join ',', 1 .. 65),
	q{SELECT S_front.rank('late', '{}', '["a", "b"]', true)},
	q{SELECT S_front.reward('e', 1), S_front.activate('late')}, q{SELECT S_front.learn()},
	q{SELECT S_front.reward('e', 3), S_front.go_live(1)}, q{SELECT S_front.rank('f', '{}', '["a", "b"]')},
	q{CALL S_front.run()}, q{SELECT S_front.rebuild(), S_front.erase('x')}, q{SELECT S_front.report()},
	q{SELECT S_front.winner()},
	q{TABLE S_front.outcome});

sub statements
{
	my ($role, $prefix, $path, @list) = @_;

	return join "\n", "SET SESSION AUTHORIZATION $role;", "SET search_path = $path;",
	  map { s/\bS_/${prefix}_/gr . ';' } @list;
}

is($node->safe_psql('postgres', q{SELECT aggtransfn FROM pg_aggregate
		WHERE aggfnoid = 'bandit._dlints_join_arrays'::regproc}), 'array_cat',
	'an aggregate of the extension does not call a function that was in its schema before');

### Without traps

my ($superuser) = $node->safe_psql('postgres', 'SELECT rolname FROM pg_roles WHERE oid = 10');
$node->safe_psql('postgres', statements('owner', 'model', 'public', @makes, @changes, @uses));

### Traps for all functions and operators in the code of the extension, the recommender and the ranker

my $traps = q{
	SET search_path = pg_catalog, pg_temp;
	CREATE SEQUENCE traps.alarm;
	CREATE FUNCTION traps.sprung(what text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM pg_catalog.nextval('traps.alarm');
		RAISE LOG 'trap %', what;
		RAISE EXCEPTION 'trap %', what;
	END $$;
	GRANT USAGE ON SEQUENCE traps.alarm TO PUBLIC;
	CREATE TEMP TABLE code AS
	SELECT CASE WHEN p.prosqlbody IS NULL THEN p.prosrc ELSE pg_get_functiondef(p.oid) END AS text
	FROM   pg_proc p JOIN pg_language l ON l.oid = p.prolang
	WHERE  l.lanname IN ('sql', 'plpgsql')
	AND    p.pronamespace IN ('bandit'::regnamespace, 'model_shop'::regnamespace, 'model_front'::regnamespace)
	UNION ALL
	SELECT pg_get_viewdef(oid) FROM pg_class
	WHERE  relkind = 'v' AND relnamespace IN ('model_shop'::regnamespace, 'model_front'::regnamespace);
	CREATE TEMP TABLE called AS
	SELECT DISTINCT name FROM (
		SELECT (regexp_matches(text, '([a-z_][a-z0-9_]*)\s*\(', 'g'))[1] AS name FROM code
		UNION ALL
		SELECT proname FROM pg_proc WHERE pronamespace IN ('bandit'::regnamespace, 'model_shop'::regnamespace,
			'model_front'::regnamespace)) n
	WHERE EXISTS (SELECT FROM pg_proc p WHERE p.proname = n.name);
	CREATE TEMP TABLE operator AS
	SELECT DISTINCT o AS name FROM code, regexp_matches(text, '[-+*/<>=~!@#%^&|?]+', 'g') m (o_), unnest(o_) o
	WHERE EXISTS (SELECT FROM pg_operator p WHERE p.oprname = o);
	CREATE TEMP TABLE type AS SELECT type::regtype::oid AS oid
	FROM unnest('{bool,int2,int4,int8,float4,float8,numeric,text,varchar,bpchar,name,
		"\"char\"",oid,regclass,regtype,jsonb,timestamptz,timestamp,interval,_float4,_float8,_int4,_int8,_text,_name,
		_varchar,_oid,unknown}'::text[]) t (type) WHERE type <> 'unknown';
	CREATE TEMP TABLE trap AS
	SELECT DISTINCT name, arguments FROM (
		SELECT c.name, ARRAY[a.oid] AS arguments FROM called c, type a
		UNION ALL
		SELECT c.name, ARRAY[a.oid, b.oid] FROM called c, type a, type b
		WHERE EXISTS (SELECT FROM pg_proc p WHERE p.proname = c.name AND (p.pronargs = 2 OR p.provariadic <> 0))
		UNION ALL
		-- of more arguments those of the function, with one of them of another type
		SELECT p.proname, ARRAY(
			SELECT CASE WHEN i = at THEN t.oid
			            WHEN a::regtype::text ~ '^any'
			            THEN CASE WHEN a::regtype::text ~ 'array' THEN '_text'::regtype::oid ELSE 'text'::regtype END
			            ELSE a END
			FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u (a, i) ORDER BY i)
		FROM   pg_proc p JOIN called c ON c.name = p.proname, generate_series(1, p.pronargs) at, type t
		WHERE  p.pronargs BETWEEN 3 AND 6 AND p.prokind <> 'w'
		AND    p.pronamespace::regnamespace::text IN ('pg_catalog', 'bandit')
		AND    NOT EXISTS (SELECT FROM unnest(p.proargtypes::oid[]) a
			WHERE a::regtype::text IN ('internal', 'cstring', '"any"'))) t;
	-- Copies of two rows of the catalogue, since statements for all of these take half a minute
	SET ROLE mallory;
	SET check_function_bodies = off;
	CREATE FUNCTION traps.trap() RETURNS text LANGUAGE plpgsql AS '';
	CREATE FUNCTION traps.operator(int2, int2) RETURNS bool LANGUAGE plpgsql AS '';
	CREATE OPERATOR traps.|<<<| (LEFTARG = int2, RIGHTARG = int2, FUNCTION = traps.operator);
	RESET ROLE;
	CREATE TEMP TABLE new AS
	SELECT p.*, t.name, t.arguments, 1000000 + row_number() OVER () AS id
	FROM   pg_proc p, (
		SELECT 'trap' AS original, name, arguments FROM trap
		UNION ALL
		SELECT 'operator', 'operator', ARRAY[l.oid, r.oid] FROM type l, type r) t
	WHERE  p.proname = t.original AND p.pronamespace = 'traps'::regnamespace;
	UPDATE new SET oid = id, proname = name, pronargs = cardinality(arguments),
		proargtypes = array_to_string(arguments, ' ')::oidvector,
		prosrc = format('BEGIN PERFORM traps.sprung(%L); RETURN NULL; END',
			name || '(' || array_to_string(arguments::regtype[], ', ') || ')');
	CREATE TEMP TABLE new_operator AS
	SELECT o.*, p.oid AS code, p.arguments, t.name, 2000000 + row_number() OVER () AS id
	FROM   pg_operator o, operator t, new p
	WHERE  o.oprname = '|<<<|' AND o.oprnamespace = 'traps'::regnamespace AND p.name = 'operator';
	UPDATE new_operator SET oid = id, oprname = name, oprleft = arguments[1], oprright = arguments[2], oprcode = code;
	DELETE FROM pg_proc WHERE proname = 'operator' AND pronamespace = 'traps'::regnamespace;
	ALTER TABLE new DROP name, DROP arguments, DROP id;
	ALTER TABLE new_operator DROP code, DROP arguments, DROP name, DROP id;
	INSERT INTO pg_proc SELECT * FROM new;
	INSERT INTO pg_operator SELECT * FROM new_operator;
	SELECT (SELECT count(*) FROM pg_proc WHERE pronamespace = 'traps'::regnamespace),
		(SELECT count(*) FROM pg_operator WHERE oprnamespace = 'traps'::regnamespace),
		(SELECT count(*) FROM called), (SELECT count(*) FROM operator)};
my ($functions, $operators, $called, $operator_names) = split /\|/, $node->safe_psql('postgres', $traps);
note "$functions functions of $called names, $operators operators of $operator_names";
cmp_ok($functions, '>', 20000, 'there are traps for all functions');
cmp_ok($operators, '>', 5000, 'there are traps for all operators');
my ($status, undef, $sprung) = $node->psql('postgres',
	q{SET search_path = traps, public; SELECT quote_ident(relname) FROM pg_class});
like($sprung, qr/trap quote_ident\(name\)/, 'a trap catches a call');
$node->safe_psql('postgres', q{SELECT setval('traps.alarm', 1, false)});

### Traps among the objects of the extension

# With pg_catalog behind the traps a trap is called, too, whose types are no better than those of PostgreSQL's function.
for my $victim ([ $superuser, 'root' ], [ 'owner', 'own' ])
{
	my ($role, $prefix) = @$victim;
	my $path = 'traps, pg_catalog, public';
	my ($failed, undef, $said) =
	  $node->psql('postgres', statements($role, $prefix, $path, @makes, @changes, @uses), on_error_stop => 1);

	is($failed, 0, "$role makes and uses recommenders and rankers under the search_path $path") or diag $said;
	is($node->safe_psql('postgres', 'SELECT is_called FROM traps.alarm'), 'f',
		"no trap is called while $role uses them under $path");
}

# recommenders and rankers that were made without traps
my ($failed, undef, $said) =
  $node->psql('postgres', statements('owner', 'model', 'traps, pg_catalog', @changes)
	  . statements($superuser, 'model', 'traps, pg_catalog', @uses), on_error_stop => 1);
is($failed, 0, 'a recommender and a ranker that were made without traps work with traps before pg_catalog')
  or diag $said;
is($node->safe_psql('postgres', 'SELECT is_called FROM traps.alarm'), 'f',
	'a recommender and a ranker that were made without traps call none');

# a schema that looks like a recommender is not read, since that would run its owner's code
$node->safe_psql('postgres', q{
	GRANT CREATE ON DATABASE postgres TO mallory;
	SET SESSION AUTHORIZATION mallory;
	CREATE SCHEMA fake; GRANT USAGE ON SCHEMA fake TO PUBLIC;
	CREATE FUNCTION fake.spring(anyelement) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
		$$ BEGIN PERFORM pg_catalog.nextval('traps.alarm'); RETURN ''; END $$;
	CREATE TYPE fake.odd AS (a text);
	CREATE FUNCTION fake.text(fake.odd) RETURNS text LANGUAGE sql AS 'SELECT fake.spring(1)';
	CREATE CAST (fake.odd AS text) WITH FUNCTION fake.text(fake.odd) AS IMPLICIT;
	CREATE TABLE fake.setting (kind fake.odd, arguments jsonb, trained_from bigint, empty_model bandit.dlints);
	INSERT INTO fake.setting VALUES (ROW('recommender'), '{}', 0);
	CREATE TABLE fake.item_vector (item text);
	CREATE TABLE fake.job (name text, done_at timestamptz);
	CREATE TABLE fake.model (name text);
	CREATE TABLE fake.decision (id bigint) PARTITION BY RANGE (id);
	CREATE TABLE fake.pending (decision bigint);
	CREATE INDEX ON fake.pending ((fake.spring(1))); CREATE INDEX ON fake.job ((fake.spring(1)));
	GRANT SELECT ON ALL TABLES IN SCHEMA fake TO PUBLIC;
	CREATE SCHEMA half; GRANT USAGE ON SCHEMA half TO PUBLIC;	-- a table of settings alone
	CREATE TABLE half.setting (kind text, arguments jsonb, empty_model bandit.dlints);
	CREATE INDEX ON half.setting ((fake.spring(1))); CREATE INDEX ON half.setting (kind) WHERE fake.spring(1) = '';
	GRANT SELECT ON half.setting TO PUBLIC});
$node->safe_psql('postgres', q{SELECT setval('traps.alarm', 1, false)});
is($node->safe_psql('postgres', q{SELECT owner FROM bandit.dlints_recommenders WHERE name = 'fake'}),
	'mallory', 'dlints_recommenders lists a fake recommender');
for my $call (q{dlints_alter_ranker('half', '{}')}, q{dlints_alter_recommender('fake', '{}')},
	q{dlints_alter_recommender('own_shop', '{"epsilon": 1}')}, q{dlints_alter_ranker('own_front', '{"epsilon": 1}')})
{
	my ($failed, undef, $said) = $node->psql('postgres', "SELECT bandit.$call");

	like($said, qr/must be owner of schema "\w+" and of all objects in it\nHINT:  SET ROLE (mallory|owner)\./,
		"$call by another role is refused");
}
is($node->safe_psql('postgres', 'SELECT is_called FROM traps.alarm'), 'f', 'no code of the owner of a fake runs');

# the owner of a schema who does not own the tables in it
my (undef, undef, $heir) = $node->psql('postgres', q{BEGIN; CREATE ROLE heir; GRANT USAGE ON SCHEMA bandit TO heir;
	ALTER SCHEMA own_shop OWNER TO heir; SET ROLE heir; SELECT bandit.dlints_alter_recommender('own_shop', '{}')});

like($heir, qr/and of all objects in it\nHINT:  ALTER SCHEMA \.\.\. OWNER TO does not change/,
	'ALTER SCHEMA ... OWNER TO alone does not allow an alter');

### Functions of the extension, called directly

# Each with arguments of its types, NULLs and values, under search_paths of a victim.  The alarm is a sequence, so that
# a trap counts although the call fails.
$node->safe_psql('postgres', q{
	CREATE FUNCTION app.call_directly(f regprocedure, path text, filled boolean) RETURNS text LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
	DECLARE
		call text;
	BEGIN
		SELECT format('%s bandit.%I(%s)', CASE p.prokind WHEN 'p' THEN 'CALL' ELSE 'SELECT' END, p.proname, coalesce((
			SELECT string_agg(CASE
				WHEN t.typname = 'regclass' THEN format('''%s.setting''::pg_catalog.regclass',
					CASE WHEN path ~ 'pg_temp' THEN 'traps' ELSE 'model_shop' END)
				WHEN t.typname = 'anyelement' THEN '''p1''::pg_catalog.varchar'
				WHEN t.typname = 'anyarray' THEN '''{key 3}''::pg_catalog._varchar'
				WHEN NOT filled THEN format('NULL::%I.%I', n.nspname, t.typname)
				WHEN t.typname = 'jsonb'
				THEN '''{"name": "x", "kind": "recommender", "columns": []}''::pg_catalog.jsonb'
				WHEN t.typname = 'text' THEN '''refresh''::pg_catalog.text'
				WHEN t.typname = 'bool' THEN 'true'
				WHEN t.typname IN ('timestamptz', 'timestamp') THEN format('''2026-01-01''::pg_catalog.%I', t.typname)
				WHEN t.typname = 'interval' THEN '''1 day''::pg_catalog.interval'
				WHEN t.typcategory = 'N' THEN format('''1''::%I.%I', n.nspname, t.typname)
				WHEN t.typcategory = 'A' AND t.typname ~ 'int|float' THEN format('''{1}''::%I.%I', n.nspname, t.typname)
				ELSE format('NULL::%I.%I', n.nspname, t.typname) END, ', ' ORDER BY a.i)
			FROM   unnest(p.proargtypes::oid[]) WITH ORDINALITY a (type, i) JOIN pg_type t ON t.oid = a.type
			       JOIN pg_namespace n ON n.oid = t.typnamespace), ''))
		INTO   call FROM pg_proc p WHERE p.oid = f;
		PERFORM set_config('search_path', path, true);
		EXECUTE call;
		RETURN 'no error';
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END $$;
	CREATE VIEW app.internal_function AS
	SELECT p.oid::regprocedure AS f, p.prosrc ~ '_dlints_check_entry[(]' AS reads_tables, p.prosrc
		~ '(CONSTANT pg_catalog.name :=|BEGIN\s+PERFORM) \w+\._dlints_(check_entry|enter)[(]' AS is_guarded
	FROM   pg_proc p
	WHERE p.pronamespace = 'bandit'::regnamespace AND p.proname ~ '^_dlints_' AND p.prokind IN ('f', 'p');
	GRANT SELECT ON app.internal_function TO PUBLIC;
	-- tables with the names of a recommender's and a ranker's
	CREATE FUNCTION traps.spring() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM traps.sprung(TG_TABLE_NAME); RETURN NULL; END $$;
	SELECT format('CREATE TABLE traps.%1$I (LIKE %2$s); CREATE TRIGGER spring BEFORE INSERT OR UPDATE OR DELETE OR '
		'TRUNCATE ON traps.%1$I EXECUTE FUNCTION traps.spring()', relname, min(oid::regclass::text))
	FROM   pg_class WHERE relnamespace IN ('model_shop'::regnamespace, 'model_front'::regnamespace)
	AND    relkind IN ('r', 'p') AND NOT relispartition GROUP BY relname \gexec
	});
for my $role ($superuser, 'owner')
{
	is($node->safe_psql('postgres', qq{
		SET SESSION AUTHORIZATION $role;
		SELECT count(*) > 30, count(*) FILTER (WHERE '42501' <> ALL (ARRAY[
			app.call_directly(f, 'pg_catalog, traps, pg_temp', false),
			app.call_directly(f, 'pg_catalog, traps, pg_temp', true)]))
		FROM app.internal_function WHERE is_guarded}), 't|0',
		"internal functions called by $role in a schema of another role raise 42501");
	for my $path ('traps, pg_catalog, public', 'pg_catalog, traps',
		'traps, model_shop, pg_catalog', 'model_shop, traps')
	{
		is($node->safe_psql('postgres', qq{
			SET SESSION AUTHORIZATION $role;
			SELECT count(*) > 50, count(*) FILTER (WHERE reads_tables AND '55000' <> ALL (ARRAY[
				app.call_directly(f, '$path', false), app.call_directly(f, '$path', true)]))
			FROM app.internal_function}), 't|0',
		"internal functions called by $role under $path raise 55000 if they read tables");
		is($node->safe_psql('postgres', 'SELECT is_called FROM traps.alarm'), 'f',
			"internal functions called by $role under $path call no trap");
	}
}

### Privileges of a page

$node->safe_psql('postgres', q{
	CREATE ROLE page;
	SELECT bandit.dlints_grant('own_shop', 'page'), bandit.dlints_grant('own_front', 'page')});

sub as_page
{
	my ($statement) = @_;
	my (undef, $out, $error) = $node->psql('postgres',
		"\\set VERBOSITY sqlstate\nSET SESSION AUTHORIZATION page;\n$statement");

	return $error =~ /ERROR:\s+(\w{5})/ ? $1 : $out;
}

is(as_page(q{
	CREATE TEMP TABLE setting AS SELECT 1 AS secret; CREATE TEMP TABLE model AS SELECT 'personal' AS name;
	CREATE FUNCTION pg_temp.coalesce(text) RETURNS text LANGUAGE sql AS 'SELECT 1 / 0';
	CREATE FUNCTION pg_temp.md5(text) RETURNS text LANGUAGE sql AS 'SELECT (1 / 0)::text';
	SET search_path = pg_temp, traps;
	SELECT "position" FROM own_shop.recommend('p2', 1)}), 1,
	'a role of a page cannot replace tables and functions by temporary ones');

### Row-level security

$node->safe_psql('postgres', q{
	CREATE ROLE cron;
	GRANT USAGE ON SCHEMA own_shop, app TO cron;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA own_shop TO cron;
	ALTER TABLE app.item ENABLE ROW LEVEL SECURITY});
my $count_vectors =
  q{SELECT count(*) FILTER (WHERE features[1] <> 0) || ' ' || count(*) FROM own_shop.item_vector};
my $vectors = $node->safe_psql('postgres', $count_vectors);
# the owner reads the items ...
for my $force (0, 1)
{
	$node->safe_psql('postgres', 'ALTER TABLE app.item FORCE ROW LEVEL SECURITY') if $force;
	for my $call ('refresh', 'warm_start')
	{
		my ($failed, undef, $error) =
		  $node->psql('postgres', "SET SESSION AUTHORIZATION cron; SELECT own_shop.$call()", on_error_stop => 1);
		# policies apply to the owner, too
		$force
		  ? like($error, qr/query would be affected by row-level security/,
			"$call() raises an error if policies hide items from the owner")
		  : is($failed, 0, "$call() works for a role without a policy") || diag $error;
	}
	like($node->safe_psql('postgres',
		q{SET SESSION AUTHORIZATION cron; SELECT measure, meaning FROM own_shop.report()}),
		$force ? qr/failed part of the report\|.*row-level security/ : qr/\A(?!.*failed part)/s,
		$force ? 'report() has a row on policies that hide items from the owner'
			: 'report() works for a role without a policy');
	is($node->safe_psql('postgres', $count_vectors), $vectors,
		'no item vector is deleted under row-level security');
}
$node->safe_psql('postgres', q{
	ALTER TABLE app.item DISABLE ROW LEVEL SECURITY; DELETE FROM app.item WHERE key > 'key 4'});
my (undef, undef, $warning) = $node->psql('postgres', 'SET SESSION AUTHORIZATION owner; SELECT own_shop.refresh()');
isnt($warning, '', 'refresh() warns if more than half of the items are gone');
is($node->safe_psql('postgres', 'SELECT count(*) FROM own_shop.item_vector'), 100,
	'no item vector is deleted at once if more than half of the items are gone');

# Pages read the tables of a recommender without policies, and refuse tables that have some for their owner.
for my $table ('setting', 'item_vector', 'decision')
{
	$node->safe_psql('postgres', "ALTER TABLE own_shop.$table ENABLE ROW LEVEL SECURITY");
	is(as_page(q{SELECT count(*) FROM own_shop.recommend('p2', 2)}),
		2, "recommend() works with policies of $table for others");
	$node->safe_psql('postgres', "ALTER TABLE own_shop.$table FORCE ROW LEVEL SECURITY");
	is(as_page(q{SELECT count(*) FROM own_shop.recommend('p2', 2)}), '42501',
		"recommend() raises an error if policies hide rows of $table from the owner");
	$node->safe_psql('postgres', "ALTER TABLE own_shop.$table DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY");
}

$node->stop;
done_testing();
