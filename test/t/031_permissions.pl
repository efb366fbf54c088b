# No function of dlints has more privileges than its caller, and objects in the search_path are not called instead
# of those that dlints refers to.
use strict;
use warnings;

use Catalogue;
use DlintsTest;
use ExtensionFiles;
use Test::More;

my $files = ExtensionFiles->new;
my $node = DlintsTest->node('main', conf => "track_commit_timestamp = on\n");

$node->safe_psql('postgres', q{
	CREATE ROLE plain;
	CREATE ROLE owner;
	CREATE ROLE mallory});

my $superuser = $node->safe_psql('postgres', 'SELECT rolname FROM pg_roles WHERE oid = 10');

# A database that the role "owner" owns
my $databases = 0;

sub database
{
	my (@statements) = @_;
	my $name = 'test' . ++$databases;

	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER owner");
	$node->safe_psql($name, $_) for @statements;
	return $name;
}

sub as
{
	my ($role, $database, $statements) = @_;

	return $node->safe_psql($database, "SET SESSION AUTHORIZATION $role;\n$statements");
}

# SQLSTATE of a role's statements
sub sqlstate
{
	my ($role, $database, $statements) = @_;
	my ($status, $stdout, $stderr) = $node->psql($database,
		"\\set VERBOSITY sqlstate\nSET SESSION AUTHORIZATION $role;\n$statements"
	);

	return $stderr =~ /ERROR:\s+(\w{5})/ ? $1 : "none, status $status";
}

sub refused
{
	my ($role, $database, $statements, $name) = @_;

	is(sqlstate($role, $database, $statements), '42501', "refused: $name");
	return;
}

### Functions that all roles may call

# A call of every function, for the extension's schema in the search_path; draws have seeds, so that results are
# reproducible.
my $everything = q{
	WITH item AS (SELECT i, ARRAY[i, i * i, 1]::real[] AS x FROM generate_series(1, 4) AS i)
	SELECT
	  (SELECT dlints_recommend(dlints_set(m, policy => 'greedy'), i, x) FROM item),
	  (SELECT dlints_recommend(dlints_set(m, policy => 'ucb'), i, x::double precision[], 2)
		FROM item),
	  (SELECT dlints_recommend(m, i, x) FROM item WHERE i = 2),
	  (SELECT dlints_recommend_arms(m, i, x) FROM item WHERE i = 2),
	  (SELECT dlints_recommend_arms(dlints_set(m, policy => 'greedy'), i, x, 2) FROM item),
	  (SELECT array_agg(d) FROM (SELECT array_agg(i) AS items, array_agg(x) AS features FROM item) AS c,
		LATERAL dlints_decide(dlints_set(m, policy => 'greedy'), items, features, 2,
		similar_by => features, diversity => 1) AS d),
	  (SELECT array_agg(w) FROM dlints_winner('{a,b}', ARRAY[m, m], '{1,2,3}') AS w),
	  dlints_draw(m, 1), dlints_draw_weights(m, seed => 2),
	  (SELECT array_agg(dlints_dot(dlints_weights(m), x)) FROM item), dlints_vector_send('{1}'),
	  (SELECT dlints_shortlist(items, features, ARRAY[dlints_weights(m)], 2)
		FROM (SELECT array_agg(i) AS items, array_agg(x) AS features FROM item) AS c),
	  (SELECT m || dlints_evidence(m, x, i) FROM item),
	  (SELECT dlints_concat_agg(dlints_update(m, x, i) ORDER BY i) FROM item),
	  dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[0, 1]),
	  dlints_accepts(m, ARRAY[1, 2, 3]),
		dlints_accepts(m, '{1, 2, 3}', 1),
	  dlints_concat(m, m), m = m, m <> m, dlints_eq(m, m), dlints_ne(m, m),
	  dlints_hash(m),
	  0.5 * m, dlints_scale(2, m), dlints_at(m, now()), dlints_with_prior(m, m),
	  (SELECT dlints_retract(t || t, t) = t AND t - t IS NOT NULL
		FROM dlints_update(dlints_new(3, discount => 1), '{1, 2, 3}', 1) AS t),
	  (SELECT dlints_evidence(m, x, i, '{}', now(), 2) FROM item),
	  m::jsonb::dlints, dlints_from_jsonb(dlints_to_jsonb(m)), m::text::dlints, dlints_send(m),
	  dlints(m, -1, false), m::dlints(3, 2, intercept),
	  dlints_project(m, ARRAY[1, 2, 3]), dlints_mean(m), dlints_covariance(m),
	  dlints_predict(m, ARRAY[1, 2, 3.0]), dlints_stddev(m, '{1, 2, 3}'::bigint[]),
	  dlints_info(m),
	  (SELECT count(e) FROM dlints_explain(m, '{1, 2, 3}') AS e), dlints_fourier('{1, 2}', 2),
	  dlints_pack('{1}'), dlints_pack('{1}', 8), dlints_unpack('\x000000', 1), dlints_contrast('\x000000', 1),
	  dlints_vector('\x000000'::bytea), dlints_tie_keys('{1,2}'::integer[], 7),
	  (SELECT dlints_ndcg(i, -i, 3) FROM item), (SELECT dlints_prices(ARRAY[i], ARRAY[[i]], 1, '{1}') FROM item),
	  dlints_encode(4, 'name', 'value', 'number', 2), dlints_encode(4, '{"name": "value"}'::jsonb),
	  (SELECT dlints_profile(x, i) || dlints_profile(x::double precision[]) FROM item),
	  (SELECT array_agg(f.item ORDER BY f.item)
		FROM dlints_factors('VALUES (1, 2), (1, 3), (2, 3)', 2, 'VALUES (2, ARRAY[1, 2])')
		AS f (item integer, features real[])),
	  (SELECT array_agg(f.neighbours ORDER BY f.item) FROM dlints_neighbours('VALUES (1, 2), (1, 3)', 2)
		AS f (item integer, neighbours integer[], weights real[])),
	  (SELECT dlints_policy_value(i, 0.5, 0.25) FROM item), dlints_bounds(0.5, 0.1, 9),
		(SELECT dlints_policy_value(i, 0.5, 0.25, i, 1) FROM item),
	  (SELECT max(p) FROM (SELECT dlints_progressive(m, x, i) OVER (ORDER BY i) FROM item) AS s (p))
	FROM (SELECT dlints_update(dlints_update(dlints_new(3, 2, seed => 4), '{1, 2, 3}', 1),
		'{3, 0, 1}', 0) AS m OFFSET 0) AS model};

