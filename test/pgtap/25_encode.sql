-- Columns and documents as vectors: names, their fixed vectors, and how precisely dot products show common names
\ir include/helpers.sql
-- or a stand-in, for a PostgreSQL without its contrib modules
SELECT count(*) > 0 AS has_citext FROM pg_available_extensions WHERE name = 'citext' \gset
\if :has_citext
CREATE EXTENSION citext;
\else
CREATE DOMAIN citext AS text;
\endif

SELECT plan(154);

-- Golden values, worked out in Python from the definitions of SipHash, Philox and the sum:
-- they never change.
SELECT is(dlints_encode(8, 'category', 'book'),
    '{0.35355338,-0.35355338,0.35355338,0.35355338,-0.35355338,0.35355338,-0.35355338,0.35355338}',
    'text is encoded to the golden values');
SELECT is(dlints_encode(8, 'category', 'book', 'tags', ARRAY['a', 'b'], 'used', true, 'price', 0.5),
    '{0.3686049,0.07372098,0.3686049,0.3686049,-0.6634888,0.3686049,-0.07372098,0.07372098}',
    'a row is encoded to the golden values');
SELECT is(dlints_encode(8,
    '{"category": "book", "tags": ["a", "b"], "used": true, "price": 0.5}'::jsonb),
    '{0.3686049,0.07372098,0.3686049,0.3686049,-0.6634888,0.3686049,-0.07372098,0.07372098}',
    'a document is encoded to the golden values');
-- beyond the first 128 signs, a block of the generator
SELECT is((dlints_encode(256, 'category', 'book'))[129:144],
    (SELECT array_agg(CASE WHEN (x'7917'::integer >> i) & 1 = 1 THEN -0.0625 ELSE 0.0625 END ORDER BY i)::real[]
     FROM generate_series(0, 15) AS i), 'signs beyond the first 128 are the golden ones');
-- a name of eight bytes, a word of SipHash
SELECT is(string_agg(CASE WHEN x < 0 THEN '-' ELSE '+' END, '' ORDER BY i),
    '-+-+--+-----+++-+++----+++++---+++---+++-+-+--++-++++---++----+-'
    '+-++++----+++++-+-++---+-++-++---+-++---+-+++----+-++---+++--++-', 'golden: all 128 signs of a block')
FROM unnest(dlints_encode(128, 'kind', 'red')) WITH ORDINALITY AS u (x, i);
SELECT is((dlints_encode(256, 'category', 'book'))[1:64],
    plus(zeros(64), 0.5, dlints_encode(64, 'category', 'book')::float8[])::real[],
    'a longer vector of a name begins like a shorter one');
SELECT is(dlints_encode(6, 'größe', 'Ø'), plus(zeros(6), 1 / sqrt(6), '{-1,1,1,-1,1,1}')::real[],
    'golden: a name is its bytes in UTF-8');
SELECT is(dlints_encode(1, 'category', 'book'), '{1}', 'dlints_encode works with one dimension');
SELECT is(array_length(dlints_encode(65536, 'category', 'book'), 1), 65536,
  'dlints_encode returns up to 65,536 numbers');
SELECT is(pg_typeof(v)::text || array_dims(v), 'real[][1:3]', 'encoded features are a one-dimensional array')
FROM dlints_encode(3, 'a', true) AS v;

-- Names of each value, as a list of names and weights
CREATE FUNCTION sum_of(n integer, names text[], weights float8[]) RETURNS float8[] LANGUAGE sql AS $$
SELECT plus(zeros(n), 1 / sqrt(sum(total ^ 2)), array_agg(total ORDER BY i))
FROM (SELECT i, sum(w * sign(x)) AS total
      FROM unnest(names, weights) AS v (name, w),
          unnest(dlints_encode(n, name, true)) WITH ORDINALITY AS u (x, i) GROUP BY i) AS t
