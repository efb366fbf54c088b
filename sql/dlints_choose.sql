-- Choose items and arms
\pset format unaligned
\pset null NULL

-- dlints_recommend without exploration returns the item with the best expected reward
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
-- no candidates
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
-- window functions and grouping sets
SELECT i.id, dlints_recommend(m.state, i.id, i.features, 2) OVER (ORDER BY i.id)
  FROM model m, item i WHERE m.name = 'second' ORDER BY i.id;
SELECT i.id % 2 AS odd, dlints_recommend(m.state, i.id, i.features) FROM model m, item i
    WHERE m.name = 'first' GROUP BY GROUPING SETS ((i.id % 2),
  ()) ORDER BY 1;
-- profiles; rows with a NULL profile are skipped
SELECT dlints_recommend(m, id, features, 9, CASE WHEN id <> 3 THEN '{1,2}'::real[] END) @> ARRAY[1,
  2, 5, 6] AS all_but_3_and_4, dlints_recommend(m, id, features, 1, NULL::real[]),
  dlints_recommend(m, id, features::float8[], 2, NULL::float8[])
FROM item, one_memory(2, interactions => 'matched') AS m;

-- dlints_recommend_arms: items of any type, with a greedy model whose score is the feature
CREATE TABLE scored AS SELECT dlints_update(one_memory(1, policy => 'greedy'), '{1}', 1) AS m, v.*
  FROM (VALUES (1, 'a', '{1}'::real[]), (2, 'b', '{3}'), (3, 'c', NULL), (5, NULL, '{2}'),
               (6, 'e', '{-1}')) AS v (id, item, x);
SELECT dlints_recommend_arms(m, id, x) AS i, dlints_recommend_arms(m, id::bigint, x) AS i8,
  dlints_recommend_arms(m, id = 2, x) AS b, dlints_recommend_arms(m, '2024-01-01'::date + id, x) AS d,
  dlints_recommend_arms(m, id::numeric / 4, x) AS n, dlints_recommend_arms(m, row(id, item), x) AS r,
  dlints_recommend_arms(m, repeat(item, 3)::varchar, x) AS v,
  dlints_recommend_arms(m, item::char(3), x) AS c, dlints_recommend_arms(m, item::name, x) AS nm
  FROM scored;
SELECT pg_typeof(dlints_recommend_arms(m, id::numeric, x, 2)), dlints_recommend_arms(m, id::numeric, x, 2),
  dlints_recommend_arms(m, item::varchar, x, 2) AS v, dlints_recommend_arms(m, row(id, item), x, 1) AS r,
  dlints_recommend_arms(m, item::name, x, 2) AS nm FROM scored;
SELECT length(dlints_recommend_arms(m, repeat(item, 100000), x)),
  (dlints_info((dlints_recommend_arms(m, one_memory(id), x, 1))[1])).dim FROM scored;
SELECT id, dlints_recommend_arms(m, item, x, 2) OVER (ORDER BY id),
  dlints_recommend_arms(m, item, x, 1) OVER (ORDER BY id ROWS 1 PRECEDING) FROM scored ORDER BY id;

DROP TABLE scored, model, item;
