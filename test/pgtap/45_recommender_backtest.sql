-- dlints_backtest() and backtest(): hidden clicks, policies that are compared, and no traces.
\ir include/helpers.sql

-- 120 users with one of three kinds each.  Each user clicked things 1 to 4 of this kind and, last, a thing that
-- nobody else clicked.
CREATE TABLE thing (id integer PRIMARY KEY, kind text, size integer);
INSERT INTO thing SELECT i, 'kind ' || i % 3, i % 20 FROM generate_series(1, 450) i;
CREATE TABLE seen (who integer, what integer, at timestamptz);
INSERT INTO seen
SELECT p, 3 * i + p % 3, now() - make_interval(days => 50 - i) FROM generate_series(1, 120) p, generate_series(1, 4) i
UNION ALL
SELECT p, 60 + 3 * p + p % 3, now() - interval '1 day' FROM generate_series(1, 120) p;
\set log '''SELECT who, what, at FROM seen'''

SELECT plan(34);

SELECT is(_dlints_similar_items('{1,2,3,0,1,2,0,3,4,0}', '{1,4,5}', 3, size), items,
    'items have the sum of cosines to other clicked items: 1 for item 2, 1.207 for item 3')
FROM (VALUES (1, '{3}'::integer[]), (3, '{3,2}')) AS v (size, items);

CREATE TEMP TABLE tried AS
SELECT row_number() OVER () AS n, t.* FROM dlints_backtest('thing', '{kind, size}', :log) t;
SELECT is((SELECT count(*) FROM pg_namespace WHERE nspname ~ 'backtest') + (SELECT count(*) FROM pg_class
  WHERE oid > 'tried'::regclass::oid AND relpersistence <> 't'), 0::bigint,
    'dlints_backtest() leaves no schema and no table behind');
SELECT set_eq('SELECT policy FROM tried', ARRAY['the most popular', 'popular in two weeks', 'popular in your kind',
  'popular in your size', 'clicked by the same users', 'factors', 'recommender'],
    'dlints_backtest() compares all policies');
-- the last click of five is hidden, and nobody else clicked that
SELECT ok(count(*) = 6 AND max(hit_rate) = 0 AND max(ndcg) = 0,
  'a policy that counts clicks does not find an item that nobody clicked before')
FROM tried WHERE policy <> 'recommender';
SELECT ok(bool_and(hit_rate BETWEEN 0 AND 1 AND ndcg BETWEEN 0 AND hit_rate AND hit_rate_stderr >= 0
  AND ndcg_stderr >= 0)
  AND bool_and(verdict ~ '^(finds nothing|the best, by 0\.\d{3} ± 0\.\d{3}(, not significant)?)$') FILTER (WHERE n = 1)
  AND bool_and(verdict ~ '^(finds nothing|0\.\d{3} ± 0\.\d{3} less(, not significant)?)$') FILTER (WHERE n > 1),
  'hit rates, NDCG and verdicts are within their ranges') FROM tried;

-- all clicks of a user but the last were on deleted things
SAVEPOINT gone;
INSERT INTO seen SELECT 100 + p, CASE i WHEN 5 THEN 1 ELSE 1000 END, now() - make_interval(days => 50 - i)
FROM generate_series(1, 20) p, generate_series(1, 5) i;
SELECT is(count(*), 7::bigint,
  'dlints_backtest() compares all policies although the training clicks of some users are of deleted items')
FROM dlints_backtest('thing', '{kind, size}', :log);
ROLLBACK TO gone;

-- Now the last click is on the fifth thing of the kind, which half of the users clicked earlier.
DELETE FROM seen WHERE what > 60;
INSERT INTO seen SELECT p, 15 + p % 3, now() - CASE WHEN p <= 60 THEN interval '60 days' ELSE interval '1 day' END
FROM generate_series(1, 120) p;
CREATE TEMP TABLE again AS SELECT * FROM dlints_backtest('thing', '{kind}', :log);
-- The fourth thing is hidden of users 1 to 60, and the fifth of users 61 to 120.  It is the only thing of
-- their kind that they have not clicked and others have.  The first three things of the two other kinds are more
-- popular, and fill six positions.
SELECT is((hit_rate, ndcg, hit_rate_stderr, ndcg_stderr)::text, '(1,1,0,0)',
  policy || ' finds the hidden item first') FROM again
WHERE policy IN ('popular in your kind', 'clicked by the same users') ORDER BY policy;
SELECT ok(hit_rate BETWEEN 0.2 AND 1 AND ndcg / hit_rate BETWEEN ln(2) / ln(11) AND ln(2) / ln(8),
  'the most popular items have the hidden item at the seventh position at best') FROM again
    WHERE policy = 'the most popular';
