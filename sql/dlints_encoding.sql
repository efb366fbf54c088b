-- Encoding of the columns of a recommender's items
\set SHOW_CONTEXT never
BEGIN;
-- Hide progress notices, which appear if a statement takes more than two seconds.
ALTER FUNCTION pg_catalog.statement_timestamp() RENAME TO server_statement_timestamp;
CREATE FUNCTION pg_catalog.statement_timestamp() RETURNS timestamptz STABLE LANGUAGE sql
  AS $$ SELECT 'infinity'::timestamptz $$;
CREATE TABLE song (
    id        integer PRIMARY KEY,
    genre_id  integer,
    "albumId" integer,
    paid      integer,
    sound     float8[],
    lyrics    real[],
    seen      timestamptz,
    name      text,
    band      text,
    code      text,
    hot       boolean,
    made_by   text DEFAULT 'us'
);
INSERT INTO song
SELECT i, i % 3, i % 200, i * i, CASE WHEN i <= 150 THEN ARRAY[6, 8, 0] END, ARRAY[i % 2 * 10, 0],
       now(), 'song ' || i, 'band ' || i % 170, 'code-' || i, i % 2 = 0
FROM   generate_series(1, 200) i;

SELECT FROM dlints_create_recommender('radio', 'song',
    '{genre_id, paid, sound, lyrics, hot, seen, albumId, name, band, code, made_by}', factors => 0);

-- genre_id, with features for later values, paid, sound, lyrics and hot of two rows
CREATE VIEW numbers AS
SELECT item, features[1:3] AS genre_id, (SELECT round(sum(x ^ 2)::numeric, 6) FROM unnest(features[4:19]) x) AS later,
       features[20:27] AS paid, features[28:30] AS sound, features[31:32] AS lyrics, features[33] AS hot
FROM   radio.item_vector;
SELECT * FROM numbers WHERE item IN (1, 200) ORDER BY item;

-- A later value has hashed features; vectors of another length and elements that are not finite count as zeros.
INSERT INTO song (id, genre_id, sound, lyrics) VALUES
    (201, 7, '{1,2}', '{}'),
    (202, 1, '{NaN,1e300,5e-324}', '{-Infinity,1e-40}'),
    (203, 1, '{1e308,NULL,6}', NULL);
SELECT radio.refresh();
SELECT * FROM numbers WHERE item > 200 ORDER BY item;

-- If vectors differ in length, the most frequent length is encoded.
SAVEPOINT before;
SELECT FROM dlints_create_recommender('other', 'song', '{sound}', factors => 0);
SELECT item, features AS encoded FROM other.item_vector WHERE item IN (1, 201) ORDER BY item;
ROLLBACK TO before;

-- A type without an encoding raises an error that names the column.  The texts of dates depend on the session.
ALTER TABLE song ADD sung date[];
SELECT FROM dlints_create_recommender('sung', 'song', '{sung}');
ROLLBACK TO before;

-- Arrays and documents with few values have spare features for later ones.
CREATE TABLE tagged (id integer PRIMARY KEY, tags text[], details jsonb);
INSERT INTO tagged SELECT i, ARRAY['tag ' || i % 2], jsonb_build_object('kind', i % 2) FROM generate_series(1, 4) i;
SELECT FROM dlints_create_recommender('spare', 'tagged', '{tags, details}', factors => 0);
ROLLBACK TO before;

-- Long vectors are projected, which keeps dot products approximately; a column without vectors is left out.
CREATE TABLE long (id integer PRIMARY KEY, embedding float8[], none real[]);
INSERT INTO long SELECT i, ARRAY(SELECT sin(i * j) FROM generate_series(1, 300) j) FROM generate_series(1, 40) i;
SELECT FROM dlints_create_recommender('projected', 'long', '{embedding, none}', factors => 0);
SELECT round(avg(dlints_dot(a.features::float8[], a.features)) FILTER (WHERE a.item = b.item)::numeric) AS same,
       max(abs(dlints_dot(a.features::float8[], b.features))) FILTER (WHERE a.item <> b.item) < 0.7 AS others_differ
FROM   projected.item_vector a, projected.item_vector b;
ROLLBACK;
