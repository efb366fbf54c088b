-- Recommenders in databases that change: keys that become wider, requests without a list, deleted items, values that
-- come after the recommender was made, damaged keys, strict PL/pgSQL, and notices of long steps.
\ir include/helpers.sql
SELECT * FROM no_plan();

CREATE TABLE product (id integer PRIMARY KEY, category text, brand text, price numeric,
  in_stock boolean NOT NULL DEFAULT true);
INSERT INTO product SELECT i, (ARRAY['shoes', 'shirts', 'hats'])[1 + i % 3], 'brand ' || i % 7, 10 + i % 90
  FROM generate_series(1, 90) i;
CREATE TABLE click (person integer, product integer, at timestamptz);
INSERT INTO click SELECT p, i, now() - (p * i % 700 + 1) * interval '1 hour'
  FROM generate_series(1, 40) p, generate_series(1, 90) i
WHERE hashint8extended(p * 1000 + i, 1) & 15 < CASE WHEN p % 3 = i % 3 THEN 5 ELSE 1 END;
CREATE INDEX ON click (person, at);
CREATE ROLE dlints_edges_page;
CREATE ROLE dlints_edges_owner;
SET LOCAL plpgsql.extra_errors = 'all';        -- all further statements run with this setting
SET LOCAL plpgsql.extra_warnings = 'all';

-- The value of a measure of a report
CREATE FUNCTION measured(report text, of_measure text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT concat_ws('': '', round(value::numeric, 3), meaning) FROM %s.report() WHERE measure = $1',
                   report)
    INTO result USING of_measure;
    RETURN result;
END $$;

-- Query of the features of columns in item vectors
CREATE FUNCTION encoded_in(name text) RETURNS text LANGUAGE sql AS $$
SELECT format('SELECT v.item, v.features[s.factors + 1:] AS encoded FROM %1$I.item_vector v, %1$I.setting s', name) $$;

-- ---------- wider keys ----------

SELECT dlints_create_recommender('r', 'product', '{category,brand,price}', factors => 4,
  clicks => 'SELECT person, product, at FROM click',
  candidates => 'i.in_stock AND coalesce(user_id, 0) >= 0', bonus => 'i.price / 1000', control => 0, epsilon => 0,
  attribution_window => '0', repeats => true,
    constraints => '{"own": {"of": "i.brand = ''brand 1''", "max": 0.9}}') IS NOT NULL;
SELECT dlints_grant('r', 'dlints_edges_page');
GRANT SELECT (decision, item) ON r.impression TO dlints_edges_page;
SELECT r.reward(l.decision, l.item) FROM r.recommend(3, 5) l;
SELECT r.learn('0');
CREATE TEMP TABLE trained AS SELECT name, state::text AS state FROM r.model;
SELECT is(outcome($$SELECT dlints_alter_recommender('r', '{"user_type": "float8"}')$$),
  '0A000: keys of users cannot be converted from integer to double precision',
  'a type that does not hold all present user keys raises an error');
SELECT lives_ok($$DROP VIEW r.click; ALTER TABLE click ALTER person TYPE bigint;
  SELECT dlints_alter_recommender('r', '{"user_type": "bigint"}')$$, 'user keys become bigint in one call');
SELECT is((SELECT count(*) FROM r.recommend(5000000000, 5)), 5::bigint,
  'users beyond integer get lists after user keys became bigint');
CREATE VIEW reader AS SELECT id FROM product;
SELECT alike(outcome($$SELECT dlints_alter_recommender('r', '{"item_type": "bigint"}')$$),
  '0A000: column "id" of public.product: cannot alter type%', 'keys that another view reads raise an error');
DROP VIEW reader;
ALTER TABLE r.block ADD item jsonb;
SELECT lives_ok($$SELECT dlints_alter_recommender('r', '{"item_type": "bigint"}')$$,
  'item keys become bigint in one call');
SELECT lives_ok($$SELECT dlints_alter_recommender('r', '{"item_type": "bigint", "items": "product"}')$$,
  'a change of the key type may name the items'' table');
SELECT set_eq($$SELECT DISTINCT atttypid::regtype::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'r'::regnamespace AND c.relkind IN ('r', 'p', 'v')
    AND attname IN ('item', 'items', 'user_id')$$,
  '{bigint,bigint[],jsonb}'::text[], 'all keys in a recommender become bigint, and a user''s column stays');
