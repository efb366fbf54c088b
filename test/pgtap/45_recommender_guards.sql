-- Guards of a recommender: who may page a list, decision numbers, renames, comments, keys of all integer types,
-- and primary keys of all tables.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT * FROM plan(232);

SELECT dlints_create_recommender('board', 'job', '{field,salary}', control => 0, epsilon => 0, factors => 4,
  attribution_window => '0',
  clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5}') IS NOT NULL;
SELECT dlints_create_ranker('home', attribution_window => '0') IS NOT NULL;

-- ---------- size ----------

SELECT cmp_ok(count(*), '<=', most, format('the schema of a %s has at most %s functions', kind, most))
FROM  (VALUES ('recommender', 'board', 22::bigint), ('ranker', 'home', 14)) v (kind, schema, most)
      JOIN pg_proc p ON p.pronamespace = schema::regnamespace GROUP BY kind, most ORDER BY kind DESC;
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc p
  WHERE pronamespace IN ('board'::regnamespace, 'home'::regnamespace) AND prolang <> (SELECT oid FROM pg_language
    WHERE lanname = 'sql')
  AND proname <> 'run'$$, 'functions of a recommender or ranker are SQL functions that call the extension');

-- ---------- names and comments ----------

SELECT set_eq('SELECT name, kind FROM dlints_recommenders', $$VALUES ('board', 'recommender'), ('home', 'ranker')$$,
  'dlints_recommenders lists recommenders and rankers');
COMMENT ON TABLE board.setting IS 'settings of our shop';
COMMENT ON TABLE home.setting IS NULL;
COMMENT ON SCHEMA board IS NULL;
SELECT set_eq('SELECT name, kind FROM dlints_recommenders', $$VALUES ('board', 'recommender'), ('home', 'ranker')$$,
  'comments do not hide recommenders and rankers from dlints_recommenders');
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"epsilon": 0}'); SELECT dlints_grant('board',
  CURRENT_USER);
  SELECT dlints_alter_ranker('home', '{"epsilon": 0.1}')$$,
    'recommenders and rankers can be altered whatever the comments are');

SELECT count(*) AS items FROM board.recommend(1, 3) \gset
ALTER SCHEMA board RENAME TO renamed;
SELECT count(*) AS items, max(decision) AS list FROM renamed.recommend(1, 3) \gset
SELECT is(:items, 3, 'recommend() works at once after ALTER SCHEMA ... RENAME');
SELECT is((SELECT count(*) FROM renamed.next(:list, 3, 1)), 3::bigint,
  'next() works at once after ALTER SCHEMA ... RENAME');
SELECT lives_ok(format('SELECT renamed.reward(%s, 1), renamed.learn(); CALL renamed.run()', :list),
  'reward(), learn() and run() work at once after ALTER SCHEMA ... RENAME');
ALTER SCHEMA renamed RENAME TO board;

-- ---------- arrays of all forms ----------

CREATE TABLE garment (id integer PRIMARY KEY, single real[], double float8[], tags text[]);
INSERT INTO garment SELECT i, ARRAY[i % 3, i, 1], ARRAY[i % 5, 1, i], ARRAY['tag ' || i % 4]
FROM generate_series(1, 20) i;
INSERT INTO garment SELECT 100 + n, v::real[], v::float8[], v::text[]
FROM unnest(ARRAY['[7:9]={1,2,3}', '{{1,2},{3,4}}', '{NULL,1,2}', '{}', '{NaN,Infinity,-Infinity}', '{1e38,1e38,1e38}',
  NULL]) WITH ORDINALITY u (v, n);
INSERT INTO garment VALUES (200, NULL, '[-1:1]={1e300,-1e300,0}', NULL);
SELECT is(outcome($$SELECT dlints_create_recommender('garments', 'garment', '{single,double,tags}', control => 0,
  epsilon => 0) IS NULL$$), 'gives false', 'a recommender is made of arrays of all forms');
SELECT is((SELECT count(*) FROM garments.item_vector), 28::bigint, 'items with arrays of all forms have vectors');
SELECT is((SELECT count(*) FROM garments.recommend(1, 100)), 28::bigint,
  'lists contain items with arrays of all forms');

-- ---------- rows of a view that fail ----------

