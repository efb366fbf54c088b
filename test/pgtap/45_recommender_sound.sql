-- A recommender loses nothing, and keeps nothing that should be gone: what is no longer kept,
-- values that make no sense, rewards that are made up, keys and columns of odd kinds.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(123);

-- how far a recommender's models are from those that its log gives
CREATE FUNCTION off(schema text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	most float8;
BEGIN
	EXECUTE format('CREATE TEMP TABLE was ON COMMIT DROP AS SELECT * FROM %I.model WHERE learns', schema);
	EXECUTE format('SELECT %I.rebuild()', schema);
	EXECUTE format('SELECT max(far(w.state, m.state)) FROM was w JOIN %I.model m USING (name)', schema) INTO most;
	EXECUTE format('UPDATE %I.model m SET state = w.state FROM was w WHERE w.name = m.name', schema);
	DROP TABLE was;
	RETURN coalesce(most, 'infinity');
END $$;
CREATE FUNCTION updates(schema text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT updates FROM %I.models WHERE name IN (''personal'', ''reward'')', schema) INTO n;
	RETURN n;
END $$;
-- pages of these people, with clicks, and learned
CREATE FUNCTION visits(people int[], schema text DEFAULT 'board') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(CASE WHEN place %% 3 = 1 THEN %1$I.reward(decision, item) END)
		FROM unnest(%2$L::int[]) p, %1$I.recommend(p, 6)', schema, people);
	EXECUTE format('SELECT %I.learn(''0'')', schema);
END $$;

SELECT dlints_create_recommender('board', 'job', '{field,salary}', keep => '3 months',
  clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5, "buy": 9}') IS NOT NULL;
SELECT dlints_create_recommender('lasting', 'job', '{field,salary}', keep => '3 months', archive => true,
  clicks => 'SELECT who, job, at FROM visit') IS NOT NULL;

CREATE FUNCTION made(what text) RETURNS text LANGUAGE sql AS $$
SELECT outcome('SELECT dlints_create_recommender(' || what || ') IS NULL') $$;

-- ---------- what is no longer kept ----------

SELECT visits(array_agg(i), s) FROM generate_series(1, 40) i, unnest('{board,lasting}'::text[]) s GROUP BY s;
SELECT later('2 months');
SELECT visits('{1,2,3,41,42}', s), visits('{1}', s) FROM unnest('{board,lasting}'::text[]) s;
SELECT is(updates(s), 46 * 6::bigint, 'all is learned: ' || s) FROM unnest('{board,lasting}'::text[]) s;
SELECT later('5 weeks');
SELECT lives_ok('SELECT board.run(), lasting.run()', 'time goes by');
SELECT is((SELECT count(*) FROM board.decision), 46::bigint, 'a month is dropped as a whole');
SELECT is(updates('board'), 6 * 6::bigint, 'what is older than is kept is taken back');
SELECT is(count(*), 6::bigint, 'the view of what was learned knows that') FROM
  (SELECT DISTINCT decision FROM board.learned) d;
SELECT cmp_ok(off('board'), '<', 1e-9::float8, 'and the models are those of the log');
SELECT is(updates('lasting'), 46 * 6::bigint, 'an archive keeps it');
SELECT ok(off('lasting') < 1e-9 AND (SELECT count(*) = 1 FROM lasting.archive),
  'from which the models are made anew');
SELECT later('1 month');
SELECT board.run(), lasting.run();
SELECT is((SELECT count(*) FROM board.decision) + (SELECT count(*) FROM lasting.shown), 6::bigint + 36,
  'then the month goes');
SELECT ok(to_regclass('board.decision_2026_03') IS NULL AND to_regclass('board.decision_2026_05') IS NOT NULL,
  'with its tables');
SELECT ok(off('board') < 1e-9 AND updates('board') = 36, 'which the models do not notice');
SELECT ok(off('lasting') < 1e-9 AND updates('lasting') = 276, 'nor those with an archive');
SELECT is(board.erase(1), 2::bigint, 'of somebody who came thrice two decisions are left');
SELECT ok(off('board') < 1e-9 AND updates('board') = 24, 'and nothing else is known');
SELECT is(lasting.erase(1), 2::bigint, 'an archive');
SELECT ok(off('lasting') < 1e-9 AND updates('lasting') = 264, 'is nobody''s');
SELECT dlints_alter_recommender('board', '{"places": [1, 0.5]}');
SELECT ok(off('board') < 1e-9 AND updates('board') = 24, 'a change that computes anew finds the same');
SELECT count(*) AS items FROM board.recommend(99, 6) \gset
SELECT board.rebuild();
SELECT is(updates('board'), 24::bigint, 'what is still due is not learned by a rebuild');
SELECT board.learn('0');
SELECT ok(off('board') < 1e-9 AND updates('board') = 30, 'but once');
SELECT board.erase(99);
SELECT is(outcome($$SELECT dlints_alter_recommender('lasting', '{"half_life": "1 day"}')$$),
  '0A000: a recommender with an archive cannot learn its log anew '
  '(What is archived was learned under the half-life and the outcomes that it has.)', 'an archive is as it is');
SELECT lives_ok($$SELECT dlints_alter_recommender('lasting', '{"half_life": "1 day", "archive": false}')$$,
  'or is discarded');
SELECT ok(off('lasting') < 1e-9 AND updates('lasting') = 24 AND NOT EXISTS (SELECT FROM lasting.archive),
  'and with it what it had');
SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', ''{"keep": "%s"}'')', long)),
  '22023: keep must be an interval of a day to 100 years', long)
