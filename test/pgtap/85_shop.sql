-- The shop in examples/shop with a handful of visitors.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- The shop's now() is ours to move.
CREATE SCHEMA shop;
SET LOCAL search_path = shop, pg_catalog, public;
SET LOCAL client_min_messages = warning;
CREATE FUNCTION shop.now() RETURNS timestamptz STABLE LANGUAGE sql
  AS $$ SELECT current_setting('shop.now')::timestamptz $$;
SET LOCAL shop.now = '2026-03-01 12:00';	-- a Sunday
\ir ../../examples/shop/01_shop.sql
\ir ../../examples/shop/02_vectors.sql
\ir ../../examples/shop/03_models.sql
\ir ../../examples/shop/04_page.sql
\ir ../../examples/shop/05_rewards.sql
\ir ../../examples/shop/06_erase.sql
\ir ../../examples/shop/07_nightly.sql
\ir ../../examples/shop/08_test.sql
\ir ../../examples/shop/09_candidate.sql
\ir ../../examples/shop/10_dashboard.sql
SET LOCAL check_function_bodies = on;

CREATE FUNCTION later(by interval) RETURNS void LANGUAGE sql
  AS $$ SELECT set_config('shop.now', (shop.now() + by)::text, true) $$;
CREATE FUNCTION evidence_difference(a dlints, b dlints) RETURNS float8 LANGUAGE sql AS $$
SELECT max(difference(ARRAY(SELECT v::float8 FROM jsonb_path_query(a::jsonb, path::jsonpath) AS v),
                      ARRAY(SELECT v::float8 FROM jsonb_path_query(b::jsonb, path::jsonpath) AS v)))
FROM unnest(ARRAY['$.evidence[*].b[*]', '$.evidence[*].G[*][*]',
                  '$.evidence[*].H[*][*] ? (@ != null)']) AS path $$;
CREATE FUNCTION state_of(text) RETURNS dlints LANGUAGE sql
  AS $$ SELECT state FROM model WHERE name = $1 $$;
CREATE FUNCTION updates_of(text) RETURNS bigint LANGUAGE sql
  AS $$ SELECT updates FROM models WHERE name = $1 $$;

SELECT plan(40);

INSERT INTO product (id, category, brand, price, tags, details)
SELECT i, 'category ' || i % 5, 'brand ' || i % 8, 5 + i % 90, ARRAY['tag ' || i % 3],
  jsonb_build_object('colour', 'colour ' || i % 4)
FROM generate_series(1, 120) AS i;
INSERT INTO customer (id, bucket) SELECT i, i FROM generate_series(0, 59) AS i;
INSERT INTO event (customer_id, product_id, kind, at)
SELECT c, 1 + (c * 5 + h) % 120, 'click', shop.now() - h % 20 * interval '1 day'
FROM generate_series(0, 58) AS c, generate_series(1, 12) AS e,
  LATERAL (SELECT hashint8extended(c * 100 + e, 3) & 1023) AS r (h);
INSERT INTO event (customer_id, product_id, kind, at) VALUES
  (1, 7, 'purchase', shop.now() - interval '1 hour'),
  (50, 8, 'purchase', shop.now() - interval '1 hour');
UPDATE product SET stock = 0 WHERE id % 10 = 0;
UPDATE product SET boost = 10 WHERE id = 11;

-- ---------- the night ----------

SELECT lives_ok('SELECT nightly()', 'a night passes');
SELECT ok(max(sold) = 1 AND min(sold) >= 0 AND count(factors) > 60,
  'what sells is known, and on a Sunday there are vectors') FROM product;
CREATE TEMP TABLE before AS SELECT id, factors FROM product;
SELECT refit();
SELECT ok(sqrt(sum((n - o) ^ 2) / sum(o ^ 2)) < 0.05, 'refitted vectors meet the old ones')
FROM product JOIN before USING (id), unnest(product.factors, before.factors) AS u (n, o);
SELECT is(cardinality(features), 57, 'a product is 57 numbers') FROM product WHERE id = 1;
SELECT is(profile(59), '{}'::real[], 'a customer without events is a stranger');
SELECT ok(abs(sqrt(sum(v ^ 2)) - 1) < 1e-6, 'others have a profile') FROM unnest(profile(1)) AS v;

-- ---------- pages ----------

CREATE TEMP TABLE visit AS SELECT c, row_number() OVER (PARTITION BY c) AS place, p.*
  FROM generate_series(0, 59) AS c, page(c) AS p;
CREATE TEMP TABLE seen AS SELECT d.customer_id, d.model, s.*, p.brand, p.stock, p.sold
  FROM decision AS d JOIN shown AS s ON s.decision_id = d.id
  JOIN product AS p ON p.id = s.product_id;
