-- Recommenders with unusual names, types and texts work, or are rejected and leave nothing behind.
\ir include/helpers.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;
CREATE TABLE kept (x integer);
CREATE MATERIALIZED VIEW unfilled AS SELECT * FROM job WITH NO DATA;

SELECT plan(321);

CREATE FUNCTION made(what text) RETURNS text LANGUAGE sql AS $$
SELECT outcome('SELECT dlints_create_recommender(' || what || ') IS NULL') $$;

-- ---------- invalid arguments ----------

SELECT is(made(arguments), result, 'dlints_create_recommender() rejects ' || arguments) FROM (VALUES
    ($$'r', 'nothing', '{a}'$$, '42P01: relation "nothing" does not exist'),
    ($$NULL, 'job', '{field}'$$, '22023: name must have 1 to 63 bytes'),
    ($$'', 'job', '{field}'$$, '22023: name must have 1 to 63 bytes'),
    ($$repeat('r', 64), 'job', '{field}'$$, '22023: name must have 1 to 63 bytes'),
    ($$'public', 'job', '{field}'$$, '42P06: schema "public" already exists'),
    ($$'pg_r', 'job', '{field}'$$,
      '42939: unacceptable schema name "pg_r" (The prefix "pg_" is reserved for system schemas.)'),
    ($$'r', NULL, '{field}'$$, '22023: argument "items" must not be null'),
    ($$'r', 'job', ARRAY['field', 'Title', 'x"y']$$, '42703: argument "columns": job has no column "Title", "x""y"'),
    ($$'r', 'job', ARRAY[NULL]$$, '22023: argument "columns" must be an array of names, and name each column once'),
    ($$'r', 'job', '{{field,city},{title,open}}'$$,
     '22023: argument "columns" must be an array of names, and name each column once'),
    ($$'r', 'job', '{field,field}'$$, '22023: argument "columns" must be an array of names, and name each column once'),
    ($$'r', 'job', '{}'$$, '22023: a recommender needs "columns" or "clicks"'),
    ($$'r', 'job', NULL$$, '22023: a recommender needs "columns" or "clicks"'),
    ($$'r', 'job', '{same}'$$, '22023: a recommender needs "columns" or "clicks"'),
    ($$'r', 'job', '{same}', 'SELECT who, job, at FROM visit', factors => 0$$,
     '22023: a recommender without "columns", or with columns of dates alone, needs factors'),
    ($$'r', 'job', '{posted}', factors => 0$$,
     '22023: a recommender without "columns", or with columns of dates alone, needs factors'),
    ($$'r', 'visit', '{job}'$$, '22023: visit has no primary key of one column'),
    ($$'r', 'visit', '{job}', item_key => 'id'$$, '42703: argument "item_key": visit has no column id'),
    ($$'r', 'job', '{field}', control => 2$$, '22023: control must be between 0 and 1'),
    ($$'r', 'job', '{field}', control => NULL$$, '22023: control must be between 0 and 1'),
    ($$'r', 'job', '{field}', epsilon => 'NaN'$$, '22023: epsilon must be between 0 and 1'),
    ($$'r', 'job', '{field}', factors => 129$$, '22023: factors must be between 0 and 128'),
    ($$'r', 'job', '{field}', half_life => NULL$$, '22023: half_life must be between 1 second and 100 years'),
    ($$'r', 'job', '{field}', attribution_window => '-1 day'$$,
      '22023: attribution_window must be between 0 and 100 years'),
    ($$'r', 'job', '{field}', retention => '1 hour'$$, '22023: retention must be between 1 day and 100 years'),
    ($$'r', 'job', '{field}', cap => 3$$,
      '22023: cap and cap_group must be given together, and cap must be at least 1'),
    ($$'r', 'job', '{field}', cap_group => 'i.field'$$,
      '22023: cap and cap_group must be given together, and cap must be at least 1'),
    ($$'r', 'job', '{field}', clicks => 'SELECT id, -id, now() FROM job'$$,
      '22023: argument "clicks": no click is on an item of public.job')
    ) v (arguments, result);
SELECT is(made($$'r', 'job', '{field}', outcomes => $$ || value),
  '22023: outcomes must be an object of names (1 to 63 bytes) and values: 0, or 1e-9 to 1e9 in size',
  'outcomes => ' || value)
FROM unnest(ARRAY[$$'{}'$$, $$'["click"]'$$, $$'{"click": "1"}'$$, $$'{"click": 1e-400}'$$, 'NULL',
  format($$'{"%s": 1}'$$, repeat('o', 64)), $$'{"": 1}'$$]) value;

SELECT matches(made(arguments), result, 'dlints_create_recommender() rejects ' || arguments) FROM (VALUES
    ($$'r', 'job', '{field}', candidates => 'true); DROP TABLE kept; SELECT (true'$$,
      '^42601: in the argument "candidates": syntax error'),
    ($$'r', 'job', '{field}', candidates => 'true) OR (true'$$, '^42601: in the argument "candidates": syntax error'),
    ($$'r', 'job', '{field}', candidates => 'true; DROP TABLE kept'$$,
      '^(42P11|42601): in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'true;'$$, '^42601: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'true /*'$$, '^42601: in the argument "candidates": unterminated'),
    ($$'r', 'job', '{field}', candidates => 'i.title = ''x'$$, '^42601: in the argument "candidates": unterminated'),
    ($$'r', 'job', '{field}', candidates => 'true, true'$$, '^42804: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => '1'$$,
      '^42804: in the argument "candidates": argument of WHERE must be type boolean'),
    ($$'r', 'job', '{field}', candidates => ''$$, '^42601: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'true FROM kept'$$, '^42601: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'i.shut'$$,
      '^42703: in the argument "candidates": column i.shut does not exist'),
    ($$'r', 'job', '{field}', candidates => 'count(*) > 1'$$, '^42803: in the argument "candidates": '),
    ($$'r', 'job', '{field}', bonus => 'i.title'$$, '^42846|22P02|42804|42883: in the argument "bonus": '),
    ($$'r', 'job', '{field}', bonus => '1)::text || (''x'''$$, '^42601: in the argument "bonus": '),
    ($$'r', 'job', '{field}', cap => 1, cap_group => '(SELECT x FROM kept'$$, '^42601: in the argument "cap_group": '),
    ($$'r', 'job', '{field}', clicks => 'DELETE FROM visit RETURNING who, job, at'$$,
      '^0A000: in the argument "clicks": '),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job FROM visit'$$, '^42P10: in the argument "clicks": '),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job, at FROM visit) a, (SELECT 1'$$,
      '^42601: in the argument "clicks": '),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job, at FROM visit; DROP TABLE kept'$$,
      '^42601: in the argument "clicks": the text must be a single query'),
    ($$'r', 'job', '{field}', clicks => '-- none'$$, '^42601: in the argument "clicks": the text must be a single'),
    ($$'r', 'job', '{field}', clicks => ''$$, '^42601: in the argument "clicks": the text is empty'),
    ($$'r', 'job', '{field}', bonus => '1 INTO kept'$$, '^42601: in the argument "bonus": the text must be a'),
    ($$'r', 'job', '{field}', bonus => 'count(*)'$$, '^42803: in the argument "bonus": '),
    ($$'r', 'job', '{field}', cap => 1, cap_group => 'unnest(ARRAY[1])'$$, '^0A000: in the argument "cap_group": '),
    ($$'r', 'job', '{field}', constraints => '{"c": {"of": "row_number() OVER ()", "max": 1}}'$$,
      '^42P20: in the constraint "c": '),
    ($$'r', 'unfilled', '{field}', item_key => 'id'$$, '^55000: argument "items": materialized view unfilled has not'),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job, who FROM visit'$$,
      '^42846: in the argument "clicks": cannot cast type bigint to timestamp'),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job, at, ROW(1) FROM visit'$$,
      '^42P16: in the argument "clicks": column "row" has pseudo-type record'),
    ($$'r', 'job', '{field}', clicks => 'SELECT ROW(who), job, at FROM visit'$$,
      '^42804: users of type record cannot be compared'),
    ($$'r', 'pg_class_oid_index', '{field}'$$,
      '^42809: argument "items": pg_class_oid_index is neither a table nor a view'),
    ($$'r', 1::oid::regclass, '{field}'$$, '^42809: argument "items": 1 is neither a table nor a view'),
    ($$'r', 'job', '{field}', user_type => 1::oid::regtype$$, '^42704: argument "user_type" is not the name of a type')
    ) v (arguments, result);
