-- Recommenders of any names, types and texts: they work, or they are refused and
-- leave nothing behind.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
SET LOCAL client_min_messages = error;
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;
CREATE TABLE kept (x integer);

SELECT plan(144);

CREATE FUNCTION made(what text) RETURNS text LANGUAGE sql AS $$
SELECT outcome('SELECT dlints_create_recommender(' || what || ') IS NULL') $$;

-- ---------- refused ----------

SELECT is(made(arguments), result, arguments) FROM (VALUES
    ($$'r', 'nothing', '{a}'$$, '42P01: relation "nothing" does not exist'),
    ($$NULL, 'job', '{field}'$$, '22023: the name of a recommender has 1 to 63 bytes'),
    ($$'', 'job', '{field}'$$, '22023: the name of a recommender has 1 to 63 bytes'),
    ($$repeat('r', 64), 'job', '{field}'$$, '22023: the name of a recommender has 1 to 63 bytes'),
    ($$'public', 'job', '{field}'$$, '42P06: schema "public" exists already'),
    ($$'pg_r', 'job', '{field}'$$,
      '42939: unacceptable schema name "pg_r" (The prefix "pg_" is reserved for system schemas.)'),
    ($$'r$body$', 'job', '{field}'$$,
      '22023: names and texts of a recommender cannot contain $body$'),
    ($$'r', NULL, '{field}'$$, '22023: items must not be NULL'),
    ($$'r', 'job', ARRAY['field', 'Title', 'x"y']$$, '42703: job has no column "Title", "x""y"'),
    ($$'r', 'job', ARRAY[NULL]$$, '42703: job has no column NULL'),
    ($$'r', 'job', '{}'$$, '22023: a recommender needs columns to go by, or clicks'),
    ($$'r', 'job', NULL$$, '22023: a recommender needs columns to go by, or clicks'),
    ($$'r', 'job', '{same}'$$, '22023: a recommender needs columns to go by, or clicks'),
    ($$'r', 'visit', '{job}'$$, '22023: visit has no primary key of one column'),
    ($$'r', 'visit', '{job}', item_key => 'id'$$, '42703: visit has no column id'),
    ($$'r', 'job', '{field}', control => 2$$, '22023: control must be between 0 and 1'),
    ($$'r', 'job', '{field}', control => NULL$$, '22023: control must be between 0 and 1'),
    ($$'r', 'job', '{field}', epsilon => 'NaN'$$, '22023: epsilon must be between 0 and 1'),
    ($$'r', 'job', '{field}', factors => 129$$, '22023: factors must be between 0 and 128'),
    ($$'r', 'job', '{field}', half_life => NULL$$, '22023: half_life must be an interval above 0'),
    ($$'r', 'job', '{field}', wait => '-1 day'$$, '22023: wait must be an interval of at least 0'),
    ($$'r', 'job', '{field}', keep => '1 hour'$$, '22023: keep must be an interval of a day to 100 years'),
    ($$'r', 'job', '{field}', cap => 3$$,
      '22023: cap and cap_group go together, and cap is at least 1'),
    ($$'r', 'job', '{field}', cap_group => 'i.field'$$,
      '22023: cap and cap_group go together, and cap is at least 1'),
    ($$'r', 'job', '{field}', outcomes => '{}'$$,
      '22023: outcomes must be an object of names and what each is worth'),
    ($$'r', 'job', '{field}', outcomes => '["click"]'$$,
      '22023: outcomes must be an object of names and what each is worth'),
    ($$'r', 'job', '{field}', outcomes => '{"click": "1"}'$$,
      '22023: outcomes must be an object of names and what each is worth'),
    ($$'r', 'job', '{field}', outcomes => NULL$$,
      '22023: outcomes must be an object of names and what each is worth'),
    ($$'r', 'job', '{field}', clicks => 'SELECT id, -id, now() FROM job'$$,
      '22023: in the argument "clicks": no click is of an item of public.job')
    ) v (arguments, result);

