-- Statements of applications: parameters that need no type, and the types that PostgreSQL determines, as
-- doc/guide.md describes.  36_calls.sql passes all arguments without types.
\ir include/helpers.sql

CREATE TEMP TABLE model (name text PRIMARY KEY, s dlints NOT NULL);
CREATE TEMP TABLE item (id integer PRIMARY KEY, x real[] NOT NULL, brand text NOT NULL);
CREATE TEMP TABLE member (member_id integer PRIMARY KEY, u real[] NOT NULL);

-- the types, or the SQLSTATE
CREATE FUNCTION pg_temp.parameters(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	types text;
BEGIN
	EXECUTE 'PREPARE tried AS ' || statement;
	SELECT string_agg(t::text, ' ' ORDER BY i) INTO types
	FROM pg_prepared_statements, unnest(parameter_types) WITH ORDINALITY AS p (t, i)
	WHERE name = 'tried';
	DEALLOCATE tried;
	RETURN replace(replace(types, 'double precision', 'float8'),
	               'timestamp with time zone', 'timestamptz');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END
$$;

CREATE TEMP TABLE call (statement text, types text);
INSERT INTO call VALUES
	-- the type of each parameter is determined
	('dlints_decide(s, ARRAY[id], ARRAY[x], k => $1, epsilon => $2, all_items => $3)', 'bigint float8 boolean'),
	('dlints_decide(s, ARRAY[id], ARRAY[x], profile => $1, seed => $2)', 'dlints_vector bigint'),
	('dlints_decide(s, ARRAY[id], ARRAY[x], $1, $2, $3, $4, $5, $6, $7, $8)',
	 'bigint dlints_vector integer float8 float8[] float8[] text[] integer'),
	('dlints_new($1, half_life => $2, policy => $3, exploration => $4)', 'integer interval text float8'),
	('dlints_set(s, noise => $1)', 'float8'),
	('dlints_at(s, $1)', 'timestamptz'),
	('$1 * s', 'float8'),
	('dlints_encode(24, document => $1)', 'jsonb'),
	('dlints_factors($1, $2, $3, $4)', 'text bigint text bigint'),
	('dlints_neighbours($1, $2)', 'text bigint'),
	-- parameters that need a type
	('dlints_encode(24, ''device'', $1)', '42P18'),
	('dlints_encode(24, ''device'', $1::text)', 'text'),
	-- A CASE has the type of its constants: decimals are numeric, others are not.
	('dlints_decide(s, ARRAY[id], ARRAY[x], epsilon => CASE WHEN id = $1 THEN $2 ELSE 0.0 END)', 'integer numeric'),
	('dlints_decide(s, ARRAY[id], ARRAY[x], epsilon => CASE WHEN id = $1 THEN $2 ELSE 0 END)', 'integer integer');

SELECT plan(count(*)::integer + 17) FROM call;
SELECT is(pg_temp.parameters(format('SELECT %s FROM model, item, member', statement)), types, statement) FROM call;

-- A parameter that is inserted into a column first has the column's type.
CREATE TEMP TABLE decision (id integer, model text, profile real[], at timestamptz);
SELECT is(pg_temp.parameters(
	'WITH d AS (INSERT INTO decision VALUES ($1, $2, $3, $4) RETURNING *)
	 SELECT dlints_decide(m.s, ARRAY[i.id], ARRAY[i.x], $5, d.profile)
	 FROM d JOIN model m ON m.name = d.model, item i'),
	'integer text real[] timestamptz bigint', 'a parameter that is inserted first has the type of the column');

-- ---------- recommenders and rankers ----------

CREATE TABLE job (id uuid PRIMARY KEY, field text);
CREATE TABLE visit (member bigint, job uuid, at timestamptz);
CREATE TABLE article (slug text PRIMARY KEY, section text);
CREATE TABLE reading (reader text, slug text, at timestamptz);
SELECT dlints_create_recommender('jobs', 'job', '{field}', clicks => 'SELECT member, job, at FROM visit'),
    dlints_create_recommender('articles', 'article', '{section}', clicks => 'SELECT reader, slug, at FROM reading'),
    dlints_create_ranker('front') \gset made_
SELECT is(pg_temp.parameters('SELECT ' || call), types, call || ' needs no types of parameters') FROM (VALUES
    ('dlints_create_recommender($1, $2, $3, clicks => $4, candidates => $5, outcomes => $6)',
     'text regclass text[] text text jsonb'),
    ('dlints_create_ranker($1, attribution_window => $2)', 'text interval'),
    ('jobs.recommend($1, $2, $3, $4, $5)', 'bigint integer uuid[] jsonb text'),
    ('jobs.reward($1, $2, $3, $4, $5)', 'bigint uuid text float8 bigint'),
    ('jobs.learn($1)', 'interval'),
    ('jobs.more_like($1, $2, $3, $4)', 'uuid integer bigint jsonb'),
    ('jobs.next($1, $2, $3)', 'bigint integer bigint'),
    ('jobs.trending($1, $2)', 'integer bigint'),
    ('jobs.report($1)', 'timestamptz'),
    ('jobs.erase($1, $2)', 'bigint text'),
    ('articles.recommend($1, $2, $3, $4, $5)', 'text integer text[] jsonb text'),
    ('articles.reward($1, $2, $3, $4, $5)', 'bigint text text float8 text'),
    ('articles.more_like($1, $2, $3, $4)', 'text integer text jsonb'),
    ('articles.erase($1)', 'text'),
    ('front.rank($1, $2, $3, $4)', 'text jsonb jsonb boolean'),
    ('front.reward($1, $2)', 'text float8')) v (call, types);

SELECT * FROM finish();
ROLLBACK;
