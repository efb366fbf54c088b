-- The largest sizes.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(12);

-- d = 1024: a model of 8 MB
CREATE TEMP TABLE wide AS
SELECT dlints_update_reduced(dlints_new(1024, NULL, 0.9), context(1, 1024), 1) AS m;
SELECT is((dlints_info(m)).bytes, 128::bigint + 8 * (1024 + 1024 * 1025), 'a model of 8 MB') FROM wide;
SELECT ok(same_bytes(m::text::dlints, m), 'its text reads back to the same value') FROM wide;
SELECT ok(abs(dlints_predict(m, context(1, 1024)) - s / (s + 1)) < 1e-10, 'it predicts: r s / (s + ridge) for the context of one observation, s its squared length')
FROM wide, (SELECT dot(context(1, 1024), context(1, 1024))) AS l (s);
SELECT is(cardinality(dlints_draw(m)), 1024, 'it draws') FROM wide;
SELECT is((dlints_info(m || m)).updates, 2::bigint, 'it concatenates') FROM wide;

-- n = 65536 with little memory for projections: the largest matrix has 512 MB
SET LOCAL dlints.projection_cache_size = '1MB';
SELECT is((dlints_info(dlints_new(65536, 1024))).context_dim, 65536, 'the largest contexts');
CREATE TEMP TABLE long AS
SELECT dlints_update(dlints_new(65536, 4, seed => 42, projection_scale => 1), array_agg((j >= 65535)::integer::real ORDER BY j), 1) AS m
FROM generate_series(1, 65536) AS j;
SELECT is(cardinality(dlints_weights(m)), 65536, 'weights for all coordinates') FROM long;
-- the last two entries of the first row, computed outside as in the test of the projection
SELECT ok(abs((m::jsonb -> 'b' ->> 0)::float8 - (1.4537159591155266 + 0.37836789082191735)) < 1e-13, 'a context far out is projected right') FROM long;

-- the last entry of the largest matrix there is
SELECT ok(abs(z[1024] - (-2.3707884523206215)) < 1e-14, 'the last entry of the largest projection')
FROM (SELECT dlints_project(dlints_new(65536, 1024, seed => 42, projection_scale => 1), array_agg((j = 65536)::integer::real ORDER BY j)) FROM generate_series(1, 65536) AS j) AS p (z);

SELECT throws_ok('SELECT dlints_new(65537, 10)', '54000', 'dlints cannot have more than 65536 context dimensions', 'and no larger contexts');
SELECT throws_ok('SELECT dlints_new(65536, 1025)', '54000', 'dlints cannot have more than 1024 dimensions', 'and no more dimensions');
SELECT throws_ok('SELECT dlints_new(1025)', '54000', 'dlints cannot have more than 1024 dimensions without projection', 'nor without projection');

SELECT * FROM finish();
ROLLBACK;
