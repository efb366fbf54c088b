-- Values of format version 1 read back unchanged, have the same results, and are stored and sent as the same bytes.
-- A program computed them from the definitions, without the extension.  The file never changes.
\ir include/helpers.sql
\set content `cat test/pgtap/fixtures/format_1.json`

-- Bytes of a stored value, through a type with the same storage
CREATE TYPE stored;
CREATE FUNCTION stored_in(cstring) RETURNS stored LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION stored_out(stored) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE stored (INPUT = stored_in, OUTPUT = stored_out, ALIGNMENT = double, STORAGE = external);
CREATE CAST (stored AS dlints) WITHOUT FUNCTION;
CREATE CAST (dlints AS stored) WITHOUT FUNCTION;

-- models trained on the fixtures' observations
CREATE FUNCTION learned(m dlints, o jsonb) RETURNS dlints LANGUAGE sql AS $$
SELECT dlints_update_batch(m, matrix(o -> 'features'), numbers(o -> 'rewards'),
    coalesce(matrix(nullif(o -> 'profiles', 'null')), '{}'), times, numbers(o -> 'weights'))
FROM (SELECT array_agg(timestamptz '2000-01-01 00:00+00' + t::bigint * interval '1 microsecond' ORDER BY i)
      FROM jsonb_array_elements(o -> 'times') WITH ORDINALITY AS a (t, i)) AS v (times)
$$;

CREATE TEMP TABLE fixture AS
SELECT i AS no, v ->> 'name' AS name, v ->> 'text' AS text, decode(v ->> 'sent', 'hex') AS sent,
    '\x' || (v ->> 'stored') AS stored, (v ->> 'text')::dlints AS model,
    nullif(v -> 'features', 'null') AS features, nullif(v -> 'known', 'null') AS known,
    numbers(v -> 'x') AS x, coalesce(numbers(nullif(v -> 'u', 'null')), '{}') AS u,
    (v -> 'draw_seed')::bigint AS seed, v AS said
FROM jsonb_array_elements((:'content')::jsonb -> 'values') WITH ORDINALITY AS e (v, i);

-- table as written by an older version
CREATE TEMP TABLE heap (no integer, state stored);
-- only for machines of the same byte order, which the version number shows: 01 00 or 00 01
SELECT model::stored::text LIKE '\\x0100%' AS little_endian FROM fixture LIMIT 1
\gset
\if :little_endian
INSERT INTO heap SELECT no, stored::stored FROM fixture;
\else
INSERT INTO heap SELECT no, model::stored FROM fixture;
\endif

SELECT plan(282);
-- untrained models with and without profiles and priors, of each policy and kind, and too long for a row
SELECT results_eq($$
    SELECT count(*), max(cardinality(u)) > 0, count(known) > 0, count(features) < count(*),
        count(DISTINCT policy), count(DISTINCT coalesce(interactions, 'none')),
        max(length(sent)) > 2048
    FROM fixture, dlints_info(model)$$, 'VALUES (37::bigint, true, true, true, 3::bigint, 2::bigint, true)',
    'there is something of each');
SELECT set_eq('SELECT memories, memory FROM fixture, dlints_info(model) WHERE updates > 0',
    'VALUES (1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)', 'each of several memories in use');
SELECT is(array_agg(DISTINCT pg_column_size(state)), ARRAY[192],
    'a model that has learned nothing is a header in its row')
FROM heap JOIN fixture USING (no) WHERE features IS NULL AND known IS NULL;

SELECT is(string_agg(what, ', ') FILTER (WHERE have IS DISTINCT FROM want), NULL, format('%s: bytes', name))
FROM fixture JOIN heap USING (no), LATERAL (VALUES
    ('the text form is stable', model::text, text),
    ('and the jsonb form', model::jsonb::text, text::jsonb::text),
    ('text reads to the bytes sent of old', dlints_send(model)::text, sent::text),
    ('the bytes sent of old to the same bytes', dlints_send(receive(sent))::text, sent::text),
    ('a table of old to the text', state::dlints::text, text),
    ('and to the bytes sent', dlints_send(state::dlints)::text, sent::text),
    ('text reads to the stored bytes', model::stored::text, state::text)) AS v (what, have, want)
