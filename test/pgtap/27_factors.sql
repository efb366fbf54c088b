-- Item vectors from a click log.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(107);

-- 60 users of three tastes and 12 items, so that ten directions beside the
-- wanted ones make the decomposition exact
CREATE TEMP TABLE click AS
SELECT u AS user_id, i AS item_id, 1 + (h >> 8 & 1) AS weight
FROM generate_series(1, 60) AS u, generate_series(1, 12) AS i, LATERAL (SELECT hashint8extended(u * 100 + i, 5) & 1023) AS r (h)
WHERE h % 10 < CASE WHEN u % 3 = i % 3 THEN 8 ELSE 2 END;

CREATE FUNCTION pg_temp.factors(query text, k integer DEFAULT 3, previous text DEFAULT NULL, seed bigint DEFAULT 0)
RETURNS TABLE (item_id integer, features double precision[]) STABLE LANGUAGE sql AS
$$ SELECT * FROM dlints_factors(query, k, previous, seed) AS f (item_id integer, features double precision[]) $$;

-- what a rotation leaves as it is: all dot products
CREATE FUNCTION pg_temp.products(query text, k integer DEFAULT 3, previous text DEFAULT NULL, seed bigint DEFAULT 0)
RETURNS double precision[] STABLE LANGUAGE sql AS
$$ WITH f AS MATERIALIZED (SELECT * FROM pg_temp.factors(query, k, previous, seed))
   SELECT array_agg(dlints_dot(a.features, b.features) ORDER BY a.item_id, b.item_id) FROM f AS a, f AS b $$;

CREATE FUNCTION pg_temp.vectors(query text, k integer DEFAULT 3, previous text DEFAULT NULL, seed bigint DEFAULT 0)
RETURNS double precision[] STABLE LANGUAGE sql AS
$$ SELECT array_agg(x ORDER BY item_id, i) FROM pg_temp.factors(query, k, previous, seed), unnest(features) WITH ORDINALITY AS u (x, i) $$;

\set clicks 'SELECT user_id, item_id, weight FROM click'

CREATE TEMP TABLE fit AS SELECT * FROM pg_temp.factors(:'clicks');
CREATE TEMP TABLE expected AS SELECT pg_temp.products(:'clicks') AS products, pg_temp.vectors(:'clicks') AS vectors;

---------- what it is

SELECT is((SELECT count(*) FROM fit), 12::bigint, 'a vector for each item');
SELECT ok(bool_and(cardinality(features) = 3), 'of k numbers') FROM fit;
SELECT cmp_ok(abs(avg(dlints_dot(features, features)) - 1), '<', 1e-12::float8, 'with a mean square length of 1') FROM fit;
SELECT cmp_ok(min(alike), '>', max(other), 'items of one taste are alike')
FROM (SELECT avg(d) FILTER (WHERE a % 3 = b % 3) AS alike, avg(d) FILTER (WHERE a % 3 <> b % 3) AS other
      FROM (SELECT a.item_id AS a, b.item_id AS b, dlints_dot(a.features, b.features) AS d FROM fit AS a, fit AS b WHERE a.item_id <> b.item_id) AS p
      GROUP BY a) AS q;