SELECT matches(made(arguments), result, arguments) FROM (VALUES
    ($$'r', 'job', '{field}', candidates => 'true); DROP TABLE kept; SELECT (true'$$,
      '^42601: in the argument "candidates": syntax error'),
    ($$'r', 'job', '{field}', candidates => 'true) OR (true'$$,
      '^42601: in the argument "candidates": syntax error'),
    ($$'r', 'job', '{field}', candidates => 'true; DROP TABLE kept'$$,
      '^(42P11|42601): in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'true;'$$, '^42601: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'true /*'$$,
      '^42601: in the argument "candidates": unterminated'),
    ($$'r', 'job', '{field}', candidates => 'i.title = ''x'$$,
      '^42601: in the argument "candidates": unterminated'),
    ($$'r', 'job', '{field}', candidates => 'true, true'$$,
      '^42804: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => '1'$$,
      '^42804: in the argument "candidates": argument of WHERE must be type boolean'),
    ($$'r', 'job', '{field}', candidates => ''$$, '^42601: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'true FROM kept'$$,
      '^42601: in the argument "candidates": '),
    ($$'r', 'job', '{field}', candidates => 'i.shut'$$,
      '^42703: in the argument "candidates": column i.shut does not exist'),
    ($$'r', 'job', '{field}', candidates => 'count(*) > 1'$$,
      '^42803: in the argument "candidates": '),
    ($$'r', 'job', '{field}', bonus => 'i.title'$$,
      '^42846|22P02|42804|42883: in the argument "bonus": '),
    ($$'r', 'job', '{field}', bonus => '1)::text || (''x'''$$, '^42601: in the argument "bonus": '),
    ($$'r', 'job', '{field}', cap => 1, cap_group => '(SELECT x FROM kept'$$,
      '^42601: in the argument "cap_group": '),
    ($$'r', 'job', '{field}', clicks => 'DELETE FROM visit RETURNING who, job, at'$$,
      '^42601: in the argument "clicks": '),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job FROM visit'$$,
      '^42P10: in the argument "clicks": '),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job, at FROM visit) a, (SELECT 1'$$,
      '^42601: in the argument "clicks": '),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job, at FROM visit; DROP TABLE kept'$$,
      '^42P11: in the argument "clicks": '),
    ($$'r', 'job', '{field}', clicks => 'SELECT who, job, who FROM visit'$$,
      '^42846: in the argument "clicks": cannot cast type bigint to timestamp')
    ) v (arguments, result);
SELECT is(outcome($$SELECT count(*) FROM kept$$), 'gives 0', 'nothing was dropped');
SELECT is(count(*), 0::bigint, 'nothing is left of what was refused') FROM pg_namespace
  WHERE nspname ~ '^r';
SELECT is(current_setting('search_path'), '"$user", public', 'and the search_path is what it was');
SELECT is(hint_of($$SELECT dlints_create_recommender('r', 'kept', '{y}', item_key => 'x')$$),
  'It has x.', 'a wrong column is answered with those there are');

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
          outcomes => '{"it''s \\ \"it\" {s}": 1, "x": 2}')$test$, 'odd names are quoted');