GROUP BY no, name ORDER BY no;

-- results of the stored model, and of a model trained on the same observations
SELECT is(string_agg(what, ', ')
    FILTER (WHERE (difference(have, numbers(said -> what)) <= 1e-12) IS NOT TRUE),
    NULL, format('%s: what it says', name))
FROM fixture, LATERAL (VALUES
    ('project', dlints_project(model, x, u)), ('mean', dlints_mean(model)),
    ('weights_lifted', dlints_weights(model, u)), ('predict', ARRAY[dlints_predict(model, x, u)]),
    ('stddev', ARRAY[dlints_stddev(model, x, u)]), ('draw', dlints_draw(model, seed)),
    ('draw_weights', dlints_draw_weights(model, u, seed))) AS v (what, have)
GROUP BY no, name ORDER BY no;
CREATE TEMP TABLE again AS
SELECT no, name, model,
    CASE WHEN known IS NULL THEN learned(empty, said)
         ELSE dlints_with_prior(learned(empty, said), learned(empty, known), prior_weight)
    END AS learned
FROM fixture,
    LATERAL (SELECT prior_weight, dlints_new(dim, reduced_dim, interactions, half_life,
                 discount, memories, ridge, exploration, noise, policy,
                 intercept, seed, projection_scale) AS empty
             FROM dlints_info(model)) AS i
WHERE features IS NOT NULL;
SELECT cmp_ok(evidence_difference(learned, model), '<=', 1e-12::float8, format('%s: learned again', name))
FROM again ORDER BY no;
SELECT ok((i.memory, i.newest, i.updates) IS NOT DISTINCT FROM (o.memory, o.newest, o.updates)
    AND i.lambda = o.lambda AND abs(i.sigma / o.sigma - 1) < 1e-9
    AND difference(dlints_mean(learned), dlints_mean(model)) < 1e-9
    AND (learned::jsonb ->> 'reference_reward') = (model::jsonb ->> 'reference_reward'),
    format('%s: memory %s, sigma and ridge found again', name, i.memory))
FROM again, dlints_info(learned) AS i, dlints_info(model) AS o ORDER BY no;

-- ---------- models that have learned nothing ----------

-- A model that has learned nothing is stored as its header alone, whatever its
-- sizes, and is a model like any other.
-- as an expression, and from a row
CREATE TEMP TABLE kept AS SELECT name, empty, features(1, n) AS x, profile(1, s) AS u FROM kind;
CREATE TEMP TABLE model AS
SELECT format('%s, stored', name) AS name, empty, x, u FROM kept
UNION ALL SELECT name, kind.empty, x, u FROM kept JOIN kind USING (name);

SELECT ok(reads_back(empty) AND same_bytes(dlints_set(empty), empty)
    AND empty <> dlints_set(empty, ridge => 0.8),
    format('%s: reads back from every form', name)) FROM model ORDER BY name;
-- its posterior is the prior: mean 0, variance 1 / ridge for each coordinate, and the
-- perturbation of a draw exploration / sqrt(ridge) times normal numbers
SELECT ok(dlints_mean(empty) = zeros(d) AND dlints_predict(empty, x, u) = 0
    AND dlints_weights(empty, u) = zeros(cardinality(x))
    AND difference(times(dlints_covariance(empty), z), plus(zeros(d), 1 / 0.7, z)) < 1e-14
    AND abs(dlints_stddev(empty, x, u) - sqrt(dot(z, z) / 0.7)) < 1e-14 * dlints_stddev(empty, x, u)
    AND difference(dlints_draw(empty, 3), plus(zeros(d), 2, dlints_draw(dlints_set(empty, ridge => 2.8), 3))) < 1e-14,
    format('%s: is the prior', name))