SELECT is((SELECT count(*) FROM decision), 60::bigint, 'each visit is logged');
SELECT ok(bool_and(n = 10), 'each page has ten products')
  FROM (SELECT count(DISTINCT product_id) AS n FROM seen GROUP BY decision_id) AS s;
SELECT results_eq('SELECT c, place::integer, product_id FROM visit ORDER BY 1, 2',
  'SELECT customer_id, place, product_id FROM seen ORDER BY 1, 2',
  'pages are logged as they are shown');
SELECT ok(max(n) <= 3, 'at most three are of a brand')
  FROM (SELECT count(*) AS n FROM seen GROUP BY decision_id, brand) AS s;
SELECT ok(bool_and(stock > 0), 'all are in stock') FROM seen;
SELECT is_empty($$SELECT 1 FROM seen WHERE (customer_id, product_id) IN ((1, 7), (50, 8))$$,
  'nothing is offered that was bought');
SELECT ok(bool_and((model = 'bestseller') = (customer_id < 40)), 'arms are those of the buckets')
  FROM seen;
SELECT ok(bool_and(n = 1), 'a campaign shows on personal pages')
  FROM (SELECT count(*) FILTER (WHERE product_id = 11) AS n FROM seen WHERE model = 'personal'
  GROUP BY decision_id) AS s;
SELECT ok(bool_and(probability > 0 AND probability <= 1), 'choices have probabilities') FROM seen;
SELECT ok(min(s.sold) >= max(p.sold),
  'the bestseller list has nothing that sells less than what it leaves out')
FROM seen AS s, product AS p
WHERE s.customer_id = 5 AND p.stock > 0
  AND p.id NOT IN (SELECT product_id FROM seen WHERE customer_id = 5)
AND (SELECT count(*) FROM seen AS o WHERE o.customer_id = 5 AND o.brand = p.brand) < 3
AND s.brand NOT IN (SELECT brand FROM seen WHERE customer_id = 5 GROUP BY brand
  HAVING count(*) = 3);

-- ---------- rewards ----------

INSERT INTO queue SELECT decision_id, product_id, 'click', 1 FROM seen
  WHERE (customer_id + place) % 7 = 0;
CREATE TEMP TABLE clicks AS SELECT count(*) AS n FROM queue;
INSERT INTO queue SELECT * FROM queue LIMIT 5;	-- reported twice
INSERT INTO queue SELECT decision_id, product_id, 'click', 'NaN' FROM seen
  WHERE customer_id = 44 AND place = 1;
INSERT INTO queue SELECT decision_id, product_id, NULL, 1 FROM seen
  WHERE customer_id = 44 AND place = 2;
INSERT INTO queue SELECT decision_id, product_id, 'click', NULL FROM seen
  WHERE customer_id = 44 AND place = 3;
INSERT INTO queue VALUES (-1, 1, 'click', 1),
  (NULL, NULL, NULL, NULL),
  ((SELECT min(id) FROM decision), -1, 'click', 1);
SELECT later('10 minutes');
SELECT ok(waiting = n + 11 AND age = '10 minutes' AND set_aside = 0, 'the queue waits')
  FROM queue_now, clicks;
SELECT take_in();
SELECT ok(waiting = 0 AND set_aside = 6, 'what does not fit is set aside') FROM queue_now;
SELECT ok(sum(reward) = min(n) AND max(reward) = 1, 'and the rest counts once') FROM shown, clicks;
SELECT learn();
SELECT is(updates_of('personal'), 0::bigint, 'what was just shown is not learned');
SELECT later('30 minutes');
SELECT learn();
SELECT is(updates_of('personal'), 600::bigint, 'all that was shown is learned later');
SELECT is(updates_of('bestseller'), 0::bigint, 'but the bestseller list learns nothing');
SELECT learn();
SELECT is(updates_of('personal'), 600::bigint, 'and once');

CREATE TEMP TABLE clicked AS SELECT state_of('personal') AS state;
INSERT INTO queue SELECT decision_id, product_id, 'purchase', 1 FROM shown WHERE reward = 1 LIMIT 3;
SELECT later('3 days'), take_in(), learn();
SELECT is(count(*), 3::bigint, 'purchases come days later') FROM shown WHERE learned = 2;
SELECT train('again',
  dlints_new(57, interactions => 'matched', half_life => '7 days'), 'infinity');
SELECT cmp_ok(evidence_difference(state_of('personal'), state_of('again')), '<', 1e-10::float8,
  'and correct what was learned');
SELECT cmp_ok(evidence_difference(state_of('personal'), clicked.state), '>', 1e-6::float8,
  'which was something else') FROM clicked;
INSERT INTO queue SELECT decision_id, product_id, 'cancel', -1 FROM shown WHERE reward = 2;
SELECT take_in(), learn();
SELECT cmp_ok(evidence_difference(state_of('personal'), clicked.state), '<', 1e-10::float8,
  'cancelled, they are as if they had never been') FROM clicked;

