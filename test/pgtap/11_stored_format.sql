-- Values stored in format version 1 read back, mean what they meant, and are
-- stored and sent as the same bytes.  They were made outside of the extension, by
-- fixtures/format_1.py; once the version is released, they are not to be made anew.
\ir include/helpers.sql
SET LOCAL client_min_messages = warning;
\set content `cat test/pgtap/fixtures/format_1.json`

-- The bytes of a value in a table: a type of the same shape shows and takes them.
CREATE TYPE stored;
CREATE FUNCTION stored_in(cstring) RETURNS stored LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION stored_out(stored) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE stored (INPUT = stored_in, OUTPUT = stored_out, ALIGNMENT = double, STORAGE = external);
CREATE CAST (stored AS dlints) WITHOUT FUNCTION;
CREATE CAST (dlints AS stored) WITHOUT FUNCTION;

-- what a model learns from observations as the fixtures tell them
CREATE FUNCTION learned(m dlints, o jsonb) RETURNS dlints LANGUAGE sql AS
$$
SELECT dlints_update_batch(m, matrix(o -> 'features'), numbers(o -> 'rewards'),
    coalesce(matrix(nullif(o -> 'profiles', 'null')), '{}'), times, numbers(o -> 'weights'))
FROM (SELECT array_agg(timestamptz '2000-01-01 00:00+00' + t::bigint * interval '1 microsecond'
                    ORDER BY i)
      FROM jsonb_array_elements(o -> 'times') WITH ORDINALITY AS a (t, i)) AS v (times)
$$;

CREATE TEMP TABLE fixture AS
SELECT i AS no, v ->> 'name' AS name, v ->> 'text' AS text, decode(v ->> 'sent', 'hex') AS sent,
    '\x' || (v ->> 'stored') AS stored, (v ->> 'text')::dlints AS model,
    nullif(v -> 'features', 'null') AS features, nullif(v -> 'known', 'null') AS known,
    numbers(v -> 'x') AS x, coalesce(numbers(nullif(v -> 'u', 'null')), '{}') AS u,
    (v -> 'draw_seed')::bigint AS seed, v AS said
FROM jsonb_array_elements((:'content')::jsonb -> 'values') WITH ORDINALITY AS e (v, i);

-- a table as an older version left it
CREATE TEMP TABLE heap (no integer, state stored);
-- stored on a machine like this one, which is in the version number: 01 00 or 00 01
SELECT model::stored::text LIKE '\\x0100%' AS little_endian FROM fixture LIMIT 1
\gset
\if :little_endian
INSERT INTO heap SELECT no, stored::stored FROM fixture;
\else
INSERT INTO heap SELECT no, model::stored FROM fixture;
\endif

SELECT plan(137);
-- models with and without profiles and priors, that have learned nothing, of each
-- policy and kind, too long for a row
SELECT results_eq($$
    SELECT count(*), max(cardinality(u)) > 0, count(known) > 0, count(features) < count(*),
        count(DISTINCT policy), count(DISTINCT coalesce(interactions, 'none')),
        max(length(sent)) > 2048
    FROM fixture, dlints_info(model)$$,
    'VALUES (37::bigint, true, true, true, 3::bigint, 2::bigint, true)',
    'there is something of each');
SELECT set_eq('SELECT memories, memory FROM fixture, dlints_info(model) WHERE updates > 0',
    'VALUES (1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)', 'each of several memories in use');
SELECT is(array_agg(DISTINCT pg_column_size(state)), ARRAY[192],
    'a model that has learned nothing is a header in its row')
FROM heap JOIN fixture USING (no) WHERE features IS NULL AND known IS NULL;

SELECT is(string_agg(what, ', ') FILTER (WHERE have IS DISTINCT FROM want), NULL,
    format('%s: bytes', name))
FROM fixture JOIN heap USING (no), LATERAL (VALUES
    ('the text form is stable', model::text, text),
    ('and the jsonb form', model::jsonb::text, text::jsonb::text),
    ('text reads to the bytes sent of old', dlints_send(model)::text, sent::text),
    ('the bytes sent of old to the same bytes', dlints_send(receive(sent))::text, sent::text),
    ('a table of old to the text', state::dlints::text, text),
    ('and to the bytes sent', dlints_send(state::dlints)::text, sent::text),
    ('text reads to the stored bytes', model::stored::text, state::text)) AS v (what, have, want)
GROUP BY no, name ORDER BY no;

-- what it says, and what another model has learned from the same
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
SELECT cmp_ok(evidence_difference(learned, model), '<=', 1e-12::float8,
    format('%s: learned again', name))
FROM again ORDER BY no;
SELECT ok((i.memory, i.newest, i.updates) IS NOT DISTINCT FROM (o.memory, o.newest, o.updates)
    AND i.lambda = o.lambda AND abs(i.sigma / o.sigma - 1) < 1e-9
    AND difference(dlints_mean(learned), dlints_mean(model)) < 1e-9
    AND (learned::jsonb ->> 'reference_reward') = (model::jsonb ->> 'reference_reward'),
    format('%s: memory %s, sigma and ridge found again', name, i.memory))
FROM again, dlints_info(learned) AS i, dlints_info(model) AS o ORDER BY no;

SELECT * FROM finish();
ROLLBACK;