FROM model, LATERAL (SELECT dlints_project(empty, x, u) OFFSET 0) AS p (z), cardinality(z) AS d ORDER BY name;
-- it learns, and is no history on either side
SELECT ok(same_bytes(empty || one, one) AND same_bytes(one || empty, one)
    AND same_bytes(empty || empty, empty)
    AND (dlints_info(one)).updates = 1
    AND same_bytes(dlints_update_batch(empty, ARRAY[x], '{2}', ARRAY[u]), one)
    AND same_bytes(dlints_update_batch(empty, '{}', '{}'), empty)
    AND same_bytes((SELECT dlints_concat_agg(e ORDER BY i)
                    FROM (VALUES (1, empty), (2, NULL), (3, one), (4, empty)) AS v (i, e)), one),
    format('%s: learns', name))
FROM model, LATERAL (SELECT dlints_update(empty, x, 2, u) OFFSET 0) AS o (one) ORDER BY name;

-- the left side's parameters, evidence or not
SELECT each_holds($$
    same_bytes(dlints_set(one, ridge => 9) || empty, dlints_set(one, ridge => 9))
    same_bytes(dlints_set(empty, ridge => 9) || one, dlints_set(one, ridge => 9))
    $$, 'FROM kept, LATERAL (SELECT dlints_update(empty, x, 2, u) OFFSET 0) AS o (one)');
SELECT throws_ok(format('SELECT one_memory(7, discount => 0.9) || one_memory(7, %s)', other),
    '22023', NULL, format('|| rejects an empty model of other parameters: %s', other))
FROM unnest(ARRAY['discount => 0.8', '3, discount => 0.9', 'discount => 0.9, intercept => true']) AS other;

-- 192 bytes
SELECT is((dlints_info(empty)).bytes, 192::bigint, format('%s bytes of evidence to come', label))
FROM (VALUES ('few', one_memory(1)), ('many', one_memory(1024)),
             ('most', dlints_new(65536, 1023, interactions => 'matched', memories => 8))) AS v (label, empty);
SELECT is(max(pg_column_size(empty)), 192, 'an empty model takes 192 bytes in a row') FROM kept;
SELECT is(pg_column_size(empty), 192, 'an empty model takes 192 bytes as an expression')
FROM (SELECT dlints_set(one_memory(1024), ridge => 2) OFFSET 0) AS s (empty);

-- Rebuilding from a log: the sort carries the model with every row, 30 kB of it
-- if it has learned one, and writes no temporary file with one that has not.
CREATE TEMP TABLE log AS
SELECT i AS id, features(i % 10, 300)::real[] AS x, reward(i) AS r
FROM generate_series(1, 1000) AS i;
CREATE FUNCTION temporary_blocks(model text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE format('
		EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
		SELECT dlints_evidence(%s, x, r ORDER BY id) FROM log', model) INTO plan;
	RETURN plan -> 0 -> 'Plan' -> 'Temp Written Blocks';
END
$$;
SET LOCAL work_mem = '4MB';
-- (which since PostgreSQL 16 sorts before it computes arguments, if it may)
SELECT set_config(name, 'off', true) FROM pg_settings WHERE name = 'enable_presorted_aggregate';
\set trained 'dlints_update(one_memory(300, 60), array_fill(1::real, ARRAY[300]), 1)'
SELECT is(temporary_blocks('one_memory(300, 60)'), 0::bigint,
    'one_memory(300, 60) in an ordered aggregate needs no temporary file');
SELECT cmp_ok(temporary_blocks(:'trained'), '>', 0::bigint,
    'a trained model in an ordered aggregate needs a temporary file');
SELECT ok(same_bytes(dlints_evidence(one_memory(300, 60), x, r ORDER BY id),
                     dlints_evidence(:trained, x, r ORDER BY id)),
    'evidence does not depend on the model that the aggregate is given') FROM log;
RESET work_mem;
SELECT * FROM finish();
ROLLBACK;
