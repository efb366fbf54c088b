-- Values stored in format version 1 read back, mean what they meant and send
-- the same bytes.  The fixture is never to be regenerated.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\set content `cat test/pgtap/fixtures/format_1.json`

CREATE TEMP TABLE fixture AS
SELECT i::integer AS no, v ->> 'text' AS text, decode(v ->> 'hex', 'hex') AS bytes, numbers(v -> 'context') AS context,
       numbers(v -> 'mean') AS mean, numbers(v -> 'weights') AS weights, (v -> 'predict')::float8 AS predict,
       (v -> 'stddev')::float8 AS stddev, (v -> 'draw_seed')::bigint AS draw_seed, numbers(v -> 'draw') AS draw,
       (v ->> 'text')::dlints AS model
FROM jsonb_array_elements((:'content')::jsonb -> 'values') WITH ORDINALITY AS e (v, i);

SELECT plan(1 + 2 * 10);
SELECT is(count(*)::integer, 2, 'the fixture is complete') FROM fixture;
SELECT is(model::text, text, format('value %s: the text form is stable', no)) FROM fixture ORDER BY no;
SELECT is(model::jsonb, text::jsonb, format('value %s: so is the jsonb form', no)) FROM fixture ORDER BY no;
SELECT is(dlints_send(model), bytes, format('value %s: text reads to the bytes of old', no)) FROM fixture ORDER BY no;
SELECT is(dlints_send(receive(bytes)), bytes, format('value %s: bytes read to the bytes of old', no)) FROM fixture ORDER BY no;
SELECT is(receive(bytes)::text, text, format('value %s: bytes read to the text of old', no)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(dlints_mean(model), mean), '<=', 1e-12::float8, format('value %s: mean', no)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(dlints_weights(model), weights), '<=', 1e-12::float8, format('value %s: weights', no)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(ARRAY[dlints_predict(model, context)], ARRAY[predict]), '<=', 1e-12::float8, format('value %s: predict', no)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(ARRAY[dlints_stddev(model, context)], ARRAY[stddev]), '<=', 1e-12::float8, format('value %s: stddev', no)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(dlints_draw(model, draw_seed), draw), '<=', 1e-12::float8, format('value %s: a seeded draw', no)) FROM fixture ORDER BY no;
SELECT * FROM finish();
ROLLBACK;