-- V S V' by its definition: S^2 are the eigenvalues of C = A'A, and (V S V')^2
-- is C where nothing is left out.
CREATE TEMP TABLE scaled AS
SELECT user_id, item_id, weight / sqrt(sum(weight) OVER (PARTITION BY user_id)) AS a FROM click;
CREATE TEMP TABLE full_rank AS SELECT * FROM pg_temp.factors(:'clicks', 12);
SELECT cmp_ok(max(abs(square / squares * trace - product)), '<', 1e-10::float8, 'with k = 12 the square of all dot products is A''A')
FROM (SELECT a.item_id AS i, c.item_id AS j, sum(dlints_dot(a.features, b.features) * dlints_dot(b.features, c.features)) AS square
      FROM full_rank AS a, full_rank AS b, full_rank AS c GROUP BY 1, 2) AS s
JOIN (SELECT x.item_id AS i, y.item_id AS j, sum(x.a * y.a) AS product
      FROM scaled AS x JOIN scaled AS y USING (user_id) GROUP BY 1, 2) AS p USING (i, j),
     (SELECT sum(a * a) AS trace FROM scaled) AS t,
     (SELECT sum(dlints_dot(a.features, b.features) ^ 2) AS squares FROM full_rank AS a, full_rank AS b) AS q;
SELECT cmp_ok(difference((SELECT products FROM expected), pg_temp.products(:'clicks', 3, NULL, 1)), '<', 1e-10::float8, 'another seed gives the same up to a rotation');
SELECT cmp_ok(difference((SELECT array_agg(x ORDER BY item_id, i) FROM full_rank, unnest(features[:3]) WITH ORDINALITY AS u (x, i)),
                         (SELECT array_agg(x * sqrt(r.s) ORDER BY item_id, i) FROM fit, unnest(features) WITH ORDINALITY AS u (x, i),
                          (SELECT sum((SELECT sum(x * x) FROM unnest(features[:3]) AS x)) / 12 AS s FROM full_rank) AS r)), '<', 1e-10::float8,
              'the largest singular values come first, and signs do not depend on k');
SELECT is(pg_temp.vectors(:'clicks'), (SELECT vectors FROM expected), 'the same for the same seed');
SELECT is((SELECT array_agg(features::real[] ORDER BY item_id) FROM fit),
          (SELECT array_agg(features ORDER BY item_id) FROM dlints_factors(:'clicks', 3) AS f (item_id integer, features real[])), 'as real[]');

---------- rows

SELECT is(pg_temp.vectors(format('SELECT * FROM (%s) AS c ORDER BY hashint4(user_id * 77 + item_id)', :'clicks')), (SELECT vectors FROM expected),
          'any order of rows, to the last bit');
SELECT is(pg_temp.vectors(:'clicks' || ' ORDER BY user_id DESC, item_id DESC'), (SELECT vectors FROM expected), 'the reverse order');
SELECT is(pg_temp.vectors('SELECT user_id, item_id FROM click'), pg_temp.vectors('SELECT user_id, item_id, 1 FROM click'), 'two columns: each row counts 1');
SELECT is(pg_temp.vectors('SELECT user_id, item_id FROM click, generate_series(1, weight)'), (SELECT vectors FROM expected), 'repeated pairs add up');
SELECT is(pg_temp.vectors('SELECT user_id, item_id, weight::' || type || ' FROM click'), (SELECT vectors FROM expected), 'weights as ' || type)
FROM unnest('{smallint, bigint, real, double precision, numeric}'::text[]) AS type;
SELECT is(pg_temp.vectors(:'clicks' || ' UNION ALL SELECT NULL, 1, 5 UNION ALL SELECT 1, NULL, 5 UNION ALL SELECT 1, 2, NULL'), (SELECT vectors FROM expected),
          'rows with a NULL are skipped');
SELECT is(pg_temp.vectors(:'clicks' || ' UNION ALL SELECT 1, 99, 0 UNION ALL SELECT 99, 1, 0'), (SELECT vectors FROM expected),
          'rows with a weight of 0 are skipped, and leave no item');
SELECT cmp_ok(difference(pg_temp.vectors('SELECT user_id, item_id, weight * 1e50::float8 / 2 FROM click'), (SELECT vectors FROM expected)), '<', 1e-12::float8, 'huge weights');
SELECT cmp_ok(difference(pg_temp.vectors('SELECT user_id, item_id, weight * 1e-300::float8 FROM click'), (SELECT vectors FROM expected)), '<', 1e-12::float8, 'tiny weights');
SELECT cmp_ok(dlints_dot(a.features, a.features), '>', 11.9::float8, 'one weight far above all others')
FROM pg_temp.factors(:'clicks' || ' UNION ALL SELECT 1, 1, 1e50') AS a WHERE item_id = 1;

---------- types

CREATE FUNCTION pg_temp.as_type(users text, items text) RETURNS double precision LANGUAGE plpgsql AS
$$
DECLARE
	found double precision[];
BEGIN
	EXECUTE format(
		'WITH f AS MATERIALIZED (SELECT * FROM dlints_factors(%L, 3) AS f (item_id %s, features double precision[])),
		      i AS (SELECT i, ''0''::text || i AS name, md5(i::text)::uuid AS id FROM generate_series(1, 12) AS i),
		      n AS (SELECT i.i, f.features FROM i JOIN f ON f.item_id = (%s)::%2$s)
		 SELECT array_agg(dlints_dot(a.features, b.features) ORDER BY a.i, b.i) FROM n AS a, n AS b',
		format('SELECT (%s)::%s, (%s)::%s, weight FROM (SELECT user_id AS i, ''0''::text || user_id AS name, md5(user_id::text)::uuid AS id, item_id, weight FROM click) AS u,
		        LATERAL (SELECT item_id AS i, ''0''::text || item_id AS name, md5(item_id::text)::uuid AS id) AS i',
		       CASE users WHEN 'uuid' THEN 'u.id' WHEN 'integer[]' THEN 'ARRAY[u.i]' ELSE 'u.i' END, users,
		       CASE items WHEN 'uuid' THEN 'i.id' WHEN 'integer[]' THEN 'ARRAY[i.i]' WHEN 'text' THEN 'i.name' ELSE 'i.i' END, items),
		items, CASE items WHEN 'uuid' THEN 'i.id' WHEN 'integer[]' THEN 'ARRAY[i.i]' WHEN 'text' THEN 'i.name' ELSE 'i.i' END)
	INTO found;
	RETURN difference(found, (SELECT products FROM expected));
END
$$;
SELECT cmp_ok(pg_temp.as_type(users, items), '<', 1e-10::float8, format('users as %s, items as %s', users, items))
FROM (VALUES ('bigint', 'smallint'), ('text', 'bigint'), ('uuid', 'text'), ('numeric', 'uuid'), ('integer[]', 'numeric'), ('name', 'integer[]'), ('varchar', 'oid')) AS v (users, items);

CREATE DOMAIN pg_temp.item_number AS integer CHECK (VALUE > 0);
SELECT is(pg_temp.vectors('SELECT user_id, item_id::pg_temp.item_number, weight FROM click'), (SELECT vectors FROM expected), 'a domain');
SELECT is((SELECT array_agg(item_id ORDER BY item_id) FROM dlints_factors($$SELECT 1, v FROM unnest('{a, b}'::varchar(3)[]) AS v$$, 1) AS f (item_id text, features real[])), '{a,b}',
          'varchar as text');
SELECT is((SELECT count(*) FROM dlints_factors($$SELECT 1, v FROM unnest('{1.0, 1.00, 2}'::numeric[]) AS v$$, 1) AS f (item_id numeric, features real[])), 2::bigint,
          'equal values are one item, however they are written');
SELECT is((SELECT array_agg(length(item_id) ORDER BY 1) FROM dlints_factors($$SELECT 1, repeat(v, 100000) FROM unnest('{a,b}'::text[]) AS v$$, 1) AS f (item_id text, features real[])),
          '{100000,100000}', 'long values');

---------- few

SELECT is((SELECT count(*) FROM pg_temp.factors('SELECT 1, 1 WHERE false')), 0::bigint, 'an empty log: no row');
SELECT is(pg_temp.vectors('SELECT 5, 7'), '{1,0,0}', 'one click');
SELECT is((SELECT array_agg(round(x::numeric, 12) ORDER BY item_id, i) FROM pg_temp.factors('SELECT 1, i FROM generate_series(1, 3) AS i', 2), unnest(features) WITH ORDINALITY AS u (x, i)),
          '{1,0,1,0,1,0}', 'one user: one direction, and zeros behind it');
SELECT is((SELECT array_agg(round(x::numeric, 12) ORDER BY item_id, i) FROM pg_temp.factors('SELECT i, 1 FROM generate_series(1, 3) AS i', 2), unnest(features) WITH ORDINALITY AS u (x, i)),
          '{1,0}', 'one item');
SELECT is((SELECT bool_and(cardinality(features) = 512 AND features[13:] = array_fill(0::float8, ARRAY[500])) FROM pg_temp.factors(:'clicks', 512)), true,
          'k beyond the items: zeros behind');
SELECT cmp_ok(max(abs(x)), '<', 1e-6::float8, 'a log of rank 2 of 40 items has two directions')
FROM pg_temp.factors('SELECT u, i FROM generate_series(1, 40) AS u, generate_series(1, 40) AS i WHERE u % 2 = i % 2', 3), unnest(features[3:]) AS x;

---------- previous vectors

CREATE TEMP TABLE turned AS
SELECT item_id, ARRAY[-7 * features[3], 7 * features[1], -7 * features[2]] AS features FROM fit;
SELECT cmp_ok(difference(pg_temp.vectors(:'clicks', 3, 'SELECT * FROM turned'),
                         (SELECT array_agg(x ORDER BY item_id, i) FROM turned, unnest(features) WITH ORDINALITY AS u (x, i))), '<', 1e-10::float8,
              'the same log on vectors that are turned and stretched: the same as these');

-- a log that grows, with enough items that one product goes on from the old
CREATE TEMP TABLE history AS
SELECT u AS user_id, i AS item_id, u <= 300 AND i <= 80 AS old
FROM generate_series(1, 400) AS u, generate_series(1, 90) AS i
WHERE (hashint8extended(u * 1000 + i, 6) & 1023) % 20 < CASE WHEN u % 5 = i % 5 THEN 8 ELSE 1 END;
CREATE TEMP TABLE old_fit AS SELECT * FROM dlints_factors('SELECT user_id, item_id FROM history WHERE old', 4) AS f (item_id integer, features real[]);
CREATE TEMP TABLE new_fit AS SELECT * FROM dlints_factors('SELECT user_id, item_id FROM history', 4, 'SELECT item_id, features FROM old_fit') AS f (item_id integer, features real[]);
CREATE TEMP TABLE raw_fit AS SELECT * FROM dlints_factors('SELECT user_id, item_id FROM history', 4, seed => 8) AS f (item_id integer, features real[]);
CREATE FUNCTION pg_temp.distance(a real[], b real[]) RETURNS double precision IMMUTABLE LANGUAGE sql AS
$$ SELECT sqrt(sum((x - y) ^ 2)) FROM unnest(a::float8[], b::float8[]) AS u (x, y) $$;

SELECT cmp_ok(avg(pg_temp.distance(o.features, n.features)), '<', 0.3::float8, 'on a grown log vectors stay near what they were')
FROM old_fit AS o JOIN new_fit AS n USING (item_id);
SELECT cmp_ok(avg(pg_temp.distance(o.features, n.features)), '>', 0.6::float8, 'without the old ones they do not')
FROM old_fit AS o JOIN raw_fit AS n USING (item_id);
SELECT cmp_ok(corr(dlints_dot(m.w, o.features), dlints_dot(m.w, n.features)), '>', 0.95::float8, 'weights that were learned go on')
FROM old_fit AS o JOIN new_fit AS n USING (item_id), (SELECT '{0.3,-1,0.7,0.5}'::float8[] AS w) AS m;
SELECT cmp_ok(abs(sum(dlints_dot(o.features, o.features)) / sum(dlints_dot(n.features::float8[], n.features)) - 1), '<', 1e-5::float8, 'old items keep the length they had together')
FROM (SELECT item_id, features::float8[] AS features FROM old_fit) AS o JOIN new_fit AS n USING (item_id);
SELECT is((SELECT count(*) FROM new_fit), 90::bigint, 'new items have vectors');
SELECT cmp_ok(min(alike), '>', max(other), 'in the space of the old')
FROM (SELECT n.item_id, avg(d) FILTER (WHERE n.item_id % 5 = o.item_id % 5) AS alike, avg(d) FILTER (WHERE n.item_id % 5 <> o.item_id % 5) AS other
      FROM new_fit AS n, old_fit AS o, LATERAL (SELECT dlints_dot(n.features::float8[], o.features)) AS r (d) WHERE n.item_id > 80 GROUP BY 1) AS q;
SELECT is((SELECT array_agg(item_id ORDER BY item_id) FROM dlints_factors('SELECT user_id, item_id FROM history WHERE item_id > 40', 4, 'SELECT * FROM old_fit') AS f (item_id integer, features real[])),
          (SELECT array_agg(i) FROM generate_series(41, 90) AS i), 'items that are gone from the log are gone from the result');

CREATE FUNCTION pg_temp.refit(previous text) RETURNS double precision[] STABLE LANGUAGE sql AS
$$ SELECT array_agg(x ORDER BY item_id, i) FROM dlints_factors('SELECT user_id, item_id FROM history', 4, previous) AS f (item_id integer, features double precision[]),
   unnest(features) WITH ORDINALITY AS u (x, i) $$;
SELECT cmp_ok(difference(pg_temp.refit('SELECT item_id, features FROM raw_fit WHERE item_id <= 8'),
                         pg_temp.refit('SELECT item_id, features FROM raw_fit')), '<', 0.2::float8, 'few old vectors: computed anew, then turned');
SELECT cmp_ok(difference(pg_temp.refit('SELECT item_id, features FROM raw_fit WHERE false'), pg_temp.refit(NULL)), '=', 0::float8, 'no old vectors: as without any');
SELECT cmp_ok(difference(pg_temp.refit('SELECT item_id, ''{0,0,0,0}''::real[] FROM raw_fit'), pg_temp.refit(NULL)), '=', 0::float8, 'vectors of zeros are none');
SELECT cmp_ok(difference(pg_temp.refit('SELECT item_id, CASE WHEN item_id > 2 THEN features END FROM raw_fit UNION ALL SELECT NULL, ''{1,2,3,4}'' UNION ALL SELECT 1000, ''{1,2,3,4}'''),
                         pg_temp.refit('SELECT item_id, features FROM raw_fit WHERE item_id > 2')), '=', 0::float8, 'rows with a NULL and strange items are skipped');
SELECT cmp_ok(difference(pg_temp.refit('SELECT item_id, features FROM raw_fit ORDER BY hashint4(item_id)'), pg_temp.refit('SELECT item_id, features FROM raw_fit ORDER BY item_id')), '=', 0::float8,
              'in any order');
SELECT cmp_ok(difference(pg_temp.refit('SELECT item_id, features::' || type || '[] FROM raw_fit'), pg_temp.refit('SELECT item_id, features::double precision[] FROM raw_fit')), '<', 1e-5::float8, 'as ' || type || '[]')
FROM unnest('{real, numeric}'::text[]) AS type;
SELECT lives_ok($$SELECT pg_temp.refit('SELECT item_id, ARRAY[features[1], 0, 0, 0] FROM raw_fit')$$, 'vectors that lie on a line');
SELECT cmp_ok(max(abs(features[1])), '<', 10::float8, 'old vectors of nothing but what is far from the directions found stretch nothing')
FROM dlints_factors('SELECT u + i / 11 * 100, i FROM generate_series(1, 40) AS u, generate_series(1, 14) AS i WHERE i < 11 OR u < 5', 1,
                    'SELECT i, ''{1}''::real[] FROM generate_series(11, 14) AS i') AS f (item integer, features double precision[]);
SELECT lives_ok($$SELECT pg_temp.refit('SELECT item_id, ARRAY[1e-300, 1e50, -1e50, item_id] FROM raw_fit')$$, 'vectors of all sizes');

---------- what is refused

CREATE FUNCTION pg_temp.attempt(query text, k integer DEFAULT 3, previous text DEFAULT NULL, seed bigint DEFAULT 0, columns text DEFAULT 'item_id integer, features real[]') RETURNS text LANGUAGE sql AS
$$ SELECT outcome(format('SELECT count(*) FROM dlints_factors(%L, %L, %L, %L) AS f (%s)', query, k, previous, seed, columns)) $$;

SELECT is(pg_temp.attempt(NULL), '22004: query must not be null', 'query NULL');
SELECT is(pg_temp.attempt('SELECT 1, 2', NULL), '22004: k must not be null', 'k NULL');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, NULL, NULL), '22004: seed must not be null', 'seed NULL');
SELECT is(pg_temp.attempt('SELECT 1, 2', 0), '22023: k must be at least 1 (The value is 0.)', 'k 0');
SELECT is(pg_temp.attempt('SELECT 1, 2', 513), '54000: k must be at most 512 (The value is 513.)', 'k 513');
SELECT is(pg_temp.attempt('SELECT 1, 2, -1'), '22023: weight must not be negative (The value is -1.)', 'a negative weight');
SELECT is(pg_temp.attempt('SELECT 1, 2, ''NaN''::real'), '22003: NaN not allowed in weight', 'a weight NaN');
SELECT is(pg_temp.attempt('SELECT 1, 2, ''Infinity''::float8'), '22003: infinity not allowed in weight', 'an infinite weight');
SELECT is(pg_temp.attempt('SELECT 1, 2, 1e51'), '22003: numbers beyond 1e+50 not allowed in weight', 'a weight too large');
SELECT is(pg_temp.attempt('SELECT 1'), '42804: query must return 2 or 3 columns, not 1', 'one column');
SELECT is(pg_temp.attempt('SELECT 1, 2, 3, 4'), '42804: query must return 2 or 3 columns, not 4', 'four columns');
SELECT is(pg_temp.attempt('SELECT 1, 2, ''3''::text'), '42804: weights must be numbers, not of type text', 'a weight that is text');
SELECT is(pg_temp.attempt('SELECT point(1, 2), 2'), '42804: users of type point have no hash function', 'users without a hash');
SELECT is(pg_temp.attempt('SELECT 1, point(1, 2)', columns => 'item point, features real[]'), '42804: items of type point have no hash function', 'items without a hash');
SELECT is(pg_temp.attempt('SELECT 1, 2::bigint'), '42804: items are of type bigint in the query and integer in the column definition list', 'items of another type');
SELECT is(pg_temp.attempt('SELECT 1, 2', columns => columns), '42804: the column definition list must have an item and its features', 'columns ' || columns)
FROM unnest(ARRAY['item_id integer', 'item_id integer, features integer[]', 'item_id integer, features real', 'item_id integer, features real[], more integer']) AS columns;
CREATE DOMAIN pg_temp.pair AS real[] CHECK (cardinality(value) = 2);
SELECT is(pg_temp.attempt('SELECT 1, 2', columns => 'item integer, features pg_temp.pair'), '42804: the column definition list must have an item and its features', 'features of a domain, whose constraints nobody checks');
SELECT is(pg_temp.attempt('SELECT 1, ''abc''::text', columns => 'item varchar(2), features real[]'), '42804: items are of type text in the query and character varying(2) in the column definition list', 'items longer than their type');
SELECT is(pg_temp.attempt('SELECT 1, ''abc''::varchar(3)', columns => 'item varchar(3), features real[]'), 'gives 1', 'items of the declared length');
SELECT throws_ok($$SELECT dlints_factors('SELECT 1, 2', 3)$$, '42804', 'a column definition list is required', 'not in FROM');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2'), '42804: previous must return an item and an array of numbers', 'previous: one column');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2, 3'), '42804: previous must return an item and an array of numbers', 'previous: no array');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2, ''{a,b,c}''::name[]'), '42804: array of numbers expected, not name[]', 'previous: no numbers');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2::bigint, ''{1,2,3}''::real[]'), '42804: items are of type integer in query and bigint in previous', 'previous: items of another type');
SELECT is(pg_temp.attempt('SELECT 1, ''{2}''::integer[]', 3, 'SELECT ''{2}''::bigint[], ''{1,2,3}''::real[]', columns => 'item integer[], features real[]'), '42804: items are of type integer[] in query and bigint[] in previous', 'previous: arrays of another type');
SELECT is(pg_temp.attempt('SELECT 1, ''a''::varchar', 3, 'SELECT ''a''::text, ''{1,2,3}''::real[]', columns => 'item text, features real[]'), 'gives 1', 'previous: items of a type that is stored alike');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2, ''{1,2}''::real[]'), '22000: expected 3 dimensions, not 2 (This is the length of the previous vector.)', 'previous: another k');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2, ''{1,NULL,3}''::real[]'), '22004: array must not contain nulls (The previous vector has one.)', 'previous: a NULL inside');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2, ''{1,NaN,3}''::real[]'), '22003: NaN not allowed in array (Element 2 of the previous vector.)', 'previous: NaN');
SELECT is(pg_temp.attempt('SELECT 1, 2', 3, 'SELECT 2, ''{1,2,3}''::real[] FROM generate_series(1, 2)'), '21000: previous must not return an item more than once', 'previous: an item twice');
SELECT is(pg_temp.attempt('SELECT 1, 2', 1, 'SELECT 2, ''{1e50}''::float8[]'), '22003: dlints result out of range', 'vectors too large for real[]');

