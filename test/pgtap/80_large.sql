-- The largest sizes.
\ir include/helpers.sql

SELECT plan(7);

-- d = 1024: a model of 8 MB
CREATE TEMP TABLE wide AS
SELECT dlints_update(one_memory(1024, NULL, 0.9), features(1, 1024), 1) AS m;
SELECT is((dlints_info(m)).bytes, 192::bigint + 8 * (3 + 1024 + 1024 * 1025), 'a model of 1,024 features takes 8 MB')
FROM wide;
SELECT ok(same_bytes(m::text::dlints, m), 'the text of a model of 8 MB reads back to the same value') FROM wide;
-- r s / (s + ridge) for the features of one observation, s its squared length
SELECT ok(abs(dlints_predict(m, x) - s / (s + 1)) < 1e-10, 'a model of 8 MB predicts')
FROM wide, features(1, 1024) AS x, dot(x, x) AS s;
SELECT ok(cardinality(dlints_draw(m)) = 1024 AND (dlints_info(m || m)).updates = 2,
          'a model of 8 MB draws and concatenates') FROM wide;

-- n = 65536 with little memory for projections: the largest matrix has 512 MB.
-- Entries were computed outside, as in the test of the projection.
SET LOCAL dlints.projection_cache_size = '1MB';
CREATE TEMP TABLE long AS
SELECT dlints_update(one_memory(65536, 4, seed => 42, projection_scale => 1),
                     array_agg((j >= 65535)::integer::real ORDER BY j), 1) AS m
FROM generate_series(1, 65536) AS j;
SELECT is(cardinality(dlints_weights(m)), 65536, 'weights for all coordinates') FROM long;
SELECT ok(abs((memory_in_use(m) -> 'b' ->> 0)::float8
              - (1.4537159591155266 + 0.37836789082191735)) < 1e-13,
          'features far out are projected right') FROM long;
SELECT ok(abs(z[1024] - (-2.3707884523206215)) < 1e-14, 'the last entry of the largest projection')
FROM (SELECT dlints_project(one_memory(65536, 1024, seed => 42, projection_scale => 1),
                            array_agg((j = 65536)::integer::real ORDER BY j))
      FROM generate_series(1, 65536) AS j) AS p (z);

SELECT * FROM finish();
ROLLBACK;
