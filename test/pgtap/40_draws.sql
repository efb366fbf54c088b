-- Draws are normal with mean psi-hat and covariance (xi sigma)^2 Z^-1 Z~ Z^-1.
--
-- 8,000 draws with the seeds 1 to 8000, d = 6.  In each direction, among them all sums of
-- two coordinates, what a draw is off the mean, in units of its standard deviation, is then
-- standard normal: over N draws its mean is within 5.5 / sqrt(N) of 0, its mean square
-- within 5.5 sqrt(2 / N) of 1, and the share within 0.6744898 of the mean is within
-- 5.5 sqrt(1/4 / N) of 1/2.  A miss has a probability below 1e-7; the seeds make the
-- outcome always the same one.
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT name, batch(empty, 1, 80) AS model
FROM (VALUES ('discount 0.95', one_memory(9, 6, 0.95, 0.5, 0.3, 11)),
             ('discount 1', one_memory(9, 6, 1, 0.5, 0.3, 11)),
             ('noise estimated', dlints_new(9, 6, ridge => 0.5, exploration => 0.3, seed => 11))) AS v (name, empty);
CREATE TEMP TABLE sample AS
SELECT name, seed, dlints_draw(model, seed) AS draw FROM trained, generate_series(1, 8000) AS seed;

-- coordinates, and sums of two
CREATE TEMP TABLE direction AS
SELECT name, i, j, sqrt(c[i][i] + c[j][j] + 2 * c[i][j]) * 0.3 AS stddev, m[i] + m[j] AS mean
FROM trained, LATERAL (SELECT dlints_mean(model) AS m, dlints_covariance(model) AS c OFFSET 0) AS l,
    generate_series(1, 6) AS i, generate_series(1, i) AS j;
CREATE TEMP TABLE standardised AS
SELECT name, i, j, seed, (draw[i] + draw[j] - mean) / stddev AS z
FROM sample JOIN direction USING (name);
CREATE TEMP TABLE moment AS
SELECT name, i, j, count(*) AS n, avg(z) AS mean, avg(z * z) AS square,
    avg((abs(z) < 0.6744898)::integer)::float8 AS inner_half, avg(z * following) AS neighbours
FROM (SELECT *, lead(z) OVER (PARTITION BY name, i, j ORDER BY seed) AS following FROM standardised) AS s
GROUP BY name, i, j;

SELECT plan(25);

SELECT cmp_ok(max(off * sqrt(n)), '<', 5.5::float8, format('%s: %s', name, what))
FROM moment, LATERAL (VALUES ('mean', abs(mean)), ('covariance', abs(square - 1) / sqrt(2)),
                             ('a normal law', 2 * abs(inner_half - 0.5)),
                             ('neighbouring seeds', abs(neighbours))) AS v (what, off)
GROUP BY name, what ORDER BY name, what;
SELECT is(count(DISTINCT draw), 8000::bigint, format('%s: no two seeds give the same draw', name))
FROM sample GROUP BY name ORDER BY name;

-- seeds; and unseeded draws, of which two of 1000 are the same with a probability far below
-- 1e-6 (53 random bits in each number)
SELECT each_holds($$
    dlints_draw(model, -7) = dlints_draw(model, -7)
    dlints_draw(model::text::dlints, 3) = dlints_draw(model, 3)
    dlints_draw(model, 3) <> dlints_draw(dlints_update(model, features(1, 9), 1), 3)
    dlints_draw(model, NULL) <> dlints_draw(model, NULL)
    (SELECT count(DISTINCT d) = 1000
        FROM (SELECT dlints_draw(model) AS d FROM generate_series(1, 1000)) AS s)
    (SELECT count(DISTINCT d) = 1000
        FROM (SELECT dlints_draw_weights(model) AS d FROM generate_series(1, 1000)) AS s)
    dlints_draw(NULL) IS NULL AND dlints_draw(NULL, 1) IS NULL AND dlints_draw_weights(NULL) IS NULL
    $$, 'FROM trained');
-- unseeded draws have the same distribution: the means of 5,000 of them
SELECT cmp_ok(max(abs(off)), '<', 5.5::float8, 'mean of unseeded draws')
FROM (SELECT (avg(draw[i]) - mean / 2) / (stddev / 2) * sqrt(5000) AS off
      FROM (SELECT name, dlints_draw(model) AS draw FROM trained, generate_series(1, 5000)) AS d
          JOIN direction USING (name)
      WHERE i = j GROUP BY name, i, mean, stddev) AS s;

-- the perturbation is proportional to the exploration
SELECT each_holds($$
    difference(dlints_draw(dlints_set(model, exploration => 0), 5), dlints_mean(model)) < 1e-12
    difference(plus(dlints_draw(dlints_set(model, exploration => 3), 5), -1, dlints_mean(model)),
        plus(zeros(cardinality(dlints_mean(model))), 10,
            plus(dlints_draw(model, 5), -1, dlints_mean(model))))
        < 1e-12
    $$, 'FROM trained');

SELECT * FROM finish();
ROLLBACK;