FROM unnest('{100000 years,23:59}'::text[]) long;

-- portions
SELECT visits(array_agg(i)) FROM generate_series(50, 69) i;
SELECT later('4 months');
SELECT is(board.forget(0), 0::bigint, 'a portion may be nothing');
SELECT is(board.forget(), 24::bigint, 'or all');
SELECT ok(off('board') < 1e-9 AND updates('board') = 0, 'of which nothing is known then');

-- ---------- values ----------

SELECT visits(array_agg(i)) FROM generate_series(1, 30) i;
SELECT decision AS made, item AS seen FROM board.shown WHERE place = 2 ORDER BY decision DESC LIMIT 1 \gset
SELECT is(outcome(format('SELECT board.reward(%s, %s, %L, %L)', :made, :seen, what, value)),
  '22003: ' || problem, what || ' ' || value)
FROM (VALUES ('click', '1e20', 'the value of "click" must be between -1000 and 1000'),
             ('click', '-1001', 'the value of "click" must be between -1000 and 1000'),
             ('apply', '5001', 'the value of "apply" must be between -5000 and 5000'),
             ('click', 'Infinity', 'the value of a reward must be finite')) v (what, value, problem);
SELECT lives_ok(format('SELECT board.reward(%s, %s, %L, 5000)', :made, :seen, 'apply'), 'up to a thousandfold');
SELECT dlints_alter_recommender('board', '{"value_limit": 2}');
SELECT is(outcome(format('SELECT board.reward(%s, %s, value => 3)', :made, :seen)),
  '22003: the value of "click" must be between -2 and 2', 'or as is said');
-- what came in before there was a bound
UPDATE board.reward SET value = 1e20 WHERE (decision, outcome) = (:made, 'apply');
SELECT board.learn('0');
SELECT board.reward(:made, :seen, 'apply', 0);
SELECT board.learn('0');
SELECT matches(hint, '^Rounding', 'a model of which rounding is left says so') FROM board.models WHERE name = 'later';
SELECT matches(board.run(), 'models rebuilt', 'and is made anew');
SELECT ok(off('board') < 1e-9 AND bool_and(hint IS NULL), 'from the log') FROM board.models;

-- ---------- one row stops nobody ----------

UPDATE board.reward SET learned = 1e6 WHERE (decision, outcome) = (SELECT min(decision), 'click' FROM board.reward);
SELECT decision AS other, item AS thing FROM board.shown WHERE place = 3 ORDER BY decision DESC LIMIT 1 \gset
SELECT board.reward(:other, :thing);
SELECT visits('{90}');
SELECT is(learned, 1::float8, 'others are learned') FROM board.reward WHERE (decision, item) = (:other, :thing);
SELECT ok(value = 1 AND meaning LIKE '%' || (SELECT decision FROM board.set_aside) || '%',
  'the one that cannot be taken back is set aside, and named') FROM board.report()
  WHERE measure = 'decisions set aside';
