-- Recommenders in databases that change: keys that become wider, requests without a list, deleted items, values that
-- come after the recommender was made, damaged keys, strict PL/pgSQL, and notices of long steps.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
SET LOCAL client_min_messages = warning;
SELECT * FROM no_plan();

CREATE TABLE product (id integer PRIMARY KEY, category text, brand text, price numeric, in_stock boolean NOT NULL DEFAULT true);
INSERT INTO product SELECT i, (ARRAY['shoes', 'shirts', 'hats'])[1 + i % 3], 'brand ' || i % 7, 10 + i % 90 FROM generate_series(1, 90) i;
CREATE TABLE click (person integer, product integer, at timestamptz);
INSERT INTO click SELECT p, i, now() - (p * i % 700 + 1) * interval '1 hour' FROM generate_series(1, 40) p, generate_series(1, 90) i
WHERE hashint8extended(p * 1000 + i, 1) & 15 < CASE WHEN p % 3 = i % 3 THEN 5 ELSE 1 END;
CREATE INDEX ON click (person, at);
CREATE ROLE dlints_edges_page;

-- The value of a measure of a report
CREATE FUNCTION measured(report text, of_measure text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT concat_ws('': '', round(value::numeric, 3), meaning) FROM %s.report() WHERE measure = $1', report)
    INTO result USING of_measure;
    RETURN result;
END $$;

-- ---------- wider keys ----------

SELECT dlints_create_recommender('r', 'product', '{category,brand,price}', clicks => 'SELECT person, product, at FROM click',
  candidates => 'i.in_stock AND coalesce(user_id, 0) >= 0', bonus => 'i.price / 1000', control => 0, epsilon => 0,
  attribution_window => '0', repeats => true, constraints => '{"own": {"of": "i.brand = ''brand 1''", "max": 0.9}}') IS NOT NULL;
SELECT dlints_grant('r', 'dlints_edges_page');
SELECT r.reward(l.decision, l.item) FROM r.recommend(3, 5) l;
SELECT r.learn('0');
CREATE TEMP TABLE trained AS SELECT name, state::text AS state FROM r.model;
SELECT is(outcome($$SELECT dlints_alter_recommender('r', '{"user_type": "float8"}')$$),
  '0A000: keys of users cannot be converted from integer to double precision',
  'a type that does not hold all present user keys raises an error');
SELECT lives_ok($$DROP VIEW r.click; ALTER TABLE click ALTER person TYPE bigint;
  SELECT dlints_alter_recommender('r', '{"user_type": "bigint"}')$$, 'user keys become bigint in one call');
SELECT is((SELECT count(*) FROM r.recommend(5000000000, 5)), 5::bigint, 'users beyond integer get lists after user keys became bigint');
SELECT lives_ok($$SELECT dlints_alter_recommender('r', '{"item_type": "bigint"}')$$, 'item keys become bigint in one call');
SELECT set_eq($$SELECT DISTINCT atttypid::regtype::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'r'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND attname IN ('item', 'items', 'user_id')$$,
  '{bigint,bigint[]}'::text[], 'all keys in tables and views of a recommender become bigint');
SELECT is((SELECT atttypid FROM pg_attribute WHERE attrelid = 'product'::regclass AND attname = 'id'), 'bigint'::regtype::oid,
  'the key of the items'' table becomes bigint with the keys of the recommender');
SELECT set_eq('SELECT name, state::text FROM r.model', 'TABLE trained', 'models stay when keys become wider');
INSERT INTO product SELECT 6000000000, 'hats', 'brand 1', 40;
SELECT r.refresh();
SELECT is((SELECT count(*) FROM r.more_like(6000000000, 5)), 5::bigint, 'more_like() takes items beyond integer after item keys became bigint');
SELECT lives_ok('SELECT r.reward(l.decision, l.item) FROM r.recommend(5000000000, 5) l', 'reward() works after keys became wider');
SELECT is(r.learn('0'), 3::bigint, 'learn() works after keys became wider');
SELECT is((SELECT count(*) FROM r.explain((SELECT max(id) FROM r.decision))) > 0, true, 'explain() works after keys became wider');
SET ROLE dlints_edges_page;
SELECT set_config('edges.items', (SELECT count(*)::text FROM r.recommend(3, 5)), true) IS NOT NULL;
RESET ROLE;
SELECT is(current_setting('edges.items'), '5', 'roles keep the privileges of dlints_grant() when keys become wider');
SELECT is(r.erase(5000000000), 2::bigint, 'erase() works after keys became wider');
SELECT lives_ok('CALL r.run()', 'run() works after keys became wider');

ALTER TABLE product RENAME category TO sort;
SELECT lives_ok($$SELECT dlints_alter_recommender('r', '{"items": "product", "user_type": "numeric"}')$$,
  'columns keep their features if they were renamed before keys become wider');
SELECT set_eq('SELECT item, encoded FROM r.item_vector', 'SELECT item, encoded FROM r.encoded_item', 'features of columns stay when keys become wider');
DROP VIEW r.item, r.item_column CASCADE;
ALTER TABLE product RENAME sort TO category;
SELECT is(substring(outcome('SELECT count(*) FROM r.recommend(3, 5)') FROM 1 FOR 5), '55000', 'pages of a recommender whose items were dropped raise 55000');
SELECT lives_ok($$SELECT dlints_alter_recommender('r', '{"items": "product"}')$$,
  'dlints_alter_recommender() binds a recommender to its items again');
SELECT is((SELECT count(*) FROM r.recommend(3, 5)), 5::bigint, 'pages work after a recommender was bound to its items again');

-- ---------- requests without a list ----------

SELECT is(measured('r', 'requests without a list'), '0.000: every request returned items', 'report() counts no request without a list while all return items');
SELECT dlints_alter_recommender('r', '{"candidates": "user_id IS NOT NULL"}');
SELECT is((SELECT count(*) FROM r.recommend(NULL, 5)), 0::bigint, 'a user whom no item passes gets no list');
SELECT matches(measured('r', 'requests without a list'), '^0\.[0-9]+: 1 of [0-9]+ requests returned nothing', 'report() counts requests that returned nothing');
SELECT is((SELECT count(*) FROM r.trending(5, NULL)) + (SELECT count(*) FROM r.more_like(5, 5, NULL)), 0::bigint,
  'trending() and more_like() return nothing for such a user');
SELECT matches(measured('r', 'requests without a list'), ': 3 of [0-9]+ requests returned nothing', 'report() counts empty requests of all kinds');
SELECT max(decision) AS list, count(*) = 91 AS has_all FROM r.recommend(3, 200) \gset
SELECT ok(:'has_all', 'a list can contain all items');
SELECT is((SELECT count(*) FROM r.next(:list, 5, 3)), 0::bigint, 'the page after all items is empty');
SELECT matches(measured('r', 'requests without a list'), ': 3 of [0-9]+ requests returned nothing', 'report() does not count the end of a paged list');

-- ---------- deleted items ----------

CREATE TABLE film (id integer PRIMARY KEY, genre text);
INSERT INTO film SELECT i, (ARRAY['horror', 'comedy', 'drama'])[1 + i % 3] FROM generate_series(1, 300) i;
CREATE TABLE seen (person integer, film integer, at timestamptz);
INSERT INTO seen SELECT p, i, now() - (p * i % 300 + 1) * interval '1 hour' FROM generate_series(1, 60) p, generate_series(1, 300) i
WHERE p % 3 = i % 3 AND hashint8extended(p * 1000 + i, 2) & 15 < 2;
-- users who have seen only films that will be deleted
INSERT INTO seen SELECT 100 + p, i, now() - i * interval '1 hour' FROM generate_series(1, 30) p, generate_series(1, 30) i WHERE p % 3 = i % 3;
SELECT dlints_create_recommender('films', 'film', '{genre}', clicks => 'SELECT person, film, at FROM seen', control => 0, epsilon => 0,
  factors => 8) IS NOT NULL;
CREATE FUNCTION share_of_their_genre() RETURNS float8 LANGUAGE sql AS $$
SELECT avg((f.id % 3 = p % 3)::integer)::float8
FROM   generate_series(1, 30) p, LATERAL films.recommend(100 + p, 10) r JOIN film f ON f.id = r.item $$;
CREATE TEMP TABLE before AS SELECT share_of_their_genre() AS share;
SELECT cmp_ok(share, '>', 0.6::float8, 'users get items like those that they clicked') FROM before;
DELETE FROM film WHERE id <= 30;
INSERT INTO film VALUES (1000, 'drama');
DELETE FROM film WHERE id = 299;
DELETE FROM seen WHERE film = 299;
SELECT films.refresh();
SELECT cmp_ok(share_of_their_genre(), '>', (SELECT share - 0.15 FROM before), 'users whose clicked items were deleted are no unknown users');
SELECT is((SELECT count(*) FROM films.item_vector WHERE is_deleted), 30::bigint, 'vectors of clicked items stay when the items are deleted');
SELECT is((SELECT count(*) FROM films.item_vector WHERE item = 299), 0::bigint, 'vectors of deleted items that nobody clicked are deleted');
SELECT is((SELECT count(*) FROM films.recommend(101, 400) WHERE item <= 30), 0::bigint, 'lists never contain deleted items');
SELECT is((SELECT count(*) FROM films.trending(400) WHERE item <= 30) + (SELECT count(*) FROM films.trend WHERE item <= 30), 0::bigint,
  'trending() and its table never contain deleted items');
SELECT is((SELECT max(popularity)::text FROM films.item_vector WHERE NOT is_deleted), '1', 'popularity is relative to the items that exist');
SELECT ok((SELECT value <= 1 FROM films.report() WHERE measure = 'coverage'), 'coverage does not count deleted items');
SELECT films.refit() > 0, films.warm_start() > 0;
SELECT is((SELECT count(factors) FROM films.item_vector WHERE is_deleted), 30::bigint, 'clicks on deleted items train the factors');
SELECT is((SELECT bool_or(policy = 'recommender') FROM films.backtest(20)), true, 'backtest() works with deleted items');
INSERT INTO film VALUES (3, 'comedy');
SELECT lives_ok('CALL films.run()', 'run() works with deleted items');
SELECT is((SELECT NOT is_deleted AND v.encoded = e.encoded FROM films.item_vector v JOIN films.encoded_item e USING (item) WHERE item = 3), true,
  'run() encodes an item that has the key of a deleted item');
DELETE FROM seen WHERE film <= 30;
SELECT films.refresh();
SELECT is((SELECT count(*) FROM films.item_vector WHERE is_deleted), 0::bigint, 'vectors of deleted items are deleted with their last click');

SELECT * FROM finish();
ROLLBACK;
