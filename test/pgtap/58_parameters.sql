-- Statements of applications: which parameters need no type of their own, and what
-- PostgreSQL then takes them for.  doc/guide.md ("From an application") says so.
\set ON_ERROR_STOP 1
BEGIN;

CREATE TEMP TABLE model (name text PRIMARY KEY, s dlints NOT NULL);
CREATE TEMP TABLE item (id integer PRIMARY KEY, x real[] NOT NULL, brand text NOT NULL);
CREATE TEMP TABLE member (member_id integer PRIMARY KEY, u real[] NOT NULL);

-- the types, or the SQLSTATE
CREATE FUNCTION pg_temp.parameters(statement text) RETURNS text LANGUAGE plpgsql AS
$$
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
	-- names after the context, and nothing is left to say
	('dlints_choose(s, x, k => $1, draws => $2, uniform => $3, bonus => $4, cap_group => $5,'
	 ' cap => $6) OVER ()', 'bigint integer float8 float8 text integer'),
	('dlints_choose(s, x, u, k => $1) OVER ()', 'bigint'),
	('dlints_choose(s, x, shared => $1, k => $2) OVER ()', 'real[] bigint'),
	('dlints_choose(s, x, u, $1, $2) OVER ()', 'bigint integer'),
	('dlints_update(s, x, $1)', 'float8'),
	('dlints_update(s, x, u, $1, $2)', 'float8 timestamptz'),
	('dlints_update(s, x, reward => $1, at => $2, weight => $3)', 'float8 timestamptz float8'),
	('dlints_update(s, x, shared => $1, reward => $2)', 'real[] float8'),
	('dlints_accepts(s, x, reward => $1)', 'float8'),
	('dlints_accepts(s, x, reward => $1, at => $2, weight => $3)', 'float8 timestamptz float8'),
	('dlints_accepts(s, x, shared => $1)', 'real[]'),
	('dlints_accepts(s, x, u, $1, $2)', 'float8 timestamptz'),
	('dlints_predict(s, x, $1)', 'real[]'),
	('dlints_stddev(s, x, $1)', 'real[]'),
	('dlints_draw_weights(s, seed => $1)', 'bigint'),
	('dlints_progressive(s, x, shared => $1, reward => $2, at => $3) OVER ()',
	 'real[] float8 timestamptz'),
	('dlints_new(24, half_life => $1, policy => $2, exploration => $3)', 'interval text float8'),
	('dlints_set(s, noise => $1)', 'float8'),
	('dlints_at(s, $1)', 'timestamptz'),
	('$1 * s', 'float8'),
	('dlints_encode(24, document => $1)', 'jsonb'),
	('dlints_factors(query => $1, k => $2, previous => $3, seed => $4)',
	 'text integer text bigint'),
	-- aggregates: columns for what they are about
	('dlints_recommend(s, id, x, u, $1)', 'bigint'),
	('dlints_recommend(s, id, x, $1, $2)', 'real[] bigint'),
	('dlints_evidence(s, x, $1)', 'float8'),
	('dlints_evidence(s, x, u, $1, $2)', 'float8 timestamptz'),
	('dlints_profile(x, $1)', 'float8'),
	('dlints_top(id, dlints_predict(s, x), $1)', 'bigint'),
	-- an array by itself is text[], which is read as numbers
	('dlints_update(s, $1, $2)', 'text[] float8'),
	('dlints_update(s, $1, shared => $2, reward => $3, at => $4)',
	 'text[] text[] float8 timestamptz'),
	('dlints_update_batch(s, $1, $2)', 'text[] float8[]'),
	('dlints_predict(s, $1)', 'text[]'),
	('dlints_accepts(s, $1)', 'text[]'),
	('dlints_weights(s, $1)', 'text[]'),
	-- what does need a type, and with it
	('dlints_recommend(s, id, x, $1)', '42725'),
	('dlints_recommend(s, id, x, $1::integer)', 'integer'),
	('dlints_recommend(s, id, x, $1::real[])', 'real[]'),
	('dlints_evidence(s, x, $1, $2)', '42725'),
	('dlints_evidence(s, x, $1::float8, $2)', 'float8 timestamptz'),
	('dlints_evidence(s, x, $1::real[], $2)', 'real[] float8'),
	('dlints_profile($1)', '42725'),
	('dlints_profile($1::real[])', 'real[]'),
	('dlints_encode(24, ''device'', $1)', '42P18'),
	('dlints_encode(24, ''device'', $1::text)', 'text'),
	-- a position that is another thing in another form
	('dlints_choose(s, x, $1) OVER ()', '42725'),
	('dlints_update(s, x, $1, $2)', '42725'),
	('dlints_accepts(s, x, $1)', '42725'),
	('dlints_draw_weights(s, $1)', '42725'),
	-- A CASE is of the type of its constants: decimals are fractions, others are not.
	('dlints_choose(s, x, bonus => CASE WHEN id = $1 THEN $2 ELSE 0.0 END) OVER ()',
	 'integer numeric'),
	('dlints_choose(s, x, bonus => CASE WHEN id = $1 THEN $2 ELSE 0 END) OVER ()',
	 'integer integer');

SELECT plan(count(*)::integer + 1) FROM call;
SELECT is(pg_temp.parameters(format('SELECT %s FROM model, item, member', statement)), types,
          statement) FROM call;

-- What a statement writes down first has the column's type.
CREATE TEMP TABLE decision (id integer, model text, profile real[], at timestamptz);
SELECT is(pg_temp.parameters(
	'WITH d AS (INSERT INTO decision VALUES ($1, $2, $3, $4) RETURNING *)
	 SELECT dlints_choose(m.s, i.x, d.profile, k => $5) OVER ()
	 FROM d JOIN model m ON m.name = d.model, item i'),
	'integer text real[] timestamptz bigint', 'by what was written down');

SELECT * FROM finish();
ROLLBACK;