my $shared = database('CREATE SCHEMA bandit',
	'CREATE EXTENSION dlints SCHEMA bandit',
	'CREATE TABLE bandit.listed AS SELECT bandit.dlints_new(2) AS state');
my $path = 'SET search_path = bandit;';

is($node->safe_psql($shared, qq{
		$path
		CREATE VIEW everything AS SELECT all_of_it::text FROM ($everything) AS all_of_it;
		SELECT DISTINCT proname FROM pg_proc
		WHERE oid IN (SELECT objid FROM pg_depend
			WHERE classid = 'pg_proc'::regclass AND deptype = 'e')
		  AND proname LIKE 'dlints%'
		  -- 033 calls those that write statements
		  AND prolang NOT IN (SELECT oid FROM pg_language WHERE lanname IN ('plpgsql', 'sql'))
		  AND proname !~ '(fn|_in|_out|_recv|_support)\$'
		  AND proname <> ALL (regexp_split_to_array(pg_get_viewdef('everything'), '[^a-z_]+'))}),
	'',
	'every function is called below');

$node->safe_psql($shared, 'GRANT USAGE ON SCHEMA bandit TO plain, mallory;
	GRANT SELECT ON bandit.listed TO plain');
my $expected = $node->safe_psql($shared, "$path $everything");
cmp_ok(length($expected), '>', 1000, 'the calls of a superuser return more than 1,000 characters');
is(as('plain', $shared, "$path $everything"), $expected, 'a plain role calls every function');

### Restricted settings and objects

is($node->safe_psql($shared, qq{
	SELECT pg_describe_object(classid, objid, 0)
	FROM pg_depend AS d
	LEFT JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
	LEFT JOIN pg_type AS t ON classid = 'pg_type'::regclass AND objid = t.oid
	LEFT JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND objid = o.oid
	LEFT JOIN pg_opclass AS c ON classid = 'pg_opclass'::regclass AND objid = c.oid
	LEFT JOIN pg_opfamily AS f ON classid = 'pg_opfamily'::regclass AND objid = f.oid
	LEFT JOIN pg_class AS v ON classid = 'pg_class'::regclass AND objid = v.oid AND relkind = 'v'
	WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dlints')
	  AND NOT coalesce(proowner, typowner, oprowner, opcowner, opfowner, relowner,
	                   CASE WHEN classid = 'pg_cast'::regclass THEN 10 END, 0) = 10}),
	'',
	'everything in it is of a kind that holds no data, and the administrator\'s');
is($node->safe_psql($shared, q{
	SELECT oid::regprocedure FROM pg_proc
	WHERE oid IN (SELECT objid FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_proc'::regclass
	              AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dlints'))
	  AND (prosecdef OR proleakproof
	       OR has_function_privilege('plain', oid, 'EXECUTE') IS NOT TRUE)}),
	'',
	'no function has rights of its own, and everybody may call each');
is(as( 'plain', $shared,
		"$path SELECT dlints_mean(dlints_new(1, intercept => false)); 
			SET dlints.projection_cache_size = '1MB'; SHOW dlints.projection_cache_size"),
	"{0}\n1MB",
	'a role bounds the projections of its own sessions');

### Traps in the search_path

# Fill a schema with operators, functions and types that have the names of PostgreSQL's or dlints' objects, for all
# pairs of types.  A call leaves a mark that rollbacks keep.
my $traps = q{
	CREATE SEQUENCE alarm;
	CREATE FUNCTION trap() RETURNS boolean LANGUAGE plpgsql AS
	$$ BEGIN PERFORM pg_catalog.nextval('SCHEMA.alarm'); RAISE EXCEPTION 'trapped'; END $$;

	DO $do$
	DECLARE
		types pg_catalog.text[] := '{bool, "\"char\"", int2, int4, int8, float4, float8, numeric, text, name, oid,
			regproc, regprocedure, regtype, regclass, jsonb, bytea, _float4, _float8, _oid, _text,
				_regprocedure}';
		body pg_catalog.text := 'RETURNS pg_catalog.bool LANGUAGE plpgsql AS ''BEGIN RETURN SCHEMA.trap(); END''';
		l pg_catalog.text;
		r pg_catalog.text;
		f record;
	BEGIN
		-- functions of PostgreSQL's with arguments of these types
		FOR f IN SELECT DISTINCT proname AS name,
			pg_catalog.oidvectortypes(proargtypes) AS arguments
		         FROM pg_catalog.pg_proc
		         WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a')
			AND pronargs > 0 AND provariadic = 0
		           AND proargtypes::pg_catalog.oid[]
				<@ types::pg_catalog.regtype[]::pg_catalog.oid[] LOOP
			EXECUTE pg_catalog.format('CREATE FUNCTION SCHEMA.%I(%s) %s', f.name, f.arguments,
				body);
		END LOOP;

		-- functions of dlints', and some that it calls, with any argument
		FOREACH l IN ARRAY '{dlints, dlints_eq, dlints_ne, dlints_hash, dlints_concat, dlints_to_jsonb, dlints_mean,
			dlints_new, dlints_recommend, dlints_recommend_transfn, dlints_evidence, dlints_draw,
				dlints_info, format}'::pg_catalog.text[] LOOP
			FOREACH r IN ARRAY '{anyelement, "anyelement, anyelement",
				"anyelement, anyelement, anyelement", "text, text"}'::pg_catalog.text[] LOOP
				EXECUTE pg_catalog.format('CREATE FUNCTION SCHEMA.%I(%s) %s', l, r, body);
			END LOOP;
		END LOOP;

		-- types of PostgreSQL's
		FOREACH l IN ARRAY '{bool, int4, int8, float4, float8, text, oid, jsonb, bytea, cstring,
			internal, anyelement, anyarray, regprocedure}'::pg_catalog.text[] LOOP
			EXECUTE pg_catalog.format(
				'CREATE DOMAIN SCHEMA.%I AS pg_catalog.text CHECK (SCHEMA.trap())', l);
		END LOOP;

		-- operators last, since they are in the way of the above
		FOREACH l IN ARRAY types LOOP
			FOREACH r IN ARRAY types LOOP
				EXECUTE pg_catalog.format(
				'CREATE FUNCTION SCHEMA.operator(pg_catalog.%s, pg_catalog.%s) %s', l, r, body);
				FOR f IN SELECT pg_catalog.unnest('{=, <>, <, >, ||, ~~, ->}'::pg_catalog.text[])
					AS name LOOP
					EXECUTE pg_catalog.format('CREATE OPERATOR SCHEMA.%s (LEFTARG = pg_catalog.%s,
					RIGHTARG = pg_catalog.%s, FUNCTION = SCHEMA.operator)',
						f.name, l, r);
				END LOOP;
			END LOOP;
		END LOOP;
	END $do$};