CREATE VIEW cloth AS SELECT id, 10 / (id - 20.5)::integer AS size, 'kind ' || id % 3 AS kind FROM garment WHERE id < 20;
SELECT dlints_create_recommender('cloths', 'cloth', '{size,kind}', item_key => 'id',
  clicks => 'SELECT who, job % 20, at FROM visit', factors => 2) IS NOT NULL;
CREATE FUNCTION fails_for(items integer[], id integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$ BEGIN
    IF id = ANY (items) THEN
        RAISE undefined_function;
    END IF;
    RETURN id;
END $$;
CREATE OR REPLACE VIEW cloth AS
SELECT id, fails_for('{5}', id) AS size, 'kind ' || id % 3 AS kind FROM garment WHERE id < 20;
SELECT is(outcome('SELECT cloths.refit() > 0'), 'gives true', 'refit() fits factors although a row of a view fails');
SELECT is(outcome($$SELECT dlints_create_recommender('rags', 'cloth', '{size,kind}', item_key => 'id') IS NOT NULL$$),
  'gives true', 'dlints_create_recommender() leaves out a column that fails for a row of a view');
SELECT is(column_names, '{kind}', 'the other columns of a view describe the items') FROM rags.setting;
SELECT is(count(*), 10::bigint, 'recommend() returns items of a view with a failing column') FROM rags.recommend(1);

SELECT is(outcome('SELECT cloths.refresh() > 0'), 'gives true',
  'refresh() encodes items although a row of a view fails');
CREATE OR REPLACE VIEW cloth AS
SELECT id, fails_for(ARRAY[id], id) AS size, 'kind ' || id % 3 AS kind FROM garment;
SELECT is(outcome('SELECT cloths.refresh()'), '42883: undefined_function',
  'refresh() raises the error of a function that fails for all rows');

-- ---------- keys of integer types ----------

CREATE TABLE small (id smallint PRIMARY KEY, kind text);
INSERT INTO small SELECT i, 'kind ' || i % 3 FROM generate_series(1, 30) i;
CREATE TABLE large (id bigint PRIMARY KEY, kind text);
INSERT INTO large SELECT * FROM small;
CREATE TABLE small_click (who smallint, what smallint, at timestamptz);
INSERT INTO small_click SELECT i % 7, 1 + i % 30, now() - i * interval '1 hour' FROM generate_series(1, 200) i;
SELECT dlints_create_recommender(name, items, '{kind}', clicks => format(
    'SELECT who::%s, what::%s, at FROM small_click', user_type, item_type), control => 0, epsilon => 0, factors => 4,
      attribution_window => '0')
  IS NOT NULL
FROM  (VALUES ('smalls', 'small'::regclass, 'smallint', 'smallint'), ('mixed', 'large', 'integer', 'bigint'),
              ('larges', 'large', 'bigint', 'bigint')) v (name, items, user_type, item_type);
SELECT is(outcome(replace(replace(call, 'S.', s || '.'), '#', literal)), result,
  format('%s resolves with the literal %s: %s', call, literal, s))
FROM   unnest('{smalls,mixed,larges}'::text[]) s,
  unnest('{1,1::smallint,1::integer,1::bigint}'::text[]) literal, (VALUES
         ('SELECT count(*) FROM S.recommend(#, 2)', 'gives 2'),
         ('SELECT count(*) FROM S.recommend(#, 2, recent => ARRAY[#])', 'gives 2'),
         ('SELECT count(*) FROM S.more_like(#, 2, #)', 'gives 2'),
         ('SELECT count(*) FROM S.trending(2, #)', 'gives 2'),
         ('SELECT S.reward(d.id, #, user_id => d.user_id)'
          ' FROM (SELECT id, user_id FROM S.decision WHERE user_id IS NOT NULL LIMIT 1) d', 'gives NULL'),
         ('SELECT cardinality(S.profile(#, ARRAY[#])) > 0', 'gives true')) c (call, result);
SELECT matches(outcome(format('SELECT %s.erase(%s)', s, literal)), '^gives \d+$',
  format('erase() resolves with the literal %s: %s', literal, s))
FROM   unnest('{smalls,mixed,larges}'::text[]) s, unnest('{1,1::smallint,1::integer,1::bigint}'::text[]) literal;
SELECT matches(outcome('SELECT smalls.recommend(100000)'), '^22003: ',
  'a user that is out of range of the type is an error');

-- ---------- who may page a list ----------

CREATE TEMP TABLE list AS SELECT * FROM board.recommend(10, 5, session => 'ten');
SELECT is((SELECT count(*) FROM board.next((SELECT min(decision) FROM list), 5, 10)), 5::bigint,
  'next() pages a user''s list for the user');
SELECT is((SELECT count(*) FROM board.next((SELECT min(decision) FROM list), 5, 10, 'another')), 5::bigint,
  'next() pages a user''s list for the user in another session');
CREATE TEMP TABLE anonymous AS SELECT * FROM board.recommend(NULL, 5, session => 'nobody');
SELECT is((SELECT count(*) FROM board.next((SELECT min(decision) FROM anonymous), 5, session => 'nobody')), 5::bigint,
  'next() pages a session''s list for the session');
SELECT is((SELECT count(*) FROM board.next((SELECT min(decision) FROM anonymous), 5, 12, 'nobody')), 5::bigint,
  'next() pages a session''s list for a user who has logged in');
SELECT matches(outcome(format('SELECT count(*) FROM board.next(%s, 5%s)', decision, who)),
  '^42501: decision \d+ does not belong to this ', format('next() does not page a %s''s list for %s', owner, caller))
FROM  (SELECT 'user' AS owner, min(decision) AS decision FROM list UNION ALL
       SELECT 'session', min(decision) FROM anonymous) d
       JOIN (VALUES ('user', ', 11', 'another user'), ('user', ', 11, ''ten''', 'another user in the session'),
                    ('user', '', 'a caller without a user'),
                    ('user', ', session => ''ten''', 'the session without the user'),
                    ('user', ', session => ''other''', 'another session'), ('session', ', 11', 'a user'),
                    ('session', '', 'a caller without a session'),
                    ('session', ', session => ''other''', 'another session')) v (owner, who, caller) USING (owner);

-- a list that claims to follow a list of another user, and one that claims to follow a list without a user
CREATE FUNCTION seen_again(other bigint, of_user bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	last bigint := (SELECT min(decision) FROM board.recommend(of_user, 1));
BEGIN
	UPDATE board.decision SET context = jsonb_build_object('after', other) WHERE id = last;
	RETURN (SELECT count(*) FROM board.next(last, 1000, of_user) n JOIN board.impression s ON s.decision = other
		AND s.item = n.item);
END $$;
SELECT is(seen_again(min(decision), 11), 5::bigint, 'next() does not exclude items of another user''s lists') FROM list;
SELECT is(seen_again(min(decision), 10), 0::bigint, 'next() excludes items of earlier pages of the user') FROM list;
SELECT is(seen_again(min(decision), 11), 0::bigint, 'next() excludes items of earlier pages without a user')
  FROM anonymous;

-- ---------- decision numbers ----------

SELECT dlints_create_recommender('twin', 'job', '{field,salary}', control => 0, epsilon => 0, factors => 4) IS NOT NULL;
SELECT later('1 hour');
SELECT setval(sequence, 0) FROM unnest('{board.decision_number,twin.decision_number}'::regclass[]) sequence;
CREATE TEMP TABLE number AS
SELECT n, (SELECT min(decision) FROM board.recommend(n, 1)) AS a, (SELECT min(decision) FROM twin.recommend(n, 1)) AS b
FROM   generate_series(1, 100) n;
SELECT ok(count(*) FILTER (WHERE a & 16383 = b & 16383) < 5 AND count(DISTINCT (a - b)) > 90,
  'decision numbers of two recommenders differ at equal times and counters') FROM number;
SELECT ok(count(*) FILTER (WHERE abs(a - previous) = 1) < 5 AND count(DISTINCT a - previous) > 80,
  'decision numbers are not sequential')
FROM  (SELECT a, lag(a) OVER (ORDER BY n) AS previous FROM number) s;
UPDATE twin.setting SET secret = (SELECT secret FROM board.setting);
SELECT setval(sequence, 50000) FROM unnest('{board.decision_number,twin.decision_number}'::regclass[]) sequence;
SELECT is(min(b.decision) & 16383, (SELECT min(t.decision) & 16383 FROM twin.recommend(1, 1) t),
  'the secret determines decision numbers')
FROM   board.recommend(1, 1) b;
DROP SCHEMA twin CASCADE;

-- ---------- rewards ----------

SELECT decision, item FROM board.recommend(20, 1) \gset
SELECT board.reward(:decision, :item);
SELECT later('1 day');
SELECT board.reward(:decision, :item);
SELECT is(at, now() - interval '1 day', 'a reward with an unchanged value keeps its time') FROM board.reward
WHERE  decision = :decision AND outcome = 'click';
SELECT board.reward(:decision, :item, value => 0.5);
SELECT is(at, now(), 'a reward that is reported again with another value has the new time') FROM board.reward
WHERE  decision = :decision AND outcome = 'click';

-- ---------- changes that retrain ----------

SELECT board.reward(decision, item, 'apply') FROM board.impression WHERE position = 1;
SELECT board.learn();
CREATE TEMP TABLE trained AS SELECT name, state FROM board.model;
SELECT dlints_alter_recommender('board', '{"outcomes": {"apply": 5}}');
SELECT ok(i.updates > 0 AND i.mean_reward > t.mean_reward + 0.01,
  'a change of "outcomes" alone trains the models again')
FROM   board.models i, trained b, dlints_info(b.state) t WHERE i.name = 'personal' AND b.name = 'personal';
SELECT dlints_alter_recommender('board', '{"outcomes": {"click": 1, "apply": 5}}');
SELECT cmp_ok(max(far(m.state, t.state)), '<', 1e-9::float8, 'the outcomes of before give the models of before')
FROM   board.model m JOIN trained t USING (name);

-- ---------- erasure ----------

SELECT count(*) AS items FROM board.recommend(30, 2) a, board.recommend(31, 2) b \gset
SELECT board.erase(30);
SELECT ok(count(*) > 0 AND bool_and(d.user_id IS DISTINCT FROM 30 AND d.id IS NOT NULL),
  'erase() leaves no rows in pending')
FROM   board.pending p LEFT JOIN board.decision d ON d.id = p.decision;
SELECT dlints_alter_recommender('board', '{"outcomes": {"click": 1}}');
SELECT board.erase(min(user_id)) FROM board.warm_start_example;
SELECT ok(m.state = s.empty_model, 'erase() adds no prior to a model that no longer learns')
FROM   board.model m, board.setting s WHERE m.name = 'later';

-- ---------- items that a user clicked ----------

SELECT dlints_create_recommender('again', 'job', '{field,salary}', control => 0, epsilon => 0, repeats => true,
  factors => 4, clicks => 'SELECT who, job, at FROM visit') IS NOT NULL;
SELECT cmp_ok(count(*), '>', 0::bigint, 'lists contain items that the user clicked if "repeats" is true')
FROM   generate_series(1, 20) p, again.recommend(p, 200) r, visit v WHERE v.job = r.item AND v.who = p;
SELECT dlints_alter_recommender('again', '{"repeats": false}');
SELECT is(count(*), 0::bigint, 'lists contain no item that the user clicked if "repeats" is false')
FROM   generate_series(1, 20) p, again.recommend(p, 200) r, visit v WHERE v.job = r.item AND v.who = p;
SELECT is((SELECT count(*) FROM again.recommend(NULL, 200, ARRAY[5, 6]) WHERE item IN (5, 6)), 0::bigint,
  'recommend() does not return items of "recent"');
DROP SCHEMA again CASCADE;

-- ---------- tables ----------

SELECT is_empty($$SELECT c.oid::regclass FROM pg_class c WHERE relkind IN ('r', 'p')
  AND relnamespace IN ('board'::regnamespace, 'home'::regnamespace)
  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)$$,
  'every table of recommenders and rankers has a primary key');
CREATE PUBLICATION everything FOR ALL TABLES;
SELECT lives_ok(call, replace(what, '_', ' ') || ' works under a publication of all tables')
FROM  (VALUES
  ('making a recommender', $$SELECT dlints_create_recommender('fresh', 'job', '{field,salary}', factors => 4,
    clicks => 'SELECT who, job, at FROM visit',
     attribution_window => '0', constraints => '{"far": {"of": "i.remote", "max": 0.3}}')$$),
  ('serving', 'SELECT count(*) FROM generate_series(1, 20) p, fresh.recommend(p, 5)'),
  ('paging', 'SELECT count(n) FROM (SELECT id, user_id FROM fresh.decision WHERE user_id IS NOT NULL'
   ' ORDER BY id LIMIT 1) d, fresh.next(d.id, user_id => d.user_id) n'),
  ('learning', 'SELECT count(fresh.reward(decision, item)), fresh.learn() FROM fresh.impression'),
  ('correcting', 'SELECT fresh.reward(decision, item, value => 0), fresh.learn() FROM fresh.impression'),
  ('erasing', 'SELECT fresh.erase(3)'),
  ('refitting', 'SELECT fresh.refit(), fresh.warm_start()'),
  ('rebuilding', 'SELECT fresh.rebuild()'),
  ('maintenance', 'CALL fresh.run()'),
  ('altering', $$SELECT dlints_alter_recommender('fresh',
    '{"outcomes": {"click": 1, "apply": 3}, "half_life": "1 day", "constraints": {}}')$$),
  ('backtesting', 'SELECT count(*) FROM fresh.backtest(20)'),
  ('backtesting of a table', $$SELECT count(*) FROM dlints_backtest('job', '{field}', 'SELECT who, job, at FROM visit',
    users => 20)$$),
  ('making a ranker', $$SELECT dlints_create_ranker('fresh_ranker', attribution_window => '0')$$),
  ('ranking', $$SELECT count(*) FROM generate_series(1, 20) n, fresh_ranker.rank('e' || n, '{"user_id": 1}',
    '["a", "b"]')$$),
  ('learning from events', $$SELECT count(fresh_ranker.reward('e' || n, 1)), fresh_ranker.learn()
    FROM generate_series(1, 20) n$$),
  ('maintenance of a ranker', 'CALL fresh_ranker.run()'),
  ('rebuilding a ranker', 'SELECT fresh_ranker.rebuild()'),
  ('altering a ranker', $$SELECT dlints_alter_ranker('fresh_ranker', '{"half_life": "1 day"}')$$),
  ('erasing in a ranker', $$SELECT fresh_ranker.erase('1')$$)) v (what, call);
SELECT is(count(*), 0::bigint, 'no part of the maintenance failed under a publication of all tables')
FROM  (SELECT problem FROM fresh.job UNION ALL SELECT problem FROM fresh_ranker.job) j WHERE problem IS NOT NULL;
DROP PUBLICATION everything;

-- ---------- functions of the extension ----------

-- PL/pgSQL functions of the extension that name tables must check the search_path
SELECT is_empty($$SELECT p.oid::regprocedure
  FROM   pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
         JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'dlints'
         JOIN pg_language l ON l.oid = p.prolang AND l.lanname IN ('plpgsql', 'sql')
  WHERE  p.proname ~ '^_dlints_' AND p.proname !~ '_(tables|views|wrappers)$'
  AND    p.prosrc ~ '(FROM|UPDATE|INTO|JOIN) (ONLY )?(setting|job|model|decision|reward|pending|quarantine|item_vector|'
         'block|trend|neighbour|event|similarity)\M'
  AND    p.prosrc !~ '(CONSTANT pg_catalog.name :=|BEGIN\s+PERFORM) \w+\._dlints_(check_entry|enter)\('
  AND    NOT coalesce(p.proconfig, '{}') @> '{"search_path=pg_catalog, pg_temp"}'$$,
  'every function of the extension that names a table of a recommender checks the search_path');

-- ---------- numbers in tables ----------

SELECT matches(outcome(format('UPDATE board.%s SET %s = %s', relation, quantity, value)), '^(23514|2202E|22000): ',
  format('%s.%s cannot be %s', relation, quantity, value))
FROM  (VALUES ('item_vector', 'features'), ('item_vector', 'costs'), ('warm_start_example', 'features'),
              ('warm_start_example', 'profile'), ('similarity', 'weights'), ('similarity',
                'scale')) c (relation, quantity),
       unnest(ARRAY['''{1,NULL}''', '''{1,NaN}''', '''{Infinity}''', '''{{1},{2}}''']) value
UNION ALL
SELECT matches(outcome(format('UPDATE board.%s SET %s = %L', relation, quantity, value)), '^23514: ',
  format('%s.%s cannot be %s', relation, quantity, value))
FROM  (VALUES ('item_vector', 'popularity'), ('item_vector', 'effect'), ('item_vector', 'effect_stddev'),
  ('trend', 'score'),
              ('warm_start_example', 'neighbour_score'), ('warm_start_example', 'own_score'),
              ('similarity', 'own_half_life'), ('similarity', 'reward_scale'), ('similarity',
                'click_value')) c (relation, quantity),
       unnest(ARRAY['NaN', 'Infinity', '-Infinity']) value;
SELECT is(left(outcome(format('UPDATE board.%s SET %s = %s', relation, quantity, value)), 6), '23514:',
  format('%s.%s has a fixed length', relation, quantity))
FROM  (VALUES ('item_vector', 'features', 'features || 0::real'), ('warm_start_example', 'profile', '''{}'''),
              ('similarity', 'scale', 'scale || 0::real'), ('similarity', 'weights',
                'weights || 0::float8')) c (relation, quantity, value);
SELECT is(left(outcome(format('INSERT INTO board.neighbour VALUES (1, ''{2,3}'', %L)', value)), 6), '23514:',
  'neighbour.weights cannot be ' || value)
FROM   unnest('{"{1}","{1,NULL}","{1,NaN}"}'::text[]) value;
SELECT is(
  left(outcome(
    format('INSERT INTO %s.constraint_price (name, sign, hard, target, price) VALUES (''a'', 1, false, %L, %L)', s,
           target, price)), 6),
  '23514:', format('%s.constraint_price cannot have target %s and price %s', s, target, price))
FROM  (VALUES ('0', '0'), ('NaN', '0'), ('Infinity', '0'), ('1', 'NaN'), ('1', '-Infinity')) v (target, price),
  unnest('{board,home}'::text[]) s;

-- ---------- objects of other roles that shadow ours ----------

SELECT is(outcome('SELECT count(*) FROM board.recommend(1, 3)'), 'gives 3',
  'recommend() works without planted objects');
CREATE ROLE stranger;
CREATE FUNCTION public._dlints_cost_of(integer) RETURNS real[] LANGUAGE sql AS 'SELECT NULL::real[]';
ALTER FUNCTION public._dlints_cost_of(integer) OWNER TO stranger;
SELECT is(substr(outcome(call), 1, 6), '42723:',
  call || ' raises an error while another role has an overload of a function of the extension')
FROM  (VALUES ('SELECT board.reward(1, 1)'), ('SELECT board.learn()'), ('SELECT board.refresh()'),
              ($$SELECT home.rank('e', '{}', '["a"]')$$)) v (call);
SELECT is(outcome('SELECT count(*) FROM board.recommend(1, 3)'), 'gives 3',
  'recommend() calls no function by name and works while another role has an overload');
DROP FUNCTION public._dlints_cost_of(integer);
CREATE FUNCTION public.dlints_of_a_stranger() RETURNS integer LANGUAGE sql AS 'SELECT 1';
ALTER FUNCTION public.dlints_of_a_stranger() OWNER TO stranger;
SELECT is(outcome('SELECT count(*) FROM board.recommend(1, 3)'), 'gives 3',
  'functions of other names beside the extension do no harm');

SAVEPOINT dropped;
DROP VIEW board.click;
CREATE TEMP VIEW click AS SELECT 1::bigint AS user_id, 1 AS item, (1 / 0)::text::timestamptz AS at, 1::float8 AS weight;
SELECT matches(outcome(call), '^55000: temporary relation "click"',
  call || ' does not read a temporary relation in place of a dropped view')
FROM  (VALUES ('SELECT board.recommend(1, 3)'), ('SELECT board.refresh()'), ('SELECT board.report()')) v (call);
ROLLBACK TO dropped;

-- ---------- incomplete tables ----------

DELETE FROM board.similarity;
SELECT matches(outcome('SELECT board.recommend(1, 3)'), '^55000: ',
  'recommend() raises an error if "similarity" is empty');
SELECT matches(outcome('SELECT board.more_like(1, 3)'), '^55000: ',
  'more_like() raises an error if "similarity" is empty');

SELECT * FROM finish();
ROLLBACK;
