-- How statements share draws, groups and models.
\ir include/helpers.sql

SELECT plan(10);

CREATE TEMP TABLE item AS
SELECT i AS id, i % 2 AS category, features(i, 6)::real[] AS features
FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE visitor AS
SELECT i AS id, i % 2 AS category FROM generate_series(1, 300) AS i;
CREATE TEMP TABLE model AS
SELECT k AS name, one_memory(6, 4, exploration => 1, seed => k) AS state
FROM generate_series(1, 2) AS k;
ANALYZE item, visitor, model;

-- Untrained, a draw ranks 40 (or 20) candidates at random: that 300 draws agree on
-- one or two has a chance far below 1e-9.
SELECT cmp_ok(count(DISTINCT r), '>', 2::bigint, 'a draw for each user, by GROUP BY')
FROM (SELECT dlints_recommend(m.state, i.id, i.features) AS r
      FROM visitor AS u, model AS m, item AS i WHERE m.name = 1 GROUP BY u.id) AS s;
SELECT cmp_ok(count(DISTINCT r), '>', 2::bigint,
              'a draw for each user, by a lateral subquery that refers to the key')
FROM visitor AS u, LATERAL (
	SELECT dlints_recommend(m.state, i.id, i.features) AS r
	FROM model AS m, item AS i
	WHERE m.name = 1 AND i.category = u.category AND u.id IS NOT NULL) AS s;
SELECT cmp_ok(count(DISTINCT r), '>', 2::bigint,
              'a draw for each row, by a scalar subquery that refers to it')
FROM (SELECT (SELECT dlints_recommend(m.state, i.id, i.features)
              FROM model AS m, item AS i
              WHERE m.name = 1 AND i.category = u.category) AS r
      FROM visitor AS u) AS s;

-- equal models in several rows are one group
CREATE TEMP TABLE copied AS SELECT c, state FROM model, generate_series(1, 2) AS c WHERE name = 1;
SELECT is(count(*), 1::bigint, 'GROUP BY the model itself')
FROM (SELECT dlints_recommend(state, id, features, 3)
      FROM item, (SELECT (SELECT state FROM model WHERE name = 1) AS state
                  FROM generate_series(1, 2)) AS m
      GROUP BY state) AS s;
SELECT is(count(*), 1::bigint, 'copies of one model form one group')
FROM (SELECT dlints_recommend(state, id, features, 3) FROM copied, item GROUP BY state) AS s;
SELECT throws_ok('SELECT dlints_recommend(state, id, features) FROM model, item', '22023',
                 'dlints_recommend needs the same model for all rows of a group',
                 'a group of different models is rejected');

-- groups spilled to disk
SET LOCAL work_mem = '64kB';
SET LOCAL enable_sort = off;
CREATE TEMP TABLE trained AS
SELECT dlints_update(state, features(name, 6), 1) AS state FROM model WHERE name = 1;
SELECT is(count(*), 3000::bigint, 'evidence of 3,000 groups')
FROM (SELECT dlints_evidence((SELECT state FROM trained), features, 1) AS e
      FROM item, generate_series(1, 3000) AS g WHERE id <= 3 GROUP BY g) AS s
WHERE e = (SELECT dlints_evidence(state, features, 1) FROM trained, item WHERE id <= 3);
SELECT is(count(*), 3000::bigint, 'greedy choices of 3,000 groups')
FROM (SELECT dlints_recommend((SELECT dlints_set(state, policy => 'greedy') FROM trained),
                              id, features) AS r
      FROM item, generate_series(1, 3000) AS g GROUP BY g) AS s
WHERE r = (SELECT id FROM item, trained ORDER BY dlints_predict(state, features) DESC LIMIT 1);

-- a statement executed again sees the model as it is now
CREATE FUNCTION learn_and_look() RETURNS SETOF float8 LANGUAGE plpgsql AS
$$
DECLARE
	x float8[] := unit_vector(1, 6);
BEGIN
	FOR i IN 1..50 LOOP
		UPDATE trained SET state = dlints_update(state, features(i, 6), i);
		RETURN NEXT (SELECT dlints_predict(state, x) - dlints_dot(dlints_weights(state), x)
		             FROM trained);
	END LOOP;
END
$$;
SELECT is(count(*), 50::bigint, 'a prepared statement reads the current model at each execution')
FROM learn_and_look() AS d WHERE d = 0;
SELECT is((dlints_info(state)).updates, 51::bigint, 'the model is trained at each execution') FROM trained;

SELECT * FROM finish();
ROLLBACK;