---------- queries

CREATE TEMP TABLE "Odd ""Name's" ("a;b" text, "It's" text);
INSERT INTO "Odd ""Name's" VALUES ('u''1', 'it''em'), ('u''1', '"$$;--');
SELECT is((SELECT array_agg(item ORDER BY item COLLATE "C") FROM dlints_factors($$SELECT "a;b", "It's" FROM "Odd ""Name's" -- all of it$$, 2) AS f (item text, features real[])),
          ARRAY['"$$;--', 'it''em'], 'a query is what it says, to the last character');
SELECT is(pg_temp.vectors('/* first */ WITH c AS (' || :'clicks' || ') TABLE c;'), (SELECT vectors FROM expected), 'WITH, TABLE, comments, a semicolon');
SELECT matches(pg_temp.attempt('INSERT INTO click VALUES (1, 2, 3) RETURNING *'), '^42P11|^0A000', 'a query that writes');
SELECT matches(pg_temp.attempt('WITH c AS (DELETE FROM click RETURNING *) SELECT * FROM c'), '^42P11|^0A000', 'a query that writes on the way');
SELECT matches(pg_temp.attempt('SELECT 1, 2', 3, 'WITH c AS (DELETE FROM click RETURNING *) SELECT item_id, ''{1,2,3}''::real[] FROM c'), '^42P11|^0A000', 'previous that writes');
SELECT is((SELECT count(*) FROM click), (SELECT count(*) FROM scaled), 'and nothing was written');
SELECT is(pg_temp.attempt('SELECT 1, 2; SELECT 1, 2'), '42P11: cannot open multi-query plan as cursor', 'two queries');
SELECT matches(pg_temp.attempt(''), '^42P11', 'no query');
SELECT is(pg_temp.attempt('nonsense'), '42601: syntax error at or near "nonsense"', 'no SQL');