SELECT is((SELECT atttypid FROM pg_attribute WHERE attrelid = 'product'::regclass
  AND attname = 'id'), 'bigint'::regtype::oid,
  'the key of the items'' table becomes bigint with the keys of the recommender');
SELECT set_eq('SELECT name, state::text FROM r.model', 'TABLE trained', 'models stay when keys become wider');
SAVEPOINT analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA r TO dlints_edges_page;
SET LOCAL ROLE dlints_edges_page;
SELECT is(outcome('SELECT count(*) > 0 FROM r.' || name), 'gives true', 'a role with SELECT can read ' || name)
FROM unnest('{impression,impression_user,outcome,training_example,item_features,models}'::text[]) name;
ROLLBACK TO analyst;
INSERT INTO product SELECT 6000000000, 'hats', 'brand 1', 40;
SELECT r.refresh();
SELECT is((SELECT count(*) FROM r.more_like(6000000000, 5)), 5::bigint,
  'more_like() takes items beyond integer after item keys became bigint');
SELECT lives_ok('SELECT r.reward(l.decision, l.item) FROM r.recommend(5000000000, 5) l',
  'reward() works after keys became wider');
SELECT is(r.learn('0'), 3::bigint, 'learn() works after keys became wider');
SELECT is((SELECT count(*) FROM r.explain((SELECT max(id) FROM r.decision))) > 0, true,
  'explain() works after keys became wider');
SET ROLE dlints_edges_page;
SELECT set_config('edges.items', (SELECT count(*)::text FROM r.recommend(3, 5)), true) IS NOT NULL;
RESET ROLE;
SELECT is(current_setting('edges.items'), '5', 'roles keep the privileges of dlints_grant() when keys become wider');
SELECT is(has_column_privilege('dlints_edges_page', 'r.impression', 'item', 'SELECT')
  AND NOT has_column_privilege('dlints_edges_page', 'r.impression', 'features', 'SELECT'), true,
  'roles keep their privileges on columns of views when keys become wider');
SELECT is(r.erase(5000000000), 2::bigint, 'erase() works after keys became wider');
SELECT lives_ok('CALL r.run()', 'run() works after keys became wider');

-- a refresh reads and writes what changed
SELECT r.refresh();
CREATE TEMP TABLE refreshed AS SELECT item, features, xmin::text AS written_by FROM r.item_vector;
SELECT is(r.refresh(), 0::bigint, 'refresh() changes nothing if no item changed');
SELECT is_empty('SELECT item, xmin::text FROM r.item_vector EXCEPT SELECT item, written_by FROM refreshed',
  'refresh() writes no row if no item changed');
UPDATE product SET category = 'sort 7' WHERE id = (SELECT min(id) FROM product);
SELECT is(r.refresh(), 1::bigint, 'refresh() encodes an item that changed');
SELECT set_eq(encoded_in('r'), 'SELECT item, encoded FROM r.encoded_item',
  'features of all items are up to date after a refresh');
SELECT set_eq('SELECT item FROM r.item_vector v JOIN refreshed f USING (item) WHERE v.features <> f.features',
  'SELECT min(id) FROM product', 'the changed item alone has new features');
CREATE TEMP TABLE popular AS SELECT item, popularity FROM r.item_vector;
SELECT dlints_alter_recommender('r', '{"clicks": null}');
SELECT r.refresh();
SELECT dlints_alter_recommender('r', '{"clicks": "SELECT person, product, at FROM click"}');
SELECT r.refresh();
SELECT is(max(abs(v.popularity - p.popularity)) < 0.01, true,
  'refresh() computes popularities if the click log was removed and given again')
FROM   r.item_vector v JOIN popular p USING (item);

ALTER TABLE product RENAME category TO sort;
SET LOCAL quote_all_identifiers = on;
DO $$ BEGIN  -- PostgreSQL 19 has standard-conforming strings only
	PERFORM set_config(name, 'off', true) FROM pg_settings
	WHERE   name IN ('standard_conforming_strings', 'escape_string_warning')
	        AND current_setting('server_version_num')::int < 190000;
