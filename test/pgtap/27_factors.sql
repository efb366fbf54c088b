-- Item vectors from a click log.
\ir include/helpers.sql
\ir include/click.sql

SELECT plan(118);

CREATE FUNCTION factors(query text, k integer DEFAULT 3, previous text DEFAULT NULL, seed bigint DEFAULT 0)
RETURNS TABLE (item_id integer, features float8[]) STABLE LANGUAGE sql AS
$$ SELECT * FROM dlints_factors(query, k, previous, seed) AS f (item_id integer, features float8[]) $$;
CREATE FUNCTION vectors(query text, k integer DEFAULT 3, previous text DEFAULT NULL, seed bigint DEFAULT 0)
RETURNS float8[] STABLE LANGUAGE sql AS $$
SELECT array_agg(x ORDER BY item_id, i)
FROM factors(query, k, previous, seed), unnest(features) WITH ORDINALITY AS u (x, i)
$$;
-- all dot products, which rotations do not change
CREATE FUNCTION products(query text, seed bigint DEFAULT 0) RETURNS float8[] STABLE LANGUAGE sql AS $$
WITH f AS MATERIALIZED (SELECT * FROM factors(query, seed => seed))
SELECT array_agg(dlints_dot(a.features, b.features) ORDER BY a.item_id, b.item_id)
FROM f AS a, f AS b
$$;
\set clicks 'SELECT user_id, item_id, weight FROM click'
SELECT count(*) AS n_clicks FROM click \gset
CREATE TEMP TABLE fit AS SELECT * FROM factors(:'clicks');
CREATE TEMP TABLE expected AS
SELECT :'clicks'::text AS clicks, products(:'clicks') AS products, vectors(:'clicks') AS vectors;

-- ---------- definition ----------

SELECT ok(count(*) = 12 AND bool_and(cardinality(features) = 3)
    AND abs(avg(dlints_dot(features, features)) - 1) < 1e-12,
    'each item has a vector of k numbers, with a mean square length of 1') FROM fit;
SELECT cmp_ok(min(alike), '>', max(other), 'items of one taste are alike')
FROM (SELECT avg(d) FILTER (WHERE a % 3 = b % 3) AS alike,
    avg(d) FILTER (WHERE a % 3 <> b % 3) AS other
      FROM (SELECT a.item_id AS a, b.item_id AS b, dlints_dot(a.features, b.features) AS d
            FROM fit AS a, fit AS b WHERE a.item_id <> b.item_id) AS p GROUP BY a) AS q;

CREATE TEMP TABLE full_rank AS SELECT * FROM factors(:'clicks', 12);
SELECT cmp_ok(difference((SELECT array_agg(x ORDER BY item_id, i)
                          FROM full_rank, unnest(features[:3]) WITH ORDINALITY AS u (x, i)),
                         (SELECT plus(zeros(36), 0.5, vectors) FROM expected)), '<',
                             1e-10::float8, 'signs of factors do not depend on k, and lengths are scaled by k');
SELECT is((SELECT array_agg(features::real[] ORDER BY item_id) FROM fit),
    array_agg(features ORDER BY item_id),
    'dlints_factors returns real[] if the column definition says so') FROM dlints_factors(:'clicks',
      3) AS f (item_id integer, features real[]);

-- ---------- rows ----------

