-- Models with a shared context or an intercept, in format version 1: they read
-- back, mean what they meant and send the same bytes.  Unlike those of
-- 11_stored_format.sql these were computed outside of the extension.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\set shared `cat test/pgtap/fixtures/format_1_shared.json`

CREATE TEMP TABLE fixture AS
SELECT 'value ' || i AS name, v ->> 'text' AS text, decode(v ->> 'hex', 'hex') AS bytes, numbers(v -> 'context') AS x, numbers(nullif(v -> 'shared', 'null')) AS u,
       numbers(v -> 'mean') AS mean, numbers(v -> 'weights') AS weights, (v -> 'predict')::float8 AS predict,
       (v -> 'stddev')::float8 AS stddev, (v -> 'draw_seed')::bigint AS draw_seed, numbers(v -> 'draw') AS draw,
       numbers(v -> 'project') AS project, numbers(v -> 'draw_weights') AS draw_weights,
       matrix(v -> 'contexts') AS contexts, matrix(nullif(v -> 'shareds', 'null')) AS shareds, numbers(v -> 'rewards') AS rewards,
       (v ->> 'text')::dlints AS model
FROM jsonb_array_elements((:'shared')::jsonb -> 'values') WITH ORDINALITY AS e (v, i);

SELECT plan(1 + 3 * 13);
SELECT results_eq('SELECT name, u IS NOT NULL, (dlints_info(model)).intercept FROM fixture ORDER BY name',
  $$VALUES ('value 1', true, true), ('value 2', true, false), ('value 3', false, true)$$, 'the fixtures are complete');
SELECT is(model::text, text, format('%s: the text form is stable', name)) FROM fixture ORDER BY name;
SELECT is(model::jsonb, text::jsonb, format('%s: so is the jsonb form', name)) FROM fixture ORDER BY name;
SELECT is(dlints_send(model), bytes, format('%s: text reads to the bytes of old', name)) FROM fixture ORDER BY name;
SELECT is(dlints_send(receive(bytes)), bytes, format('%s: bytes read to the bytes of old', name)) FROM fixture ORDER BY name;
SELECT is(receive(bytes)::text, text, format('%s: bytes read to the text of old', name)) FROM fixture ORDER BY name;
SELECT cmp_ok(difference(dlints_mean(model), mean), '<=', 1e-12::float8, format('%s: mean', name)) FROM fixture ORDER BY name;
SELECT cmp_ok(difference(CASE WHEN u IS NULL THEN dlints_weights(model) ELSE dlints_weights(model, u) END, weights), '<=', 1e-12::float8, format('%s: weights', name)) FROM fixture ORDER BY name;
SELECT cmp_ok(difference(ARRAY[CASE WHEN u IS NULL THEN dlints_predict(model, x) ELSE dlints_predict(model, x, u) END], ARRAY[predict]), '<=', 1e-12::float8, format('%s: predict', name)) FROM fixture ORDER BY name;
SELECT cmp_ok(difference(ARRAY[CASE WHEN u IS NULL THEN dlints_stddev(model, x) ELSE dlints_stddev(model, x, u) END], ARRAY[stddev]), '<=', 1e-12::float8, format('%s: stddev', name)) FROM fixture ORDER BY name;
SELECT cmp_ok(difference(dlints_draw(model, draw_seed), draw), '<=', 1e-12::float8, format('%s: a seeded draw', name)) FROM fixture ORDER BY name;

-- a model that learns what these have learned, and what it reduces and lifts
SELECT cmp_ok(evidence_difference(CASE WHEN u IS NULL THEN dlints_update(empty, contexts, rewards) ELSE dlints_update(empty, contexts, shareds, rewards) END, model), '<=', 1e-12::float8,
              format('%s: learned again', name))
FROM fixture, LATERAL (SELECT i.*, dlints_new(context_dim, reduced_dim, discount, ridge, exploration, seed, projection_scale, policy, shared_dim, intercept) AS empty FROM dlints_info(model) AS i) AS i
ORDER BY name;
SELECT cmp_ok(difference(CASE WHEN u IS NULL THEN dlints_project(model, x) ELSE dlints_project(model, x, u) END, project), '<=', 1e-12::float8, format('%s: reduced context', name))
FROM fixture ORDER BY name;
SELECT cmp_ok(difference(CASE WHEN u IS NULL THEN dlints_draw_weights(model, draw_seed) ELSE dlints_draw_weights(model, u, draw_seed) END, draw_weights), '<=', 1e-12::float8, format('%s: weights of a seeded draw', name))
FROM fixture ORDER BY name;
SELECT * FROM finish();
ROLLBACK;
