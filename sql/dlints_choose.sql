-- Choosing.
\pset format unaligned
\pset null NULL

-- top: highest first, the first of equals, NULL scores out
CREATE TABLE scored (id integer, item text, score float8);
INSERT INTO scored VALUES (1, 'a', 1),
  (2, 'b', 3),
  (3, 'c', NULL),
  (4, 'd', 3),
  (5, NULL, 2),
  (6, 'e', -1),
  (7, 'f', 1);
SELECT (dlints_top(item, score, 1 ORDER BY id))[1],
  (dlints_top(item, score, 1 ORDER BY id DESC))[1] AS other_first,
  (dlints_top(id, -score, 1 ORDER BY id))[1] AS lowest FROM scored;
SELECT k, dlints_top(item, score, k ORDER BY id) FROM scored, generate_series(1, 8) AS k GROUP BY k
  ORDER BY k;
SELECT dlints_top(item, score, 9223372036854775807 ORDER BY id DESC) FROM scored;
SELECT dlints_top(id, 0, 3 ORDER BY id) AS first, dlints_top(id, 0, 3 ORDER BY id DESC) AS last
  FROM scored;
SELECT id, (dlints_top(item, score, 1) FILTER (WHERE false))[1] AS no_row,
  dlints_top(item, score, 2) AS top FROM scored
  WHERE score IS NULL OR item IS NULL GROUP BY id ORDER BY id;
SELECT dlints_top(item, NULL, NULL) FROM scored;
-- -0 and 0 are equal, the largest numbers are numbers
SELECT dlints_top(i, s, 4 ORDER BY i) FROM (VALUES (1, '-0'::float8),
  (2, 0),
  (3, 1.7976931348623157e308),
  (4, -1.7976931348623157e308)) AS v (i, s);

-- items of any type
SELECT (dlints_top(id, score, 1))[1] AS i, (dlints_top(id::bigint, score, 1))[1] AS i8,
  (dlints_top(id = 2, score, 1))[1] AS b, (dlints_top('2024-01-01'::date + id, score, 1))[1] AS d,
       (dlints_top(id::numeric / 4, score, 1))[1] AS n, (dlints_top(row(id, item), score, 1))[1] AS r,
    (dlints_top(repeat(item, 3)::varchar, score, 1))[1] AS v,
       (dlints_top(item::char(3), score, 1))[1] AS c, (dlints_top(scored, score, 1))[1] AS w,
    (dlints_top(item::name, score, 1))[1] AS nm FROM scored WHERE id <> 4;
SELECT pg_typeof(dlints_top(id::numeric, score, 2)), dlints_top(id::numeric, score, 2 ORDER BY id),
  dlints_top(item::varchar, score, 2 ORDER BY id), dlints_top(scored, score, 1 ORDER BY id),
  dlints_top(item::name, score, 2 ORDER BY id) FROM scored;
SELECT length((dlints_top(repeat(item, 100000), score, 1))[1]),
  (dlints_info((dlints_top(one_memory(id), score, 1 ORDER BY id))[1])).dim FROM scored;

-- a thousand, replaced over and over
SELECT dlints_top('item ' || i, i, 5) AS rising, dlints_top('item ' || i, -i, 5) AS falling,
  dlints_top('item ' || i, (i * 7919) % 1009, 3) AS mixed FROM generate_series(1, 1000) AS i;
SELECT dlints_top(i, -i, 1000) = array_agg(i) AS all FROM generate_series(1, 1000) AS i;

-- windows: the final function leaves the state alone
SELECT id, dlints_top(item, score, 2) OVER (ORDER BY id),
  dlints_top(item, score, 1) OVER (ORDER BY id ROWS 1 PRECEDING) FROM scored ORDER BY id;

-- recommend: without exploration the best expected reward
CREATE TABLE model (name text, state dlints);
INSERT INTO model VALUES ('first',
  dlints_update(one_memory(2, NULL, 1, exploration => 0), ARRAY[1, 0], 1)),
                         ('second',
    dlints_update(one_memory(2, NULL, 1, exploration => 0), ARRAY[0, 1], 1));
CREATE TABLE item (id integer, name text, features real[]);
INSERT INTO item VALUES (1, 'a', '{1,0}'),
  (2, 'b', '{0,1}'),
  (3, 'c', '{0.5,0.5}'),
  (4, 'nothing', NULL),
  (5, 'nearly a', '{0.875,0.25}'),
  (6, NULL, '{-1,-2}');
SELECT m.name, dlints_recommend(m.state, i.name, i.features),
  dlints_recommend(m.state, i.name, i.features::float8[]) AS float8,
  dlints_recommend(m.state, i.id, i.features, 3),
  dlints_recommend(m.state, i.id, i.features::float8[], 3) AS float8,
       dlints_recommend(m.state, i.name, i.features, 9223372036854775807) FROM model m, item i
    GROUP BY m.name ORDER BY m.name;
