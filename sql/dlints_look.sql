-- Looking into a model, with posteriors that are exact in binary.
\pset format unaligned
CREATE TABLE known AS SELECT dlints_update(dlints_new(2, NULL, 1, 1), ARRAY[[1, 0], [1, 0], [1, 0]]::real[], ARRAY[1, 2, 1]::float8[]) AS m;
-- Z = diag(4, 1), b = (4, 0)
SELECT dlints_mean(m), dlints_weights(m), dlints_covariance(m) FROM known;
SELECT dlints_predict(m, ARRAY[2, 5]::real[]), dlints_predict(m, ARRAY[2, 5]::float8[]), dlints_stddev(m, ARRAY[2, 0]::real[]), dlints_stddev(m, ARRAY[0, 3]::float8[]) FROM known;
SELECT c.* FROM known, dlints_coefficients(m) AS c;
SELECT dlints_coefficients(m) FROM known;
SELECT dlints_project(m, ARRAY[2, 5]::real[]), dlints_project(m, ARRAY[2, 5]::float8[]) FROM known;
\x
SELECT i.* FROM dlints_update(dlints_new(2, NULL, 1), ARRAY[[1, 0], [1, 0]]::real[], ARRAY[1, 2]::float8[]) AS m, dlints_info(m) AS i;
SELECT * FROM dlints_info(dlints_new(50, 16, seed => 12));
\x
SELECT m::jsonb -> 'b' AS b, m::jsonb ->> 'updates' AS updates FROM known;

-- fading: x = 2 then 1, discount 1/4, ridge 2: Z = 4/4 + 1 + 2, Z~ = 4/16 + 1 + 2, b = 2/4 * 2 + 1 * 3
SELECT round(mean[1]::numeric, 12) AS mean, round(covariance[1][1]::numeric, 12) AS covariance, 3.25 / 16 AS expected
FROM (SELECT dlints_mean(m), dlints_covariance(m) FROM dlints_update(dlints_new(1, NULL, 0.25, 2), ARRAY[[2], [1]]::real[], ARRAY[2, 3]::float8[]) AS m) AS s (mean, covariance);

-- shapes
SELECT cardinality(dlints_project(m, x)) AS z, cardinality(dlints_mean(m)) AS mean, cardinality(dlints_weights(m)) AS weights, array_dims(dlints_covariance(m)) AS covariance,
       cardinality(dlints_draw(m)) AS draw, cardinality(dlints_draw_weights(m)) AS draw_weights, (SELECT count(*) FROM dlints_coefficients(m)) AS coefficients
FROM dlints_new(12, 5) AS m, LATERAL (SELECT array_fill(1::real, ARRAY[12])) AS v (x);

-- looking is strict
SELECT dlints_mean(NULL) IS NULL AND dlints_weights(NULL) IS NULL AND dlints_covariance(NULL) IS NULL AND dlints_predict(NULL, ARRAY[1]::real[]) IS NULL
   AND dlints_predict(m, NULL::real[]) IS NULL AND dlints_stddev(m, NULL::float8[]) IS NULL AND dlints_project(m, NULL::real[]) IS NULL
   AND dlints_dot(NULL, ARRAY[1]::real[]) IS NULL AND dlints_dot(ARRAY[1]::float8[], NULL::real[]) IS NULL AND NULL::dlints::jsonb IS NULL AS strict FROM known;
SELECT count(*) FROM dlints_coefficients(NULL);
SELECT * FROM dlints_info(NULL);

-- one call site, another model in each row
SELECT i, dlints_predict(dlints_update(dlints_new(1, NULL, 1, 3), ARRAY[1]::real[], 4 * i), ARRAY[1]::real[]) FROM generate_series(1, 4) AS i;
CREATE TABLE wide AS SELECT i, dlints_update(dlints_new(40, NULL, 1, 3), array_fill(0::real, ARRAY[39]) || 1::real, 4 * i) AS m FROM generate_series(1, 4) AS i;
SELECT i, dlints_predict(m, array_fill(1::real, ARRAY[40])) FROM wide ORDER BY i % 2, i;
SELECT a.i, b.i, dlints_predict(a.m, array_fill(1::real, ARRAY[40])) - dlints_predict(b.m, array_fill(1::real, ARRAY[40])) AS difference FROM wide AS a, wide AS b WHERE a.i < b.i ORDER BY 1, 2;

DROP TABLE known, wide;