END $$;
SELECT lives_ok($$SELECT dlints_alter_recommender('r', '{"items": "product", "user_type": "numeric"}')$$,
  'columns keep their features if they were renamed before keys become wider');
SELECT set_eq(encoded_in('r'), 'SELECT item, encoded FROM r.encoded_item',
  'features of columns stay when keys become wider');
SET LOCAL quote_all_identifiers = off;
SET LOCAL standard_conforming_strings = on;
DROP VIEW r.item, r.item_column CASCADE;
ALTER TABLE product RENAME sort TO category;
SELECT is((SELECT count(*) FROM r.recommend(3, 5)), 5::bigint, 'pages work after views of the columns were dropped');
SELECT is(substring(outcome('SELECT r.refresh()') FROM 1 FOR 5), '55000',
  'refresh() raises 55000 after views of the columns were dropped');
SELECT 'r.recommend'::regproc::oid AS wrapper \gset
SELECT lives_ok($$SELECT dlints_alter_recommender('r', '{"items": "product"}')$$,
  'dlints_alter_recommender() binds a recommender to its items again');
SELECT is('r.recommend'::regproc::oid, :wrapper::oid, 'requests that wait while items are bound find their functions');
SELECT is(outcome($$SELECT FROM public._dlints_trending('r.setting', 3, 1::smallint, '{}', NULL) r (a bigint)$$),
  '40001: argument "user_id" has type smallint, expected numeric',
  'requests that wait while the type of a key changes can be repeated');
SELECT is((SELECT count(*) FROM r.recommend(3, 5)), 5::bigint,
  'pages work after a recommender was bound to its items again');

-- ---------- requests without a list ----------

SELECT is(measured('r', 'requests without a list'), '0.000: every request returned items',
  'report() counts no request without a list while all return items');
SELECT dlints_alter_recommender('r', '{"candidates": "user_id IS NOT NULL"}');
SELECT is((SELECT count(*) FROM r.recommend(NULL, 5)), 0::bigint, 'a user whom no item passes gets no list');
SELECT matches(measured('r', 'requests without a list'), '^0\.[0-9]+: 1 of [0-9]+ requests returned nothing',
  'report() counts requests that returned nothing');
SELECT is((SELECT count(*) FROM r.trending(5, NULL)) + (SELECT count(*) FROM r.more_like(5, 5, NULL)), 0::bigint,
  'trending() and more_like() return nothing for such a user');
SELECT matches(measured('r', 'requests without a list'), ': 3 of [0-9]+ requests returned nothing',
  'report() counts empty requests of all kinds');
SELECT max(decision) AS list, count(*) = 91 AS has_all FROM r.recommend(3, 200) \gset
SELECT ok(:'has_all', 'a list can contain all items');
SELECT is((SELECT count(*) FROM r.next(:list, 5, 3)), 0::bigint, 'the page after all items is empty');
SELECT matches(measured('r', 'requests without a list'), ': 3 of [0-9]+ requests returned nothing',
  'report() does not count the end of a paged list');

-- ---------- deleted items ----------

CREATE TABLE film (id integer PRIMARY KEY, genre text);
INSERT INTO film SELECT i, (ARRAY['horror', 'comedy', 'drama'])[1 + i % 3] FROM generate_series(1, 300) i;
CREATE TABLE seen (person integer, film integer, at timestamptz);
INSERT INTO seen SELECT p, i, now() - (p * i % 300 + 1) * interval '1 hour'
  FROM generate_series(1, 60) p, generate_series(1, 300) i
WHERE p % 3 = i % 3 AND hashint8extended(p * 1000 + i, 2) & 15 < 2;
-- users who have clicked only films that will be deleted
INSERT INTO seen SELECT 100 + p, i, now() - i * interval '1 hour' FROM generate_series(1, 30) p, generate_series(1,
  30) i WHERE p % 3 = i % 3;