SELECT is((SELECT count(*) FROM """My"" {items}'s \ recommender; --".recommend(7, 5)), 5::bigint,
  'and recommend');
SELECT lives_ok($$SELECT """My"" {items}'s \ recommender; --".reward(decision, item)
  FROM """My"" {items}'s \ recommender; --".shown$$,
  'take rewards');
SELECT is((SELECT count(*) FROM """My"" {items}'s \ recommender; --".more_like('''"\{items}7', 50)), 40::bigint,
  'say what is like an item, under a cap');
SELECT is((SELECT count(n) FROM """My"" {items}'s \ recommender; --".shown s,
  """My"" {items}'s \ recommender; --".next(s.decision, 4) n WHERE s.place = 1), 8::bigint, 'go on');
SELECT is("""My"" {items}'s \ recommender; --".learn('0'), 4::bigint, 'learn');
SELECT is("""My"" {items}'s \ recommender; --".erase(7), 2::bigint, 'erase');
SELECT lives_ok($$SELECT """My"" {items}'s \ recommender; --".run()
  FROM """My"" {items}'s \ recommender; --".report()$$,
  'report and run');
SELECT lives_ok($$SELECT dlints_alter_recommender('"My" {items}''s \ recommender; --',
  '{"control": 0.5}')$$, 'and are altered');

-- ---------- as a migration ----------

SELECT lives_ok($test$ DO $$
DECLARE
    statement text;
BEGIN
    FOR statement IN SELECT dlints_scaffold('migrated', 'job', '{field,salary,posted}',
      clicks => 'SELECT who, job, at FROM visit') LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM dlints_create_recommender('created', 'job', '{field,salary,posted}',
      clicks => 'SELECT who, job, at FROM visit');
END $$ $test$, 'a scaffold is statements to execute');
SELECT set_eq($$SELECT proname, replace(prosrc, 'migrated', 'created') FROM pg_proc
  WHERE pronamespace = 'migrated'::regnamespace$$,
              $$SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'created'::regnamespace$$,
                'which make what create makes');
SELECT set_eq($$SELECT relname, relkind FROM pg_class
  WHERE relnamespace = 'migrated'::regnamespace$$,
              $$SELECT relname, relkind FROM pg_class
                WHERE relnamespace = 'created'::regnamespace$$, 'functions and tables');

-- ---------- types ----------

-- a key of two columns, through a view, and a column called as the row is; no click log, no
-- person type but what is given
CREATE TABLE offer (shop integer, sku text, colour text, i integer, PRIMARY KEY (shop, sku));
INSERT INTO offer SELECT i % 3, 'sku' || i, 'c' || i % 4, i % 5 FROM generate_series(1, 30) i;
CREATE VIEW listing AS SELECT shop || '/' || sku AS id, * FROM offer;
SELECT lives_ok($$SELECT dlints_create_recommender('listing_r', 'listing', '{colour,i}',
  item_key => 'id', person_type => 'uuid')$$, 'a composite key through a view');
SELECT is((SELECT count(*) FROM listing_r.recommend(gen_random_uuid(), 3)), 3::bigint,
  'persons are of another type');
SELECT lives_ok('SELECT listing_r.reward(decision, item) FROM listing_r.shown WHERE place = 1',
  'click');
SELECT ok(listing_r.learn('0') = 1 AND listing_r.refresh() = 0, 'and are learned from');
SELECT ok(max(popularity) = 1, 'without a click log its own clicks say what is popular')
  FROM listing_r.item_vector;
SELECT lives_ok($$SELECT dlints_alter_recommender('listing_r',
  '{"clicks": "SELECT gen_random_uuid(), id, now() FROM listing"}')$$, 'they may come to have one');
SELECT matches(listing_r.run(), 'refreshed.*fitted', 'of which the next run makes the vectors');
SELECT ok(count(*) > 0, 'and a beginning') FROM listing_r.beginning;

CREATE TABLE thing (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), kind text, price float8,
  added date, worth money);
SELECT lives_ok($$SELECT dlints_create_recommender('thing_r', 'thing', '{kind,price,added}')$$,
  'a table without rows');
SELECT is((SELECT count(*) FROM thing_r.recommend(1)), 0::bigint, 'has nothing to recommend');
SELECT is((SELECT count(*) FROM thing_r.more_like(gen_random_uuid())), 0::bigint, 'nothing like it');
SELECT is((SELECT count(*) FROM thing_r.trending()), 0::bigint, 'and nothing that trends');
SELECT is((SELECT count(*) FROM thing_r.decision), 0::bigint, 'which is no decision');
INSERT INTO thing (kind, price, added) SELECT 'k' || i % 3,
  CASE i WHEN 1 THEN 'NaN' WHEN 2 THEN 'infinity' WHEN 3 THEN NULL ELSE i::float8 END,
  CASE i WHEN 4 THEN '-infinity' WHEN 5 THEN NULL ELSE current_date - i END
    FROM generate_series(1, 20) i;
SELECT is((SELECT count(*) FROM thing_r.recommend(1, 30)), 20::bigint,
  'until it has, whatever the values are');
SELECT is(thing_r.refresh(), 20::bigint, 'which get vectors');
CREATE TYPE region AS ENUM ('north', 'south');
CREATE TABLE place (name region PRIMARY KEY, about text, vector real[]);
INSERT INTO place SELECT r, repeat('words that go on ', 5) || '$body$ ' || r, ARRAY[1, n * 1e30]
  FROM unnest('{north,south}'::region[]) WITH ORDINALITY u (r, n);
CREATE TABLE been (who varchar(20), place region, at timestamptz);
INSERT INTO been SELECT 'p', 'north', now() FROM generate_series(1, 20);
SELECT is(made($$'place_r', 'place', '{about,vector}', clicks => 'SELECT who, place, at FROM been'$$), 'gives false',
  'a key of a type called region, and texts of any kind');
SELECT ok(octet_length(arguments::text) < 2000, 'which are not kept') FROM place_r.setting;
SELECT lives_ok($$SELECT dlints_alter_recommender('place_r',
  '{"clicks": "SELECT who::varchar(30), place, at FROM been"}')$$, 'varchar of another length is another log');
DELETE FROM place;
UPDATE been SET place = NULL;
SELECT lives_ok('SELECT place_r.refresh(), place_r.set_beginning()', 'clicks of nothing');
SELECT matches(made($$'r', 'thing', '{worth}'$$), '^42804: column "worth" is of a type',
  'a type without an encoding is refused');

-- ---------- alter ----------

SELECT lives_ok($$SELECT dlints_create_recommender('board', 'job', '{field}')$$, 'a plain one');
SELECT is(outcome($$SELECT dlints_alter_recommender('nothing', '{}')$$),
  '42704: there is no recommender "nothing"', 'alter wants a recommender');
SELECT is(outcome($$SELECT dlints_alter_recommender('board', '{"columns": ["city"]}')$$),
  '0A000: columns of a recommender cannot be changed '
  '(Its models know the numbers of a vector by their places.)', 'vectors stay');
SELECT is(outcome($$SELECT dlints_alter_recommender('board', '{"candidate": "i.open"}')$$),
  '22023: a recommender has no argument "candidate"', 'what is not known is refused');
SELECT matches(outcome($$SELECT dlints_alter_recommender('board', '{"candidates": "i.shut"}')$$),
  '^42703: in the argument "candidates": ', 'so is an error');
SELECT matches(outcome(format('SELECT dlints_alter_recommender(''board'', %L)', change)), result, change) FROM (VALUES
  ('{"exposure": "many"}', '^22023: exposure must be a number \(It is many'),
  ('{"cap": 1.5, "cap_group": "i.field"}', '^22023: cap must be a whole number \(It is 1.5'),
  ('{"keep": 30}', '^22023: keep must be an interval such as "2 days" \(It is 30'),
  ('{"wait": "half an hour"}', '^22023: wait must be an interval'),
  ('{"wait": "1 day", "keep": "1 day"}', '^22023: keep must be longer than wait'),
  ('{"bonus": "i.title"}', '^22P02: in the argument "bonus": .*work number'),
  ('{"candidates": "i.id / 0 = 1"}', '^22012: in the argument "candidates": '),
  ('{"cap": 1, "cap_group": "(1 / (i.id - i.id))"}', '^22012: in the argument "cap_group": '),
  ('{"clicks": "SELECT id, -id, now() FROM job"}', '^22023: in the argument "clicks": no click is of an item'),
  ('{"clicks": "SELECT id, id, title FROM job"}', '^22007: in the argument "clicks": .*work number')) v (change, result);
SELECT is(count(*), 200::bigint, 'and nothing changes') FROM board.candidate(1, '{}');
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"exposure": 0.5}')$$, 'exposure changes');
SELECT is(value, NULL, 'and the vectors are to be fitted anew') FROM board.report()
  WHERE measure = 'days since the vectors were fitted' AND meaning ~ 'next run';
SELECT lives_ok($$SELECT dlints_alter_recommender('board',
  '{"candidates": "i.open", "half_life": "1 day", "outcomes": {"tap": 1}}')$$, 'others change');
SELECT is(count(*), 180::bigint, 'candidates change') FROM board.candidate(1, '{}');
SELECT is(half_life, '1 day'::interval, 'so does the half-life') FROM board.model,
  dlints_info(state) WHERE name = 'personal';
SELECT is(hint_of('SELECT board.reward(1, 1, ''click'')'), 'The outcomes are tap.',
  'and the outcomes');

-- what a page says may be wrong for them
SAVEPOINT texts;
SELECT dlints_alter_recommender('board', $$ {"candidates": "i.salary <= coalesce((context ->> 'most')::numeric, 1e9)",
  "bonus": "coalesce((context ->> 'more')::float8, 0) * (i.id % 2)", "cap": 2,
  "cap_group": "i.id % coalesce((context ->> 'groups')::integer, 1000)"} $$);
SELECT is(outcome(format('SELECT count(*) FROM board.recommend(1, 3, context => %L)', context)), result, context)
FROM (VALUES
  ('{"most": "1.5e3", "more": 1, "groups": 5}', 'gives 3'),
  ('{"most": "dear"}', '22P02: in the argument "candidates": invalid input syntax for type numeric: "dear"'),
  ('{"more": "much"}', '22P02: in the argument "bonus": invalid input syntax for type double precision: "much"'),
  ('{"groups": 0}', '22012: in the argument "cap_group": division by zero')) v (context, result);
SELECT is(outcome($$SELECT count(*) FROM board.more_like(1, 3, context => '{"most": "dear"}')$$),
  '22P02: in the argument "candidates": invalid input syntax for type numeric: "dear"', 'in each box');
SELECT is(hint_of($$SELECT board.recommend(1, 3, context => '{"most": "dear"}')$$),
  'It is asked of each item, with person and context, which may be NULL.', 'with what it is asked of');
ROLLBACK TO texts;

-- a condition on the recommender's own log
SELECT is(count(*), 150::bigint, 'many are shown') FROM board.recommend(1, 150);
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"candidates":
  "NOT EXISTS (SELECT FROM board.decision d JOIN board.shown s ON s.decision = d.id WHERE d.person = request.person AND s.item = i.id)"}')$$,
  'a condition may name the person inside a subquery');