$$;
CREATE FUNCTION encodes(arguments text, names text[], weights float8[], description text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	v real[];
BEGIN
	EXECUTE format('SELECT dlints_encode(40, %s)', arguments) INTO v;
	RETURN ok(difference(v, sum_of(40, names, weights)) < 1e-6, description);
END
$$;

CREATE DOMAIN label AS text CHECK (value <> 'wrong');
CREATE DOMAIN label_of_label AS label;
CREATE DOMAIN labels AS text[];
CREATE DOMAIN padded AS char(6);
CREATE DOMAIN amount AS numeric(10, 2);
CREATE DOMAIN document AS jsonb;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE pair AS (a integer, b text);

SELECT encodes(arguments, names, weights, arguments)
FROM (VALUES
      (1, $$'a', 'x'::text$$, '{a=x}'::text[], '{1}'::float8[]),
      (2, $$'a', 'x'::varchar(5)$$, '{a=x}', '{1}'),
      (3, $$'a', 'x'::char(5)$$, '{a=x}', '{1}'),
      (4, $$'a', 'x'::name$$, '{a=x}', '{1}'),
      (5, $$'a', 'X'::citext$$, '{a=X}', '{1}'),
      (6, $$'a', 'x'::label$$, '{a=x}', '{1}'),
      (7, $$'a', 'x'::label_of_label$$, '{a=x}', '{1}'),
      (8, $$'a', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid$$, '{a=a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}', '{1}'),
      (9, $$'a', ARRAY['x', 'y', NULL, '', 'x']$$, '{a=x,a=y}', '{2,1}'),
      (10, $$'a', ARRAY['x', 'y']::varchar[]$$, '{a=x,a=y}', '{1,1}'),
      (11, $$'a', ARRAY['x', 'y   ']::char(4)[]$$, '{a=x,a=y}', '{1,1}'),
      (12, $$'a', ARRAY['x', 'y']::name[]$$, '{a=x,a=y}', '{1,1}'),
      (13, $$'a', ARRAY['x', 'y']::citext[]$$, '{a=x,a=y}', '{1,1}'),
      (14, $$'a', ARRAY['x', 'y']::label[]$$, '{a=x,a=y}', '{1,1}'),
      (15, $$'a', '{x,y}'::labels$$, '{a=x,a=y}', '{1,1}'),
      (16, $$'a', ARRAY['00000000-0000-0000-0000-000000000000'::uuid]$$,
      '{a=00000000-0000-0000-0000-000000000000}', '{1}'),
      (17, $$'a', '[5:6][2:3]={{x,y},{z,NULL}}'::text[]$$, '{a=x,a=y,a=z}', '{1,1,1}'),
      (18, $$'a', true, 'b', false, 'c', true$$, '{a,c}', '{1,1}'),
      (19,
      $$'a', 2::smallint, 'b', -3, 'c', 4::bigint, 'd', 0.5::real, 'e', 0.25::float8, 'f', 1.75$$,
      '{a,b,c,d,e,f}', '{2,-3,4,0.5,0.25,1.75}'),
      (29, $$'g', 1.255::amount, 'h', 1$$, '{g,h}', '{1.26,1}'),
      (20, $$'a', 0, 'b', 1e50, 'c', -1e-300$$, '{b}', '{1}'),
      (21, $$'a', 5e-324::float8, 'b', -5e-324::float8$$, '{a,b}', '{1,-1}'),
      (22, $$'a', 'x', 'a', 'x', 'b', 'y', 'b', 2$$, '{a=x,b=y,b}', '{2,1,2}'),
      (23, $$'a=b', 'c', 'a', 'b=c'$$, '{a=b=c}', '{1}'),
      (24, $$'', 'x', '', ARRAY['y', 'z'], '', true, '', 7$$, '{x,y,z}', '{1,1,1}'),
      (25,
      $$'a'::name, 'x', 'b'::varchar, true, 'c'::char(9), true, 'd'::citext, 'y', 'e'::label, 'z'$$,
      '{a=x,b,c,d=y,e=z}', '{1,1,1,1,1}'),
      (26, $$'a', '{"b": {"c": "x"}, "d": [1, "y"], "e": 2}'::jsonb, 'f', '"x"'::jsonb$$,
      '{a.b.c=x,a.d=1,a.d=y,a.e,f=x}', '{1,1,1,2,1}'),
      (30, $$'g', '[3.50, "z"]'::jsonb, 'h', '1.5'::jsonb, 'i', 'true'::jsonb, 'j', 'null'::jsonb$$,
      '{g=3.5,g=z,h,i}', '{1,1,1.5,1}'),
      (27, $$'a', ARRAY['x', '   ', 'y']::padded[], 'b', 'z'::padded$$, '{a=x,a=y,b=z}', '{1,1,1}'),
      (28, $$VARIADIC ARRAY['a', 'x', 'b', 'y', 'c', NULL]$$, '{a=x,b=y}', '{1,1}')) AS v (i,
    arguments, names, weights)
ORDER BY i;

-- documents
SELECT encodes(quote_literal(document) || '::jsonb', names, weights, document)
FROM (VALUES
      (1, '{"a": "x", "b": true, "c": false, "d": null, "e": 2.5, "f": ""}', '{a=x,b,e}'::text[],
      '{1,1,2.5}'::float8[]),
      (2, '{"a": {"b": {"c": "x", "d": true}, "e": 3}, "f": "y"}', '{a.b.c=x,a.b.d,a.e,f=y}', '{1,1,3,1}'),
      (3, '{"a": ["x", "y", null, "", true, false]}', '{a=x,a=y,a}', '{1,1,1}'),
      (4, '{"a": [3, 3.0, 3.50, -1e2, 1e-3, 12345678901234567890]}',
      '{a=3,a=3.5,a=-100,a=0.001,a=12345678901234567890}', '{2,1,1,1,1}'),
      (5, '{"a": [{"b": "x"}, {"b": "y", "c": 2}, ["z", 1, [true]]]}', '{a.b=x,a.b=y,a.c,a=z,a=1,a}', '{1,1,2,1,1,1}'),
      (6, '["x", "y", 3, {"a": "z"}]', '{x,y,3,a=z}', '{1,1,1,1}'),
      (7, '"x"', '{x}', '{1}'),
      (8, '{"": "x", "a": {"": "y"}}', '{x,a.=y}', '{1,1}'),
      (9, '{"a": {"b": "x"}, "a.b": "x"}', '{a.b=x}', '{1}'),
      (10, '{"größe": {"Ø": "5"}}', '{größe.Ø=5}', '{1}')) AS v (i, document, names, weights)
ORDER BY i;
SELECT is(dlints_encode(9, document::jsonb), array_fill(0::real, ARRAY[9]), 'adds nothing: ' || document)
FROM (VALUES
      ('{}'), ('[]'), ('null'), ('true'), ('5'), ('""'), ('{"a": null}'), ('{"a": []}'),
      ('{"a": {}}'), ('{"a": ""}'), ('{"a": false, "b": 0}'), ('[[], {}]')) AS v (document);

-- values without names
SELECT is(outcome(format('SELECT dlints_encode(3, %s)', arguments)), 'gives {0,0,0}', arguments)
FROM lines($$
    'a', NULL
    'a', NULL::text, 'b', NULL::text[], 'c', NULL::boolean, 'd', NULL::float8, 'e', NULL::jsonb
    'a', NULL::label, 'b', NULL::citext
    'a', ''
    'a', '    '::char(4)
    'a', '{}'::text[]
    'a', '{NULL,""}'::text[]
    'a', false, 'b', 0
    'a', 1, 'a', -1
    NULL::jsonb
    VARIADIC NULL::text[]
    VARIADIC '{}'::text[]
    '', 5, '', true
    $$) AS arguments;

-- Rejected types, with a hint that shows a valid call
CREATE FUNCTION refusal(arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	v text;
	detail text;
	hint text;
BEGIN
	EXECUTE format('SELECT dlints_encode(%s)', arguments) INTO v;
	RETURN v;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END
$$;
SELECT is(refusal(format($$4, 'v', %s$$, value)),
    format('42804 | dlints_encode does not take values of type %s | This is the type of "v". | %s', type, hint),
    type)
FROM (VALUES
      ('Write it as text: v::text[]. Concatenate measurements, scaled to [0, 1], '
      'with the encoding.',
      $$
    integer[]                     ARRAY[1, 2]
    real[]                        ARRAY[1.5]::real[]
    boolean[]                     ARRAY[true]
    mood[]                        ARRAY['sad'::mood]
    jsonb[]                       ARRAY['{}'::jsonb]
    int2vector                    '1 2'::int2vector
    $$),
      ('Write it as text: v::text. In a generated column, which must be immutable, '
      'use CASE or a function declared IMMUTABLE.',
      $$
    mood                          'sad'::mood
    mood                          NULL::mood
    $$),
      ('Write a part of it as text, such as extract(isodow FROM v)::text.',
      $$
    date                          current_date
    timestamp without time zone   localtimestamp
    $$),
      ('Write a part of it as text, such as extract(isodow FROM v AT TIME ZONE ''UTC'')::text.',
      $$
    timestamp with time zone      now()
    $$),
      ('Write a part of it as text, such as extract(hour FROM v)::text.',
      $$
    time without time zone        localtime
    time with time zone           current_time
    $$),
      ('Write it as a number: extract(epoch FROM v).',
      $$
    interval                      interval '1 day'
    $$),
      ('Write it as text: encode(v, ''hex'').',
      $$
    bytea                         '\x00'::bytea
    $$),
      ('Keep it as a number: v::numeric.',
      $$
    money                         1::money
    $$),
      ('Write its bounds: lower(v) and upper(v).',
      $$
    int4range                     '[1,2]'::int4range
    $$),
      ('Pass each of its columns with a name.',
      $$
    pair                          row(1, 'a')::pair
    record                        row(1, 2)
    $$),
      ('Write it as jsonb: v::jsonb.',
      $$
    json                          '{}'::json
    $$),
      ('Write it as an array: tsvector_to_array(v).',
      $$
    tsvector                      to_tsvector('a b')
    $$),
      ('Write it as text: v::text.',
      $$
    inet                          '127.0.0.1'::inet
    oid                           1::oid
    regproc                       'dlints_new'::regproc
    "char"                        'a'::"char"
    bit                           b'101'
    point                         '(1,2)'::point
    dlints                        dlints_new(2)
    $$)) AS v (hint, cases),
    lines(cases) AS line,
    LATERAL (SELECT m[1], m[2] FROM regexp_match(line, '^(.*?)   +(.*)$') AS m) AS c (type, value);
CREATE DOMAIN day AS date;
SELECT is(refusal($$4, 'v', current_date::day$$),
    '42804 | dlints_encode does not take values of type day | This is the type of "v". | Write a '
        'part of it as text, such as extract(isodow FROM v)::text.', 'a domain over a type that is refused');
SELECT is(refusal($$4, '%s 100 %d', 1::money$$),
    '42804 | dlints_encode does not take values of type money | This is the type of "%s 100 %d". '
        '| Keep it as a number: %s 100 %d::numeric.', 'names are no formats');
SELECT is(refusal($$4, 'a', 'x', 'v', 1::money$$), refusal($$4, 'v', 1::money$$), 'behind values that are taken');

SELECT is(refusal(arguments), message, arguments)
FROM (VALUES
      ('22004 | n must not be null', $$NULL, 'a', 1$$),
      ('22004 | n must not be null', $$NULL, '{}'::jsonb$$),
      ('22023 | n must be at least 1 | The value is 0.', $$0, 'a', 1$$),
      ('22023 | n must be at least 1 | The value is -5.', $$-5, '{}'::jsonb$$),
      ('54000 | dlints cannot have more than 65536 dimensions | n is 65537.', $$65537, 'a', 1$$),
      ('54000 | dlints cannot have more than 65536 dimensions | n is 2147483647.', $$2147483647, '{}'::jsonb$$),
      ('22004 | a name must not be null | This is argument 2.', '4, NULL, 1'),
      ('22004 | a name must not be null | This is argument 4.', $$4, 'a', 1, NULL::text, 1$$),
      ('22004 | a name must not be null | This is argument 4.', $$4, VARIADIC ARRAY['a', 'x', NULL, 'y']$$),
      ('22003 | NaN not allowed in a', $$4, 'a', 'NaN'::float8$$),
      ('22003 | infinity not allowed in a', $$4, 'a', 'Infinity'::real$$),
      ('22003 | infinity not allowed in a', $$4, 'a', '-Infinity'::float8$$),
      ('22003 | NaN not allowed in a', $$4, 'a', 'NaN'::numeric$$),
      ('22003 | numbers beyond 1e+50 not allowed in a', $$4, 'a', 1.1e50$$),
      ('22003 | infinity not allowed in a', $$4, 'a', 1e400$$),
      ('22003 | numbers beyond 1e+50 not allowed in a.b', $$4, '{"a": {"b": -1e60}}'::jsonb$$),
      ('22003 | infinity not allowed in a', $$4, '{"a": 1e9999}'::jsonb$$)) AS v (message,
    arguments);
SELECT is(refusal(arguments), format('22023 | dlints_encode requires alternating names and values '
    '| %s argument "n". | A single document must be of type jsonb.',
    n),
    arguments)
FROM (VALUES ('1 argument follows', $$4, 'a'$$),
    ('3 arguments follow', $$4, 'a', 1, 'b'$$),
    ('1 argument follows', $$4, VARIADIC ARRAY['a']$$)) AS v (n,
    arguments);
SELECT is(refusal(arguments), format('42804 | a name must be text, not %s | This is argument %s. '
    '| Pass alternating names and values, as in dlints_encode(64, ''category'', category, ''tags'', '
        'tags).',
    type, place),
    arguments)
FROM (VALUES
      ('integer', 2, $$4, 1, 'a'$$),
      ('text[]', 4, $$4, 'a', 1, ARRAY['b'], 1$$),
      ('integer', 2, '4, VARIADIC ARRAY[1, 2]')) AS v (type, place, arguments);

-- The order of arguments changes the result by rounding errors only, and sums of integers not at all; the length is
-- 1.
CREATE TEMP TABLE product AS
SELECT i AS id, 'category ' || (hashint8extended(i, 1) & 7) AS category,
    'brand ' || (hashint8extended(i, 2) & 1023) % 20 AS brand,
    (SELECT array_agg(DISTINCT 'tag ' || (hashint8extended(i, 2 + t) & 1023) % 30)
     FROM generate_series(1, 1 + (hashint8extended(i, 9) & 3)) AS t) AS tags,
    (hashint8extended(i, 7) & 1) = 1 AS used,
    (hashint8extended(i, 8) & 1023) / 1024.0::float8 AS price
FROM generate_series(1, 150) AS i;
SELECT each_holds($$
    dlints_encode(64, 'category', category, 'brand', brand, 'tags', tags, 'used', used)
        = dlints_encode(64, 'used', used, 'tags', tags, 'brand', brand, 'category', category)
    difference(dlints_encode(64, 'category', category, 'p', price, 'tags', tags, 'q', price / 3),
        dlints_encode(64, 'q', price / 3, 'tags', tags, 'p', price, 'category', category)) < 2e-7
    dlints_encode(64, 'category', category, 'tags', tags, 'used', used, 'price', price)
        = dlints_encode(64,
            jsonb_build_object('category', category, 'tags', tags, 'used', used, 'price', price))
    $$, 'FROM product');
SELECT ok(bool_and(abs(dot(v, v) - 1) < 1e-6), 'encoded features have length 1')
FROM product, unnest('{1,2,7,64,500}'::integer[]) AS n,
    dlints_encode(n, 'category', category, 'brand', brand, 'tags', tags, 'price', price) AS v
WHERE dot(v, v) > 0;

-- The dot product of two rows against the cosine of the names that they have in common: off
-- by 1 / sqrt(n) whatever they are, which matters the less the more cosines differ; here
-- with one to three genres of 20, some of them common, and with brands that few products
-- share.
CREATE FUNCTION sparse_cosine(a text[], b text[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
SELECT (SELECT count(*) FROM unnest(a) AS x WHERE x = ANY (b))
    / sqrt(cardinality(a) * cardinality(b))
$$;
CREATE TEMP TABLE described AS
SELECT 'genres' AS catalogue, i AS id,
    (SELECT array_agg(DISTINCT 'genre '
         || floor(20 * ((hashint8extended(i, 20 + t) & 1023) / 1024.0) ^ 2))
     FROM generate_series(1, 1 + (hashint8extended(i, 10) & 1023) % 3) AS t) AS names
FROM generate_series(1, 150) AS i
UNION ALL
SELECT 'products', id, ARRAY[category, brand] || tags
FROM product;
CREATE TEMP TABLE compared AS
SELECT catalogue, n, dlints_dot(a.v::float8[], b.v) AS dot,
    sparse_cosine(a.names, b.names) AS cosine
FROM (SELECT *, dlints_encode(n, '', names) AS v FROM described, unnest('{64,128}'::integer[]) AS n)
    AS a
    JOIN (SELECT *, dlints_encode(n, '', names) AS v
          FROM described, unnest('{64,128}'::integer[]) AS n) AS b USING (catalogue, n)
WHERE a.id < b.id;
SELECT ok(sqrt(avg((dot - cosine) ^ 2)) < 1.05 / sqrt(n),
    format('%s: dot products of %s dimensions are off by %s', catalogue, n,
    round(sqrt(avg((dot - cosine) ^ 2))::numeric, 3)))
FROM compared GROUP BY catalogue, n ORDER BY catalogue, n;
SELECT ok(corr(dot, cosine) > CASE catalogue
                                   WHEN 'genres' THEN CASE n WHEN 64 THEN 0.90 ELSE 0.94 END
                                   ELSE CASE n WHEN 64 THEN 0.68 ELSE 0.80 END END,
    format('%s: they correlate with the exact cosine by %s', catalogue, round(corr(dot, cosine)::numeric, 3)))
FROM compared GROUP BY catalogue, n ORDER BY catalogue, n;

-- As a generated column, with numbers beside it and indexes on it
CREATE TABLE item (id integer PRIMARY KEY, category text, brand label, tags text[],
    attributes jsonb, used boolean, price float8,
    features real[] GENERATED ALWAYS AS (
        dlints_encode(16, 'category', category, 'brand', brand, 'tags', tags, 'used', used)
        || ARRAY[price]::real[]) STORED,
    details real[] GENERATED ALWAYS AS (dlints_encode(16, attributes)) STORED);
INSERT INTO item
SELECT id, category, brand, tags, jsonb_build_object('brand', brand, 'used', used), used, price
FROM product;
CREATE INDEX item_score ON item (dlints_dot('{1,0,0,-1,0,0,0,0,0,0,0,0,0,0,0,0,2}', features));
CREATE INDEX item_encoding ON item (dlints_encode(4, 'tags', tags));
CREATE INDEX item_details ON item USING hash (details);
ANALYZE item;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_sort = off;
SELECT matches(plan_of(statement), index, index || ' is used')
FROM (VALUES
      ('item_score',
      $$SELECT id FROM item ORDER BY dlints_dot('{1,0,0,-1,0,0,0,0,0,0,0,0,0,0,0,0,2}', features) DESC LIMIT 5$$),
      ('item_encoding',
      $$SELECT id FROM item
          WHERE dlints_encode(4, 'tags', tags) = dlints_encode(4, 'tags', '{tag 3}'::text[])$$),
      ('item_details',
      $$SELECT id FROM item
          WHERE details = dlints_encode(16, '{"brand": "brand 3", "used": true}'::jsonb)$$)) AS v (index, statement);
SELECT results_eq($$SELECT id FROM item
    WHERE details = dlints_encode(16, '{"brand": "brand 3", "used": true}'::jsonb) ORDER BY id$$,
    $$SELECT id::integer FROM product WHERE brand = 'brand 3' AND used ORDER BY id$$,
    'an index on encoded features finds the rows');
UPDATE item SET category = 'new', tags = NULL, price = 0.5 WHERE id = 1;
SELECT is(features, dlints_encode(16, 'category', 'new', 'brand', brand, 'used', used) || 0.5::real,
    'an update makes a new encoding')
FROM item WHERE id = 1;
-- a model trained on encodings equals one trained on one coordinate per category
SELECT is((SELECT array_agg(category ORDER BY dlints_predict(m, dlints_encode(64, 'category', category)) DESC)
           FROM (SELECT DISTINCT category FROM product WHERE category < 'category 3') AS c),
    ARRAY['category 1', 'category 0', 'category 2'], 'a model ranks categories by their own encodings')
FROM (SELECT dlints_evidence(dlints_new(64, discount => 1),
          dlints_encode(64, 'category', category, 'brand', brand, 'tags', tags),
          CASE category WHEN 'category 1' THEN 1 WHEN 'category 2' THEN -1 ELSE 0 END) AS m
      FROM product) AS t;
SELECT throws_ok($$
    CREATE TABLE bad (m mood,
        features real[] GENERATED ALWAYS AS (dlints_encode(4, 'm', m::text)) STORED)$$,
    '42P17', NULL, 'PostgreSQL rejects generated columns of expressions that are not immutable');
SELECT lives_ok($$
    CREATE TABLE good (m mood, d date, t timestamptz, n integer[],
        features real[] GENERATED ALWAYS AS (
        dlints_encode(4, 'm', CASE m WHEN 'sad' THEN 'sad' WHEN 'happy' THEN 'happy' END,
            'd', extract(isodow FROM d)::text, 't', extract(hour FROM t AT TIME ZONE 'UTC')::text,
            'n', n::text[])) STORED)$$, 'generated columns of the expressions in the hints are accepted');

-- the digest by which refresh() finds changed rows
SELECT is(_dlints_digest(1, 'a'::text, NULL::text), _dlints_digest(1, 'a'::text, NULL::text),
    'equal rows have equal digests');
SELECT is((SELECT count(DISTINCT d)::integer FROM (VALUES
        (_dlints_digest(1, 'a'::text, NULL::text)), (_dlints_digest(1, 'a'::text, ''::text)),
        (_dlints_digest(1, NULL::text, 'a'::text)), (_dlints_digest(2, 'a'::text, NULL::text)),
        (_dlints_digest(1, 'a'::text)), (_dlints_digest('a'::text, 1, NULL::text))) v (d)), 6,
    'a digest depends on each value, on NULL, and on the order of columns');
SELECT is(_dlints_digest(repeat('a', 100000)), _dlints_digest(long),
    'a digest does not depend on how a value is stored')
FROM (SELECT repeat('a', 100000) AS long) t;
SELECT isnt(_dlints_digest(repeat('a', 100000)), _dlints_digest(repeat('a', 99999) || 'b'),
    'a digest depends on all of a long value');
CREATE TEMP TABLE digested AS SELECT _dlints_digest('sad'::mood, ARRAY['happy'::mood]) AS was;
ALTER TYPE mood RENAME VALUE 'happy' TO 'glad';
SELECT isnt(_dlints_digest('sad'::mood, ARRAY['glad'::mood]), was, 'a digest depends on the labels of enumerated types')
FROM digested;

SELECT * FROM finish();
ROLLBACK;
