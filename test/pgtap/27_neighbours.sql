-- Item-to-item weights from a click log.
\ir include/helpers.sql
\ir include/click.sql

SELECT plan(26);

CREATE FUNCTION neighbours(query text, k integer DEFAULT 50)
RETURNS TABLE (item integer, neighbour integer, weight float8, n bigint) STABLE LANGUAGE sql AS $$
SELECT f.item, u.* FROM dlints_neighbours(query, k) AS f (item integer, neighbours integer[], weights float8[]),
    unnest(f.neighbours, f.weights) WITH ORDINALITY AS u
$$;
CREATE FUNCTION all_of(query text, k integer DEFAULT 50) RETURNS text STABLE LANGUAGE sql AS
$$ SELECT string_agg(n::text, ' ' ORDER BY item, n.n) FROM neighbours(query, k) AS n $$;
\set clicks 'SELECT user_id, item_id FROM click'

-- ---------- weights ----------

SELECT is(count(*), 132::bigint, 'with k = 50 all other items that share a user are neighbours')
  FROM neighbours(:'clicks');
SELECT is(max(count), 4::bigint, 'with k = 4 an item is predicted by four')
FROM (SELECT count(*) FROM neighbours(:'clicks', 4) GROUP BY neighbour) AS c;
SELECT is(max(count), 8::bigint, 'a row has at most 2 k neighbours')
FROM (SELECT count(*) FROM neighbours('SELECT u, i FROM generate_series(1, 40) u, unnest(ARRAY[0, u]) i', 4)
      GROUP BY item) AS c;

-- ---------- rows ----------

SELECT is(all_of(query), all_of(:'clicks'), query) FROM lines($$
    SELECT user_id, item_id FROM click ORDER BY hashint4(user_id * 77 + item_id)
    SELECT user_id, item_id, weight FROM click
    SELECT user_id, item_id, 0.5::float8 FROM click, generate_series(1, 2)
    TABLE click UNION ALL SELECT NULL, 1, 5 UNION ALL SELECT 1, NULL, 5 UNION ALL SELECT 1, 99, 0
    $$) AS query;
SELECT is(array_agg(f ORDER BY item)::text, '{"(2,{3},{0.09090909})","(3,{2},{0.09090909})"}',
    'two items that one user clicked predict each other')
FROM dlints_neighbours('VALUES (1, 2), (1, 3)') AS f (item integer, neighbours integer[], weights real[]);
SELECT is(count(*), 0::bigint, 'an empty log has no rows')
FROM dlints_neighbours('SELECT 1, 2 WHERE false') AS f (item integer, neighbours integer[], weights real[]);
SELECT is(count(*), 0::bigint, 'an item without neighbours has no row')
FROM dlints_neighbours('VALUES (1, 1), (2, 2)') AS f (item integer, neighbours integer[], weights real[]);
SELECT is(array_agg(f::text ORDER BY item), ARRAY['("a b",{c},{0.09090909})', '(c,"{""a b""}",{0.09090909})'],
    'items can be texts')
FROM dlints_neighbours('VALUES (1, ''a b''), (1, ''c'')') AS f (item text, neighbours text[], weights real[]);

-- ---------- errors ----------

SELECT matches(outcome('SELECT count(*) FROM ' || call), expected, call) FROM (VALUES
    ('dlints_neighbours(NULL) AS f (i integer, n integer[], w real[])', '^22004: query must not be null'),
    ('dlints_neighbours(''VALUES (1, 2)'', NULL) AS f (i integer, n integer[], w real[])',
      '^22004: k must not be null'),
    ('dlints_neighbours(''VALUES (1, 2)'', 0) AS f (i integer, n integer[], w real[])', '^22023: k must be at least 1'),
    ('dlints_neighbours(''VALUES (1, 2)'', 201) AS f (i integer, n integer[], w real[])',
      '^54000: k must be at most 200'),
    ('dlints_neighbours(''VALUES (1, 2)'') AS f (i integer, n text[], w real[])', '^42804: the column definition list'),
    ('dlints_neighbours(''VALUES (1, 2)'') AS f (i bigint, n bigint[], w real[])', '^42804: items are of type integer'),
    ('dlints_neighbours(''VALUES (1, 2, -1)'') AS f (i integer, n integer[], w real[])',
      '^22023: weight must not be')) AS c (call, expected);
SELECT matches(outcome('SELECT dlints_neighbours(''VALUES (1, 2)'')'), '^(0A000|42804): ',
  'a call needs a column definition list');
SET LOCAL dlints.factors_memory = '1MB';
SELECT matches(outcome(
  'SELECT count(*) FROM dlints_neighbours(''SELECT i % 100, i % 10 FROM generate_series(1, (SELECT 30000)) i'') '
  'AS f (i integer, n integer[], w real[])'), '^53400: click log exceeds dlints.factors_memory',
    'the limit of memory counts what the regressions need beside the log');

-- ---------- decayed clicks ----------

-- User 1 clicks item 'a' twice within a day and once ten days earlier; two clicks on 'b' have no user.
CREATE TEMP TABLE dated_click (user_id, item, day, weight) AS
VALUES (1, 'a'::text, 100.0::float8, 1.0::float8), (1, 'a', 99.5, 3.0), (1, 'a', 90.0, 1.0),
       (NULL, 'b', 98.0, 1.0), (NULL, 'b', 98.0, 1.0), (2, NULL, 95.0, 1.0), (2, 'a', 80.0, 2.0);

CREATE FUNCTION sums_of(of_item text, half_lives float8[], periods float8[]) RETURNS float8[] LANGUAGE sql
RETURN (SELECT d.sums
        FROM   _dlints_decayed_clicks('SELECT user_id, item, day, weight FROM dated_click', half_lives, periods)
               d (item text, sums float8[]) WHERE d.item = of_item);

SELECT ok(abs((sums_of('a', '{10}', '{1}'))[1] - (3 + 0.5 + 2 * 0.25)) < 1e-12,
  'of a user''s clicks in a period, the newest time and the largest weight count');
SELECT ok(abs((sums_of('a', '{10}', '{0.1}'))[1] - (1 + 3 * 0.5 ^ 0.05 + 0.5 + 2 * 0.25)) < 1e-12,
  'clicks of a user in different periods count separately');
SELECT ok(abs((sums_of('b', '{1}', '{100}'))[1] - 2 * 0.25) < 1e-12, 'each click without a user counts');
SELECT is(count(*), 2::bigint, 'clicks without an item are skipped')
FROM   _dlints_decayed_clicks('SELECT user_id, item, day, weight FROM dated_click', '{1}', '{1}')
       d (item text, sums float8[]);
SELECT ok(abs((sums_of('a', '{10,20}', '{1,1}'))[2] - (3 + 0.5 ^ 0.5 + 2 * 0.5)) < 1e-12, 'each half-life has a sum');
SELECT throws_ok($$SELECT sums_of('a', '{10,20}', '{1}')$$, '2202E', 'half_lives and periods must have the same length',
  'arrays of different lengths raise an error');

SELECT * FROM finish();
ROLLBACK;