SELECT is(board.learn('0'), 0::bigint, 'once');
SELECT lives_ok('SELECT board.rebuild()', 'made anew,');
SELECT ok(off('board') < 1e-9 AND NOT EXISTS (SELECT FROM board.set_aside), 'the models know what was told');
UPDATE board.reward SET learned = 1e6 WHERE decision = :other;
SELECT is(board.erase(person), 1::bigint, 'nor does it hold up who is erased')
FROM board.decision WHERE id = :other;
SELECT cmp_ok(off('board'), '<', 1e-9::float8, 'exactly');

-- one of a batch that adds up to no number
SELECT count(*) AS lists FROM generate_series(91, 93) p, board.recommend(p, 2) r \gset
SELECT decision AS sick, item AS thing FROM board.shown JOIN board.decision d ON d.id = decision
  WHERE person = 92 AND place = 1 \gset
SELECT board.reward(:sick, :thing, o) FROM unnest('{apply,buy}'::text[]) o;
SELECT matches(outcome(format('UPDATE board.reward SET value = %L WHERE decision = %s', v, :sick)),
  '^23514: .*"reward_value_check"', v || ' is no reward')
FROM unnest('{1e308,-1e51,NaN,Infinity}'::text[]) v;
ALTER TABLE board.reward DROP CONSTRAINT reward_value_check;
UPDATE board.reward SET value = 1e308 WHERE decision = :sick;
SELECT updates AS before FROM board.models WHERE name = 'personal' \gset
SELECT is(board.learn('0'), 3::bigint, 'what cannot be learned stops nobody');
SELECT is((SELECT updates FROM board.models WHERE name = 'personal'), :before::bigint + 4, 'others of the batch are');
SELECT is((SELECT count(*) FROM board.learned WHERE decision = :sick)
  + (SELECT count(*) FROM board.set_aside WHERE decision = :sick AND NOT known), 1::bigint, 'it is not, and that is known');
SELECT is(board.erase(92), 1::bigint, 'it is erased as if it were');
SELECT ok(off('board') < 1e-9 AND NOT EXISTS (SELECT FROM board.set_aside), 'and nothing is left of it');

-- ---------- rewards that are made up ----------

SELECT is(outcome(format('SELECT board.reward(%s, 1)', made)), '22023: there is no decision ' || made, what)
FROM (VALUES (board.first_decision('2080-01-01'), 'nothing of the future'), (-1, 'nor from before the first')) v (made, what);
SELECT id AS made, person AS whose FROM board.decision WHERE person = 90 LIMIT 1 \gset
SELECT is(outcome(format('SELECT board.reward(%s, %s, person => %s)', :made, 1, :whose + 1)),
  format('42501: decision %s is not of this person', :made), 'nor of somebody else');
SELECT lives_ok(format('SELECT board.reward(%s, %s, person => %s)', :made, 1, :whose), 'but of this one');
SELECT board.reward(board.first_decision(now()) - 7, 1);
SELECT count(*) AS rewards FROM board.reward \gset
SELECT later('23 hours'), board.run();
SELECT is(count(*), :rewards::bigint, 'what is told of an unknown decision waits for a day') FROM board.reward;
SELECT later('2 hours'), board.run();
SELECT is(count(*), :rewards::bigint - 1, 'and goes') FROM board.reward;
SELECT board.reward(d.id, i) FROM board.decision d, generate_series(100, 140) i WHERE d.id = :made
  AND NOT EXISTS (SELECT FROM board.shown s WHERE s.decision = d.id AND s.item = i);
SELECT is(board.profile(90), before, 'what was not shown says nothing of a person') FROM (
  SELECT board.profile(NULL, array_agg(item)) AS before FROM board.reward r JOIN board.shown s USING (decision, item)
  WHERE r.decision = :made AND r.value > 0) b;
CREATE TEMP TABLE number AS SELECT r.decision, n FROM generate_series(1, 200) n,
  LATERAL (SELECT decision FROM board.recommend(1000 + n, 1)) r;
