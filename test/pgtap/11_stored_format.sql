-- Values stored in format version 1 read back, mean what they meant and send
-- the same bytes.  The fixtures are not to be regenerated once a version that
-- writes the format has been released.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\set plain `cat test/pgtap/fixtures/format_1.json`
\set shared `cat test/pgtap/fixtures/format_1_shared.json`

CREATE TEMP TABLE fixture AS
SELECT f.name || ' ' || i AS name, v ->> 'text' AS text, decode(v ->> 'hex', 'hex') AS bytes, numbers(v -> 'context') AS x, numbers(nullif(v -> 'shared', 'null')) AS u,
       numbers(v -> 'mean') AS mean, numbers(v -> 'weights') AS weights, (v -> 'predict')::float8 AS predict,
       (v -> 'stddev')::float8 AS stddev, (v -> 'draw_seed')::bigint AS draw_seed, numbers(v -> 'draw') AS draw,
       numbers(v -> 'project') AS project, numbers(v -> 'draw_weights') AS draw_weights,
       matrix(v -> 'contexts') AS contexts, matrix(nullif(v -> 'shareds', 'null')) AS shareds, numbers(v -> 'rewards') AS rewards,
       (v ->> 'text')::dlints AS model
FROM (VALUES ('plain', (:'plain')::jsonb), ('shared', (:'shared')::jsonb)) AS f (name, content), jsonb_array_elements(content -> 'values') WITH ORDINALITY AS e (v, i);

SELECT plan(1 + 5 * 10 + 3 * 3);
SELECT results_eq('SELECT name, u IS NOT NULL, (dlints_info(model)).intercept FROM fixture ORDER BY name',
  $$VALUES ('plain 1', false, false), ('plain 2', false, false), ('shared 1', true, true), ('shared 2', true, false), ('shared 3', false, true)$$, 'the fixtures are complete');
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

-- a model that learns what those of the second file have learned, and what it reduces and lifts
SELECT cmp_ok(evidence_difference(CASE WHEN u IS NULL THEN dlints_update(empty, contexts, rewards) ELSE dlints_update(empty, contexts, shareds, rewards) END, model), '<=', 1e-12::float8,
              format('%s: learned again', name))
FROM fixture, LATERAL (SELECT i.*, dlints_new(context_dim, reduced_dim, discount, ridge, exploration, seed, projection_scale, policy, shared_dim, intercept) AS empty FROM dlints_info(model) AS i) AS i
WHERE rewards IS NOT NULL ORDER BY name;
SELECT cmp_ok(difference(CASE WHEN u IS NULL THEN dlints_project(model, x) ELSE dlints_project(model, x, u) END, project), '<=', 1e-12::float8, format('%s: reduced context', name))
FROM fixture WHERE rewards IS NOT NULL ORDER BY name;
SELECT cmp_ok(difference(CASE WHEN u IS NULL THEN dlints_draw_weights(model, draw_seed) ELSE dlints_draw_weights(model, u, draw_seed) END, draw_weights), '<=', 1e-12::float8, format('%s: weights of a seeded draw', name))
FROM fixture WHERE rewards IS NOT NULL ORDER BY name;
SELECT * FROM finish();
ROLLBACK;