SELECT dlints_create_recommender('films', 'film', '{genre}', clicks => 'SELECT person, film, at FROM seen',
  control => 0, epsilon => 0,
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
SELECT cmp_ok(share_of_their_genre(), '>', (SELECT share - 0.15 FROM before),
  'users whose clicked items were deleted are no unknown users');
SELECT is((SELECT count(*) FROM films.item_vector WHERE is_deleted), 30::bigint,
  'vectors of clicked items stay when the items are deleted');
SELECT is((SELECT count(*) FROM films.item_vector WHERE item = 299), 0::bigint,
  'vectors of deleted items that nobody clicked are deleted');
SELECT is((SELECT count(*) FROM films.recommend(101, 400) WHERE item <= 30), 0::bigint,
  'lists never contain deleted items');
SELECT is((SELECT count(*) FROM films.trending(400) WHERE item <= 30) + (SELECT count(*) FROM films.trend
  WHERE item <= 30), 0::bigint, 'trending() and its table never contain deleted items');
SELECT is((SELECT max(popularity)::text FROM films.item_vector WHERE NOT is_deleted), '1',
  'popularity is relative to the items that exist');
SELECT ok((SELECT value <= 1 FROM films.report() WHERE measure = 'coverage'), 'coverage does not count deleted items');
SELECT films.refit() > 0, films.warm_start() > 0;
SELECT is((SELECT count(*) FILTER (WHERE features[1] <> 0) FROM films.item_vector WHERE is_deleted), 30::bigint,
  'clicks on deleted items train the factors');
SELECT is((SELECT bool_or(policy = 'recommender') FROM films.backtest(20)), true,
  'backtest() works with deleted items');
ALTER TABLE film RENAME TO former_film;
SELECT is(measured('films', '"items" of a renamed table'), NULL, 'report() is silent on a table that was renamed');
CREATE VIEW film AS SELECT * FROM former_film;
SELECT dlints_alter_recommender('films', '{"epsilon": 0.03}');
SELECT alike(measured('films', '"items" of a renamed table'),
  '1.000: public.film is another table now, and the recommender reads public.former_film:%',
  'report() warns if a table was renamed, and another one got its name, also after another change');
DROP VIEW film;
ALTER TABLE former_film RENAME TO film;
CREATE TABLE disliked AS SELECT person, product, at, -1 AS weight FROM click;
CREATE VIEW divided AS SELECT id / (SELECT 1 + min(weight + 1) FROM disliked) AS id, category FROM product;
SELECT dlints_create_recommender('dislikes', 'divided', '{category}', 'SELECT * FROM disliked', factors => 2,
  item_key => 'id') IS NOT NULL;
SELECT alike(measured('dislikes', 'clicks of positive weight'), '0.000: %no item is popular%',
  'report() warns if no click has a positive weight');
ALTER TABLE disliked RENAME TO former_log;
CREATE VIEW disliked AS SELECT * FROM click;
SELECT alike(measured('dislikes', '"clicks" of a renamed table'), '1.000: public.disliked is another table now%',
  'report() warns if another table got the name of the click log');
UPDATE former_log SET weight = -2;
SELECT dislikes.run_part('items');
SELECT alike((SELECT problem FROM dislikes.job WHERE name = 'items'), 'in the argument "items": division by zero%',
  'the part "items" names the argument if the view of items fails');
DROP SCHEMA dislikes CASCADE;
DROP VIEW divided, disliked;
INSERT INTO film VALUES (3, 'comedy');
SELECT lives_ok('CALL films.run()', 'run() works with deleted items');
SELECT is((SELECT NOT is_deleted AND v.features[s.factors + 1:] = e.encoded
  FROM films.setting s CROSS JOIN films.item_vector v JOIN films.encoded_item e USING (item) WHERE item = 3), true,
  'run() encodes an item that has the key of a deleted item');
DELETE FROM seen WHERE film <= 30;
SELECT films.refresh();
SELECT is((SELECT count(*) FROM films.item_vector WHERE is_deleted), 0::bigint,
  'vectors of deleted items are deleted with their last click');

-- ---------- keys beyond the type of keys ----------

SELECT is(outcome(format('SELECT %s', call)),
  format('22003: argument "%s" is out of range for keys of type integer (It is %s.)', argument, key),
  format('%s raises an error that names the argument', call))
FROM (VALUES ('films.recommend(5000000000)', 'user_id', '5000000000'), ('films.recommend(-2147483649, 3)', 'user_id',
  '-2147483649'),
  ('films.recommend(5, recent => ''{1,NULL,5000000000}'')', 'recent', '5000000000'),
  ('films.more_like(5000000000)', 'item', '5000000000'), ('films.more_like(5, user_id => 5000000000)', 'user_id',
    '5000000000'),
  ('films.next(1, 5, 5000000000)', 'user_id', '5000000000'), ('films.trending(5, 5000000000)', 'user_id', '5000000000'),
  ('films.reward(1, 5000000000)', 'item', '5000000000'), ('films.reward(1, 5, user_id => 5000000000)', 'user_id',
    '5000000000'),
  ('films.profile(5000000000)', 'user_id', '5000000000'), ('films.profile(5, ''{5000000000}'')', 'recent',
    '5000000000'),
  ('films.erase(5000000000)', 'user_id', '5000000000')) v (call, argument, key);
SELECT is(outcome('SELECT count(*) FROM films.recommend(101, 3, recent => ''{{1,2},{3,NULL}}'')'), 'gives 3',
  'recent items may come in two dimensions');
SELECT is((SELECT count(*) FROM films.decision WHERE context -> 'left_out' = '["1", "2", "3"]'), 1::bigint,
  'a list leaves out recent items of all dimensions');
SELECT lives_ok('SELECT films.recommend(2147483647), films.recommend(-2147483648)',
  'the bounds of integer are user keys');

-- ---------- recent items ----------

SELECT count(*) FROM films.recommend(101, 3);
SELECT array_agg(item ORDER BY "position") AS recent FROM films.recommend(101, 12) \gset
SELECT max(decision) AS first FROM films.recommend(101, 10, recent => :'recent') \gset
SELECT max(decision) AS second FROM films.next(:first, 10, 101) \gset
SELECT is((SELECT count(*) FROM films.impression WHERE decision IN (:first, :second)
  AND item = ANY (:'recent')), 0::bigint, 'a list and its next page contain no recent items');
SELECT is((SELECT count(*) FROM films.next(:second, 400, 101) WHERE item = ANY (:'recent')), 0::bigint,
  'pages to the end of a list contain no recent items');
UPDATE films.decision SET context = '{"left_out": ["x", null, [1], {"a": 1}, 1e400], "more_like": "y"}'
  WHERE id = :second;
SELECT cmp_ok((SELECT count(*) FROM films.next(:second, 10, 101)), '=', 10::bigint,
  'keys of no item in a logged context stop no next page');

-- ---------- a report that cannot read everything ----------

SELECT set_config('edges.grant', format('GRANT CREATE ON DATABASE %I TO dlints_edges_owner', current_database()),
  true) IS NOT NULL;
DO $$ BEGIN EXECUTE current_setting('edges.grant'); END $$;
GRANT SELECT ON film, seen TO dlints_edges_owner;
SET ROLE dlints_edges_owner;
SELECT dlints_create_recommender('revoked', 'film', '{genre}', clicks => 'SELECT person, film, at FROM seen',
  control => 0, epsilon => 0,
  factors => 4) IS NOT NULL;
RESET ROLE;
SELECT count(*) AS rows FROM revoked.report() \gset
SELECT is((SELECT count(*) FROM revoked.report() WHERE measure ~ 'failed'), 0::bigint,
  'report() computes all of its parts');
REVOKE SELECT ON seen FROM dlints_edges_owner;
SELECT matches((SELECT string_agg(meaning, ', ') FROM revoked.report() WHERE measure = 'failed part of the report'),
  'clicks: permission denied for table seen', 'report() says which of its parts failed, and why');
SELECT cmp_ok((SELECT count(*) FROM revoked.report()), '>=', (:rows - 4)::bigint, 'report() returns its other parts');

-- ---------- keys that no index can hold, and large caps ----------

CREATE FUNCTION noise() RETURNS text LANGUAGE sql AS $$
SELECT string_agg(md5(i::text), '') FROM generate_series(1, 300) i $$;
CREATE VIEW titled AS SELECT 'title ' || id AS title, category FROM product UNION ALL SELECT noise(), 'noise';
CREATE VIEW titled_click AS SELECT 'person ' || person AS person, 'title ' || product AS title, at FROM click
UNION ALL SELECT noise(), 'title ' || id, now() FROM product UNION ALL SELECT 'person 1', noise(), now();
SELECT is(outcome($$SELECT dlints_create_recommender('titles', 'titled', '{category}', item_key => 'title',
  clicks => 'SELECT person, title, at FROM titled_click', control => 0, epsilon => 0, factors => 4, repeats => true,
  cap => 2147483647, cap_group => 'i.category') IS NULL$$), 'gives false',
  'a recommender is made although the keys of an item and of a user have 9,600 bytes');
SELECT is((SELECT count(*) FROM titles.recommend('person 1', 1000)), (SELECT count(*) FROM product),
  'lists leave out an item with a long key, and a cap may be the largest integer');
SELECT is(measured('titles', 'items with long keys'), '1.000: lists leave them out, for example "'
  || left(noise(), 20) || '...": keys have at most 1,000 bytes', 'report() names an item with a long key');
SELECT is(outcome('SELECT ' || call), 'gives true', call || ' for long keys')
FROM unnest(ARRAY['titles.refresh() >= 0', 'titles.refit() > 0', 'titles.warm_start() > 0',
  '(SELECT count(*) > 0 FROM titles.backtest(5))']) call;
DROP SCHEMA titles CASCADE;

-- ---------- values that come later ----------

SELECT dlints_create_recommender('grows', 'product', '{category,price}',
  clicks => 'SELECT person, product, at FROM click',
  control => 0, epsilon => 0, factors => 4, attribution_window => '0') IS NOT NULL;
CREATE FUNCTION is_plain(item bigint) RETURNS boolean LANGUAGE sql AS $$
SELECT sum(abs(x)) = 1 AND max(x) = 1 FROM grows.encoded_item e, grows.setting s, unnest(e.encoded,
  s.parts[s.factors + 1:]) u (x, part)
WHERE e.item = is_plain.item AND part = 'category' $$;
INSERT INTO product SELECT 2000 + i, 'new ' || i % 5, 'brand 1', 10 + i FROM generate_series(0, 49) i;
INSERT INTO product VALUES (2999, 'rare', 'brand 1', 10);
SELECT grows.refresh() > 0;
SELECT matches(measured('grows', 'items with shared features of "category"'),
  '^0\.3[0-9]+: share of items; 6 values came later', 'report() counts items whose value has no feature to itself');
SELECT decision AS list FROM grows.recommend(3, 60, context => '{"like": {"category": "new 1"}}') LIMIT 1 \gset
SELECT grows.reward(:list, items[1]) FROM grows.decision WHERE id = :list;
SELECT grows.learn('0');
SELECT 'CREATE TEMP TABLE encoded_before AS ' || encoded_in('grows') \gexec
SELECT grows.refit() > 0;
SELECT is(bool_and(is_plain(2000 + i)), true, 'the fit gives frequent later values a feature each')
  FROM generate_series(0, 4) i;
SELECT is(is_plain(2999), false, 'rare later values continue to share features');
SELECT set_eq('SELECT e.item, e.encoded FROM encoded_before e JOIN product p ON p.id = e.item WHERE p.id < 2000',
  encoded_in('grows') || ' WHERE v.item < 2000', 'earlier values keep their features');
SELECT set_eq(encoded_in('grows'), 'SELECT item, encoded FROM grows.encoded_item',
  'the fit encodes the vectors of later values again');
SELECT is((SELECT max(abs(f - g)) < 0.01 FROM grows.impression i JOIN grows.item_vector v USING (item), grows.setting s,
    unnest(i.features[s.factors + 1:s.liked], v.features[s.factors + 1:]) u (f, g) WHERE i.decision = :list), true,
      'the fit encodes the log of later values again');
CREATE TEMP TABLE retrained AS SELECT name, state FROM grows.model;
SELECT grows.rebuild();
SELECT ok(bool_and(abs(a.mean_reward - b.mean_reward) < 1e-9 AND a.updates = b.updates),
  'models are trained on the log as it is encoded after the fit')
FROM retrained r JOIN grows.model m USING (name), dlints_info(r.state) a, dlints_info(m.state) b;
SELECT is(cardinality(grows.encode_document('{"category": "new 1"}')), cardinality(encoded),
  'requests can name later values')
FROM grows.encoded_item LIMIT 1;
SELECT is((SELECT count(*) FROM grows.recommend(3, 5)), 5::bigint, 'pages work after features changed their meaning');
SELECT matches(measured('grows', 'items with shared features of "category"'), '^0\.0[0-9]+: share of items; 1 values',
  'report() counts the remaining values');

SELECT count(DISTINCT encoded) AS different FROM grows.encoded_item \gset
UPDATE product SET price = price * 150;
SELECT grows.refresh() > 0;
SELECT matches(measured('grows', 'items that changed at once'), '^0\.[5-9]|^1\.',
  'report() has the share of items that changed at once');
SELECT cmp_ok((SELECT count(DISTINCT encoded) FROM grows.encoded_item), '<', (:different / 3)::bigint,
  'bands do not tell items apart when all prices changed');
SELECT grows.refit() > 0;
SELECT cmp_ok((SELECT count(DISTINCT encoded) FROM grows.encoded_item), '>', (0.7 * :different)::bigint,
  'the fit computes bands again when most numbers fall outside');
CREATE TEMP TABLE vectors_before AS SELECT vectors FROM grows.setting;
SELECT grows.refit() > 0;
SELECT is((SELECT vectors FROM grows.setting), vectors, 'a fit without later values changes no feature')
  FROM vectors_before;
UPDATE product SET category = NULL;
SELECT grows.refresh() > 0;
SELECT matches(measured('grows', 'column "category" is NULL'), 'in all items',
  'report() names a column that became NULL in all items');
SELECT lives_ok('CALL grows.run()', 'run() works after a column became NULL');
SELECT grows.warm_start() >= 0;
CREATE TABLE embedded AS SELECT i AS id, ARRAY[i % 3, 1, i % 5]::real[] AS e FROM generate_series(1, 30) i;
SET LOCAL default_tablespace = pg_default;
SELECT lives_ok($$SELECT dlints_create_recommender('lengths', 'embedded', '{e}', item_key => 'id')$$,
  'dlints_create_recommender() works if the default tablespace is that of the database');
UPDATE embedded SET e = '{1,2}' WHERE id > 15;
SELECT matches(measured('lengths', 'vectors of another length in "e"'), '^0[.]500: .* other than 3 elements',
  'report() has the share of vectors that have another length now');

-- ---------- damaged keys ----------

CREATE TABLE thing (id integer PRIMARY KEY, kind text);
INSERT INTO thing SELECT i, 'kind ' || i % 3 FROM generate_series(1, 30) i;
SELECT dlints_create_recommender('things', 'thing', '{kind}', control => 0, epsilon => 0) IS NOT NULL;
CREATE TABLE child () INHERITS (thing);
INSERT INTO child SELECT * FROM thing;
CALL things.run();
SELECT is(count(*), count(DISTINCT item), 'an item comes once in a list though another table inherits from the items')
FROM things.recommend(1, 100);
SELECT is(count(*), 30::bigint, 'lists contain each item of inheriting tables') FROM things.recommend(1, 100);
SELECT is(count(*), count(DISTINCT item), 'an item comes once in a list of trending items') FROM things.trending(100);
DROP TABLE child;
ALTER TABLE thing DROP CONSTRAINT thing_pkey;
INSERT INTO thing VALUES (5, 'kind 9');
SELECT is(count(*), count(DISTINCT item), 'an item comes once in a list after the unique index was dropped')
  FROM things.recommend(1, 100);
UPDATE thing SET kind = 'kind 9' WHERE id = 7;
SELECT is(outcome('SELECT things.refresh()'), 'gives 1', 'refresh() encodes other items if several have one key');
SELECT matches(measured('things', 'failed maintenance'), 'several items have the key "5"',
  'the report names a key that several items have');

CREATE TABLE token (id integer PRIMARY KEY, kind text);
INSERT INTO token SELECT i, 'kind ' || i % 3 FROM generate_series(1, 10) i;
SELECT dlints_create_recommender('tokens', 'token', '{kind}', control => 0, epsilon => 1) IS NOT NULL;
ALTER TABLE token DROP CONSTRAINT token_pkey;
INSERT INTO token SELECT t.* FROM token t, generate_series(1, 3);
SELECT is(count(*), count(DISTINCT item),
  'an item comes once in a random list before maintenance finds that the index was dropped')
FROM tokens.recommend(1, 100);

-- ---------- large numbers ----------

CREATE TABLE offer (id integer PRIMARY KEY, category text);
INSERT INTO offer SELECT i, 'category ' || i % 3 FROM generate_series(1, 1000) i;
SELECT dlints_create_recommender('offers', 'offer', '{category}', clicks => 'SELECT person, product, at FROM click',
  bonus => '1.7e9 + 10 * i.id', control => 0, epsilon => 0) IS NOT NULL;
SELECT is(array_agg(l.item ORDER BY l."position"), '{1000,999,998,997,996}',
  'bonuses that single precision makes equal rank items')
FROM offers.recommend(1, 5) l WHERE EXISTS (SELECT FROM offers.block);
SELECT matches(outcome('SELECT _dlints_profile_of(''{1}'', ''{1}'', ''{1,2,3}'', 1, 2147483647)'),
  '^54000: array size exceeds the maximum allowed',
    'a profile of more dates than an array holds raises an error');

-- ---------- damaged numbers ----------

SELECT is(outcome('UPDATE offers.block SET n = 2147483647 WHERE n = 0') LIKE '23514: %', true,
  'a block has no number that is out of range');
ALTER TABLE offers.block DROP CONSTRAINT block_n_check;
-- The outcome of a call after a statement that is rolled back
CREATE FUNCTION damaged(damage text, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE damage;
    result := outcome(call);
    RAISE EXCEPTION USING ERRCODE = 'ZZ001', MESSAGE = result;
EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
    RETURN SQLERRM;
END $$;
SELECT alike(damaged(format('UPDATE offers.%s SET %I = %s WHERE %3$s <> 0', split_part(place, '.', 1),
    split_part(place, '.', 2), number), call),
  format('XX001: table "%s" has an invalid value in column %%', split_part(place, '.', 1)),
  format('%s raises XX001 where %s is %s', call, place, number))
FROM (VALUES ('setting.factors', '65537'), ('setting.liked', '-2147483648'), ('setting.aged', '2147483646'),
  ('setting.aged', '-3'), ('setting.size', '5'), ('setting.block_slots', '1000000')) v (place, number),
  unnest('{SELECT count(*) FROM offers.recommend(1),SELECT count(*) FROM offers.trending(),'
         'SELECT offers.profile(1)}'::text[]) call;
UPDATE offers.block SET n = 2147483647 WHERE n = (SELECT max(n) FROM offers.block);
SELECT is(outcome('SELECT count(*) FROM offers.recommend(1)'),
  'XX001: table "block" has an invalid value in column "n" (It is 2147483647.)',
  'recommend() raises XX001 where a block has a number that is out of range');
SELECT is(hint_of('SELECT count(*) FROM offers.recommend(1)'),
  'Delete all rows of the table; refresh() writes them again.', 'the hint says what repairs blocks');
SELECT lives_ok('SELECT offers.refresh()', 'refresh() works where a block has a number that is out of range');
DELETE FROM offers.block;
SELECT offers.refresh();
SELECT is((SELECT count(*) FROM offers.recommend(1)), 10::bigint,
  'refresh() writes blocks again after they were deleted');

-- ---------- many columns ----------

SELECT format('CREATE TABLE wide AS SELECT i, %s FROM generate_series(1, 9) i', string_agg('i % 2 = 0 AS c' || n, ', '))
FROM   generate_series(1, 101) n \gexec
SELECT lives_ok($$SELECT dlints_create_recommender('wide_ones', 'wide', ARRAY(SELECT 'c' || n
  FROM generate_series(1, 101) n), item_key => 'i')$$, 'a recommender can have more than 100 columns');

-- ---------- plpgsql.extra_errors ----------

SELECT is(current_setting('plpgsql.extra_errors'), 'all', 'all of the above works under plpgsql.extra_errors = all');
SELECT lives_ok($$SELECT * FROM dlints_backtest('product', '{brand}', 'SELECT person, product, at FROM click',
  users => 10)$$, 'dlints_backtest() works under plpgsql.extra_errors = all');

SELECT * FROM finish();
ROLLBACK;
