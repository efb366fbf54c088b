-- Statements of applications: which parameters need no type of their own, and what
-- PostgreSQL then takes them for.  doc/guide.md ("From an application") says so.
\ir include/helpers.sql

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
	-- features in a column, and nothing is left to say
	('dlints_decide(s, ARRAY[id], ARRAY[x], k => $1, epsilon => $2, all_items => $3)',
	 'bigint float8 boolean'),
	('dlints_decide(s, ARRAY[id], ARRAY[x], profile => $1, seed => $2)', 'dlints_vector bigint'),
	('dlints_decide(s, ARRAY[id], ARRAY[x], $1, $2, $3, $4, $5, $6, $7, $8)',
	 'bigint dlints_vector integer float8 float8[] float8[] text[] integer'),
	('dlints_update(s, x, $1, $2, $3, $4)', 'float8 dlints_vector timestamptz float8'),
	('dlints_update(s, x, $1, at => $2)', 'float8 timestamptz'),
	('dlints_accepts(s, x, $1, $2, $3, $4)', 'float8 dlints_vector timestamptz float8'),
	('dlints_accepts(s, x, profile => $1)', 'dlints_vector'),
	('dlints_predict(s, x, $1)', 'dlints_vector'),
	('dlints_stddev(s, x, $1)', 'dlints_vector'),
	('dlints_progressive(s, x, $1, $2, $3) OVER ()', 'float8 dlints_vector timestamptz'),
	('dlints_recommend(s, id, x, $1)', 'bigint'),
	('dlints_recommend(s, id, x, $1, u)', 'bigint'),
	('dlints_recommend(s, id, x, $1, $2)', 'bigint dlints_vector'),
	('dlints_evidence(s, x, $1)', 'float8'),
	('dlints_evidence(s, x, $1, u, $2)', 'float8 timestamptz'),
	('dlints_evidence(s, x, $1, $2, $3, $4)', 'float8 dlints_vector timestamptz float8'),
	('dlints_profile(x, $1)', 'float8'),
	-- nor where features are one
	('dlints_update(s, $1, $2)', 'dlints_vector float8'),
	('dlints_update(s, $1, $2, at => $3)', 'dlints_vector float8 timestamptz'),
	('dlints_update_batch(s, $1, $2)', 'dlints_vector float8[]'),
	('dlints_predict(s, $1)', 'dlints_vector'),
	('dlints_predict(s, $1, u)', 'dlints_vector'),
	('dlints_accepts(s, $1)', 'dlints_vector'),
	('dlints_weights(s, $1)', 'dlints_vector'),
	('dlints_draw_weights(s, $1)', 'dlints_vector'),
	('dlints_draw_weights(s, seed => $1)', 'bigint'),
	('dlints_recommend(s, id, $1)', 'dlints_vector'),
	('dlints_evidence(s, $1, $2)', 'dlints_vector float8'),
	('dlints_profile($1)', 'dlints_vector'),
	('dlints_update(s, $1, $2, $3)', 'dlints_vector float8 dlints_vector'),
	('dlints_predict(s, $1, $2)', 'dlints_vector dlints_vector'),
	('dlints_new($1, half_life => $2, policy => $3, exploration => $4)',
	 'integer interval text float8'),
	('dlints_set(s, noise => $1)', 'float8'),
	('dlints_at(s, $1)', 'timestamptz'),
	('$1 * s', 'float8'),
	('dlints_encode(24, document => $1)', 'jsonb'),
	('dlints_factors($1, $2, $3, $4)', 'text bigint text bigint'),
	('dlints_neighbours($1, $2)', 'text bigint'),
	-- what does need a type
	('dlints_encode(24, ''device'', $1)', '42P18'),
	('dlints_encode(24, ''device'', $1::text)', 'text'),
	-- A CASE is of the type of its constants: decimals are fractions, others are not.
	('dlints_decide(s, ARRAY[id], ARRAY[x], epsilon => CASE WHEN id = $1 THEN $2 ELSE 0.0 END)',
	 'integer numeric'),
	('dlints_decide(s, ARRAY[id], ARRAY[x], epsilon => CASE WHEN id = $1 THEN $2 ELSE 0 END)',
	 'integer integer');

SELECT plan(count(*)::integer + 1) FROM call;
SELECT is(pg_temp.parameters(format('SELECT %s FROM model, item, member', statement)), types,
          statement) FROM call;

-- What a statement writes down first has the column's type.
CREATE TEMP TABLE decision (id integer, model text, profile real[], at timestamptz);
SELECT is(pg_temp.parameters(
	'WITH d AS (INSERT INTO decision VALUES ($1, $2, $3, $4) RETURNING *)
	 SELECT dlints_decide(m.s, ARRAY[i.id], ARRAY[i.x], $5, d.profile)
	 FROM d JOIN model m ON m.name = d.model, item i'),
	'integer text real[] timestamptz bigint', 'a parameter that is inserted first has the type of the column');

SELECT * FROM finish();
ROLLBACK;