# Traps in a schema, set by a role that may create there
sub set_traps
{
	my ($role, $database, $schema) = @_;
	(my $statements = $traps) =~ s/SCHEMA/$schema/g;

	as($role, $database, "SET search_path = $schema; $statements");
	return;
}

sub untouched
{
	my ($database, $schema, $name) = @_;

	is($node->safe_psql($database, "SELECT is_called FROM $schema.alarm"), 'f', "$name: no trap was touched");
	return;
}

# Traps first in the search_path of a user of the extension
$node->safe_psql($shared, 'CREATE SCHEMA traps AUTHORIZATION mallory');
set_traps('mallory', $shared, 'traps');
cmp_ok(
	$node->safe_psql($shared,
		q{SELECT count(*) FROM pg_operator WHERE oprnamespace = 'traps'::regnamespace}),
	'>', 3000, 'there are traps');
$node->safe_psql($shared, 'GRANT USAGE ON SCHEMA traps TO plain; GRANT SELECT ON bandit.everything TO plain');
is(as( 'plain', $shared,
		'SET search_path = traps, pg_catalog; SELECT * FROM bandit.everything'),
	as('plain', $shared, 'SELECT * FROM bandit.everything'),
	'every function, with traps before PostgreSQL\'s own');
my $file = $node->basedir . '/copy';
$node->safe_psql($shared, qq{
	SET search_path = traps, pg_catalog;
	CREATE TABLE bandit.copy (state bandit.dlints(2));
	INSERT INTO bandit.copy VALUES (bandit.dlints_new(2));
	COPY bandit.copy TO '$file' (FORMAT binary);
	COPY bandit.copy FROM '$file' (FORMAT binary)});
