-- Calls of applications, with the types that drivers send.  Each resolves, and returns the same as a call with all
-- arguments cast.  064_pgvector.pl tests calls with pgvector's types.
\ir include/helpers.sql

-- the numbers: fractions that every type represents exactly, or integers
CREATE TEMP TABLE number (kind text, fractions text, whole text);
INSERT INTO number VALUES
	('x', '0.5,-0.25,2', '1,0,2'), ('xs', '{0.5,-0.25,2},{0,1,0.5}', '{1,0,2},{0,1,1}'),
	('p', '1,0.5,-2', '0,3,1'), ('rs', '1.5,0', '1,0'),
	('r', '1.5', '1'), ('w', '0.5', '1'), ('k', '2', '2'),
	('at', '2026-04-01 12:00+00', '2026-04-01 12:00+00'), ('word', 'ucb', 'ucb');

-- Literals in the statement have these forms, columns and parameters these types.
CREATE TEMP TABLE sender (name text, bound boolean, numbers text,
	features text, profile text, number text, k text, at text, word text);
INSERT INTO sender VALUES
	('cast', false, 'fractions', '''{%s}''::float8[]', '''{%s}''::float8[]', '%s::float8',
	 '%s::bigint', '%L::timestamptz', '%L::text'),
	('cast', false, 'whole', '''{%s}''::float8[]', '''{%s}''::float8[]', '%s::float8',
	 '%s::bigint', '%L::timestamptz', '%L::text'),
	('psql', false, 'fractions', '''{%s}''', '''{%s}''', '%s', '%s', '%L', '%L'),
	('psycopg 2', false, 'fractions', 'ARRAY[%s]', 'ARRAY[%s]', '%s', '%s', '%L::timestamptz', '%L'),
	('psycopg 2', false, 'whole', 'ARRAY[%s]', 'ARRAY[%s]', '%s', '%s', '%L::timestamptz', '%L'),
	('real[]', false, 'fractions', 'real_%2$s', 'real_%2$s', '%s', '%s', '%L', '%L'),
	('float8[]', false, 'fractions', 'float8_%2$s', 'float8_%2$s', '%s', '%s', '%L', '%L'),
	('numeric[]', false, 'fractions', 'numeric_%2$s', 'numeric_%2$s', '%s', '%s', '%L', '%L'),
	('real[], float8[]', false, 'fractions', 'real_%2$s', 'float8_%2$s', '%s', '%s', '%L', '%L'),
	('float8[], real[]', false, 'fractions', 'float8_%2$s', 'real_%2$s', '%s', '%s', '%L', '%L'),
	('real[], psql', false, 'fractions', 'real_%2$s', '''{%s}''', '%s', '%s', '%L', '%L'),
	('real[], psycopg 2', false, 'fractions', 'real_%2$s', 'ARRAY[%s]', '%s', '%s', '%L', '%L'),
	('libpq', true, 'fractions', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'),
	('node-postgres', true, 'fractions', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'),
	('psycopg 3', true, 'fractions', 'float8[]', 'float8[]', 'float8', 'int2', 'timestamptz', 'unknown'),
	('psycopg 3', true, 'whole', 'int2[]', 'int2[]', 'int2', 'int2', 'timestamptz', 'unknown'),
	('psycopg 3, decimals', true, 'fractions', 'numeric[]', 'numeric[]', 'numeric', 'int2', 'timestamptz', 'unknown'),
	('JDBC', true, 'fractions', 'float8[]', 'float8[]', 'float8', 'int4', 'unknown', 'varchar'),
	('JDBC, long', true, 'whole', 'int8[]', 'int8[]', 'int8', 'int8', 'timestamptz', 'varchar'),
	('JDBC, float4', true, 'fractions', 'real[]', 'real[]', 'real', 'int4', 'unknown', 'varchar'),
	('JDBC, float4, double', true, 'fractions', 'real[]', 'float8[]', 'float8', 'int4', 'unknown', 'varchar'),
	('JDBC, double, float4', true, 'fractions', 'float8[]', 'real[]', 'float8', 'int4', 'unknown', 'varchar'),
	('JDBC, numeric', true, 'fractions', 'numeric[]', 'numeric[]', 'numeric', 'int4', 'unknown', 'varchar');

CREATE TEMP VIEW pgvector AS
SELECT typname::text AS type FROM pg_type
WHERE typname IN ('vector', 'halfvec') AND EXISTS (SELECT FROM pg_extension WHERE extname = 'dlints_pgvector');
INSERT INTO sender
SELECT type, false, 'fractions', type || '_%2$s', type || '_%2$s', '%s', '%s', '%L', '%L' FROM pgvector;

-- models without randomness, and the numbers as columns
SELECT string_agg(value || format(' AS %s_%s', type, kind), ', ') AS columns
FROM  (SELECT type, kind, format('''{%s}''::%s[]', fractions, type) AS value
       FROM number, unnest('{real,float8,numeric}'::text[]) AS type
       UNION ALL
       SELECT type, kind, CASE kind WHEN 'rs' THEN format('''{%s}''::real[]', fractions)
           WHEN 'xs' THEN format('ARRAY[%s]', regexp_replace(fractions, '{[^}]*}', '''\&''::real[]::' || type, 'g'))
           ELSE format('''{%s}''::real[]::%s', fractions, type) END
       FROM number, pgvector) AS columns
WHERE kind IN ('x', 'xs', 'p', 'rs') \gset
CREATE TEMP TABLE one AS
SELECT evidence(dlints_new(3, policy => 'greedy'), 1, 9) AS s,
    evidence(dlints_new(3, interactions => 'matched', policy => 'greedy'), 1, 9) AS m,
    evidence(dlints_new(3, interactions => 'matched', half_life => '9 days', policy => 'greedy'), 1, 9) AS t, :columns;
CREATE TEMP TABLE item AS
SELECT i AS id, features(i, 3)::real[] AS f FROM generate_series(1, 5) AS i;
CREATE TEMP TABLE list AS
SELECT array_agg(id ORDER BY id) AS ids, array_agg('item ' || id ORDER BY id) AS names,
    array_agg(md5(id::text)::uuid ORDER BY id) AS uuids, array_agg(f ORDER BY id) AS fs FROM item;
CREATE TEMP TABLE click AS SELECT i % 7 AS member, i % 5 AS item FROM generate_series(1, 30) AS i;

CREATE TEMP TABLE call AS SELECT call FROM lines($$
    dlints_update(s, :x, :r) FROM one
    dlints_update(s, :x, NULL) FROM one
    dlints_update(s, :x, :r, '{}') FROM one
    dlints_update(s, features => :x, reward => :r, weight => :w) FROM one
    dlints_update(m, :x, :r, :p) FROM one
    dlints_update(m, :x, :r, NULL) FROM one
    dlints_update(m, f, :r, :p) FROM one, item WHERE id = 3
    dlints_update(t, :x, :r, at => :at) FROM one
    dlints_update(t, :x, :r, :p, :at, :w) FROM one
    dlints_update_batch(s, :xs, :rs) FROM one
    dlints_update_batch(m, :xs, :rs, :xs) FROM one
    dlints_accepts(s, :x) FROM one
    dlints_accepts(m, :x, :r, :p) FROM one
    dlints_accepts(m, :x, profile => :p) FROM one
    dlints_predict(s, :x) FROM one
    dlints_predict(m, :x, :p) FROM one
    dlints_predict(m, f, :p) FROM one, item WHERE id = 3
    dlints_stddev(s, :x) FROM one
    dlints_stddev(m, :x, :p) FROM one
    dlints_project(s, :x) FROM one
    dlints_project(m, f, profile => :p) FROM one, item WHERE id = 3
    dlints_weights(m, :p) FROM one
    dlints_draw_weights(s, seed => :k) FROM one
    dlints_draw_weights(m, :p, :k) FROM one
    dlints_draw(s, :k) FROM one
    dlints_dot(dlints_weights(s), :x) FROM one
    dlints_dot(:x, :p) FROM one
    dlints_recommend(s, id, :x) FROM one, item WHERE id = 3
    dlints_recommend(s, id, f, :k) FROM one, item
    dlints_recommend(s, id, :x, :k) FROM one, item WHERE id = 3
    dlints_recommend(m, id, f, :k, :p) FROM one, item
    dlints_recommend(m, id, f, :k, NULL) FROM one, item
    dlints_recommend(m, id, :x, :k, :p) FROM one, item WHERE id = 3
    dlints_recommend(m, id, :x, (SELECT count(*) FROM item), '{}') FROM one, item WHERE id = 3
    dlints_recommend_arms(s, id, :x) FROM one, item WHERE id = 3
    dlints_recommend_arms(s, id, f, :k) FROM one, item WHERE id = 3
    dlints_recommend_arms(m, id, :x, :k, :p) FROM one, item WHERE id = 3
    dlints_evidence(s, :x, :r) FROM one
    dlints_evidence(m, :x, :r, :p) FROM one
    dlints_evidence(m, f, :r, :p ORDER BY id) FROM one, item
    dlints_evidence(t, :x, :r, :p, :at) FROM one
    dlints_evidence(t, :x, :r, '{}', :at, :w) FROM one
    dlints_profile(:x) FROM one
    dlints_profile(:x, :w) FROM one
    dlints_profile(f, :w) FROM item
    array_agg(d ORDER BY d.rank) FROM one, list,
        LATERAL dlints_decide(s, ids, fs, :k) AS d
    array_agg(d ORDER BY d.rank) FROM one, list,
        LATERAL dlints_decide(m, names, fs, :k, :p, draws => 5, epsilon => 0) AS d
    array_agg(d ORDER BY d.rank) FROM one,
        LATERAL dlints_decide(s, '{7,8}'::integer[], :xs, 2) AS d
    array_agg(d ORDER BY d.rank) FROM one,
        LATERAL dlints_decide(s, ARRAY['a', 'b'], :xs, (SELECT 2)) AS d
    (SELECT dlints_decide(m, uuids, fs, :k, NULL)) FROM one, list
    array_agg(d.probability ORDER BY d.item) FROM one, list,
        LATERAL dlints_decide(m, ids, fs, :k, :p, all_items => true) AS d
    dlints_progressive(s, :x, :r) OVER () FROM one
    dlints_progressive(t, :x, :r, :p, :at, :w) OVER () FROM one
    dlints_policy_value(:r, 0.5, :w) FROM item
    dlints_policy_value(:r, 0.5, 0.25, :w, :w) FROM item
    dlints_bounds(:w, 0, 9, highest => 1000) FROM one
    dlints_ndcg(id % 3, f[1] + :w, :k) FROM item
    dlints_encode(8, 'price', :r)
    dlints_encode(8, 'brand', :word)
    dlints_new(3, policy => :word, exploration => :w)
    dlints_set(s, policy => :word, ridge => :w) FROM one
    dlints_at(t, :at) FROM one
    :w * s FROM one
    count(*) FROM dlints_factors('SELECT member, item, 1 FROM click', :k) AS f (i integer, x real[])
    $$) AS call;

-- Result of a call.  A BLAS may round differently depending on the alignment of an array.
CREATE FUNCTION given(call text, who sender) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n record;
	place text;
	types text[] := '{}';
	arguments text[] := '{}';
	result text;
BEGIN
	FOR n IN
		SELECT kind, kind IN ('x', 'xs', 'p', 'rs') AS is_array,
			CASE kind WHEN 'p' THEN who.profile WHEN 'k' THEN who.k WHEN 'at' THEN who.at
				WHEN 'word' THEN who.word WHEN 'r' THEN who.number WHEN 'w' THEN who.number
				ELSE who.features END AS form,
			CASE who.numbers WHEN 'whole' THEN whole ELSE fractions END AS value
		FROM number WHERE call ~ format(':%s\M', kind)
	LOOP
		IF who.bound THEN
			types := types || n.form;
			arguments := arguments || quote_literal(CASE
				WHEN NOT n.is_array THEN n.value
				WHEN who.name = 'node-postgres' -- this form quotes all elements
				THEN '{' || regexp_replace(n.value, '[-.0-9]+', '"\&"', 'g') || '}'
				ELSE '{' || n.value || '}' END);
			place := '$' || cardinality(types);
		ELSE
			place := format(n.form, CASE WHEN n.form LIKE 'ARRAY%'
				THEN translate(n.value, '{}', '[]') ELSE n.value END, n.kind);
		END IF;
		call := regexp_replace(call, format(':%s\M', n.kind), place, 'g');
	END LOOP;
	DEALLOCATE ALL;
	EXECUTE format('PREPARE sent %s AS SELECT %s',
		'(' || nullif(array_to_string(types, ', '), '') || ')', call);
	EXECUTE 'EXECUTE sent ' || coalesce('(' || nullif(array_to_string(arguments, ', '), '') || ')', '')
	INTO result;
	RETURN 'gives ' || coalesce(regexp_replace(result, '(\.\d{12})\d+', '\1', 'g'), 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;
CREATE TEMP TABLE answer AS
SELECT s.name, s.bound, s.numbers, call, given(call, s) AS given FROM sender AS s, call;

-- Calls that do not resolve: if a function accepts any type, PostgreSQL cannot determine the type of a parameter.
CREATE TEMP TABLE unresolved AS
SELECT name, numbers, call, '42P18: could not determine data type of parameter $1' AS given
FROM sender JOIN call ON call = 'dlints_encode(8, ''price'', :r)' AND number = 'unknown'
	OR call = 'dlints_encode(8, ''brand'', :word)' AND word = 'unknown'
WHERE bound
UNION ALL -- weights are float8[], the type of draws
SELECT type, 'fractions', 'dlints_dot(:x, :p) FROM one',
  format('42883: function dlints_dot(%s, %1$s) does not exist', type)
FROM pgvector;

SELECT plan((SELECT count(*)::integer FROM sender) + 2 + 41);
SELECT is(string_agg(format('%s: %s', a.call, left(a.given, 300)), E'\n')
          FILTER (WHERE a.given IS DISTINCT FROM coalesce(u.given, w.given) OR w.given !~ '^gives'), NULL,
          format('%s, %s numbers, sends %s calls', a.name, a.numbers, count(*)))
FROM answer AS a JOIN answer AS w USING (numbers, call)
LEFT JOIN unresolved AS u ON (u.name, u.numbers, u.call) = (a.name, a.numbers, a.call)
WHERE w.name = 'cast' GROUP BY a.name, a.numbers ORDER BY a.name, a.numbers;
SELECT cmp_ok(count(*), '>=', 100::bigint, 'the test has at least a hundred calls') FROM answer
WHERE name <> 'cast';
SELECT cmp_ok(100.0 * count(*) FILTER (WHERE given ~ '^gives') / count(*), '>=', 97::numeric,
              'at least 97 % of the calls resolve') FROM answer WHERE name <> 'cast';

-- ---------- columns are not converted ----------

-- No plan converts the column of features, whatever the type of the profile.  A cast to dlints_vector is no conversion.
SELECT unalike(plan_of(format('SELECT %s FROM one, item', replace(call, ':p', profile)), 'VERBOSE, COSTS off'),
               '%f)::double%', format('%s, :p = %s', call, profile))
FROM lines($$
    dlints_update(m, f, 1, :p)
    dlints_update_batch(m, ARRAY[f], ARRAY[1], :p)
    dlints_accepts(m, f, 1, :p)
    dlints_predict(m, f, :p)
    dlints_stddev(m, f, :p)
    dlints_project(m, f, :p)
    dlints_recommend(m, id, f, 2, :p)
    dlints_evidence(m, f, 1, :p)
    dlints_progressive(m, f, 1, :p) OVER ()
    dlints_dot(:p, f)
    $$) AS call,
	unnest('{float8_x,numeric_x,"ARRAY[0.5, 1, 2]","''{1,2,3}''::float8[]"}'::text[]) AS profile;
SELECT ok(bool_and(pg_column_size(f::dlints_vector) = pg_column_size(f)
                   AND f::dlints_vector::text = f::float8[]::text), 'real[] is a dlints_vector as it is')
FROM item;

SELECT * FROM finish();
ROLLBACK;
