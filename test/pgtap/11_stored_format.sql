-- Values stored in format version 1 read back, mean what they meant, and are
-- stored and sent as the same bytes.  Once the version is released, its fixture
-- is never to be made anew; before that, fixtures/make.py does it.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\set content `cat test/pgtap/fixtures/format_1.json`

-- The bytes of a value in a table: a type of the same shape shows and takes them.
CREATE TYPE stored;
CREATE FUNCTION stored_in(cstring) RETURNS stored LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION stored_out(stored) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE stored (INPUT = stored_in, OUTPUT = stored_out, ALIGNMENT = double, STORAGE = external);
CREATE CAST (stored AS dlints) WITHOUT FUNCTION;
CREATE CAST (dlints AS stored) WITHOUT FUNCTION;

CREATE TEMP TABLE fixture AS
SELECT i::integer AS no, v ->> 'name' AS name, v ->> 'text' AS text, decode(v ->> 'hex', 'hex') AS bytes, '\x' || (v ->> 'stored') AS stored,
       numbers(v -> 'context') AS context, numbers(v -> 'mean') AS mean, numbers(v -> 'weights') AS weights,
       (v -> 'predict')::float8 AS predict, (v -> 'stddev')::float8 AS stddev, (v -> 'draw_seed')::bigint AS draw_seed,
       numbers(v -> 'draw') AS draw, (v ->> 'text')::dlints AS model
FROM jsonb_array_elements((:'content')::jsonb -> 'values') WITH ORDINALITY AS e (v, i);

-- stored on a machine like this one, which is in the version number: 01 00 or 00 01
SELECT model::stored::text LIKE '\\x0100%' AS little_endian FROM fixture LIMIT 1
\gset

SELECT plan(3 + (10 + CASE WHEN :'little_endian' THEN 4 ELSE 0 END) * 6);
SELECT is(count(*)::integer, 6, 'the fixture is complete') FROM fixture;
SELECT ok(bool_or(octet_length(stored) / 2 > 2048), 'some value is stored out of line') FROM fixture;
SELECT is(count(DISTINCT (dlints_info(model)).policy), 3::bigint, 'each policy is there') FROM fixture;
SELECT is(model::text, text, format('%s: the text form is stable', name)) FROM fixture ORDER BY no;
SELECT is(model::jsonb, text::jsonb, format('%s: so is the jsonb form', name)) FROM fixture ORDER BY no;
SELECT is(dlints_send(model), bytes, format('%s: text reads to the bytes of old', name)) FROM fixture ORDER BY no;
SELECT is(dlints_send(receive(bytes)), bytes, format('%s: bytes read to the bytes of old', name)) FROM fixture ORDER BY no;
SELECT is(receive(bytes)::text, text, format('%s: bytes read to the text of old', name)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(dlints_mean(model), mean), '<=', 1e-12::float8, format('%s: mean', name)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(dlints_weights(model), weights), '<=', 1e-12::float8, format('%s: weights', name)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(ARRAY[dlints_predict(model, context)], ARRAY[predict]), '<=', 1e-12::float8, format('%s: predict', name)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(ARRAY[dlints_stddev(model, context)], ARRAY[stddev]), '<=', 1e-12::float8, format('%s: stddev', name)) FROM fixture ORDER BY no;
SELECT cmp_ok(difference(dlints_draw(model, draw_seed), draw), '<=', 1e-12::float8, format('%s: a seeded draw', name)) FROM fixture ORDER BY no;

\if :little_endian
-- a table as an older version left it, read by this one
CREATE TEMP TABLE heap (no integer, state stored);
INSERT INTO heap SELECT no, stored::stored FROM fixture;
SELECT is(state::dlints, model, format('%s: a table of old holds the same model', name)) FROM heap JOIN fixture USING (no) ORDER BY no;
SELECT is(dlints_send(state::dlints), bytes, format('%s: and sends the bytes of old', name)) FROM heap JOIN fixture USING (no) ORDER BY no;
SELECT is(state::dlints::text, text, format('%s: and prints the text of old', name)) FROM heap JOIN fixture USING (no) ORDER BY no;
SELECT is(model::stored::text, stored, format('%s: text reads to the stored bytes of old', name)) FROM fixture ORDER BY no;
\endif

SELECT * FROM finish();
ROLLBACK;
