-- Start of a test: its transaction, and functions that tests share.

\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = error;
-- The random numbers of a test are the same in each run: those of the extension, and of random() below.
SET LOCAL dlints.seed = 1;

-- Files that run in one database at the same time create objects with equal names, in different orders.  A lock
-- serializes them.  They cannot deadlock, since a waiting file has created nothing.
DO $$ BEGIN PERFORM pg_advisory_lock(hashtextextended('dlints pgtap', 0)), setseed(0.5); END $$;
-- Recommenders take the key of decision numbers and the seed of treatments from gen_random_uuid().
ALTER FUNCTION pg_catalog.gen_random_uuid() RENAME TO server_uuid;
CREATE FUNCTION pg_catalog.gen_random_uuid() RETURNS uuid LANGUAGE sql AS 'SELECT md5(random()::text)::uuid';

SET LOCAL check_function_bodies = off;

-- ---------- checks ----------

-- Lines of a text.  A line that is indented by more than four continues the previous one.
CREATE FUNCTION lines(text) RETURNS SETOF text IMMUTABLE LANGUAGE sql AS $$
SELECT btrim(line)
FROM regexp_split_to_table(regexp_replace($1, '\n     +', ' ', 'g'), '\n') AS line WHERE line ~ '\S'
$$;

\ir outcome.sql

-- Hint of a statement's error
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;

-- Each of these calls, one per line, has this outcome.
CREATE FUNCTION each_is(result text, calls text, source text DEFAULT '')
RETURNS SETOF text LANGUAGE sql AS $$
SELECT is(outcome(format('SELECT %s %s', call, source)), result, call) FROM lines(calls) AS call
$$;

-- Each of these conditions, one per line, is true for every row of a source that is not empty.
CREATE FUNCTION each_holds(conditions text, source text DEFAULT 'FROM (VALUES (1)) AS v')
RETURNS SETOF text LANGUAGE sql AS $$
SELECT is(outcome(format('SELECT bool_and(coalesce(%s, false)) %s', condition, source)),
    'gives true', condition)
FROM lines(conditions) AS condition
$$;

-- Plan of a statement, as text
CREATE FUNCTION plan_of(statement text, options text DEFAULT 'COSTS off') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, statement) LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
END
$$;