SELECT ok(count(DISTINCT decision) = 200 AND count(DISTINCT decision >> 22) = 1, 'numbers of a moment differ')
  FROM number;
SELECT cmp_ok(abs(corr(decision & 16383, n)), '<', 0.4::float8, 'and none tells the next one') FROM number;
SELECT ok(count(*) BETWEEN 60 AND 140, 'half of them are in the upper half') FROM number
  WHERE decision & 8192 > 0;

-- a session decides the arm
SELECT count(*) FROM generate_series(1, 30) i, board.recommend(NULL, 1 + i % 2, session => 'abc');
SELECT is(count(DISTINCT arm), 1::bigint, 'a session stays in one arm')
  FROM board.decision WHERE session = 'abc' AND arm <> 'chance';
SELECT is((board.earned('personal', '-infinity')).people + (board.earned('control', '-infinity')).people,
  count(DISTINCT coalesce(person::text, session)), 'and counts once')
  FROM board.decision WHERE arm <> 'chance';

-- ---------- what was bound stays bound ----------

SELECT throws_ok('ALTER TABLE job DROP COLUMN field', '2BP01', NULL, 'a column that is read stays');
SELECT throws_ok('ALTER TABLE job ALTER salary TYPE text', '0A000', NULL, 'with its type');
SELECT lives_ok('ALTER TABLE job DROP COLUMN same; ALTER TABLE job ADD extra integer;
  ALTER TABLE job ADD made integer GENERATED ALWAYS AS (2) STORED',
  'others may go and come');
ALTER TABLE job RENAME COLUMN field TO branch;
ALTER TABLE job RENAME COLUMN id TO number;
ALTER TABLE job RENAME TO work;
ALTER TABLE visit RENAME COLUMN who TO whom;
SELECT is((SELECT count(*) FROM board.recommend(7)), 10::bigint, 'what is renamed is found');
SELECT is(board.refresh() >= 0 AND board.set_beginning() > 0, true, 'by upkeep, too');
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"candidates": "i.branch <> ''field 1''"}')$$,
  'and by a change');
CREATE SCHEMA staging;
CREATE TABLE staging.visit (whom bigint, job integer, at timestamptz);
CREATE TABLE staging.work (LIKE sim.work);
SET LOCAL search_path = staging, public;
SELECT dlints_alter_recommender('board', '{"wait": "1 hour", "epsilon": 0}');
SELECT matches(pg_get_viewdef('board.click'), 'sim\.visit', 'another search_path rebinds nothing');
SET LOCAL search_path = sim, pg_catalog, public;
SELECT is((SELECT count(*) FROM board.candidate(1, '{}')), (SELECT count(*) FROM work WHERE branch <> 'field 1'),
  'of the rules neither');
CREATE FUNCTION sim.fine(integer) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION staging.fine(integer) RETURNS boolean LANGUAGE sql AS 'SELECT false';
SELECT dlints_alter_recommender('board', '{"candidates": "fine(0)"}');
SELECT isnt(count(*), 0::bigint, 'a rule is bound by the search_path of the change') FROM board.candidate(1, '{}');
SET LOCAL search_path = staging, sim, public;
SELECT dlints_alter_recommender('board', '{"candidates": "fine(0)"}');
SELECT is(count(*), 0::bigint, 'also if the text is the same') FROM board.candidate(1, '{}');
SET LOCAL search_path = sim, pg_catalog, public;
SELECT dlints_alter_recommender('board', '{"candidates": "i.branch <> ''field 1''"}');

-- ---------- a part of the upkeep that fails ----------

SAVEPOINT sound;
CREATE OR REPLACE FUNCTION board.refresh() RETURNS bigint LANGUAGE plpgsql AS
  $$ BEGIN RAISE 'out of order'; END $$;
UPDATE board.job SET done_at = '-infinity' WHERE name IN ('refresh', 'refit');
SELECT matches(board.run(), '^\d+ learned, \d+ vectors fitted$', 'holds up no other');
SELECT ok(done_at = now(), 'and is tried again in an hour') FROM board.job WHERE name = 'refresh';
SELECT is(board.run(), '0 learned', 'what was done is');
SELECT is(array_agg(meaning), '{"refresh: out of order"}', 'the report says so') FROM board.report()
  WHERE measure = 'upkeep that failed';