CREATE TEMP TABLE passing (id integer, who bigint, at timestamptz);
SELECT matches(made(format('''r'', ''job'', ''{field}'', cap => %s, %s => %L', CASE argument WHEN 'cap_group' THEN '1'
    ELSE 'NULL' END, argument, format(call, read))),
  format('^%s: (in the )?argument "%s"', code, argument), format('an error of %s names "%s"', read, argument))
FROM (VALUES ('clicks', 'SELECT who, id, at FROM %s'), ('candidates', 'EXISTS (SELECT FROM %s)'),
        ('bonus', '(SELECT 1 FROM %s)'), ('cap_group', '(SELECT 1 FROM %s)')) a (argument, call),
     (VALUES ('passing', '42P16'), ('passing FOR UPDATE', '0A000')) r (read, code);
SELECT matches(
  made(format('''r'', ''job'', ''{field}'', constraints => ''{"c": {"of": "(SELECT 1 FROM %s)", "max": 1}}''', read)),
  result, format('an error of %s names "constraints"', read))
FROM (VALUES ('passing', '^42P16: in the argument "constraints"'),
             ('passing FOR UPDATE', '^0A000: in the constraint "c"')) r (read, result);
DROP TABLE passing;
SELECT is(outcome($$SELECT count(*) FROM kept$$), 'gives 0', 'no injected statement was executed');
SELECT is(count(*), 0::bigint, 'rejected arguments leave no schema behind') FROM pg_namespace WHERE nspname ~ '^r';
SELECT is(current_setting('search_path'), '"$user", public', 'dlints_create_recommender() restores the search_path');
SELECT is(hint_of($$SELECT dlints_create_recommender('r', 'kept', '{y}', item_key => 'x')$$),
  'It has x.', 'the hint of a wrong column lists the columns of the table');

-- ---------- odd names ----------

CREATE SCHEMA "Shop's {s}";
CREATE TABLE "Shop's {s}"."it""ems; --" (
    "ke'y" text PRIMARY KEY, "select" text, "a b" text[], "{key}" numeric, "Ü%I$1\" boolean);
INSERT INTO "Shop's {s}"."it""ems; --"
SELECT '''"\{items}' || i, 'v''"' || i % 3,
  ARRAY['{s}', 't' || i % 4], i, i % 2 = 0
FROM generate_series(1, 50) i;
SELECT lives_ok($test$
    SELECT dlints_create_recommender('"My" {items}''s \ recommender; --',
      '"Shop''s {s}"."it""ems; --"'::regclass,
        ARRAY['select', 'a b', '{key}', 'Ü%I$1\'],
        candidates => $$i."select" <> '{s} $1 %I \ ''' -- all of them$$, bonus => '0.1 -- little',
        epsilon => 0, cap => 40, cap_group => '''x'' /* all */',
          outcomes => '{"it''s \\ \"it\" {s}": 1, "x": 2}')$test$, 'a recommender with odd names is made');
SELECT is((SELECT count(*) FROM """My"" {items}'s \ recommender; --".recommend(7, 5)), 5::bigint,
  'recommend() succeeds with odd names');
SELECT lives_ok($$SELECT """My"" {items}'s \ recommender; --".reward(decision, item)
  FROM """My"" {items}'s \ recommender; --".impression$$,
  'reward() succeeds with odd names');
SELECT is((SELECT count(*) FROM """My"" {items}'s \ recommender; --".more_like('''"\{items}7', 50)), 40::bigint,
  'more_like() satisfies a cap with odd names');
SELECT is((SELECT count(n) FROM """My"" {items}'s \ recommender; --".impression s
  JOIN """My"" {items}'s \ recommender; --".decision d ON d.id = s.decision,
  """My"" {items}'s \ recommender; --".next(s.decision, 4, d.user_id) n
    WHERE s.position = 1), 8::bigint, 'next() succeeds with odd names');
SELECT is("""My"" {items}'s \ recommender; --".learn('0'), 4::bigint, 'learn() succeeds with odd names');
SELECT is("""My"" {items}'s \ recommender; --".erase(7), 2::bigint, 'erase() succeeds with odd names');
SELECT lives_ok($$CALL """My"" {items}'s \ recommender; --".run();
  SELECT count(*) FROM """My"" {items}'s \ recommender; --".report()$$,
  'report() succeeds with odd names');
SELECT lives_ok($$SELECT dlints_alter_recommender('"My" {items}''s \ recommender; --',
  '{"control": 0.5}')$$, 'dlints_alter_recommender() succeeds with odd names');

-- ---------- types ----------

-- a key of two columns through a view, a column named "i", no click log, and a given user type
CREATE TABLE offer (shop integer, sku text, colour text, i integer, PRIMARY KEY (shop, sku));
INSERT INTO offer SELECT i % 3, 'sku' || i, 'c' || i % 4, i % 5 FROM generate_series(1, 30) i;
CREATE VIEW listing AS SELECT shop || '/' || sku AS id, * FROM offer;
SELECT lives_ok($$SELECT dlints_create_recommender('listing_r', 'listing', '{colour,i}',
  item_key => 'id', user_type => 'uuid')$$, 'an expression of a composite key works through a view');
SELECT is((SELECT count(*) FROM listing_r.recommend(gen_random_uuid(), 3)), 3::bigint, 'users have the type user_type');
SELECT lives_ok('SELECT listing_r.reward(decision, item) FROM listing_r.impression WHERE position = 1',
  'reward() succeeds for items of a view');
SELECT ok(listing_r.learn('0') = 1 AND listing_r.refresh() = 0,
  'learn() trains on a recommender of a view, and refresh() changes nothing');
SELECT ok(max(popularity) = 1, 'clicks on the recommender''s lists give the popularity if there is no click log')
  FROM listing_r.item_vector;
SELECT lives_ok($$SELECT dlints_alter_recommender('listing_r',
  '{"clicks": "SELECT gen_random_uuid(), id, now() FROM listing"}')$$, 'a click log can be added');
CALL listing_r.run();
SELECT is(count(*) FILTER (WHERE done_at = now()), 2::bigint, 'run() fits the vectors after a click log was added')
  FROM listing_r.job WHERE name IN ('refresh', 'refit');
SELECT ok(count(*) > 0, 'run() derives a warm start after a click log was added') FROM listing_r.warm_start_example;

CREATE TABLE thing (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), kind text, price float8, added date, worth money);
SELECT lives_ok($$SELECT dlints_create_recommender('thing_r', 'thing', '{kind,price,added}')$$,
  'a recommender of an empty table is made');
SELECT is((SELECT count(*) FROM thing_r.recommend(1)), 0::bigint, 'recommend() returns nothing from an empty table');
SELECT is((SELECT count(*) FROM thing_r.more_like(gen_random_uuid())), 0::bigint,
  'more_like() returns nothing from an empty table');
SELECT is((SELECT count(*) FROM thing_r.trending()), 0::bigint, 'trending() returns nothing from an empty table');
SELECT is((SELECT count(*) FROM thing_r.decision), 0::bigint, 'an empty list is not logged');
INSERT INTO thing (kind, price, added) SELECT 'k' || i % 3,
  CASE i WHEN 1 THEN 'NaN' WHEN 2 THEN 'infinity' WHEN 3 THEN NULL ELSE i::float8 END,
  CASE i WHEN 4 THEN '-infinity' WHEN 5 THEN NULL ELSE current_date - i END
    FROM generate_series(1, 20) i;
SELECT is((SELECT count(*) FROM thing_r.recommend(1, 30)), 20::bigint,
  'recommend() returns new rows with NaN, infinity and NULL');
SELECT is(thing_r.refresh(), 20::bigint, 'refresh() computes vectors of NaN, infinity and NULL');
CREATE TYPE region AS ENUM ('north', 'south');
CREATE TABLE spot (name region PRIMARY KEY, about text, vector real[], side region);
INSERT INTO spot SELECT r, repeat('words that go on ', 5) || '$body$ ' || r, ARRAY[1, n * 1e30], r
  FROM unnest('{north,south}'::region[]) WITH ORDINALITY u (r, n);
CREATE TABLE been (who varchar(20), spot region, at timestamptz);
INSERT INTO been SELECT 'p', 'north', now() FROM generate_series(1, 20);
SELECT is(made($$'place_r', 'spot', '{about,vector,side}', clicks => 'SELECT who, spot, at FROM been'$$), 'gives false',
  'an enum named region is a key, and texts may contain any words');
SELECT ok(octet_length(s::text) < 10000, 'texts of items are not stored in the settings') FROM place_r.setting s;
ALTER TYPE region RENAME TO area;
SELECT lives_ok($$SELECT dlints_alter_recommender('place_r',
  '{"items": "spot", "clicks": "SELECT who::varchar(30), spot, at FROM been"}')$$,
    'a click log can be replaced by one with users of another length, after the type of keys and columns was renamed');
DELETE FROM spot;
UPDATE been SET spot = NULL;
SELECT lives_ok('SELECT place_r.refresh(), place_r.warm_start()',
  'refresh() and warm_start() succeed with clicks of unknown items');
SAVEPOINT local_times;
SET LOCAL TimeZone = 'Asia/Tokyo';
CREATE TABLE called AS SELECT 1 AS who, 'south'::area AS spot, t::timestamp, t AS label, t::date AS day
  FROM unnest('{2026-01-02 03:04,2026-01-02 03:04Z}'::text[]) t;
INSERT INTO spot VALUES ('south', 'x'), ('north', 'y');
SELECT dlints_create_recommender('call_' || c, 'spot', '{about}', format('SELECT who, spot, %I FROM called', c),
  factors => 2) IS NOT NULL FROM unnest('{t,label,day}'::text[]) c;
SELECT dlints_alter_recommender('call_day', '{"clicks": "SELECT who, spot, day, NULL::real FROM called"}');
SELECT matches(meaning, '^more than half: ', 'the report counts clicks without a weight') FROM call_day.report()
  WHERE measure = 'clicks of weight 0';
SET LOCAL TimeZone = 'America/Los_Angeles';
SELECT is((SELECT array_agg(at AT TIME ZONE 'UTC' ORDER BY at) FROM call_t.click),
  '{2026-01-01 18:04,2026-01-01 18:04}', 'clicks without a zone keep the zone in which the recommender was made');
SELECT is((SELECT array_agg(at AT TIME ZONE 'UTC' ORDER BY at) FROM call_label.click),
  '{2026-01-01 18:04,2026-01-02 03:04}', 'of times that are texts, those without a zone keep that zone');
SELECT is((SELECT array_agg(at AT TIME ZONE 'UTC' ORDER BY at) FROM call_day.click),
  '{2026-01-01 15:00,2026-01-01 15:00}', 'dates of clicks keep the zone in which the recommender was made');
INSERT INTO called VALUES (2, 'south', '4714-11-24 BC', 'never', '4714-11-24 BC'),
  (2, 'south', 'infinity', 'infinity', 'infinity');
SELECT is(ARRAY[c.t, c.day], '{{NULL,infinity},{NULL,infinity}}',
  'times of clicks that a zone would move out of range are NULL')
FROM (SELECT ARRAY(SELECT at FROM call_t.click WHERE user_id = 2 ORDER BY at NULLS FIRST) AS t,
             ARRAY(SELECT at FROM call_day.click WHERE user_id = 2 ORDER BY at NULLS FIRST) AS day) c;
DELETE FROM called WHERE who = 2;
SET LOCAL TIME ZONE 9;
SELECT dlints_alter_recommender('call_t', '{"clicks": "SELECT who, spot, label FROM called"}');
SET LOCAL TimeZone = 'America/Los_Angeles';
SELECT set_eq('TABLE call_t.click', 'TABLE call_label.click', 'times that are texts keep a zone without a name, too');
ROLLBACK TO local_times;
SELECT matches(made($$'r', 'thing', '{worth}'$$), '^42804: column "worth" has type money',
  'dlints_create_recommender() rejects a column of a type without an encoding');

SELECT count(*) > 0 AND getdatabaseencoding() = 'UTF8' AS has_icu FROM pg_collation WHERE collname = 'und-x-icu' \gset
\if :has_icu
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE word (id text COLLATE any_case PRIMARY KEY, kind text);
INSERT INTO word SELECT 'w' || i, 'k' || i % 3 FROM generate_series(1, 9) i;
CREATE TABLE read AS SELECT ('u' || who) COLLATE "POSIX" AS who, now() AS at,
  (CASE who % 2 WHEN 0 THEN 'w' ELSE 'W' END || 1 + who * i % 9) COLLATE any_case AS word
  FROM generate_series(1, 40) who, generate_series(1, 4) i;
SELECT is(made($$'word_r', 'word', '{kind}', clicks => 'SELECT who, word, at FROM read'$$), 'gives false',
  'the click log may spell keys of a case-insensitive collation in several ways');
SELECT ok(count(*) > 0 AND count(*) = count(DISTINCT lower(item)), 'all spellings of a key are one item')
  FROM word_r.neighbour;
SELECT lives_ok('SELECT word_r.backtest(10)', 'users and items may have different collations in a backtest');
SELECT lives_ok(
  $$SELECT dlints_alter_recommender('word_r', '{"clicks": "SELECT who COLLATE any_case, word, at FROM read"}')$$,
  'a click log may be replaced by one with another collation');
\else
SELECT skip('there is no ICU', 4);
\endif

-- ---------- alter ----------

SELECT lives_ok($$SELECT dlints_create_recommender('board', 'job', '{field}')$$, 'a recommender of one column is made');
SAVEPOINT grouped;
CREATE FUNCTION capped(cap_group text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dlints_alter_recommender('board', jsonb_build_object(
    'cap_group', cap_group, 'cap', 1, 'control', 0, 'epsilon', 0));
  RETURN (SELECT count(*) FROM board.recommend(1));
END $$;
CREATE TYPE label; CREATE FUNCTION label_in(cstring) RETURNS label AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION label_out(label) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE label (INPUT = label_in, OUTPUT = label_out, LIKE = text, CATEGORY = 'S');     -- without a hash function
SELECT is(capped(cap_group), 1::bigint, format('cap_group %s has one group for equal values', cap_group))
FROM   unnest(ARRAY['CASE i.id % 2 WHEN 0 THEN 1.0 ELSE 1.00 END',
                    'CASE i.id % 2 WHEN 0 THEN ''1 day'' ELSE ''24 hours'' END::interval', '''x''::label']) cap_group;
ROLLBACK TO grouped;
SELECT is(outcome($$SELECT dlints_alter_recommender('nothing', '{}')$$),
  '42704: there is no recommender "nothing"', 'dlints_alter_recommender() rejects an unknown recommender');
SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', %L)', change)),
  '22023: a change must be a JSON object of arguments and their new values',
  'dlints_alter_recommender() rejects ' || coalesce(change, 'NULL'))
FROM   unnest('{"[]","\"bonus\"",1,NULL}'::text[]) change;
SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', ''{"user_type": "%s"}'')', name)),
  '42704: argument "user_type" is not the name of a type',
  format('dlints_alter_recommender() rejects the type "%s"', name))
FROM   unnest('{number,"",(,a.b.c}'::text[]) name;
SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', ''{"items": "%s"}'')', name)),
  format('42P01: argument "items" is not the name of a relation (The name is "%s".)', name),
  format('dlints_alter_recommender() rejects the items "%s"', name))
FROM   unnest('{nothing,"",a b,a.b.c.d}'::text[]) name;
SELECT is(outcome($$SELECT dlints_alter_recommender('board', '{"items": "kept", "item_key": "x"}')$$),
  '42703: argument "items": kept has no column field',
  'dlints_alter_recommender() rejects items without an encoded column');
CREATE TABLE other (id integer PRIMARY KEY, field text[], posted text);
SAVEPOINT dated;
SELECT dlints_create_recommender('dated', 'job', '{field,posted}') IS NULL;
SELECT matches(outcome($$SELECT dlints_alter_recommender('dated', '{"items": "other"}')$$),
  '^42883: in the argument "items": ', 'an error names the argument if a column of other items cannot be encoded');
SELECT is(hint_of($$SELECT dlints_alter_recommender('dated', '{"items": "other"}')$$),
  'Its columns need these types, or similar ones: field text, posted timestamp with time zone.',
  'the hint says what types other items need');
ROLLBACK TO dated;
SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', %L)', jsonb_build_object(argument, value))),
  format('22023: argument "%s" must be a string (The value is %s.)', argument, value),
  format('dlints_alter_recommender() rejects %s for "%s"', value, argument))
FROM   unnest('{items,item_key,item_type,user_type,clicks,candidates,bonus,cap_group}'::text[]) argument,
       unnest('{true,1,[1],"null"}'::jsonb[]) value
WHERE  value <> 'null' OR argument IN ('items', 'item_type', 'user_type');
SELECT is(outcome($$SELECT dlints_alter_recommender('board', '{"columns": ["city"]}')$$),
  '0A000: argument "columns" of a recommender cannot be changed (The models depend on the meaning of each feature.)',
    'dlints_alter_recommender() rejects other columns');
SELECT is(outcome($$SELECT dlints_alter_recommender('board', '{"candidate": "i.open"}')$$),
  '22023: a recommender has no argument "candidate" that can be changed',
    'dlints_alter_recommender() rejects an unknown argument');
SELECT is(outcome($$SELECT dlints_alter_recommender('board', '{"name": "panel"}')$$),
  '0A000: argument "name" of a recommender cannot be changed here', 'dlints_alter_recommender() rejects another name');
SELECT matches(outcome($$SELECT dlints_alter_recommender('board', '{"repeats": "often"}')$$),
  '^22023: argument "repeats" must be true, false or an interval',
    'dlints_alter_recommender() rejects a word for "repeats"');
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"candidates": "false"}'),
                         dlints_alter_recommender('board', '{"candidates": null}')$$, '"candidates" can be null');
SELECT ok(count(*) > 0, '"candidates" null allows all items') FROM board.recommend(1, 3);
CREATE TEMP TABLE passing (id integer);
SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', %L)', change)), result,
  'dlints_alter_recommender() rejects a temporary table in ' || change) FROM (VALUES
  ('{"candidates": "EXISTS (SELECT FROM passing)"}',
    '42P16: argument "candidates" reads the temporary table "passing"'),
  ('{"bonus": "(SELECT count(*) FROM passing)"}',
    '42P16: argument "bonus" reads the temporary table "passing"')) v (change, result);
SELECT is(outcome('SELECT board.erase(NULL)'), '22004: arguments "user_id" and "session" must not both be null',
  'erase() rejects a call without a user and a session');
SELECT matches(outcome($$SELECT dlints_alter_recommender('board', '{"candidates": "i.shut"}')$$),
  '^42703: in the argument "candidates": ', 'dlints_alter_recommender() rejects an expression of an unknown column');
SELECT matches(outcome(format('SELECT dlints_alter_recommender(''board'', %L)', change)), result,
  'dlints_alter_recommender() rejects ' || change) FROM (VALUES
  ('{"exposure": "many"}', '^22023: argument "exposure" must be a number \(The value is many'),
  ('{"cap": 1.5, "cap_group": "i.field"}', '^22023: argument "cap" must be an integer \(The value is 1.5'),
  ('{"retention": 30}', '^22023: argument "retention" must be an interval such as "2 days" \(The value is 30'),
  ('{"item_key": "nothing"}', '^42703: argument "item_key": job has no column nothing'),
  ('{"attribution_window": "half an hour"}', '^22023: argument "attribution_window" must be an interval'),
  ('{"attribution_window": "1 day", "retention": "1 day"}', '^22023: retention must be longer than attribution_window'),
  ('{"bonus": "i.title"}', '^22P02: in the argument "bonus": .*work number'),
  ('{"candidates": "i.id / 0 = 1"}', '^22012: in the argument "candidates": '),
  ('{"cap": 1, "cap_group": "(1 / (i.id - i.id))"}', '^22012: in the argument "cap_group": '),
  ('{"clicks": "SELECT id, -id, now() FROM job"}',
    '^22023: argument "clicks": no click is on an item')) v (change, result);
SELECT is(count(*), 200::bigint, 'rejected changes leave the candidates unchanged') FROM board.allowed(1, '{}');
SAVEPOINT other_key;
ALTER TABLE job ADD code integer UNIQUE;
UPDATE job SET code = id + 1000;
SELECT dlints_alter_recommender('board', '{"item_key": "code"}');
SELECT board.refresh() \gset
SELECT is(min(item) >= 1001, true, 'dlints_alter_recommender() changes the key without "items"')
  FROM board.recommend(1, 200);
ROLLBACK TO other_key;
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"exposure": 0.5}')$$, 'the exposure can be changed');
SELECT is(value, NULL, 'a change of the exposure makes a fit due') FROM board.report()
  WHERE measure = 'days since the vectors were fitted' AND meaning ~ 'next run';
SELECT lives_ok($$SELECT dlints_alter_recommender('board',
  '{"candidates": "i.open", "half_life": "1 day", "outcomes": {"tap": 1}}')$$,
    'candidates, half-life and outcomes can be changed together');
SELECT is(count(*), 180::bigint, 'changed candidates apply at once') FROM board.allowed(1, '{}');
SELECT is(half_life, '1 day'::interval, 'the changed half-life applies to the model') FROM board.model,
  dlints_info(state) WHERE name = 'personal';
SELECT is(hint_of('SELECT board.reward(1, 1, ''click'')'), 'Outcomes are tap.', 'changed outcomes apply at once');

-- contexts for which an expression fails
SAVEPOINT texts;
SELECT dlints_alter_recommender('board', $$ {"control": 0, "epsilon": 0,
  "candidates": "i.salary <= coalesce((context ->> 'max')::numeric, 1e9)",
  "bonus": "coalesce((context ->> 'more')::float8, 0) * (i.id % 2)", "cap": 2,
  "cap_group": "i.id % coalesce((context ->> 'groups')::integer, 1000)", "control": 0, "epsilon": 0} $$);
SELECT is(outcome(format('SELECT count(*) FROM board.recommend(1, 3, context => %L)', context)), result,
  'recommend() with the context ' || context)
FROM (VALUES
  ('{"max": "1.5e3", "more": 1, "groups": 5}', 'gives 3'),
  ('{"max": "dear"}', '22P02: in the argument "candidates": invalid input syntax for type numeric: "dear"'),
  ('{"more": "much"}', '22P02: in the argument "bonus": invalid input syntax for type double precision: "much"'),
  ('{"groups": 0}', '22012: in the argument "cap_group": division by zero')) v (context, result);
SELECT is(outcome($$SELECT count(*) FROM board.more_like(1, 3, context => '{"max": "dear"}')$$),
  '22P02: in the argument "candidates": invalid input syntax for type numeric: "dear"',
    'more_like() names the expression that fails for a context');
SELECT is(hint_of($$SELECT board.recommend(1, 3, context => '{"max": "dear"}')$$),
  'The expression is evaluated for each item, with user_id and context, which may be NULL.',
    'the hint of a failing expression says what the expression reads');
ROLLBACK TO texts;

-- rows for which an expression fails
CREATE TABLE toy (id integer PRIMARY KEY, kind text, price numeric);
INSERT INTO toy SELECT i, 'kind ' || i % 5, i FROM generate_series(1, 60) i;
SELECT dlints_create_recommender('toys', 'toy', '{kind,price}', control => 0, epsilon => 0,
  attribution_window => '0') IS NOT NULL;
INSERT INTO toy VALUES (1000, 'kind 1', '1e400'), (1001, 'kind 2', 0), (1002, NULL, NULL);
CREATE FUNCTION picky(x numeric) RETURNS integer LANGUAGE plpgsql STABLE AS $$ BEGIN
	IF x = 0 OR x > 1e9 THEN
		RAISE 'no %', x;
	END IF;
	RETURN 0;
END $$;
CREATE DOMAIN short AS numeric CHECK (VALUE < 1e9);
CREATE FUNCTION toys_listed(change jsonb, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM dlints_alter_recommender('toys', '{"candidates": null, "bonus": null, "cap": null, "cap_group": null,
		"epsilon": 0, "control": 0, "constraints": {}}' || change);
	EXECUTE format('SELECT count(*) || '' '' || coalesce(bool_or(item IN (1000, 1001))::text, '''') FROM toys.%s',
	               call) INTO result;
	RETURN result;
END $$;
SELECT is(toys_listed(change::jsonb, call), result, format('rows that fail do not stop %s with %s', call, change))
FROM  (VALUES
  ('{"candidates": "1 / i.price::float8 < 2"}', 'recommend(1, 100)', '60 false'),
  ('{"candidates": "1 / i.price::float8 < 2", "epsilon": 1}', 'recommend(1, 100)', '60 false'),
  ('{"candidates": "1 / i.price::float8 < 2", "control": 1}', 'recommend(1, 100)', '60 false'),
  ('{"candidates": "1 / i.price::float8 < 2"}', 'more_like(7, 100)', '59 false'),
  ('{"bonus": "0.1 / i.price::float8"}', 'recommend(1, 100)', '61 false'),
  ('{"bonus": "picky(i.price)"}', 'recommend(1, 100)', '61 false'),
  ('{"bonus": "length(to_tsquery(''simple'', i.price || CASE WHEN i.price = 0 THEN '' b'' ELSE '''' END)::text)"}',
   'recommend(1, 100)', '62 true'),
  ('{"bonus": "length(i.price::short::text)"}', 'recommend(1, 100)', '62 true'),
  ('{"constraints": {"a": {"of": "picky(i.price)", "max": 2}, "b": {"of": "1 / i.price::float8", "max": 2}}}',
   'recommend(1, 100)', '63 true'),
  ('{"cap": 100, "cap_group": "(1 / i.price::float8)::text"}', 'recommend(1, 100)',
   '61 false')) v (change, call, result);
-- of all SQLSTATEs of rows, and of those of the server
CREATE FUNCTION raises(code text, x numeric) RETURNS integer LANGUAGE plpgsql STABLE AS $$ BEGIN
	IF x = 0 THEN
		RAISE 'no %', x USING ERRCODE = code;
	END IF;
	RETURN 0;
END $$;
SELECT is(
  outcome(format('SELECT toys_listed(''{"bonus": "raises(''''%s'''', i.price)"}'', ''recommend(1, 100)'')', code)),
  CASE WHEN code ~ '^(40|531|55P|XX001)' THEN code || ': no 0' ELSE 'gives 62 true' END,
  format('SQLSTATE %s for a row %s', code,
    CASE WHEN code ~ '^(40|531|55P|XX001)' THEN 'is an error of the server' ELSE 'leaves out the row' END))
FROM unnest('{20000,22012,2F005,39000,54000,0A000,P0001,P0004,U0001,MY001,99999,3F000,42501,42883,55000,HV000,XX000,'
  '53200,53400,40001,53100,55P03,XX001}'::text[]) code;
SELECT is(
  outcome(format(
    'SELECT toys_listed(''{"bonus": "raises(''''%s'''', 0 * coalesce(i.price, 0))"}'', ''recommend(1, 100)'')', code)),
  code || ': no 0', format('SQLSTATE %s for all rows is an error of an object', code))
FROM unnest('{42501,42883,XX000}'::text[]) code;
SELECT is(
  toys_listed('{"bonus": "CASE WHEN i.price = 0 THEN ''NaN'' ELSE 1::numeric END::integer"}', 'recommend(1, 100)'),
  '62 true', 'a cast of NaN for a row leaves out the row');
SELECT toys_listed('{"cap": 100, "cap_group": "(1 / i.price::float8)::text"}', 'recommend(1, 100)') IS NOT NULL;
SELECT alike((SELECT concat_ws(': ', value, meaning) FROM toys.report() WHERE measure ~ 'expression fails'),
  '2: lists leave them out, for example "1000": in the argument "cap_group": "1000%',
  'report() counts items for which an expression fails');
SELECT dlints_alter_recommender('toys', '{"constraints": {"a": {"of": "1 / i.price::float8", "max": 2},
  "b": {"of": "true", "max": 2}}}');
SELECT is(costs, '{0,1}'::real[], 'an expression that fails leaves the costs of other constraints unchanged')
FROM   toys.item_vector WHERE item = 1000;
SELECT alike((SELECT meaning FROM toys.report() WHERE measure = 'failed maintenance'),
  'costs: items whose costs cannot be computed cost 0 (number: 2, for example "1000"): %',
  'report() counts items whose costs cannot be computed');
INSERT INTO toy SELECT i, 'kind 1', 0 FROM generate_series(2001, 3500) i;
SELECT dlints_alter_recommender('toys', '{"bonus": "1 / i.price::float8", "cap": null, "cap_group": null}');
SELECT is((SELECT count(*) FROM toys.recommend(1, 100)), 61::bigint, 'a list leaves out 1,502 items that fail');
DELETE FROM toy WHERE id > 2000;
CREATE TABLE played (who integer, toy integer, at timestamptz);
INSERT INTO played SELECT p, 1 + (p * i) % 60, now() - i * interval '1 hour'
  FROM generate_series(1, 20) p, generate_series(1, 9) i;
SELECT is(made($$'failing', 'toy', '{kind,price}', 'SELECT who, toy, at FROM played', attribution_window => '0',
  control => 0, epsilon => 0, candidates => '1 / i.price::float8 < 2 AND user_id IS DISTINCT FROM -1',
  bonus => 'raises(''XX000'', i.price)', cap => 99, cap_group => '(1 / i.price::float8)::text',
  constraints => '{"a": {"of": "raises(''42883'', i.price)", "max": 2}}'$$), 'gives false',
  'a recommender is made although its expressions fail for some items');
SELECT failing.reward(l.decision, l.item) FROM failing.recommend(1, 3) l;
UPDATE failing.job SET done_at = '-infinity';
UPDATE failing.constraint_price SET solved = -1000;
SELECT lives_ok(format('DO $do$ BEGIN %s; END $do$', call), call || ' works although expressions fail for some items')
FROM unnest('{PERFORM failing.refresh(),PERFORM failing.refit(),CALL failing.run(),PERFORM failing.rebuild(),'
            'PERFORM failing.backtest(5),PERFORM failing.report(),PERFORM failing.warm_start()}'::text[]) call;
SELECT results_eq('SELECT name FROM failing.job WHERE problem IS NOT NULL', '{costs}'::text[],
  'run() does all of its parts');
UPDATE toy SET price = 1 WHERE id IN (1000, 1001);
SELECT dlints_alter_recommender('toys', '{"cap": 1, "cap_group": "(1 / i.price::float8)::text", "bonus": null}');
SELECT is((SELECT count(*) FROM toys.report() WHERE measure ~ 'expression fails'), 0::bigint,
  'report() is silent on expressions that succeed');
SELECT dlints_alter_recommender('toys', '{"cap": null, "cap_group": null}');
SELECT is((SELECT count(*) FROM toys.recommend(1, 100)), 63::bigint, 'mended rows return to the lists');

-- a condition on the recommender's own log
SELECT is(count(*), 150::bigint, 'recommend() returns 150 items') FROM board.recommend(1, 150);
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"candidates":
  "NOT EXISTS (SELECT FROM board.decision d JOIN board.impression s ON s.decision = d.id'
    ' WHERE d.user_id = request.user_id AND s.item = i.id)"}')$$, 'candidates may read the user in a subquery');
SELECT is(count(*), 200 - (SELECT count(DISTINCT s.item) FROM board.impression s
  JOIN board.decision d ON d.id = s.decision
  WHERE d.user_id = 1), 'candidates may exclude what the user''s log contains')
  FROM board.allowed(1, '{}');
SELECT is(count(*), 200::bigint, 'candidates that read the log differ by user') FROM board.allowed(2, '{}');

SELECT lives_ok($$SELECT dlints_create_recommender('texts', 'job', '{field}',
  clicks => 'SELECT who::text, job, at FROM visit');
    SELECT dlints_alter_recommender('texts', '{"clicks": null}')$$, 'a click log can be removed');
CALL texts.run();
SELECT is((SELECT count(*) FROM texts.warm_start_example), 0::bigint,
  'run() deletes the warm start after the click log was removed');
SELECT is((SELECT count(*) FROM texts.recommend('somebody'::text)), 10::bigint,
  'users keep their type after the click log was removed');

-- ---------- rights ----------

CREATE ROLE visitor;
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT count(*) FROM board.recommend(3)'),
  '42501: permission denied for schema board', 'recommend() is denied to roles without a grant');
SELECT is(outcome($$SELECT dlints_grant('board', '')$$), '22023: argument "role" must not be empty',
  'dlints_grant() rejects an empty name of a role');
SELECT dlints_grant('board', 'visitor');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'board'::regnamespace
  AND has_function_privilege('visitor', oid, 'EXECUTE') AND prosecdef AND obj_description(oid, 'pg_proc') IS NULL$$,
  'all functions that a page may call have comments');
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT count(*) FROM board.recommend(3)'), 'gives 10',
  'dlints_grant() allows recommend()');
SELECT is(outcome('SET LOCAL ROLE visitor;
    SELECT count(*) FROM (SELECT board.reward(decision, item, ''tap'') FROM board.recommend(3) OFFSET 0) r'),
  'gives 10', 'dlints_grant() allows reward()');
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT count(*) FROM board.' || f), 'gives ' || n,
  'dlints_grant() allows ' || f)
FROM (VALUES ('more_like(1, 3, 3)', 3), ('trending(4)', 4),
  ('recommend(3, 2) r, board.next(r.decision, 3, 3)', 6)) v (f, n);
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc p WHERE pronamespace = 'board'::regnamespace
  AND proname !~ '^same_'
  AND (has_function_privilege('visitor', oid, 'EXECUTE') <> (proname IN ('recommend', 'more_like', 'next', 'trending',
  'reward', 'explain')) OR has_function_privilege('visitor', oid, 'EXECUTE') AND NOT prosecdef)$$,
  'dlints_grant() grants the SECURITY DEFINER functions that a page needs, and no others');
SELECT is_empty($$SELECT c.oid::regclass FROM pg_class c WHERE relnamespace = 'board'::regnamespace
  AND relkind IN ('r', 'p', 'v', 'S') AND (CASE relkind WHEN 'S' THEN has_sequence_privilege('visitor', oid, 'USAGE')
  ELSE has_any_column_privilege('visitor', oid, 'SELECT,INSERT,UPDATE') END)$$, 'dlints_grant() grants no table');
RESET ROLE;
ALTER FUNCTION board.more_like(bigint, integer, bigint, jsonb, text) SECURITY INVOKER;
REVOKE EXECUTE ON FUNCTION board.more_like(bigint, integer, bigint, jsonb, text) FROM visitor;
SELECT dlints_grant('board', 'visitor');
SELECT is(has_function_privilege('visitor', 'board.more_like(bigint, integer, bigint, jsonb, text)', 'EXECUTE'), false,
  'dlints_grant() does not grant a function that runs with the rights of its caller');
ALTER FUNCTION board.more_like(bigint, integer, bigint, jsonb, text) SECURITY DEFINER;
RESET ROLE;

-- ---------- another owner ----------

CREATE ROLE maker;
CREATE ROLE heir;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO maker', current_database()); END $$;
GRANT SELECT ON job, visit TO maker, heir;
SET LOCAL ROLE maker;
SELECT dlints_create_recommender('handed', 'job', '{field}', clicks => 'SELECT who, job, at FROM visit'),
  dlints_create_ranker('offer', attribution_window => '0'), dlints_grant('handed', 'visitor'),
    dlints_grant('offer', 'visitor');
RESET ROLE;
REASSIGN OWNED BY maker TO heir;
DROP OWNED BY maker;
DROP ROLE maker;
SELECT is(array_agg(DISTINCT owner), '{heir}',
  'REASSIGN OWNED hands over all objects of recommenders and rankers') FROM (
  SELECT nspowner::regrole::text AS owner FROM pg_namespace WHERE nspname IN ('handed', 'offer')
  UNION ALL SELECT relowner::regrole::text FROM pg_class
  WHERE relnamespace IN ('handed'::regnamespace, 'offer'::regnamespace)
  UNION ALL SELECT proowner::regrole::text FROM pg_proc
  WHERE pronamespace IN ('handed'::regnamespace, 'offer'::regnamespace)) o;
SET LOCAL ROLE visitor;
SELECT is((SELECT count(*) FROM handed.recommend(3)) + (SELECT count(*) FROM offer.rank('e', '{}', '["a"]')),
  11::bigint, 'pages work after REASSIGN OWNED');
SET LOCAL ROLE heir;
SELECT lives_ok('CALL handed.run()', 'run() of a recommender works after REASSIGN OWNED');
SELECT lives_ok('CALL offer.run()', 'run() of a ranker works after REASSIGN OWNED');
SELECT lives_ok($$SELECT dlints_alter_recommender('handed', '{"attribution_window": "0"}'),
  handed.refit(), handed.warm_start(), handed.erase(3), dlints_alter_ranker('offer', '{"epsilon": 0.1}')$$,
  'the new owner can call all functions after REASSIGN OWNED');
RESET ROLE;
CREATE ROLE successor;
GRANT successor TO CURRENT_USER;
GRANT SELECT ON job, visit TO successor;
ALTER SCHEMA handed OWNER TO successor;
SELECT is(outcome('SELECT count(*) FROM handed.recommend(3)'), '42501: must be owner of schema "handed" '
  '(The schema belongs to "successor", and the function is run by "heir".)',
  'ALTER SCHEMA ... OWNER TO alone makes recommend() raise an error');
SELECT matches(hint_of('SELECT handed.recommend(3)'), 'REASSIGN OWNED', 'the hint of the error names REASSIGN OWNED');
SELECT matches(outcome('SET LOCAL ROLE successor; SELECT dlints_alter_recommender(''handed'', ''{}'')'),
  '^42501: must be owner of schema "handed"',
  'ALTER SCHEMA ... OWNER TO alone makes dlints_alter_recommender() raise an error');
SELECT matches(hint_of('SET LOCAL ROLE successor; SELECT dlints_alter_recommender(''handed'', ''{}'')'),
  'REASSIGN OWNED', 'the hint of dlints_alter_recommender() names REASSIGN OWNED');
RESET ROLE;
REASSIGN OWNED BY heir TO successor;
SELECT is(outcome('SET LOCAL ROLE successor; SELECT count(*) FROM handed.recommend(3)'), 'gives 10',
  'REASSIGN OWNED after ALTER SCHEMA ... OWNER TO mends recommend()');
RESET ROLE;

-- ---------- others who may create objects ----------

GRANT CREATE ON SCHEMA board TO visitor;
SELECT matches(outcome('SELECT count(*) FROM board.' || call),
  '^55000: roles other than the owner may create objects in schema "board"',
  call || ' is refused while others may create objects in the schema')
FROM unnest('{recommend(3),more_like(1),trending(),report()}'::text[]) call;
SELECT matches(outcome('SELECT ' || call), '^55000: roles other than the owner may create objects in schema "board"',
  call || ' is refused while others may create objects in the schema')
FROM unnest('{"board.reward(1, 1)",board.learn(),board.erase(1),board.rebuild(),board.profile(1),'
            'board.run_part(''learn'')}'::text[]) call;
SELECT matches(outcome('CALL board.run()'), '^55000: ',
  'run() is refused while others may create objects in the schema');
REVOKE CREATE ON SCHEMA board FROM visitor;
SELECT is(outcome('SELECT count(*) FROM board.recommend(3)'), 'gives 10',
  'recommend() works after the privilege is revoked');

-- ---------- keys that are NULL ----------

CREATE TABLE loose (code integer, kind text, user_id integer);
INSERT INTO loose SELECT nullif(i, 13), 'kind ' || i % 3 FROM generate_series(1, 20) i;
SELECT alike(hint_of(format('SELECT dlints_create_recommender(''r'', ''loose'', ''{kind}'', item_key => ''code'', %s)',
  argument)), 'Write request.user_id %', argument || ' is ambiguous, and the hint has the names that are not')
FROM unnest('{"candidates => ''user_id > 0''","bonus => ''user_id''"}'::text[]) argument;
SELECT dlints_create_recommender('loose_ones', 'loose', '{kind}', item_key => 'code',
    user_type => 'integer') \gset
SELECT is(count(*), 19::bigint, 'rows with a NULL key are not recommended') FROM loose_ones.recommend(1, 20);
CREATE VIEW never AS SELECT nullif(i, 1) AS code, raises('42883', 0 * i) AS price FROM generate_series(1, 3) i;
SELECT is(outcome($$SELECT _dlints_column_is_readable('never'::regclass, 'code', 'price')$$), 'gives false',
  'a row with a NULL key does not make a column readable');
DELETE FROM loose;
SELECT is(count(*), 0::bigint, 'recommend() returns nothing after all rows were deleted')
  FROM loose_ones.recommend(1, 20);

CREATE TABLE texts (id text, kind text);
INSERT INTO texts SELECT i, 'kind ' || i % 3 FROM generate_series(1, 20) i;
CREATE VIEW numbers AS SELECT id::integer, kind FROM texts;
SELECT dlints_create_recommender('numbered', 'numbers', '{kind}', item_key => 'id', candidates => 'i.id > 0',
  clicks => 'SELECT i / 4, i % 15 + 1, now() - i * interval ''1 hour'' FROM generate_series(1, 200) i') \gset
INSERT INTO texts VALUES ('x', 'kind 1');
SELECT is(outcome(call), '22P02: in the argument "items": invalid input syntax for type integer: "x"',
  call || ' names the argument if a key cannot be computed')
FROM unnest(ARRAY['SELECT numbered.refresh()', 'SELECT numbered.recommend(1)',
  'UPDATE texts SET id = ''x''; SELECT numbered.backtest(10)',
  $$SELECT dlints_create_recommender('renumbered', 'numbers', '{kind}', item_key => 'id')$$]) call;

-- ---------- clicks that cannot be read ----------

CREATE TABLE strange_visit AS SELECT who, job, at, 1 AS length FROM visit;
SELECT dlints_create_recommender('strange_clicks', 'job', '{field}',
    clicks => 'SELECT who, job, at, 1.0 / length FROM strange_visit') \gset
INSERT INTO strange_visit VALUES (3, 1, now(), 0);
DELETE FROM job WHERE id = 200;
INSERT INTO job SELECT (jsonb_populate_record(j, '{"id": -5}')).* FROM job j LIMIT 1;
SELECT is(outcome('SELECT count(*) FROM strange_clicks.' || call), 'gives 10',
  call || ' returns a list although a click of the user cannot be read')
FROM unnest('{recommend(3),"more_like(1, user_id => 3)",trending(user_id => 3)}'::text[]) call;
SELECT is(outcome('SELECT strange_clicks.refresh()'), 'gives 1',
  'refresh() encodes new items although a click cannot be read');
SELECT inside('strange_clicks',
  'UPDATE job SET since = since - interval ''1 day'', done_at = done_at - interval ''8 days'' RETURNING name');
CALL strange_clicks.run();
SELECT alike(meaning,
  format('%s: in the argument "clicks": division by zero%%(since %s)', v.part, v.since::timestamptz(0)),
  'the report says since when a click cannot be read, and that this stops the part ' || v.part)
FROM  (VALUES ('clicks', now() - interval '1 day'), ('refit', now())) v (part, since)
      LEFT JOIN strange_clicks.report() r ON r.measure = 'failed maintenance' AND r.meaning ~ ('^' || v.part);
SELECT is(outcome(call), '22012: in the argument "clicks": division by zero',
  call || ' names the argument if a click cannot be read')
FROM unnest(ARRAY['SELECT strange_clicks.refit()', 'SELECT strange_clicks.warm_start()',
  $$SELECT dlints_create_recommender('stranger_clicks', 'job', '{field}',
    clicks => 'SELECT who, job, at, 1.0 / length FROM strange_visit')$$]) call;
DELETE FROM strange_visit WHERE length = 0;
SELECT strange_clicks.refresh(), strange_clicks.refit() \gset
SELECT is((SELECT count(*) FROM strange_clicks.report() WHERE measure = 'failed maintenance'), 0::bigint,
  'the report forgets the click after it was removed');
DELETE FROM job WHERE id = -5;

-- ---------- constraints NOT NULL that were dropped ----------

CREATE FUNCTION call_with_null(name text, c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('ALTER TABLE strange_clicks.%I ALTER %I DROP NOT NULL', name, c);
	EXECUTE format('UPDATE strange_clicks.%I SET %I = NULL', name, c);
	SELECT string_agg(left(outcome(call), 5), ' ') INTO result FROM unnest(ARRAY[
		'SELECT count(*) FROM strange_clicks.recommend(1, 5)', 'SELECT count(*) FROM strange_clicks.more_like(3, 5)',
		'SELECT count(*) FROM strange_clicks.recommend(NULL, 5, session => ''s'')', 'SELECT strange_clicks.profile(1)',
		'SELECT count(*) FROM strange_clicks.trending(5)', 'SELECT strange_clicks.reward(1, 3)',
		'SELECT count(n) FROM (SELECT max(id) AS id FROM strange_clicks.decision WHERE user_id = 1) d,'
		' strange_clicks.next(d.id, 5, 1) n']) call;
	RAISE 'undo' USING DETAIL = result;
EXCEPTION WHEN raise_exception OR check_violation THEN
	GET STACKED DIAGNOSTICS result = PG_EXCEPTION_DETAIL;
	RETURN result;
END $$;
SELECT count(strange_clicks.reward(decision, item)) FROM strange_clicks.recommend(1, 5) \gset
SELECT count(*) FROM strange_clicks.recommend(NULL, 5, session => 's') \gset
SELECT ok(count(call_with_null(c.relname, a.attname)) > 40, 'a NULL in a table does not end the session')
FROM   pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attnotnull
WHERE  c.relnamespace = 'strange_clicks'::regnamespace AND c.relname = ANY (
           '{setting,similarity,item_vector,block,neighbour,decision,reward,model,trend}')
AND    NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey));
UPDATE strange_clicks.setting SET outcomes = '{}';
SELECT matches(outcome($$SELECT strange_clicks.reward(1, 3, 'click')$$), '^XX001: ',
  'reward() rejects settings without outcomes');
ALTER TABLE strange_clicks.trend ALTER item TYPE text;
SELECT is(outcome('SELECT strange_clicks.trending(5)'), '42804: column 1 of a query does not have the type integer',
  'trending() rejects items of another type');
ALTER TABLE strange_clicks.decision RENAME TO other;
CREATE TABLE strange_clicks.decision (LIKE strange_clicks.other) PARTITION BY LIST (id);
CREATE TABLE strange_clicks.listed PARTITION OF strange_clicks.decision FOR VALUES IN (1, 2, 3);
SELECT is(outcome('SELECT strange_clicks.next(2, 5, 1)'),
  '42809: table "decision" is not partitioned by ranges of bigint', 'next() rejects a log with other partitions');
DROP VIEW strange_clicks.models CASCADE;
ALTER TABLE strange_clicks.model ALTER state TYPE integer USING 7;
SELECT matches(outcome('SELECT strange_clicks.recommend(1, 5)'),
  '^42804: column "state" of table "model" has type integer', 'recommend() rejects models that are integers');

-- ---------- dlints in another schema ----------

DROP EXTENSION dlints CASCADE;
CREATE SCHEMA elsewhere;
CREATE EXTENSION dlints SCHEMA elsewhere;
SELECT lives_ok($$SELECT elsewhere.dlints_create_recommender('apart', 'job', '{field}',
  clicks => 'SELECT who, job, at FROM visit')$$,
  'recommenders can be made while dlints is in a schema outside the search_path');
SELECT is((SELECT count(*) FROM apart.recommend(1)), 10::bigint,
  'recommend() works while dlints is in a schema outside the search_path');
SELECT is(apart.learn('0'), 1::bigint, 'learn() works while dlints is in a schema outside the search_path');
SELECT lives_ok('CALL apart.run()', 'run() works while dlints is in a schema outside the search_path');

SELECT * FROM finish();
ROLLBACK;