SELECT is(count(*), 200 - (SELECT count(*) FROM board.shown), 'who is not shown anything twice')
  FROM board.candidate(1, '{}');
SELECT is(count(*), 200::bigint, 'unlike others') FROM board.candidate(2, '{}');

SELECT lives_ok($$SELECT dlints_create_recommender('texts', 'job', '{field}',
  clicks => 'SELECT who::text, job, at FROM visit');
    SELECT dlints_alter_recommender('texts', '{"clicks": null}')$$, 'a click log may go');
SELECT texts.run();
SELECT is((SELECT count(*) FROM texts.beginning), 0::bigint, 'and with it what was begun with');
SELECT is((SELECT count(*) FROM texts.recommend('somebody'::text)), 10::bigint,
  'persons stay what they were');

-- ---------- rights ----------

CREATE ROLE visitor;
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT count(*) FROM board.recommend(3)'),
  '42501: permission denied for schema board', 'who was granted nothing may nothing');
SELECT dlints_grant('board', 'visitor');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'board'::regnamespace
  AND has_function_privilege('visitor', oid, 'EXECUTE') AND prosecdef AND obj_description(oid, 'pg_proc') IS NULL$$,
  'all that a page may call is described');
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT count(*) FROM board.recommend(3)'), 'gives 10',
  'a page decides');
