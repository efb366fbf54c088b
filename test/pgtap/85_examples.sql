-- The examples: the router with its simulation, and the shop with 60 customers.
\ir include/helpers.sql
SELECT plan(4 + 17);

-- ---------- examples/router ----------

\ir ../../examples/router/router.sql
\ir ../../examples/router/simulate.sql

SELECT ok(r.net_quality > max(o.net_quality),
  'a trained router earns more than any single model, and more than random choices')
  FROM policy_value r, policy_value o
  WHERE r.policy = 'router, second half' AND o.policy ~ '^(always|random)' GROUP BY r.net_quality;
SELECT is(updates, (SELECT count(*) FROM request WHERE is_judged), 'the router is trained on judged answers')
  FROM router.models WHERE name = 'reward';
SELECT ok(max(abs(value - (SELECT avg(truth(r, model) - price) FROM request r
  JOIN routed USING (n) JOIN language_model ON name = model))) < 0.07,
  'the report estimates the net quality of the router') FROM router.report() WHERE measure = 'earned by the ranker';
UPDATE language_model SET price = 100 WHERE name = 'large';
SELECT ok(count(*) FILTER (WHERE model = 'large') < 5, 'a new price counts at once')
  FROM (SELECT route('dear ' || n,
    '{"task": "mathematics", "words": 900, "language": "ja"}') AS model
      FROM generate_series(1, 40) n) s;

-- ---------- examples/shop ----------

\ir include/clock.sql
\ir ../../examples/shop/01_shop.sql
INSERT INTO product (id, category, brand, price, tags, details)
SELECT i, 'category ' || i % 5, 'brand ' || i % 8, 5 + i % 90, ARRAY['tag ' || i % 3],
  jsonb_build_object('colour', 'colour ' || i % 4)
FROM generate_series(1, 120) AS i;
INSERT INTO customer (id) SELECT i FROM generate_series(0, 59) AS i;
INSERT INTO event (customer_id, product_id, kind, at)
SELECT c, 1 + (c * 5 + h) % 120, 'click', now() - h % 20 * interval '1 day'
FROM generate_series(0, 58) AS c, generate_series(1, 12) AS e,
  LATERAL (SELECT hashint8extended(c * 100 + e, 3) & 1023) AS r (h);
INSERT INTO event (customer_id, product_id, kind, at) VALUES
  (1, 7, 'purchase', now() - interval '1 hour'),
  (50, 8, 'purchase', now() - interval '1 hour');
INSERT INTO event (customer_id, product_id, kind, found_by, at)
SELECT 0, 120, 'click', 'page', now() - interval '1 hour' FROM generate_series(1, 100);
\ir ../../examples/shop/02_recommender.sql
\ir ../../examples/shop/03_dashboard.sql
\ir ../../examples/shop/04_candidate.sql
SET LOCAL check_function_bodies = on;

-- ---------- the page ----------

SELECT is(popularity > 0 AND popularity < 1, true, 'clicks on lists do not count as popularity')
FROM home.item_vector WHERE item = 120;
UPDATE product SET stock = 0 WHERE id % 10 = 0;
UPDATE product SET boost = 10 WHERE id = 11;
CREATE TEMP TABLE page AS SELECT c, r.* FROM generate_series(0, 59) AS c, home.recommend(c) AS r;
CREATE TEMP TABLE seen AS SELECT p.*, d.treatment, brand, stock, popularity FROM page AS p
  JOIN home.decision AS d ON d.id = p.decision JOIN product ON product.id = p.item
  LEFT JOIN home.item_vector USING (item);
SELECT ok(count(*) = 600 AND count(DISTINCT (c, item)) = 600, 'each page has ten different products') FROM page;
SELECT ok(max(n) <= 3, 'a page has at most three products of a brand')
FROM (SELECT count(*) AS n FROM seen WHERE treatment <> 'random' GROUP BY c, brand) AS s;
SELECT ok(bool_and(stock > 0), 'pages show products in stock only') FROM seen;
SELECT is_empty($$SELECT 1 FROM seen WHERE (c, item) IN ((1, 7), (50, 8))$$,
  'pages do not show products that the customer bought');