-- nothing to choose from
SELECT dlints_recommend(m.state, i.name, i.features),
  dlints_recommend(m.state, i.name, i.features, 2) FROM model m, item i WHERE m.name = 'nobody';
SELECT dlints_recommend(m.state, i.name, i.features),
  dlints_recommend(m.state, i.name, i.features, 2) FROM model m, item i WHERE i.features IS NULL;
SELECT dlints_recommend(NULL::dlints, i.name, i.features),
  dlints_recommend(NULL::dlints, i.name, i.features, 2) FROM item i;
-- the chosen item is NULL
SELECT dlints_recommend(m.state, i.name, i.features),
  dlints_recommend(m.state, i.name, i.features, 2) FROM model m, item i
  WHERE m.name = 'first' AND i.name IS NULL;
-- windows, grouping sets
SELECT i.id, dlints_recommend(m.state, i.id, i.features, 2) OVER (ORDER BY i.id)
  FROM model m, item i WHERE m.name = 'second' ORDER BY i.id;
SELECT i.id % 2 AS odd, dlints_recommend(m.state, i.id, i.features) FROM model m, item i
    WHERE m.name = 'first' GROUP BY GROUPING SETS ((i.id % 2),
  ()) ORDER BY 1;
-- the model as a parameter
PREPARE pick(dlints, integer) AS SELECT dlints_recommend($1, id, features, $2) FROM item;
SELECT state AS first FROM model WHERE name = 'first' \gset
SELECT state AS second FROM model WHERE name = 'second' \gset
EXECUTE pick(:'first', 2);
EXECUTE pick(:'second', 3);
DEALLOCATE pick;
-- a profile; rows with NULL for one are left out
SELECT dlints_recommend(m, id, features, 9, CASE WHEN id <> 3 THEN '{1,2}'::real[] END) @> ARRAY[1,
  2, 5, 6] AS all_but_3_and_4, dlints_recommend(m, id, features, 1, NULL::real[]),
  dlints_recommend(m, id, features::float8[], 2, NULL::float8[])
FROM item, one_memory(2, interactions => 'matched') AS m;

-- parallel plans
CREATE TABLE many AS SELECT i AS id, 'item ' || i AS name,
  ARRAY[i % 101, (i * 7919) % 10007, 1]::real[] AS x FROM generate_series(1, 10000) AS i;
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE many SET (parallel_workers = 2);
SELECT plan($$SELECT dlints_top(name, x[2], 4) FROM many$$);
SELECT dlints_top(name, x[2], 4) FROM many;
SELECT dlints_top(id, x[2], 3), dlints_top(name::name, x[2], 3),
  dlints_top(CASE WHEN id % 2 = 0 THEN id END, x[2], 6), dlints_top(many, x[2], 1) FROM many;
SELECT id % 3 AS shelf, dlints_top(id, x[2], 2) FROM many GROUP BY 1 ORDER BY 1;
-- workers that see no row that counts
SELECT dlints_top(name, x[2], 1), dlints_top(id, x[2], 2) FROM many WHERE id = 77;
SELECT dlints_top(name, x[2], 1), dlints_top(id, x[2], 2) FROM many WHERE id < 0;
SELECT dlints_top(id, NULL, 2) FROM many;
-- a draw first, once, then workers
SELECT plan($$
  SELECT dlints_top(name, dlints_dot((SELECT dlints_draw_weights(one_memory(3), seed => 1)), x), 3)
  FROM many$$);
SELECT dlints_top(name, dlints_dot((SELECT dlints_draw_weights(one_memory(3), seed => 1)), x),
  3) = (SELECT array_agg(name) FROM
  (SELECT name FROM many
    ORDER BY dlints_dot((SELECT dlints_draw_weights(one_memory(3), seed => 1)), x) DESC LIMIT 3) AS s)
    AS same FROM many;
-- recommend draws, and so it stays above Gather; a draw is never made by a worker
SELECT query, string_agg(btrim(line), ', ' ORDER BY i) AS nodes FROM unnest(ARRAY[
  'dlints_recommend(one_memory(3), name, x)', 'dlints_recommend(one_memory(3), name, x, 3)',
    'dlints_recommend(one_memory(3), name, x::float8[])',
    'dlints_recommend(one_memory(3), name, x::float8[], 3)',
  'count(dlints_draw(one_memory(id % 3 + 1)))',
    'count(dlints_draw_weights(one_memory(id % 3 + 1), seed => 1))']) AS query,
    plan(format('SELECT %s FROM many', query)) WITH ORDINALITY AS p (line, i) GROUP BY query
    ORDER BY query COLLATE "C";
SELECT dlints_recommend(dlints_set(dlints_update(one_memory(3, NULL, 1), ARRAY[0, 1, 0], 1),
  exploration => 0), name, x) FROM many;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

DROP TABLE scored, model, item, many;