SELECT is(outcome('SET LOCAL ROLE visitor;
    SELECT count(board.reward(decision, item, ''tap'')) FROM board.recommend(3)'),
  'gives 10', 'and tells of clicks');
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT count(*) FROM board.' || f), 'gives ' || n, f)
FROM (VALUES ('more_like(1, 3, 3)', 3), ('trending(4)', 4),
  ('recommend(3, 2) r, board.next(r.decision, 3)', 6)) v (f, n);
SELECT matches(outcome('SET LOCAL ROLE visitor; SELECT count(*) FROM board.' || f), '^42501: permission denied for ', f)
FROM (VALUES ('page(3, 3, ''{}'', NULL, ''{}'', ''personal'')'), ('shown_until(3)')) v (f);
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT board.learn()'),
  '42501: permission denied for table model', 'and does not learn');
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT board.erase(3)'),
  '42501: permission denied for table beginning', 'nor erase');
SELECT is(outcome('SET LOCAL ROLE visitor; SELECT board.' || f), '42501: permission denied for function ' || split_part(f, '(', 1), f)
FROM unnest('{run(),set_months()}'::text[]) f;
RESET ROLE;

-- ---------- handed on ----------

CREATE ROLE maker;
CREATE ROLE heir;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO maker', current_database()); END $$;
GRANT SELECT ON job, visit TO maker, heir;
SET LOCAL ROLE maker;
SELECT dlints_create_recommender('handed', 'job', '{field}', clicks => 'SELECT who, job, at FROM visit'),
  dlints_create_ranker('offer', wait => '0'), dlints_grant('handed', 'visitor'), dlints_grant('offer', 'visitor');