SELECT ok(bool_and(n = 1), 'a boosted product is on each personal page')
FROM (SELECT count(*) FILTER (WHERE item = 11) AS n FROM seen WHERE treatment = 'personal' GROUP BY c) AS s;
SELECT ok(bool_and(list = popular), 'control pages show the most popular products, at most three of a brand')
FROM (SELECT sum(popularity::numeric) AS list FROM seen WHERE treatment = 'control' GROUP BY c) AS s,
     (SELECT sum(popularity::numeric) AS popular
      FROM (SELECT v.popularity
            FROM (SELECT i.id, row_number() OVER (PARTITION BY brand ORDER BY v.popularity DESC) AS place
                  FROM product AS i JOIN home.item_vector AS v ON v.item = i.id WHERE stock > 0) AS p
            JOIN home.item_vector AS v ON v.item = p.id WHERE place <= 3 ORDER BY 1 DESC LIMIT 10) AS top) AS t;
INSERT INTO product (id, category, brand, price, boost)
VALUES (200, 'category 1', 'a new brand', 20, 20);
SELECT ok(bool_or(item = 200), 'a new product is recommended without a refresh')
FROM generate_series(1000, 1009) AS c, home.recommend(c);

-- ---------- rewards ----------

SELECT home.reward(decision, item) FROM page WHERE (c + position) % 7 = 0;
SELECT home.reward(decision, item, 'purchase') FROM page WHERE (c + position) % 21 = 0;
SELECT home.reward(decision, item, 'cancel') FROM page WHERE (c + position) % 42 = 0;
SELECT later('1 hour');
CALL home.run();
SELECT is(sum(reward), (SELECT sum(1 + ((c + position) % 21 = 0)::int - ((c + position) % 42 = 0)::int)::float8
                        FROM page WHERE (c + position) % 7 = 0),
  'the models are trained on 1 for a click, 1 for a purchase and -1 for a cancellation') FROM home.training_example;

-- ---------- report and candidate ----------

SELECT ok(sum(pages) = 70
          AND sum(clicks_per_page * pages) = (SELECT count(*) FROM page WHERE (c + position) % 7 = 0)::float8,
  'the dashboard counts pages and clicks') FROM by_day;
SELECT ok(bool_and(coverage > 0 AND coverage <= 1), 'the dashboard has the coverage of the stock, at most 1')
  FROM by_day;
SELECT ok(count(*) = 1, 'the report has the reward per list of the control group')
FROM home.report('2026-01-01') WHERE measure = 'reward per list, control' AND value IS NOT NULL;
SELECT later('1 day');
CREATE TEMP TABLE before AS SELECT now() AS at;
CREATE TEMP TABLE more AS SELECT c, r.* FROM generate_series(0, 59) AS c, home.recommend(c) AS r;
SELECT home.reward(decision, item) FROM more WHERE (c + position) % 5 = 0;
SELECT later('1 hour');
CALL home.run();
INSERT INTO product (id, category, brand, price, boost)
VALUES (201, 'category 1', 'a newer brand', 20, 20);
SELECT home.refresh();
CREATE TEMP TABLE candidate AS
SELECT trained(dlints_set((SELECT empty_model FROM home.setting), exploration => 0.1), at) AS state FROM before;
SELECT is((SELECT updates FROM dlints_info(state)), 700::bigint,
  'a candidate is trained on the impressions before a given time')
FROM candidate;
SELECT ok(bool_and(abs(n - 10) < 1e-9), 'the candidate fills ten positions of each personal page after this time')
FROM (SELECT sum(w.probability) AS n FROM candidate, before, would_show(state, at) AS w GROUP BY decision) AS s;
SELECT is((SELECT count(*) FROM (SELECT DISTINCT decision FROM candidate, before, would_show(state, at)) AS s),
  (SELECT count(*) FROM home.decision AS d, before WHERE d.at >= before.at AND treatment = 'personal'),
  'the candidate chooses for personal pages only');
SELECT is_empty($$SELECT 1 FROM candidate, before, would_show(state, at) AS w JOIN home.decision AS d
  ON d.id = w.decision WHERE (user_id, item) IN ((1, 7), (50, 8), (user_id, 201))$$,
  'the candidate shows no product that was bought before, or added after the page');
SELECT ok(v.observations = 10 * (SELECT count(*) FROM home.decision AS d, before WHERE d.at >= before.at
                                 AND treatment = 'personal')
          AND v.dr IS NOT NULL AND v.mean_weight > 0,
            'the value of the candidate is estimated from all impressions of these pages')
FROM candidate, before, value(state, at) AS v;

SELECT * FROM finish();
ROLLBACK;