-- Number of rows that a statement reads from a schema's tables and indexes with matching names
CREATE FUNCTION rows_read(statement text, schema text, names text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	count CONSTANT text := format('SELECT sum(pg_stat_get_xact_tuples_returned(oid))::bigint
		FROM pg_class WHERE relnamespace = %L::regnamespace AND relname ~ %L', schema, names);
	before bigint;
	after bigint;
BEGIN
	EXECUTE count INTO before;
	EXECUTE statement;
	EXECUTE count INTO after;
	RETURN after - before;
END
$$;

-- ---------- numbers ----------

-- Reproducible number in [-1, 1) for row i, column j
CREATE FUNCTION number(i bigint, j bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT (hashint8extended(i, j) & 1048575) / 524288.0 - 1 $$;

CREATE FUNCTION unit_vector(i integer, n integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg((i = j)::integer::float8 ORDER BY j) FROM generate_series(1, n) AS j $$;

CREATE FUNCTION zeros(n integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_fill(0::float8, ARRAY[n]) $$;

CREATE FUNCTION dot(a float8[], b float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT sum(x * y) FROM unnest(a, b) AS u (x, y) $$;

-- a + f b
CREATE FUNCTION plus(a float8[], f float8, b float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(x + f * y ORDER BY i) FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i) $$;

-- Largest difference relative to the largest number, for arrays of any dimension
CREATE FUNCTION difference(a float8[], b float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
SELECT CASE WHEN array_dims(a) IS DISTINCT FROM array_dims(b) THEN 'infinity'
            ELSE coalesce(max(abs(x - y)) / nullif(max(greatest(abs(x), abs(y))), 0), 0) END
FROM unnest(a, b) AS u (x, y)
$$;

-- Largest difference of an element relative to itself
CREATE FUNCTION element_difference(a float8[], b float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
SELECT CASE WHEN array_dims(a) IS DISTINCT FROM array_dims(b) THEN 'infinity'
            ELSE max(CASE WHEN x = y THEN 0 ELSE abs(x - y) / greatest(abs(x), abs(y)) END) END
FROM unnest(a, b) AS u (x, y)
$$;

-- matrices
CREATE FUNCTION transposed(m float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg(v ORDER BY k)
FROM (SELECT k, array_agg(m[r][k] ORDER BY r) AS v
      FROM generate_subscripts(m, 1) AS r, generate_subscripts(m, 2) AS k GROUP BY k) AS c
$$;

CREATE FUNCTION times(m float8[], v float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg(s ORDER BY r)
FROM (SELECT r, sum(m[r][k] * v[k]) AS s
      FROM generate_subscripts(m, 1) AS r, generate_subscripts(m, 2) AS k GROUP BY r) AS t
$$;

CREATE FUNCTION product(a float8[], b float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT transposed(array_agg(times(a, c) ORDER BY k))
FROM (SELECT k, array_agg(b[r][k] ORDER BY r) AS c
      FROM generate_subscripts(b, 1) AS r, generate_subscripts(b, 2) AS k GROUP BY k) AS columns
$$;

CREATE FUNCTION added(a float8[], b float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg(plus(ra, 1, rb) ORDER BY r)
FROM generate_subscripts(a, 1) AS r,
    LATERAL (SELECT ARRAY(SELECT unnest(a[r:r])), ARRAY(SELECT unnest(b[r:r]))) AS l (ra, rb)
$$;

-- v' m v
CREATE FUNCTION quadratic(m float8[], v float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT dot(v, times(m, v)) $$;

-- ---------- models ----------

-- A model as in the paper, with one memory and a given noise
CREATE FUNCTION one_memory(
    dim integer, reduced_dim integer DEFAULT NULL, discount float8 DEFAULT 0.99,
    ridge float8 DEFAULT 1, exploration float8 DEFAULT 0.1, seed bigint DEFAULT 0,
    projection_scale float8 DEFAULT NULL, policy text DEFAULT 'thompson',
    interactions text DEFAULT NULL, intercept boolean DEFAULT false)
RETURNS dlints IMMUTABLE LANGUAGE sql AS $$
SELECT dlints_new(dim, reduced_dim, interactions, discount => discount, ridge => ridge,
    exploration => exploration, noise => 1, policy => policy, intercept => intercept,
    seed => seed, projection_scale => projection_scale)
$$;

-- Models of every shape: features of n numbers, profiles of s, and z numbers after reduction
CREATE TEMP VIEW shape (name, n, d, s, interactions, z, intercept, kappa) AS VALUES
    ('plain', 7, NULL::integer, 0, NULL, 7, false, NULL::float8),
    ('one dimension', 1, NULL, 0, NULL, 1, false, NULL),
    ('projected', 20, 6, 0, NULL, 6, false, NULL),
    ('intercept', 5, NULL, 0, NULL, 6, true, NULL),
    ('projected, intercept', 9, 4, 0, NULL, 5, true, 0.8),
    ('matched, one dimension', 1, NULL, 1, 'matched', 3, false, NULL),
    ('matched, projected to one', 6, 1, 6, 'matched', 2, false, NULL),
    ('matched', 4, NULL, 4, 'matched', 9, false, NULL),
    ('matched, intercept', 3, NULL, 3, 'matched', 8, true, NULL),
    ('matched, projected', 6, 4, 6, 'matched', 5, false, NULL),
    ('matched, projected, intercept', 6, 3, 6, 'matched', 5, true, 0.8);

-- with one memory
CREATE TEMP VIEW kind AS
SELECT format('%s, discount %s', name, discount) AS name, n, d, s, interactions, z, discount,
    one_memory(n, d, discount, 0.7, 0.3, -17, kappa, interactions => interactions, intercept => intercept) AS empty
FROM shape, (VALUES (1.0::float8), (0.9)) AS v (discount);

-- with one or several memories, and each way of forgetting
CREATE TEMP VIEW learner AS
SELECT format('%s, %s', name, forgets) AS name, shape.name AS shape, n, d, s, interactions, z,
    forgets, weighted,
    dlints_new(n, d, interactions, half_life, discount, memories, ridge => 0.7,
        exploration => 0.3, noise => 1, intercept => intercept,
        seed => -17, projection_scale => kappa) AS empty
FROM shape, (VALUES
    ('nothing', 1::float8, NULL::interval, 1, false),
    ('by count', 0.9, NULL, 1, false),
    ('by count, weighted', 0.97, NULL, 1, true),
    ('three memories', 0.6, NULL, 3, false),
    ('by time', NULL, '5 days', 1, true),
    ('three by time', NULL, '60 hours', 3, false),
    ('two by time, weighted', NULL, '1 day 1 hour', 2, true)) AS v (forgets, discount, half_life, memories, weighted);

-- Observation i: features, reward, profile, time and weight.  One profile in seven is empty; some times are equal.
CREATE FUNCTION features(i bigint, n integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(number(i, j) ORDER BY j) FROM generate_series(1, n) AS j $$;

CREATE FUNCTION profile(i bigint, s integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT CASE WHEN s = 0 THEN '{}'
            WHEN i % 7 = 0 THEN zeros(s)
            ELSE features(i % 7 + 7000, s) END
$$;

CREATE FUNCTION reward(i bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT number(i, 100000) + 0.5 $$;

CREATE FUNCTION seen_at(i bigint) RETURNS timestamptz IMMUTABLE LANGUAGE sql AS $$
SELECT timestamptz '2026-03-01 00:00+00'
    + (number(i - (i % 10 = 0)::integer, 700) + 1) * interval '10 days'
$$;

CREATE FUNCTION weight(i bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT (1 + i % 5)::float8 $$;

-- Arguments of a model for observation i, as SQL, optionally with a weight
CREATE FUNCTION arguments(m dlints, weighted boolean) RETURNS text[] LANGUAGE sql AS $$
SELECT (ARRAY[format('features(i, %s)', dim), 'reward(i)', format('profile(i, %s)', profile_dim),
        'seen_at(i)', 'weight(i)'])
    [1 : CASE WHEN weighted THEN 5 WHEN half_life IS NOT NULL THEN 4
              WHEN profile_dim > 0 THEN 3 ELSE 2 END]
FROM dlints_info(m)
$$;

-- Evidence of the observations from first to last, computed in each way
CREATE FUNCTION evidence(m dlints, first bigint, last bigint, weighted boolean DEFAULT false,
    ordered_by text DEFAULT 'i') RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	list text := array_to_string(arguments(m, weighted), ', ');
	e dlints;
BEGIN
	EXECUTE format('SELECT dlints_evidence($1, %s ORDER BY %s) FROM generate_series($2, $3) AS i',
		list, ordered_by) INTO e USING m, first, last;
	RETURN e;
END
$$;

CREATE FUNCTION singly(m dlints, first bigint, last bigint, weighted boolean DEFAULT false)
RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	list text := array_to_string(arguments(m, weighted), ', ');
BEGIN
	FOR i IN first..last LOOP
		EXECUTE format('SELECT dlints_update($1, %s) FROM (SELECT $2) AS o (i)', list)
		INTO m USING m, i;
	END LOOP;
	RETURN m;
END
$$;

-- (an array of empty profiles is an empty array)
CREATE FUNCTION batch(m dlints, first bigint, last bigint, weighted boolean DEFAULT false)
RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	list text := (SELECT string_agg(CASE WHEN a = 'profile(i, 0)' THEN '''{}'''
	                                     ELSE format('array_agg(%s ORDER BY i)', a) END,
	                                ', ' ORDER BY o)
	              FROM unnest(arguments(m, weighted)) WITH ORDINALITY AS u (a, o));
BEGIN
	EXECUTE format('SELECT dlints_update_batch($1, %s) FROM generate_series($2, $3) AS i', list)
	INTO m USING m, first, last;
	RETURN m;
END
$$;

-- ---------- numbers of a model ----------

-- JSON array of numbers, or of rows of numbers, as an array; and all numbers as one array
CREATE FUNCTION numbers(j jsonb) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg(v::float8 ORDER BY i)
FROM jsonb_path_query(j, 'strict $[*]') WITH ORDINALITY AS e (v, i)
$$;

CREATE FUNCTION matrix(j jsonb) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg(numbers(v) ORDER BY i)
FROM jsonb_path_query(j, 'strict $[*]') WITH ORDINALITY AS e (v, i)
$$;

CREATE FUNCTION cells(j jsonb) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT numbers(jsonb_path_query_array(j, 'lax $[*][*] ? (@ != null)')) $$;

-- Full matrix from the rows of its lower triangle, times a factor, plus ridge on the diagonal
CREATE FUNCTION symmetric_matrix(j jsonb, ridge float8, factor float8 DEFAULT 1)
RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
SELECT array_agg(row ORDER BY r)
FROM (SELECT r, array_agg(factor * (j -> (greatest(r, k) - 1) -> (least(r, k) - 1))::float8
                          + CASE WHEN r = k THEN ridge ELSE 0 END ORDER BY k) AS row
      FROM jsonb_array_length(j) AS d, generate_series(1, d) AS r, generate_series(1, d) AS k GROUP BY r) AS s
$$;

-- Numbers of the memory in use of a trained model
CREATE FUNCTION memory_in_use(m dlints) RETURNS jsonb IMMUTABLE LANGUAGE sql AS
$$ SELECT m::jsonb -> 'evidence' -> ((dlints_info(m)).memory - 1) $$;

-- Z and Z~ of Algorithm 1
CREATE FUNCTION z_matrix(m dlints) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT symmetric_matrix(memory_in_use(m) -> 'G', (dlints_info(m)).ridge) $$;

-- one of several memories that forgets has N2 / N times G in place of H
CREATE FUNCTION z_tilde_matrix(m dlints) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT symmetric_matrix(coalesce(nullif(e -> 'H', 'null'), e -> 'G'), (dlints_info(m)).ridge,
    coalesce((e ->> 'weight_square_sum')::float8 / (e ->> 'weight_sum')::float8, 1))
FROM memory_in_use(m) AS e
$$;

-- Mean reward of the memory in use, on which a model with an intercept is centered; else 0
CREATE FUNCTION level(m dlints) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN intercept THEN mean_reward ELSE 0 END FROM dlints_info(m) $$;

-- ---------- differences ----------

CREATE FUNCTION same_bytes(a dlints, b dlints) RETURNS boolean IMMUTABLE LANGUAGE sql AS
$$ SELECT dlints_send(a) = dlints_send(b) $$;

-- Difference of two memories, each part relative to its largest number, or to that of a third memory from which
-- both were derived
CREATE FUNCTION memory_difference(x jsonb, y jsonb, whole jsonb DEFAULT NULL)
RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
SELECT CASE WHEN jsonb_typeof(x -> 'H') IS DISTINCT FROM jsonb_typeof(y -> 'H') THEN 'infinity'
            ELSE max(CASE WHEN whole IS NULL THEN difference(a, b)
                          ELSE difference(a || w, b || w) END) END
FROM (VALUES ('{b}'::text[]), ('{G}'), ('{H}'), ('{weight_sum}'), ('{weight_square_sum}')) AS v (part),
    LATERAL (SELECT cells(x #> part), cells(y #> part), cells(whole #> part)) AS c (a, b, w)
$$;

-- Sums of rewards and squared rewards, relative to 0
CREATE FUNCTION reward_sums(c float8, e jsonb) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT ARRAY[r + n * c, s + 2 * c * r + n * c * c]
FROM jsonb_to_record(e) AS s (weight_sum float8, reward_sum float8, reward_square_sum float8),
    LATERAL (SELECT weight_sum, reward_sum, reward_square_sum) AS t (n, r, s)
$$;

-- Memories of a model, and its totals in the form of another memory
CREATE FUNCTION sums_of(j jsonb) RETURNS jsonb IMMUTABLE LANGUAGE sql AS $$
SELECT (j -> 'evidence') || jsonb_build_object('weight_sum', j -> 'weight_total',
    'reward_sum', j -> 'reward_total', 'reward_square_sum', j -> 'reward_square_total')
$$;

-- Difference of the evidence of two models
CREATE FUNCTION evidence_difference(a dlints, b dlints, whole dlints DEFAULT NULL)
RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
WITH memory AS MATERIALIZED (
    SELECT model, n, e, reward_sums((m::jsonb -> 'reference_reward')::float8, e) AS sums
    FROM (VALUES ('a', a), ('b', b), ('w', whole)) AS v (model, m),
        jsonb_array_elements(sums_of(m::jsonb)) WITH ORDINALITY AS j (e, n))
SELECT CASE WHEN (i.updates, i.memories, i.newest)
                 IS DISTINCT FROM (o.updates, o.memories, o.newest) THEN 'infinity'
            ELSE (SELECT max(greatest(memory_difference(x.e, y.e, w.e),
                                      difference(x.sums || w.sums, y.sums || w.sums)))
                  FROM (SELECT * FROM memory WHERE model = 'a') AS x
                      JOIN (SELECT * FROM memory WHERE model = 'b') AS y USING (n)
                      LEFT JOIN (SELECT * FROM memory WHERE model = 'w') AS w USING (n)) END
FROM dlints_info(a) AS i, dlints_info(b) AS o
$$;

-- Largest difference between two models' evidence, posterior means and covariances
CREATE FUNCTION model_difference(a dlints, b dlints) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
SELECT greatest(evidence_difference(a, b), difference(dlints_mean(a), dlints_mean(b)),
    difference(dlints_covariance(a), dlints_covariance(b)))
$$;

-- Value of a binary form, through binary COPY
CREATE FUNCTION receive(value bytea) RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	file bytea := '\x5047434f50590aff0d0a0000000000000000000001'::bytea
		|| decode(lpad(to_hex(length(value)), 8, '0'), 'hex') || value || '\xffff'::bytea;
	octal text := (
		SELECT string_agg('\' || (byte >> 6) || ((byte >> 3) & 7) || (byte & 7), '' ORDER BY i)
		FROM generate_series(0, length(file) - 1) AS i, get_byte(file, i) AS byte);
	m dlints;
BEGIN
	CREATE TEMP TABLE received (m dlints);
	EXECUTE format('COPY received FROM PROGRAM %L (FORMAT binary)', 'printf ''' || octal || '''');
	-- dlints_set returns a copy, which is valid after the table is dropped
	SELECT dlints_set(r.m) INTO m FROM received AS r;
	DROP TABLE received;
	RETURN m;
END
$$;

-- text, jsonb and binary forms of a value read back to the same bytes, and equal it
CREATE FUNCTION reads_back(m dlints) RETURNS boolean LANGUAGE sql AS $$
SELECT same_bytes(m::text::dlints, m) AND same_bytes(m::jsonb::dlints, m)
    AND same_bytes(receive(dlints_send(m)), m) AND m::text::jsonb = m::jsonb
    AND m::text::dlints = m AND dlints_hash(m::text::dlints) = dlints_hash(m)
$$;