CREATE ROLE dlints_factors_reader;
CREATE SCHEMA dlints_factors_schema;
GRANT USAGE ON SCHEMA dlints_factors_schema TO dlints_factors_reader;
CREATE TABLE dlints_factors_schema.secret AS SELECT 1 AS user_id, 2 AS item_id;
SELECT is(pg_temp.attempt('SELECT 1, 2') ~ '^gives', true, 'a query of constants');
CREATE FUNCTION pg_temp.as_reader() RETURNS text LANGUAGE plpgsql SET role = dlints_factors_reader AS
$$ BEGIN RETURN (SELECT count(*) FROM dlints_factors('SELECT * FROM dlints_factors_schema.secret', 1) AS f (item_id integer, features real[])); END $$;
SELECT throws_ok('SELECT pg_temp.as_reader()', '42501', 'permission denied for table secret', 'what the caller may not read');
SELECT throws_ok($$SELECT * FROM dlints_factors('SELECT * FROM secret', 1) AS f (item_id integer, features real[])$$, '42P01', NULL, 'what the search_path does not find');
CREATE FUNCTION pg_temp.found() RETURNS real[] LANGUAGE sql SET search_path = dlints_factors_schema, public AS
$$ SELECT features FROM dlints_factors('SELECT * FROM secret', 1) AS f (item_id integer, features real[]) $$;
SELECT is(pg_temp.found(), '{1}'::real[], 'and what it finds');

-- the snapshot of the statement that calls
CREATE TEMP TABLE item (id integer PRIMARY KEY, features real[]);
INSERT INTO item SELECT i FROM generate_series(1, 13) AS i;
UPDATE item SET features = f.features FROM dlints_factors(:'clicks', 3, 'SELECT id, features FROM item') AS f (item_id integer, features real[]) WHERE f.item_id = item.id;
CREATE TEMP TABLE first_features AS SELECT * FROM item;
UPDATE item SET features = f.features FROM dlints_factors(:'clicks', 3, 'SELECT id, features FROM item') AS f (item_id integer, features real[]) WHERE f.item_id = item.id;
SELECT cmp_ok(max(pg_temp.distance(i.features, o.features)), '<', 1e-5::float8, 'a table of items that is refitted') FROM item AS i JOIN first_features AS o USING (id);
SELECT is((SELECT array_agg(id) FROM item WHERE features IS NULL), '{13}', 'an item without clicks is left alone');

SELECT * FROM finish();
ROLLBACK;