SELECT ok(hit_rate > 0.5 AND ndcg > 0.4, format('the recommender: %s, %s', hit_rate, ndcg)) FROM again
  WHERE policy = 'recommender';
-- Users have clicked all things of their kind except the hidden one.  "kind 1" is that of a third of the users.
SELECT dlints_create_recommender('own_kind', 'thing', '{kind}', clicks => :log,
  candidates => $$i.kind = 'kind ' || user_id % 3$$);
SELECT dlints_create_recommender('one_kind', 'thing', '{kind}', clicks => :log, candidates => $$i.kind = 'kind 1'$$);
SET LOCAL quote_all_identifiers = on;
SELECT results_eq('SELECT public._dlints_candidates_differ(unnest(''{own_kind,one_kind}''::text[]))',
  'VALUES (true), (false)', 'a backtest looks up candidates once if they are equal for all users');
RESET quote_all_identifiers;
SELECT is((hit_rate, ndcg)::text, '(1,1)', 'backtest() lists the candidates of each user')
FROM own_kind.backtest() WHERE policy = 'the most popular';
SELECT is((hit_rate, ndcg)::text, '(0.3333,0.3333)', 'backtest() lists candidates that are equal for all users')
FROM one_kind.backtest() WHERE policy = 'the most popular';
DROP SCHEMA own_kind, one_kind CASCADE;
-- Twelve other things have many old clicks by unknown users: they are more popular, but not recently.
INSERT INTO seen SELECT NULL, 200 + i % 12, now() - interval '100 days' FROM generate_series(1, 60 * 12) i;
SELECT is(array_agg((policy, hit_rate > 0.4)::text ORDER BY policy),
  '{"(\"popular in two weeks\",t)","(\"the most popular\",f)"}',
  'popularity within two weeks finds items that are popular lately') FROM dlints_backtest('thing', '{kind}', :log)
    WHERE policy IN ('the most popular', 'popular in two weeks');
-- the list of ten ends there, and clicked items are not requested again
UPDATE seen SET what = 300 WHERE who > 60 AND at > now() - interval '2 days';
INSERT INTO seen SELECT who, 300, now() - interval '70 days' FROM seen WHERE who > 60
  AND at > now() - interval '2 days';
SELECT ok(count(*) FILTER (WHERE verdict LIKE 'the best, by %') = 1 OR max(ndcg) = 0, 'one policy is the best')
FROM dlints_backtest('thing', '{kind}', :log, users => 30);

-- Two of ten clicks are hidden.  Things 101 to 109 have thirty other users each, 110 has twenty, and 111 has the
-- thirty users for whom it is hidden.  If 110 is a user's last click, it is at the tenth position of the most
-- popular things.
CREATE TABLE few AS
SELECT p AS who, 200 + (p * 8 + i) % 97 AS what, now() - make_interval(days => 20 - i) AS at
  FROM generate_series(1, 30) p, generate_series(1, 8) i
UNION ALL SELECT p, 111, now() - interval '2 days' FROM generate_series(1, 30) p
UNION ALL SELECT p, 112, now() - interval '1 day' FROM generate_series(1, 30) p
UNION ALL SELECT 1000 + 100 * i + p, 100 + i, now() - interval '9 days'
  FROM generate_series(1, 9) i, generate_series(1, 30) p
UNION ALL SELECT 3000 + p, 110, now() - interval '9 days' FROM generate_series(1, 20) p
UNION ALL SELECT 4000 + p, 110, now() - interval '1 day' FROM generate_series(1, 10) p
UNION ALL SELECT 4000 + p, 299, now() - interval '9 days' FROM generate_series(1, 10) p;
SELECT is(hit_rate, 0.25::float8, 'dlints_backtest() hides a fifth of the clicks')
  FROM dlints_backtest('thing', '{kind}', 'SELECT * FROM few')
WHERE policy = 'the most popular';
-- All users clicked the same twelve things, the last one recently: it is found only if lists leave out clicked
-- items.
CREATE TABLE same AS
SELECT p AS who, i AS what, now() - make_interval(days => 30 - i, mins => p) AS at
  FROM generate_series(1, 40) p, generate_series(1, 12) i
WHERE i < 12 OR p <= 20 UNION ALL SELECT p, 12, now() - interval '35 days' FROM generate_series(21, 40) p
UNION ALL SELECT 1000 + i, i, now() - make_interval(days => i % 30) FROM generate_series(13, 300) i;
SELECT ok(bool_and(hit_rate = 1), 'no policy recommends an item that the user clicked before')
  FROM dlints_backtest('thing', '{kind}', 'SELECT * FROM same')
WHERE policy IN ('recommender', 'the most popular', 'clicked by the same users');

