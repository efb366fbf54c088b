-- Neighbours of items: what a click on an item predicts.
\set ON_ERROR_STOP 1
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SELECT plan(15);

-- Items of a pair are clicked by the same users, and other items by random users.
CREATE TABLE thing (id text PRIMARY KEY);
INSERT INTO thing SELECT 'thing ' || i FROM generate_series(1, 60) i;
CREATE TABLE click (who bigint, thing text, at timestamptz);
INSERT INTO click
SELECT u, 'thing ' || 2 * p + i, now() - (hashint8(u * 100 + p) & 1023) * interval '1 hour'
FROM   generate_series(1, 200) u, generate_series(0, 29) p, generate_series(1, 2) i
WHERE  (hashint8extended(u * 100 + p, 3) & 1023) < 150;

SELECT dlints_create_recommender('shop', 'thing', '{}', clicks => 'SELECT who, thing, at FROM click', factors => 4,
    control => 0, epsilon => 0);
SELECT is(count(*), 60::bigint, 'a new recommender has neighbours of all clicked items') FROM shop.neighbour;
SELECT ok(bool_and(neighbours[1] = 'thing ' || ((substr(item, 7)::integer - 1) # 1) + 1 AND weights[1] > 0.3),
    'the first neighbour of an item is the one that the same users click') FROM shop.neighbour;

-- ---------- lists ----------

INSERT INTO click SELECT 1000 + i, 'thing ' || i, now() FROM generate_series(1, 59, 2) i;
SELECT ok(weights[cardinality(weights) - 1] > weights[cardinality(weights) - 2],
  'where users click pairs, the neighbour score weighs more than popularity') FROM shop.similarity;
UPDATE shop.similarity SET weights[cardinality(weights) - 1] = 2 / click_value;
SELECT inside('shop', 'SELECT public._dlints_set_prior()');
CREATE TEMP TABLE listed AS
SELECT 'thing ' || i AS clicked, r.*
FROM   generate_series(1, 59, 2) i, LATERAL shop.recommend((1000 + i)::bigint, 3) r;
SELECT cmp_ok(count(*), '>=', 28::bigint, 'the other item of the pair comes first')
FROM listed WHERE position = 1 AND item = 'thing ' || substr(clicked, 7)::integer + 1;
SELECT ok(bool_and(abs((features)[cardinality(features)] - coalesce(w.weight, 0)) < 0.05),
    'the last feature in the log is the sum of weights of the clicked item')
FROM   listed l JOIN shop.impression i USING (decision, item) LEFT JOIN (
           SELECT n.item AS clicked, u.*
           FROM   shop.neighbour n, unnest(n.neighbours, n.weights) u (item, weight)) w USING (clicked, item)
WHERE  coalesce(w.weight, 0) >= 0;
SELECT cmp_ok(avg(contribution), '>', 0.02::float8, 'explain() shows the contribution of neighbour scores')
FROM  (SELECT DISTINCT decision FROM listed) d, shop.explain(d.decision) e
WHERE  e.part = '(bought together)' AND e.position = 1;
SELECT ok(min(c.expected) > 1 AND max(abs(e.contribution / c.expected - 1)) < 0.05,
  'the prior is linear: large neighbour scores contribute their weight, although a click has the reward 1')
FROM  (SELECT decision, item FROM listed WHERE position = 1) d JOIN shop.impression i USING (decision, item),
      shop.similarity l, LATERAL (SELECT l.click_value * l.weights[cardinality(l.weights) - 1]
                                         * i.features[cardinality(i.features)] AS expected) c,
      shop.explain(d.decision) e
WHERE e.part = '(bought together)' AND e.position = 1 AND i.features[cardinality(i.features)] > 0.6;
SELECT is((SELECT m.item FROM shop.more_like('thing 7', 1) m), 'thing 8',
  'more_like() uses the neighbours of its item');
DELETE FROM click WHERE who > 1000;

-- ---------- maintenance ----------

CREATE TEMP TABLE before AS SELECT n.ctid AS place, n.* FROM shop.neighbour n;
SELECT make_due('shop', 'neighbours');
SELECT shop.refresh();
SELECT is(done_at, now(), 'refresh() fits neighbours once a day') FROM shop.job WHERE name = 'neighbours';
SELECT is(count(*), 60::bigint, 'rows that do not change are not written')
FROM shop.neighbour n JOIN before b ON b.item = n.item AND b.place = n.ctid;
DELETE FROM click WHERE thing = 'thing 60';
INSERT INTO click SELECT u, unnest('{thing 59,thing 1}'::text[]), now() FROM generate_series(201, 260) u;
SELECT later('1 hour');
SELECT shop.refresh();
SELECT is(count(*), 60::bigint, 'refresh() keeps neighbours that are less than a day old')
FROM shop.neighbour n JOIN before b ON b.item = n.item AND b.place = n.ctid;
SELECT later('1 day');
SELECT shop.refresh();
SELECT ok(count(*) = 59 AND count(*) FILTER (WHERE item = 'thing 60' OR 'thing 60' = ANY (neighbours)) = 0,
    'items without clicks lose their neighbours') FROM shop.neighbour;
SELECT is(neighbours[1], 'thing 1', 'new clicks change the neighbours of an item') FROM shop.neighbour
  WHERE item = 'thing 59';
INSERT INTO click SELECT u, unnest('{thing 59,thing 2}'::text[]), now() FROM generate_series(301, 460) u;
SELECT shop.refit();
SELECT is(neighbours[1], 'thing 2', 'refit() fits neighbours') FROM shop.neighbour WHERE item = 'thing 59';
TRUNCATE click;
SELECT shop.refit();
SELECT is(count(*), 0::bigint, 'an empty log has no neighbours') FROM shop.neighbour;

SELECT * FROM finish();
ROLLBACK;