CREATE OR REPLACE FUNCTION board.refresh() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
UPDATE board.job SET done_at = '-infinity' WHERE name = 'refresh';
SELECT matches(board.run(), 'refreshed', 'until it is mended');
SELECT is(count(*), 0::bigint, 'and done') FROM board.report() WHERE measure = 'upkeep that failed';
CREATE OR REPLACE FUNCTION board.fitted() RETURNS TABLE (item integer, factors real[]) LANGUAGE plpgsql AS
  $$ BEGIN RAISE 'cannot fit'; END $$;
CREATE OR REPLACE FUNCTION board.take_late() RETURNS bigint[] LANGUAGE plpgsql AS
  $$ BEGIN RAISE 'cannot learn'; END $$;
UPDATE board.job SET done_at = '-infinity' WHERE name IN ('refresh', 'refit');
SELECT matches(board.run(), '^\d+ vectors refreshed$', 'two that fail');
SELECT is(array_agg(problem ORDER BY name), '{"cannot learn","cannot fit"}', 'are told apart') FROM board.job
  WHERE problem IS NOT NULL;
SELECT is(done_at, now() - interval '6 days 23 hours', 'what is weekly is tried again in an hour, too') FROM board.job
  WHERE name = 'refit';
ROLLBACK TO sound;

-- ---------- definitions without data ----------

SAVEPOINT whole;
DELETE FROM board.model;
DELETE FROM board.setting;
SELECT is(outcome('SELECT board.recommend(7)'), '55000: the tables of "board" have no rows', 'a page says so');
SELECT is(outcome('SELECT board.run()'), '55000: the tables of "board" have no rows', 'and cron');
SELECT is(outcome('SELECT dlints_renew(''board'')'), '55000: the tables of "board" have no rows',
  'and who wants to renew it');
ROLLBACK TO whole;

-- ---------- what it reads is dropped ----------

SAVEPOINT whole;
SELECT dlints_alter_recommender('board', '{"candidates": "sim.fine(0)", "bonus": "sim.fine(1)::integer"}');
DROP FUNCTION sim.fine CASCADE;
SELECT matches(board.run(), '^\d+ learned$', 'run() goes on without a rule');
SELECT matches(problem, 'and with it allowed, bonus: .* nothing any more\. Give the texts again', 'and says what to do')
  FROM board.job WHERE name = 'refresh';
SELECT is(array_agg(measure ORDER BY measure COLLATE "C"), '{coverage,"upkeep that failed"}', 'as the report does')
  FROM board.report() WHERE meaning ~ 'and with it allowed, bonus';
SELECT matches(outcome('SELECT board.recommend(7)'), '^55000: .*and with it allowed, bonus: ', 'and a page');
SELECT matches(outcome(call), '^55000: what recommender "board" reads was dropped .*text of ' || said || ' went', call)
FROM  (VALUES ('SELECT dlints_renew(''board'')', '"candidates", "bonus"'),
              ('SELECT dlints_alter_recommender(''board'', ''{"epsilon": 0.1}'')', '"candidates", "bonus"'),
              ('SELECT dlints_alter_recommender(''board'', ''{"bonus": null}'')', '"candidates"')) c (call, said);
GRANT EXECUTE ON FUNCTION board.more_like TO PUBLIC;
UPDATE board.setting SET version = '0.0.1';
SELECT dlints_alter_recommender('board', '{"candidates": "i.branch <> ''field 1''", "bonus": null}');
SELECT ok(has_function_privilege('public', 'board.more_like(integer,integer,bigint,jsonb,text)', 'EXECUTE')
          AND NOT has_function_privilege('public', 'board.trending(integer,bigint,jsonb,text)', 'EXECUTE'),
  'who may do what stays');