-- ---------- backtest() of a recommender ----------

SELECT dlints_create_recommender('it', 'thing', '{kind, size}', clicks => :log, candidates => 'i.size < 5',
  outcomes => '{"look": 1}', bonus => '1', cap_group => 'i.kind', cap => 1, control => 1);
CREATE TEMP TABLE before AS SELECT m.name, m.state FROM it.model m;
SELECT set_eq('SELECT policy FROM it.backtest(20)', 'SELECT policy FROM tried',
  'backtest() of a recommender compares the policies of dlints_backtest()');
SELECT is((SELECT array_agg(m.state::text ORDER BY m.name) FROM it.model m), array_agg(b.state::text ORDER BY b.name),
  'backtest() changes no model') FROM before b;
SELECT is((SELECT count(*) FROM it.decision) + (SELECT count(*) FROM it.impression), 0::bigint,
  'backtest() adds nothing to the log');
DELETE FROM seen;
SELECT throws_ok('SELECT * FROM it.backtest()', 'P0002', 'the click log has no clicks to test a recommender with',
  'backtest() raises an error if there is no click to find');
-- without a click log, clicks on the recommender's lists are the log
SELECT dlints_create_recommender('own', 'thing', '{kind, size}', outcomes => '{"look": 1}', user_type => 'integer',
  repeats => false);
INSERT INTO own.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities, expected, versions,
  features)
SELECT public._dlints_first_decision(now()) + 10 * p + i, now() + make_interval(secs => i - 10), 0, p, 'personal', '{}',
       dlints_pack('{}'), ARRAY[1 + (p + i) % 2], '{1}', '{1}', '{0}', dlints_pack('{{0}}')
FROM generate_series(100, 130) p, generate_series(1, 2) i;
INSERT INTO own.reward SELECT decision, item, 'look', 1, now(), NULL FROM own.impression;
-- items that were never in a list
INSERT INTO own.reward SELECT decision, 3, 'look', 1, now(), NULL FROM own.impression;
SELECT is((hit_rate, ndcg)::text, '(1,1)', 'backtest() without a click log reads clicks on the recommender''s lists')
  FROM own.backtest()
WHERE policy = 'the most popular';
INSERT INTO seen SELECT p, 3 * i + p % 3, now() - make_interval(days => 50 - i)
  FROM generate_series(1, 120) p, generate_series(1, 5) i;
ALTER TABLE thing RENAME COLUMN id TO number;
ALTER TABLE thing RENAME COLUMN kind TO sort;
ALTER TABLE thing RENAME TO item;
SELECT lives_ok('SELECT * FROM it.backtest(2)', 'backtest() succeeds after its columns and tables are renamed');
CREATE FUNCTION busy() RETURNS integer LANGUAGE plpgsql AS $$BEGIN RAISE 'busy' USING ERRCODE = '53400'; END$$;
SELECT throws_ok(call, code, said, call) FROM (VALUES
  ('SELECT * FROM it.backtest(1)', '22023', 'users must be between 2 and 10000'),
  ('SELECT * FROM dlints_backtest(''item'', ''{sort}'', ''SELECT 1, busy(), now()'')', '53400', 'busy'),
  ('SELECT * FROM it.backtest(10001)', '22023', 'users must be between 2 and 10000'),
  ('SELECT * FROM it.backtest(NULL)', '22023', 'users must be between 2 and 10000'),
  ('SELECT * FROM dlints_backtest(''item'', ''{sort}'', NULL)', '22023', 'a backtest needs "clicks"'),
  ('SELECT * FROM dlints_backtest(NULL, ''{sort}'', ''SELECT 1, 1, now()'')', '22023',
    'argument "items" must not be null'),
  ('SELECT * FROM dlints_backtest(''item'', ''{nothing}'', ''SELECT 1, 1, now()'')', '42703',
    'argument "columns": item has no column nothing'),
  ('SELECT * FROM dlints_backtest(''item'', ''{sort}'', ''SELECT 1, 1'')', '42P10', NULL),
  ('SELECT * FROM dlints_backtest(''item'', ''{sort}'', ''SELECT 1, 999, now()'')', 'P0002',
    'the click log has no clicks to test a recommender with'))
  v (call, code, said);
-- JIT compilation of the trial's many statements would take longer than their execution.
SELECT is(count(*), 5::bigint, 'functions that create, alter and test a recommender are not compiled by JIT')
  FROM pg_proc
WHERE proname IN ('_dlints_create_recommender', '_dlints_alter_recommender', '_dlints_run_part', '_dlints_backtest')
AND    proconfig @> '{jit=off}';

SELECT * FROM finish();
ROLLBACK;