untouched($shared, 'traps', 'use');

# The alarm works
is(sqlstate($superuser, $shared, 'SET search_path = traps, pg_catalog; SELECT 1 = 1'),
	'P0001', 'the trap catches an operator found by the search_path');
is($node->safe_psql($shared, 'SELECT is_called FROM traps.alarm'), 't', 'a trap that was sprung leaves its mark');

# Traps in the schema of CREATE EXTENSION, where the script runs with an administrator's privileges
my $clean = database('CREATE SCHEMA bandit', 'CREATE EXTENSION dlints SCHEMA bandit');

sub prepared
{
	my ($role) = @_;
	my $database = database("CREATE SCHEMA bandit AUTHORIZATION $role");

	set_traps($role, $database, 'bandit');
	return $database;
}

my $prepared = prepared('mallory');
is(sqlstate($superuser, $prepared, 'CREATE EXTENSION dlints SCHEMA bandit'),
	'none, status 0', 'CREATE EXTENSION succeeds among traps');
untouched($prepared, 'bandit', 'CREATE EXTENSION');
is(Catalogue::differences($node, $prepared, $clean), '', 'the extension among traps equals one without traps');

# Existing names are not replaced
for my $taken (
	[ '42710', 'CREATE TYPE dlints AS (a integer)' ],
	[ '42723',
		q{CREATE FUNCTION dlints_encode(integer, jsonb) RETURNS real[]
		LANGUAGE sql AS $$SELECT '{}'::pg_catalog.float4[]$$} ],
	[ '42723',
		q{CREATE FUNCTION dlints_from_jsonb(jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT $1'} ])
{
	my ($code, $statement) = @$taken;
	my $database = database('CREATE SCHEMA bandit AUTHORIZATION mallory');

	as('mallory', $database, "$path $statement");
	is(sqlstate($superuser, $database, 'CREATE EXTENSION dlints SCHEMA bandit'),
		$code, "CREATE EXTENSION fails after $statement");
}

### Privileges for CREATE EXTENSION

# Roles with CREATE on the database, such as its owner, may create the extension.  The script then runs as the
# superuser, in a schema of the owner, who owns the extension only.
my $owned = prepared('owner');
refused('plain', $owned, 'CREATE EXTENSION dlints SCHEMA bandit', 'an extension without CREATE on the database');
is($node->safe_psql($owned,
		q{SELECT count(*) FROM pg_extension WHERE extname = 'dlints'}),
	0,
	'a rejected CREATE EXTENSION leaves nothing behind');
$files->control(trusted => 'false');
refused('owner', $owned, 'CREATE EXTENSION dlints SCHEMA bandit',
	'an extension that the administrator has declared as not trusted');
$files->control(trusted => 'true');
is(sqlstate('owner', $owned, 'CREATE EXTENSION dlints SCHEMA bandit'),
	'none, status 0', 'trusted: the owner of a database creates it');
untouched($owned, 'bandit', 'trusted');
is($node->safe_psql($owned,
		q{SELECT extowner::regrole FROM pg_extension WHERE extname = 'dlints'}),
	'owner',
	'a trusted extension belongs to the role that created it');
is(join("\n", grep { !/^. extension: / } split /\n/,
		Catalogue::differences($node, $owned, $clean)),
	'',
	'all objects of a trusted extension belong to the administrator');
refused('owner', $owned, "$path $_", "the database owner who created the trusted extension is denied: $_")
  for 'ALTER FUNCTION dlints_mean(dlints) COST 1',
  'CREATE OR REPLACE FUNCTION dlints_eq(dlints, dlints) RETURNS boolean LANGUAGE sql AS $$
	SELECT true $$',
  'CREATE OR REPLACE VIEW dlints_recommenders AS SELECT 1 AS name';
is(sqlstate('owner', $owned, 'CREATE SCHEMA elsewhere; ALTER EXTENSION dlints SET SCHEMA elsewhere'),
	'0A000', 'the extension stays in its schema, which its functions name');
as('owner', $owned, 'DROP EXTENSION dlints');
is($node->safe_psql($owned,
		q{SELECT count(*) FROM pg_extension WHERE extname = 'dlints'}),
	0,
	'trusted: its owner drops it');

# Schema names may contain any characters, and objects of a temporary schema are not found.  PostgreSQL refuses names
# with quotes or dollars since 14.9 and 15.4, and by now those with a substitution of extension scripts, too.
for my $schema ('a";DROP TABLE keeper;--', q{a' || 'b}, '$$', '@extschema@', '$libdir', 'Ünï')
{
	my $database = database();
	(my $quoted = $schema) =~ s/"/""/g;

	my $refusals = $schema =~ /["\$'\\]/ ? '22P02|42601|' : $schema =~ /@/ ? '22P02|' : '';
	like(
		sqlstate(
			'owner', $database, qq{
			CREATE TABLE keeper ();
			CREATE TEMP TABLE pg_proc AS SELECT * FROM pg_catalog.pg_proc;
			CREATE TEMP TABLE pg_class AS SELECT * FROM pg_catalog.pg_class LIMIT 0;
			CREATE TEMP TABLE model (state float8);
			CREATE SCHEMA "$quoted";
			CREATE EXTENSION dlints SCHEMA "$quoted";
			CREATE TABLE stored AS SELECT "$quoted".dlints_new(2) AS state;
			SELECT 1 / (1 - count(*)) FROM "$quoted".dlints_recommenders;
			DROP EXTENSION dlints CASCADE;
			DROP SCHEMA "$quoted";
			TABLE keeper}),
		qr/^(?:${refusals}none, status 0)$/,
		"the extension is created, used and dropped in the schema $schema, or PostgreSQL refuses the name");
}

# The owner can restore the owner's dump
my $dumped = database();
my $restored = database();
as('owner', $dumped,
	'CREATE EXTENSION dlints; CREATE TABLE model AS
		SELECT dlints_update(dlints_new(2), ARRAY[1, 2], 1) AS state');
my $dump = $node->basedir . '/dump.sql';
$node->command_ok(
	[ 'pg_dump', '--role=owner', '--no-owner', '-f', $dump, '-d', $node->connstr($dumped) ],
	'the owner dumps a database with models');
is(sqlstate('owner', $restored, "\\set ON_ERROR_STOP 1\n\\i $dump"), 'none, status 0', 'the owner restores the dump');
is(as('owner', $restored, 'SELECT i.updates FROM public.model, public.dlints_info(state) AS i'),
	1, 'the restored database has the models');

$node->stop;
done_testing();