CREATE DOMAIN item_number AS integer CHECK (VALUE > 0);
-- any order of rows, repeated pairs, columns and types: the same to the last bit
SELECT is(vectors(query), vectors, query) FROM expected, lines($$
    SELECT user_id, item_id, weight FROM click
    SELECT user_id, item_id, weight FROM click ORDER BY hashint4(user_id * 77 + item_id)
    SELECT user_id, item_id, weight FROM click ORDER BY user_id DESC, item_id DESC
    SELECT user_id, item_id FROM click, generate_series(1, weight)
    SELECT user_id, item_id, weight::smallint FROM click
    SELECT user_id, item_id, weight::bigint FROM click
    SELECT user_id, item_id, weight::real FROM click
    SELECT user_id, item_id, weight::double precision FROM click
    SELECT user_id, item_id, weight::numeric FROM click
    SELECT user_id, item_id::item_number, weight FROM click
    TABLE click UNION ALL SELECT NULL, 1, 5 UNION ALL SELECT 1, NULL, 5 UNION ALL SELECT 1, 2, NULL
    TABLE click UNION ALL SELECT 1, 99, 0 UNION ALL SELECT 99, 1, 0
    /* first */ WITH c AS (TABLE click) TABLE c;
    $$) AS query;
SELECT is(vectors('SELECT user_id, item_id FROM click'),
    vectors('SELECT user_id, item_id, 1 FROM click'), 'two columns: each row counts 1');
SELECT each_holds($$
    difference(products(clicks, 1), products) < 1e-10
    difference(vectors('SELECT user_id, item_id, weight * 1e50::float8 / 2 FROM click'), vectors)
        < 1e-12
    difference(vectors('SELECT user_id, item_id, weight * 1e-300::float8 FROM click'), vectors)
        < 1e-12
    (SELECT dlints_dot(features, features) > 11.9
     FROM factors('TABLE click UNION ALL SELECT 1, 1, 1e50')
        WHERE item_id = 1)
    $$, 'FROM expected');

-- ---------- the memory limit ----------

CREATE FUNCTION limited(query text, k integer, previous text DEFAULT NULL) RETURNS text
LANGUAGE sql SET dlints.factors_memory = '1MB' AS $$
SELECT outcome(format('SELECT count(*) FROM dlints_factors(%L, %s, %L) '
                      'AS f (item integer, features real[])', query, k, previous))
$$;
SELECT is(limited('SELECT i, i FROM generate_series(1, 1000000) AS i', 8),
    '53400: click log exceeds dlints.factors_memory (1024kB) '
    '(The planner expects 1000000 rows, which need at least 16 MB.)',
    'a query that the planner expects to be too large is not executed');
SET LOCAL dlints.factors_memory = '1MB';
SELECT matches(hint_of($$SELECT * FROM dlints_factors(
    'SELECT i, i FROM generate_series(1, 1000000) AS i', 8) AS f (item integer, features real[])$$),
    '^Sample the users, .*, or raise dlints.factors_memory.$',
      'the hint for a click log that is too large says what to do');
RESET dlints.factors_memory;
-- more rows than the planner expects
SELECT matches(limited(query, k, previous), '^53400: click log exceeds dlints.factors_memory \(1024kB\) '
    '\(The first \d+ rows need 2 MB; the planner expects 1000 in all.\)$', 'dlints.factors_memory limits ' || what)
FROM (VALUES
    ('its rows', 1, 'SELECT i % 100, i % 10 FROM generate_series(1, (SELECT 60000)) AS i', NULL),
    ('its users', 1, 'SELECT i, 1 FROM generate_series(1, (SELECT 25000)) AS i', NULL),
    ('its items', 1, 'SELECT 1, i FROM generate_series(1, (SELECT 10000)) AS i', NULL),
    ('the vectors of its items', 32, 'SELECT 1, i FROM generate_series(1, (SELECT 2000)) AS i', NULL),
    ('previous vectors', 32, 'SELECT 1, i FROM generate_series(1, (SELECT 850)) AS i', 'TABLE embedding'),
    ('its values', 1, 'SELECT repeat(i::text, 1000), 1 FROM generate_series(1, (SELECT 500)) AS i', NULL))
    AS v (what, k, query, previous);