SELECT ok(current, 'it is renewed, too') FROM dlints_recommenders WHERE name = 'board';
SELECT is((SELECT count(*) FROM board.recommend(7)), 10::bigint, 'which mends it');
SELECT matches(board.run(), 'refreshed', 'for run(), too');
SELECT is(problem, NULL, 'which has nothing to say any more') FROM board.job WHERE name = 'refresh';
DROP TABLE visit CASCADE;
SELECT matches(board.dropped(), 'and with it click: .* Give the texts', 'so are clicks');
SELECT matches(outcome('SELECT board.recommend(7)'), '^55000: .*and with it click: ', 'of which a page says the same');
SELECT updates AS before FROM board.models WHERE name = 'personal' \gset
DROP TABLE work CASCADE;
SELECT is(board.run(), '0 learned', 'run() goes on without items');
SELECT is(array_agg(name), '{refresh}', 'and warns once') FROM board.job WHERE problem IS NOT NULL;
SELECT matches(problem, 'and with it item, encoded_item, .*Its log and models are kept', 'and says what to do')
  FROM board.job WHERE name = 'refresh';
SELECT is(count(*), 1::bigint, 'as the report does') FROM board.report()
  WHERE measure = 'upkeep that failed' AND meaning ~ 'it can recommend nothing';
SELECT is(outcome('SELECT dlints_renew(''board'')'), '55000: what recommender "board" recommends was dropped',
  'and who wants to renew it');
SELECT is((SELECT updates FROM board.models WHERE name = 'personal'), :before::bigint, 'what it learned is there');
ROLLBACK TO whole;

-- ---------- odd kinds ----------

CREATE DOMAIN tone AS text NOT NULL CHECK (VALUE <> 'none');
CREATE TABLE odd (id bit(6) PRIMARY KEY, x tone, price numeric, "Two words" char(3));
INSERT INTO odd SELECT i::bit(6), 'tone ' || i % 3, i * 3, 'w' || i % 4 FROM generate_series(1, 40) i;
CREATE TABLE heard (who char(8), what bit(6), at timestamptz);
INSERT INTO heard SELECT 'p' || i % 9, (1 + i % 40)::bit(6), now() - i * interval '1 hour' FROM generate_series(1, 300) i;
SELECT lives_ok($$SELECT dlints_create_recommender('odd_r', 'odd', '{x,price,"Two words"}',
  clicks => 'SELECT who, what, at FROM heard', bonus => 'CASE WHEN person = ''p3'' THEN 0.1 ELSE 0 END',
  candidates => 'person IS NULL OR person <> ''nobody''')$$, 'keys of bits, people of char(n), a column x');
SELECT is(count(*), 5::bigint, 'recommend') FROM odd_r.recommend('p3', 5, ARRAY[B'000011'],
  '{"like": {"x": "tone 1"}}') r JOIN odd ON id = item;
SELECT lives_ok('SELECT odd_r.reward(decision, item, person => ''p3'') FROM odd_r.shown', 'are rewarded');
SELECT is(odd_r.learn('0'), 1::bigint, 'learn');
SELECT ok(count(factors) > 30, 'have factors') FROM odd_r.item_vector;
SELECT is(odd_r.erase('p3'), 1::bigint, 'and erase');
SELECT is((SELECT count(*) FROM odd_r.recommend('p1', 3, context => said)), 3::bigint, 'a page may say ' || said::text)
FROM unnest(ARRAY['{"like": {"price": "abc"}}', '{"like": {"price": 5, "x": "none"}}', '{"like": {"nothing": 1}}',
  '{"like": [1]}', '{"like": {"price": {"a": 1}}}', '{"like": null}', 'null']::jsonb[]) said;
SELECT ok(cardinality(odd_r.likes('{"price": "abc", "x": "tone 2"}')) > 0 AND odd_r.likes('{"price": "abc"}') IS NULL,
  'of which the sensible part counts');
CREATE TABLE thing (id point, kind text);
SELECT is(made($$'r', 'thing', '{kind}', item_key => 'id'$$), '42804: items of type point cannot be told apart',
  'keys without an order are refused');
CREATE VIEW doubled AS SELECT number AS id, branch FROM work UNION ALL SELECT 3, 'twice';
SELECT is(made($$'r', 'doubled', '{branch}', item_key => 'id'$$), '23505: several items have the key 3',
  'a key that comes twice is named');

SELECT * FROM finish();
ROLLBACK;