-- ---------- new ones ----------

INSERT INTO product (id, category, brand, price, boost) VALUES (200, 'category 1', 'a new brand',
  20, 10);
SELECT ok(200 = ANY (array_agg(product_id)), 'a new product can be shown at once') FROM page(50);
INSERT INTO customer (id, name) SELECT i, 'new' FROM generate_series(1000, 1199) AS i;
SELECT ok(min(bucket) >= 0 AND max(bucket) < 100 AND count(DISTINCT bucket) > 50,
  'new customers fall into buckets') FROM customer WHERE id >= 1000;
UPDATE customer SET bucket = 60 WHERE id = 1000;
SELECT is(count(*), 10::bigint, 'and see a page') FROM page(1000);

-- ---------- judged ----------

SELECT later('1 hour'), learn();
SELECT is((SELECT sum(pages) FROM test('-infinity'))::bigint, (SELECT count(*) FROM decision),
  'the A/B test counts all pages');
SELECT ok(abs(t.a_page - w.a_page) < 1e-12 AND abs(t.stderr - w.stderr) < 1e-12,
  'with the standard errors of means over customers, if each comes once')
FROM test('-infinity', '2026-03-01 12:30') AS t,
     (SELECT avg(c) AS a_page, sqrt(var_pop(c) / count(*)) AS stderr
      FROM (SELECT count(*) FILTER (WHERE s.reward > 0)::float8 FROM decision AS d
    JOIN shown AS s ON s.decision_id = d.id
            WHERE d.model = 'personal' AND d.made_at < '2026-03-01 12:30' GROUP BY d.id) AS p (c))
    AS w
WHERE t.model = 'personal';
-- twice the same visits of each customer are twice the pages, and no more certain
CREATE TEMP TABLE once AS SELECT * FROM test('-infinity', '2026-03-01 12:30');
SAVEPOINT twice;
WITH copy
  AS (INSERT INTO decision (customer_id, model, profile, excluded, made_at) SELECT customer_id,
  model, profile, excluded, made_at FROM decision WHERE made_at < '2026-03-01 12:30'
  ORDER BY id RETURNING id, customer_id)
INSERT INTO shown SELECT c.id, s.product_id, s.place, s.probability, s.expected, s.features,
  s.reward FROM copy AS c JOIN decision AS d USING (customer_id)
  JOIN shown AS s ON s.decision_id = d.id WHERE d.made_at < '2026-03-01 12:30';
SELECT ok(bool_and(t.pages = 2 * o.pages AND abs(t.stderr - o.stderr) < 1e-12),
  'and of customers, not of pages') FROM test('-infinity', '2026-03-01 12:30') AS t
  JOIN once AS o USING (model);
ROLLBACK TO twice;
SELECT train('candidate',
  dlints_new(57, interactions => 'matched', half_life => '7 days', exploration => 0.1),
  '2026-03-01 13:00');
SELECT ok(v.observations = 20 AND v.dr IS NOT NULL AND v.mean_weight > 0,
  'a candidate is valued on what came later') FROM value('candidate', '2026-03-02') AS v;
SELECT go_live('candidate',
  dlints_new(57, interactions => 'matched', half_life => '7 days', exploration => 0.1), 'B');
SELECT is(updates_of('candidate'), updates_of('personal'), 'live, it knows all');
SELECT page(45), later('1 hour'), learn();
SELECT ok(updates_of('candidate') = updates_of('personal')
  AND EXISTS (SELECT FROM decision WHERE customer_id = 45 AND model = 'candidate'), 'and goes on');

-- ---------- forgotten ----------

CREATE TEMP TABLE busy AS SELECT updates_of('personal') AS updates;
SELECT erase(50);
SELECT ok(updates_of('personal') = updates - 20
  AND NOT EXISTS (SELECT FROM model WHERE name = 'again')
          AND NOT EXISTS (SELECT FROM decision WHERE customer_id = 50)
    AND NOT EXISTS (SELECT FROM event WHERE customer_id = 50),
    'of an erased person nothing is left') FROM busy;
SELECT train('again',
  dlints_new(57, interactions => 'matched', half_life => '7 days'), 'infinity');
SELECT cmp_ok(evidence_difference(state_of('personal'), state_of('again')), '<', 1e-10::float8,
  'models are as if they had never seen them');
SELECT later('91 days'), nightly();
SELECT is((SELECT count(*) FROM shown) + (SELECT count(*) FROM feedback), 0::bigint,
  'after three months the log is gone');
SELECT is_empty($$SELECT 1 FROM clicks_by_day, choices_by_day$$,
  'and the dashboard looks at nothing');

SELECT * FROM finish();
ROLLBACK;
