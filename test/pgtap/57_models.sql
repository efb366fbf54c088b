-- Many models at one call site, their rows interleaved: each answers as it does
-- alone, wherever it comes from and whatever the backend keeps of it.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- Out of line in a table, and again with each model in two rows; in line in its
-- row; a header alone; the value
-- of an expression; and, with headers that are the same, one number of the evidence apart.
CREATE TEMP TABLE source AS
SELECT kind, id, n, s, state FROM generate_series(1, 50) AS id, LATERAL (VALUES
  ('stored', 40, 0, dlints_update(one_memory(40, seed => id % 2), context(id, 40), id)),
      ('stored twice', 40, 0, dlints_update(one_memory(40), context(id / 2, 40), id / 2 + 1)),
  ('in line', 2, 0, dlints_update(dlints_update(one_memory(2, intercept => id % 2 = 0),
      context(id, 2), id), context(-id, 2), 0)),
          ('nothing learned', 4, 0, one_memory(4, 2, ridge => id)),
  ('matched', 6, 6, dlints_update(one_memory(6, interactions => 'matched', ridge => id % 3 + 1),
      context(id, 6), shared(id, 6), id)),
  ('shared', 6, 3, dlints_update(one_memory(6, 4, shared_dim => 3, seed => id % 3), context(id, 6),
      shared(id, 3), id)),
  ('computed', 40, 0, dlints_update(one_memory(40, seed => id % 2), context(id, 40), id)))
      AS v (kind, n, s, state);