SELECT is(limited(query, k), result, 'dlints.factors_memory allows ' || query) FROM (VALUES
    ('SELECT i % 100, i % 10 FROM generate_series(1, (SELECT 30000)) AS i', 1, 'gives 10'),
    ('SELECT i, 1 FROM generate_series(1, (SELECT 10000)) AS i', 1, 'gives 1'),
    ('SELECT 1, i FROM generate_series(1, (SELECT 850)) AS i', 32, 'gives 850'),
    ('SELECT 1, i FROM generate_series(1, (SELECT 2000)) AS i', 1, 'gives 2000')) AS v (query, k, result);
-- rows without a click need no memory
SELECT is(limited('SELECT i, 1, 0 FROM generate_series(1, (SELECT 100000)) AS i', 1),
    'gives 0', 'rows of weight 0 take no memory');

-- ---------- types ----------

-- the log with users and items of other types, and the dot products of its items
CREATE FUNCTION as_type(users text, items text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	value text := '
		CASE %1$L WHEN ''uuid'' THEN md5(%2$s::text)::uuid::text
		          WHEN ''integer[]'' THEN ''{'' || %2$s || ''}''
		          WHEN ''text'' THEN ''0'' || %2$s ELSE %2$s::text END::%1$s';
	found float8[];
BEGIN
	EXECUTE format('
		WITH f AS MATERIALIZED (SELECT *
		                        FROM dlints_factors(%L, 3) AS f (item %s, features float8[])),
		i AS (SELECT i, features FROM generate_series(1, 12) AS i JOIN f ON f.item = %s)
		SELECT array_agg(dlints_dot(a.features, b.features) ORDER BY a.i, b.i) FROM i AS a, i AS b',
		format('SELECT %s, %s, weight FROM click', format(value, users, 'user_id'), format(value, items, 'item_id')),
		items, format(value, items, 'i')) INTO found;
	RETURN difference(found, (SELECT products FROM expected));
END
$$;
-- a type without an extended hash function: the result does not depend on the order of rows, but on the seed
CREATE FUNCTION money_hash(money) RETURNS integer IMMUTABLE LANGUAGE sql AS $$ SELECT hash_numeric($1::numeric) $$;
CREATE OPERATOR CLASS money_ops DEFAULT FOR TYPE money USING hash AS
    OPERATOR 1 =, FUNCTION 1 money_hash(money);
SELECT cmp_ok(as_type(users, items), '<', 1e-10::float8, format('users as %s, items as %s', users, items))
FROM (VALUES ('bigint', 'smallint'), ('text', 'bigint'), ('uuid', 'text'), ('numeric', 'uuid'),
             ('integer[]', 'numeric'), ('name', 'integer[]'), ('varchar', 'oid'),
                 ('money', 'money')) AS v (users, items);
CREATE FUNCTION as_money(ordered_by text, seed bigint) RETURNS float8[] LANGUAGE sql AS $$
SELECT array_agg(x ORDER BY item_id, i)
FROM dlints_factors('SELECT user_id::money, item_id::money, weight FROM click ORDER BY '
    || ordered_by, 3,
        seed => seed) AS f (item_id money, features float8[]),
            unnest(features) WITH ORDINALITY AS u (x, i)
$$;
SELECT each_holds($$
    as_money('user_id', 0) = as_money('user_id DESC, item_id', 0)
    as_money('user_id', 0) <> as_money('user_id', 1)
    $$);

SELECT is(array_agg(item::text ORDER BY item COLLATE "C"), '{a,b}', 'varchar keys are returned as text')
FROM dlints_factors($$SELECT 1, v FROM unnest('{a, b}'::varchar(3)[]) AS v$$, 1) AS f (item text, features real[]);
SELECT is(count(*), 2::bigint, 'equal values are one item, however they are written')
FROM dlints_factors($$SELECT 1, v FROM unnest('{1.0, 1.00, 2}'::numeric[]) AS v$$, 1)
    AS f (item numeric, features real[]);
SELECT is(array_agg(length(item)), '{100000,100000}', 'long keys are returned whole')
FROM dlints_factors($$SELECT 1, repeat(v, 100000) FROM unnest('{a,b}'::text[]) AS v$$, 1)
    AS f (item text, features real[]);

-- ---------- small logs ----------

SELECT is((SELECT array_agg(round(x::numeric, 12)) FROM unnest(vectors(query, k)) AS x), want::numeric[], query)
FROM (VALUES ('SELECT 1, 1 WHERE false', 3, NULL), ('SELECT 5, 7', 3, '{1,0,0}'),
             -- one user: one direction, and further columns of zeros; one item
             ('SELECT 1, i FROM generate_series(1, 3) AS i', 2, '{1,0,1,0,1,0}'),
             ('SELECT i, 1 FROM generate_series(1, 3) AS i', 2, '{1,0}')) AS v (query, k, want);
SELECT ok(bool_and(cardinality(features) = 512 AND features[13:] = zeros(500)),
    'numbers beyond the number of items are zeros')
FROM factors(:'clicks', 512);
SELECT cmp_ok(max(abs(x)), '<', 1e-6::float8, 'a log of rank 2 of 40 items has two directions')
FROM factors('SELECT u, i FROM generate_series(1, 40) AS u, generate_series(1, 40) AS i '
        'WHERE u % 2 = i % 2', 3),
    unnest(features[3:]) AS x;

-- ---------- previous vectors ----------

CREATE TEMP TABLE turned AS
SELECT item_id, ARRAY[-7 * features[3], 7 * features[1], -7 * features[2]] AS features FROM fit;
SELECT cmp_ok(difference(vectors(:'clicks', 3, 'TABLE turned'), array_agg(x ORDER BY item_id, i)),
    '<', 1e-10::float8, 'the same log on vectors that are turned and stretched: the same as these')
FROM turned, unnest(features) WITH ORDINALITY AS u (x, i);

-- a log that grows, and is large enough for a refinement by one product
CREATE TEMP TABLE history AS
SELECT u AS user_id, i AS item_id, u <= 300 AND i <= 80 AS old
FROM generate_series(1, 400) AS u, generate_series(1, 90) AS i
WHERE (hashint8extended(u * 1000 + i, 6) & 1023) % 20 < CASE WHEN u % 5 = i % 5 THEN 8 ELSE 1 END;
CREATE TEMP TABLE old_fit AS
SELECT * FROM dlints_factors('SELECT user_id, item_id FROM history WHERE old', 4)
    AS f (item_id integer, features real[]);
CREATE TEMP TABLE new_fit AS
SELECT * FROM dlints_factors('SELECT user_id, item_id FROM history', 4, 'TABLE old_fit')
    AS f (item_id integer, features real[]);
CREATE TEMP TABLE raw_fit AS
SELECT * FROM dlints_factors('SELECT user_id, item_id FROM history', 4, seed => 8)
    AS f (item_id integer, features real[]);
CREATE FUNCTION distance(a real[], b real[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT sqrt(sum((x - y) ^ 2)) FROM unnest(a::float8[], b::float8[]) AS u (x, y) $$;

SELECT ok(avg(distance(o.features, n.features)) < 0.3
    AND avg(distance(o.features, r.features)) > 0.6,
    'vectors of a grown log stay near the old vectors only if these are passed')
FROM old_fit AS o JOIN new_fit AS n USING (item_id) JOIN raw_fit AS r USING (item_id);
SELECT ok(corr(dlints_dot(w, o.features), dlints_dot(w, n.features)) > 0.95,
    'trained weights remain valid for the new vectors')
FROM old_fit AS o JOIN new_fit AS n USING (item_id), (SELECT '{0.3,-1,0.7,0.5}'::float8[]) AS m (w);
SELECT cmp_ok(abs(sum(distance(o.features, '{0,0,0,0}') ^ 2) / sum(distance(n.features,
    '{0,0,0,0}') ^ 2) - 1),
    '<', 1e-5::float8, 'old items keep the length they had together')
FROM old_fit AS o JOIN new_fit AS n USING (item_id);
SELECT is(count(*), 90::bigint, 'new items have vectors') FROM new_fit;
SELECT cmp_ok(min(alike), '>', max(other), 'new items lie near old items of their group')
FROM (SELECT avg(d) FILTER (WHERE n.item_id % 5 = o.item_id % 5) AS alike,
          avg(d) FILTER (WHERE n.item_id % 5 <> o.item_id % 5) AS other
      FROM new_fit AS n, old_fit AS o, dlints_dot(n.features::float8[], o.features) AS d
      WHERE n.item_id > 80 GROUP BY n.item_id) AS q;
SELECT is(array_agg(item_id ORDER BY item_id), ARRAY(SELECT generate_series(41, 90)),
    'items that are gone from the log are gone from the result')
FROM dlints_factors('SELECT user_id, item_id FROM history WHERE item_id > 40', 4, 'TABLE old_fit')
    AS f (item_id integer, features real[]);

-- previous vectors: few (computed again, then rotated), none, zeros, rows with NULLs and unknown items, in any
-- order, of other types, collinear, of all sizes
CREATE FUNCTION refit(previous text) RETURNS float8[] STABLE LANGUAGE sql AS
$$ SELECT vectors('SELECT user_id, item_id FROM history', 4, 'SELECT item_id, ' || previous) $$;
CREATE FUNCTION refit() RETURNS float8[] STABLE LANGUAGE sql AS
$$ SELECT vectors('SELECT user_id, item_id FROM history', 4) $$;
SELECT each_holds($$
    difference(refit('features FROM raw_fit WHERE item_id <= 8'), refit('features FROM raw_fit'))
        < 0.2
    refit('features FROM raw_fit WHERE false') = refit()
    refit('ARRAY[0, 0, 0, 0]::real[] FROM raw_fit') = refit()
    refit('CASE WHEN item_id > 2 THEN features END FROM raw_fit UNION ALL
        VALUES (NULL, ARRAY[1, 2, 3, 4]::real[]), (1000, ARRAY[1, 2, 3, 4])')
        = refit('features FROM raw_fit WHERE item_id > 2')
    refit('features FROM raw_fit ORDER BY hashint4(item_id)') = refit('features FROM raw_fit')
    difference(refit('features::real[] FROM raw_fit'), refit('features::float8[] FROM raw_fit'))
        < 1e-5
    difference(refit('features::numeric[] FROM raw_fit'), refit('features::float8[] FROM raw_fit'))
        < 1e-5
    refit('ARRAY[features[1], 0, 0, 0] FROM raw_fit') IS NOT NULL
    refit('ARRAY[1e-300, 1e50, -1e50, item_id] FROM raw_fit') IS NOT NULL
    $$);
SELECT cmp_ok(max(abs(features[1])), '<', 10::float8,
    'old vectors of nothing but what is far from the directions found stretch nothing')
FROM factors('SELECT u + i / 11 * 100, i FROM generate_series(1, 40) AS u, '
    'generate_series(1, 14) AS i '
    'WHERE i < 11 OR u < 5', 1, 'SELECT i, ARRAY[1]::real[] FROM generate_series(11, 14) AS i');

-- ---------- errors ----------

-- arguments, and columns of the result
SELECT is(outcome(format('SELECT count(*) FROM dlints_factors(%s) AS f (%s)', arguments, columns)),
    result, format('%s: %s', columns, arguments))
FROM (VALUES
    ('22004: query must not be null', 'item integer, features real[]', 'NULL, 3'),
    ('22004: k must not be null', 'item integer, features real[]', $$'SELECT 1, 2', NULL$$),
    ('22004: seed must not be null', 'item integer, features real[]', $$'SELECT 1, 2', 3, NULL,
        NULL$$),
    ('22023: k must be at least 1 (The value is 0.)', 'item integer, features real[]', $$'SELECT 1, 2', 0$$),
    ('54000: k must be at most 512 (The value is 513.)', 'item integer, features real[]', $$'SELECT 1, 2', 513$$),
    ('42804: could not identify a hash function for items of type point', 'item point, features real[]',
        $$'SELECT 1, point(1, 2)', 3$$),
    ('42804: items are of type text in the query and character varying(2) '
        'in the column definition list',
     'item varchar(2), features real[]', $$'SELECT 1, ''abc''::text', 3$$),
    ('gives 1', 'item varchar(3), features real[]', $$'SELECT 1, ''abc''::varchar(3)', 3$$),
    ('42804: items are of type integer[] in query and bigint[] in previous', 'item integer[], features real[]',
     $$'SELECT 1, ARRAY[2]', 3, 'SELECT ARRAY[2]::bigint[], ''{1,2,3}''::real[]'$$),
    -- items of a binary compatible type
    ('gives 1', 'item text, features real[]',
     $$'SELECT 1, ''a''::varchar', 3, 'SELECT ''a''::text, ''{1,2,3}''::real[]'$$),
    ('22003: infinity not allowed in previous', 'item integer, features real[]',
     $$'SELECT 1, 2', 1, 'SELECT 2, ARRAY[1e50]'$$)) AS v (result, columns, arguments);
CREATE DOMAIN pair_of_numbers AS real[] CHECK (cardinality(value) = 2);
SELECT is(outcome(format($$SELECT * FROM dlints_factors('SELECT 1, 2', 3) AS f (%s)$$, columns)),
    '42804: the column definition list must have an item and its features', columns)
FROM lines($$
    item_id integer
    item_id integer, features integer[]
    item_id integer, features real
    item_id integer, features real[], more integer
    item integer, features pair_of_numbers
    $$) AS columns;
SELECT throws_ok($$SELECT dlints_factors('SELECT 1, 2', 3)$$, '42804', 'a column definition list is required',
    'dlints_factors needs a column definition list');
-- queries
CREATE FUNCTION attempt(query text, previous text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
SELECT outcome(format('SELECT count(*) FROM dlints_factors(%L, 3, %L) '
                      'AS f (item integer, features real[])',
                      query, previous))
$$;
SELECT is(attempt(query), result, query) FROM (VALUES
    ('SELECT 1, 2, -1', '22023: weight must not be negative (The value is -1.)'),
    ($$SELECT 1, 2, 'NaN'::real$$, '22003: NaN not allowed in weight'),
    ($$SELECT 1, 2, 'Infinity'::float8$$, '22003: infinity not allowed in weight'),
    ('SELECT 1, 2, 1e51', '22003: numbers beyond 1e+50 not allowed in weight'),
    ('SELECT 1', '42804: query must return 2 or 3 columns, not 1'),
    ('SELECT 1, 2, 3, 4', '42804: query must return 2 or 3 columns, not 4'),
    ($$SELECT 1, 2, '3'::text$$, '42804: weights must be numbers, not of type text'),
    ('SELECT point(1, 2), 2', '42804: could not identify a hash function for users of type point'),
    ('SELECT 1, 2::bigint', '42804: items are of type bigint in the query and integer in the column definition list'),
    ('SELECT 1, 2; SELECT 1, 2', '42P11: dlints_factors requires a single query that returns rows'),
    ('nonsense', '42601: syntax error at or near "nonsense"')) AS v (query, result);
SELECT is(attempt('SELECT 1, 2', 'SELECT ' || previous), result, 'previous: ' || previous)
FROM (VALUES
    ('2', '42804: previous must return an item and an array of numbers'),
    ('2, 3', '42804: previous must return an item and an array of numbers'),
    ($$2, '{a,b,c}'::name[]$$, '42804: array of numbers expected, not name[]'),
    ($$2::bigint, '{1,2,3}'::real[]$$, '42804: items are of type integer in query and bigint in previous'),
    ($$2, '{1,2}'::real[]$$, '22000: expected 3 dimensions, not 2 (Wrong length of the previous vector.)'),
    ($$2, '{1,NULL,3}'::real[]$$, '22004: array must not contain nulls (A null was found in the previous vector.)'),
    ($$2, '{1,NaN,3}'::real[]$$, '22003: NaN not allowed in array (Element 2 of the previous vector.)'),
    ($$2, '{1,2,3}'::real[] FROM generate_series(1, 2)$$,
     '21000: previous must not return an item more than once')) AS v (previous, result);
SELECT matches(attempt(query, previous), '^42P11|^0A000', coalesce(previous, query)) FROM (VALUES
    ('', NULL),
    ('INSERT INTO click VALUES (1, 2, 3) RETURNING *', NULL),
    ('WITH c AS (DELETE FROM click RETURNING *) SELECT * FROM c', NULL),
    ('SELECT 1, 2', $$WITH c AS (DELETE FROM click RETURNING *) SELECT item_id, '{1,2,3}'::real[]
        FROM c$$)) AS v (query, previous);
SELECT is(count(*), :n_clicks::bigint, 'rejected queries write nothing') FROM click;

-- ---------- queries ----------

CREATE TEMP TABLE "Odd ""Name's" ("a;b" text, "It's" text);
INSERT INTO "Odd ""Name's" VALUES ('u''1', 'it''em'), ('u''1', '"$$;--');
SELECT is(array_agg(item ORDER BY item COLLATE "C"), ARRAY['"$$;--', 'it''em'],
    'a query with odd names is executed unmodified')
FROM dlints_factors($$SELECT "a;b", "It's" FROM "Odd ""Name's" -- all of it$$, 2)
    AS f (item text, features real[]);

CREATE ROLE dlints_factors_reader;
CREATE SCHEMA dlints_factors_schema;
GRANT USAGE ON SCHEMA dlints_factors_schema TO dlints_factors_reader;
CREATE TABLE dlints_factors_schema.secret AS SELECT 1 AS user_id, 2 AS item_id;
CREATE FUNCTION pg_temp.as_reader() RETURNS text
LANGUAGE plpgsql SET role = dlints_factors_reader AS $$
BEGIN
	RETURN count(*) FROM dlints_factors('SELECT * FROM dlints_factors_schema.secret', 1)
		AS f (item_id integer, features real[]);
END
$$;
SELECT throws_ok('SELECT pg_temp.as_reader()', '42501', 'permission denied for table secret',
    'a query runs with the rights of the caller');
SELECT throws_ok($$SELECT * FROM factors('SELECT * FROM secret', 1)$$, '42P01', NULL,
    'a query does not find tables outside of the search_path');
CREATE FUNCTION found() RETURNS real[]
LANGUAGE sql SET search_path = dlints_factors_schema, public AS
$$ SELECT features FROM dlints_factors('SELECT * FROM secret', 1) AS f (item_id integer, features real[]) $$;
SELECT is(found(), '{1}'::real[], 'a query finds tables by the search_path of the calling function');

-- the query uses the snapshot of the calling statement
CREATE TEMP TABLE item (id integer PRIMARY KEY, features real[]);
INSERT INTO item SELECT i FROM generate_series(1, 13) AS i;
PREPARE refit_items AS
UPDATE item SET features = f.features
FROM factors('SELECT user_id, item_id, weight FROM click', 3, 'SELECT id, features FROM item') AS f
WHERE f.item_id = item.id;
EXECUTE refit_items;
CREATE TEMP TABLE first_features AS SELECT * FROM item;
EXECUTE refit_items;
SELECT cmp_ok(max(distance(i.features, o.features)), '<', 1e-5::float8, 'a table of items that is refitted')
FROM item AS i JOIN first_features AS o USING (id);
SELECT is(array_agg(id), '{13}', 'an item without clicks is left alone') FROM item
WHERE features IS NULL;

SELECT * FROM finish();
ROLLBACK;