RESET ROLE;
REASSIGN OWNED BY maker TO heir;
DROP OWNED BY maker;
DROP ROLE maker;
SELECT is(array_agg(DISTINCT owner), '{heir}', 'REASSIGN OWNED hands all of it on') FROM (
  SELECT nspowner::regrole::text AS owner FROM pg_namespace WHERE nspname IN ('handed', 'offer')
  UNION ALL SELECT relowner::regrole::text FROM pg_class
  WHERE relnamespace IN ('handed'::regnamespace, 'offer'::regnamespace)
  UNION ALL SELECT proowner::regrole::text FROM pg_proc
  WHERE pronamespace IN ('handed'::regnamespace, 'offer'::regnamespace)) o;
SET LOCAL ROLE visitor;
SELECT is((SELECT count(*) FROM handed.recommend(3)) + (SELECT count(*) FROM offer.rank('e', '{}', '["a"]')),
  11::bigint, 'pages go on');
SET LOCAL ROLE heir;
SELECT is(handed.run() || ', ' || offer.run(), '0 learned, 1 learned', 'so does cron');
SELECT lives_ok($$SELECT dlints_alter_recommender('handed', '{"wait": "0"}'), dlints_renew('handed'), handed.run(),
  handed.refit(), handed.set_beginning(), handed.erase(3), dlints_alter_ranker('offer', '{"epsilon": 0.1}'),
  dlints_renew('offer')$$, 'and the new owner can do all of it');
RESET ROLE;

-- ---------- rows that cannot be recommended ----------

CREATE TABLE loose (code integer, kind text);
INSERT INTO loose SELECT nullif(i, 13), 'kind ' || i % 3 FROM generate_series(1, 20) i;
SELECT dlints_create_recommender('loose_ones', 'loose', '{kind}', item_key => 'code',
    person_type => 'integer') \gset
SELECT is(count(*), 19::bigint, 'a row without a key is left out')
  FROM loose_ones.recommend(1, 20);
DELETE FROM loose;
SELECT is(count(*), 0::bigint, 'of no rows none is recommended') FROM loose_ones.recommend(1, 20);

-- ---------- dlints elsewhere ----------

CREATE SCHEMA elsewhere;
ALTER EXTENSION dlints SET SCHEMA elsewhere;
SELECT lives_ok($$SELECT elsewhere.dlints_create_recommender('apart', 'job', '{field}',
  clicks => 'SELECT who, job, at FROM visit')$$,
  'dlints may be in a schema that the search_path does not know');
SELECT is((SELECT count(*) FROM apart.recommend(1)), 10::bigint, 'it recommends');
SELECT is(apart.learn('0'), 1::bigint, 'and learns');
SELECT lives_ok($$SELECT elsewhere.dlints_alter_recommender('board', '{}')$$,
  'one that was made before is altered');
SELECT is((SELECT count(*) FROM board.recommend(2)), 10::bigint, 'and goes on');

SELECT * FROM finish();
ROLLBACK;