INSERT INTO source
SELECT 'one number apart', 2 * dense_rank() OVER (ORDER BY path) - other, 4, 0,
    jsonb_set(m::jsonb, path::text[],
        to_jsonb((m::jsonb #>> path::text[])::float8 + 0.001 * other))::dlints
FROM generate_series(0, 1) AS other,
    dlints_update_batch(one_memory(4), ARRAY[[1, 2, 3, 4], [4, 3, 2, 1]], ARRAY[1, 2]) AS m,
     (SELECT format('{evidence,0,b,%s}', i) FROM generate_series(0, 3) AS i
      UNION ALL SELECT format('{evidence,0,%s,%s,%s}', g, i, j)
          FROM (VALUES ('G'), ('H')) AS t (g), generate_series(0, 3) AS i,
              generate_series(0, i) AS j) AS p (path);
CREATE TEMP TABLE candidate AS SELECT i AS c, reward(i) AS r FROM generate_series(1, 12) AS i;

CREATE TEMP TABLE answer (way text, kind text, id integer, c integer, predict float8, stddev float8,
    draw float8[]);
CREATE TEMP TABLE choice (way text, kind text, id integer, greedy integer[], ucb integer[],
    evidence bytea);

-- a statement for each model
CREATE FUNCTION alone() RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
	m source;
BEGIN
	FOR m IN SELECT * FROM source LOOP
		INSERT INTO answer SELECT 'alone', m.kind, m.id, c,
			predict_at(m.state, context(c, m.n), shared(c, m.s)),
				stddev_at(m.state, context(c, m.n), shared(c, m.s)), dlints_draw(m.state, c)
					FROM candidate;
		IF m.s = 0 THEN
			INSERT INTO choice SELECT 'alone', m.kind, m.id, CASE
				WHEN m.kind <> 'nothing learned'
					THEN dlints_recommend(dlints_set(m.state, policy => 'greedy'), c,
						context(c, m.n), 12) END,
				dlints_recommend(dlints_set(m.state, policy => 'ucb'), c, context(c, m.n), 12),
					dlints_send(dlints_evidence(m.state, context(c, m.n), r ORDER BY c))
						FROM candidate;
		END IF;
	END LOOP;
END
$$;
SELECT alone();

-- one for so many, row by row and group by group
CREATE FUNCTION together(which text, models integer, way text) RETURNS void LANGUAGE sql AS
$$ WITH pair AS MATERIALIZED (SELECT id, c, context(c, n) AS x, shared(c, s) AS u, CASE kind
    WHEN 'computed' THEN dlints_set(state) ELSE state END AS state
                              FROM source, candidate
                              WHERE kind = which AND id <= models
                              ORDER BY CASE WHEN way LIKE '%shuffled' THEN md5(c || ' ' || id) END,
                                  c, id)
   INSERT INTO answer SELECT way, which, id, c, CASE
       WHEN u IS NULL THEN dlints_predict(state, x) ELSE dlints_predict(state, x, u) END,
                             CASE WHEN u IS NULL THEN dlints_stddev(state, x)
                                 ELSE dlints_stddev(state, x, u) END, dlints_draw(state, c)
                                     FROM pair;
   WITH pair AS MATERIALIZED (SELECT id, c, r, context(c, n) AS x, state,
       dlints_set(state, policy => 'greedy') AS greedy, dlints_set(state, policy => 'ucb') AS ucb
                              FROM source, candidate
                              WHERE kind = which AND s = 0 AND id <= models
                              ORDER BY CASE WHEN way LIKE '%shuffled' THEN md5(c || ' ' || id) END,
                                  c, id)
   INSERT INTO choice SELECT way, which, id, CASE
       WHEN which <> 'nothing learned' THEN dlints_recommend(greedy, c, x, 12) END,
           dlints_recommend(ucb, c, x, 12), dlints_send(dlints_evidence(state, x, r ORDER BY c))
               FROM pair GROUP BY id $$;
SET LOCAL enable_sort = off;
SELECT together(kind, models, format('%s together', models))
FROM (SELECT DISTINCT kind FROM source) AS k, (VALUES (1), (2), (9), (50)) AS v (models);
-- in runs of any length, too: what was seen twice is recognised in another way
SELECT together(kind, 2, '2 together, shuffled') FROM (SELECT DISTINCT kind FROM source) AS k;
-- and with room for none, for a few, and for a few that are asked for out of turn
SELECT set_config('dlints.model_cache_size', min_val, true) FROM pg_settings
WHERE name = 'dlints.model_cache_size';
SELECT together(kind, 50, '50 together, nothing kept') FROM (SELECT DISTINCT kind FROM source) AS k;
SET LOCAL dlints.model_cache_size = '100kB';
SELECT together(kind, 50, '50 together, few kept') FROM (SELECT DISTINCT kind FROM source) AS k;
-- What a call site saw last stays, with its parts, while another one needs the room.
SET LOCAL dlints.model_cache_size = '100kB';
CREATE TEMP TABLE steady AS
WITH turn AS MATERIALIZED (
    SELECT row, a.id, a.state AS steady, b.state AS other, context(1, 40) AS x
    FROM generate_series(1, 200) AS row JOIN source AS a ON a.id = CASE row WHEN 2 THEN 2 ELSE 1 END
        JOIN source AS b ON b.id = row % 50 + 1
    WHERE a.kind = 'stored' AND b.kind = 'stored' ORDER BY row)
SELECT row, id, dlints_stddev(steady, x) AS stddev, dlints_stddev(other, x) AS other FROM turn;
RESET dlints.model_cache_size;

SELECT plan(8 * 7 + 6 * 7 + 7);
SELECT is(count(DISTINCT stddev), 1::bigint, 'what is seen again while others come and go')
FROM steady WHERE id = 1;
SELECT is(count(*) FILTER (WHERE (a.predict, a.stddev, a.draw) IS DISTINCT FROM (b.predict,
    b.stddev, b.draw)), 0::bigint,
        format('%s, %s: %s predictions, widths and draws', b.kind, b.way, count(*)))
FROM answer AS a JOIN answer AS b USING (kind, id, c)
WHERE a.way = 'alone' AND b.way <> 'alone' GROUP BY b.kind, b.way ORDER BY b.kind, b.way;
SELECT is(count(*) FILTER (WHERE (a.greedy, a.ucb, a.evidence) IS DISTINCT FROM (b.greedy, b.ucb,
    b.evidence)), 0::bigint, format('%s, %s: %s rankings and evidences', b.kind, b.way, count(*)))
FROM choice AS a JOIN choice AS b USING (kind, id)
WHERE a.way = 'alone' AND b.way <> 'alone' GROUP BY b.kind, b.way ORDER BY b.kind, b.way;
SELECT is(count(*), ((1 + 2 * 2 + 9 + 50 * 3) * 7 + 1 + 2 * 2 + 9 + 48 * 3)::bigint * 12,
    'all of them') FROM answer WHERE way <> 'alone';
SELECT is(count(DISTINCT (predict, stddev)), 12 * 25::bigint,
    'one number more or less makes a difference') FROM answer
        WHERE kind = 'one number apart' AND way = 'alone';
-- 24 that nothing was changed in, and 24 others; compared one by one, and by a hash join
SELECT is(ARRAY[count(*) FILTER (WHERE a.state = b.state),
    count(*) FILTER (WHERE NOT a.state <> b.state)], ARRAY[24 * 24 + 24, 24 * 24 + 24]::bigint[],
        'nor are such models equal')
FROM source AS a JOIN source AS b USING (kind) WHERE kind = 'one number apart';
SELECT is(count(*), 24 * 24 + 24::bigint, 'or joined')
FROM source AS a JOIN source AS b USING (kind, state) WHERE kind = 'one number apart';
SELECT throws_ok($$SELECT dlints_recommend(state, 1, '{1,2,3,4}'::real[]) FROM source
    WHERE kind = 'one number apart'
        AND id IN (1, 48)$$, '22023',
            'dlints_recommend needs the same model for all rows of a group', 'or one group');
SELECT ok(max(pg_column_size(state)) FILTER (WHERE kind = 'stored') > 8000
    AND max(pg_column_size(state)) FILTER (WHERE kind = 'nothing learned') = 144,
        'stored as they should') FROM source;
SELECT * FROM finish();
ROLLBACK;
