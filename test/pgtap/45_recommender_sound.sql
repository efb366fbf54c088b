-- Retention, quarantine, invalid and forged rewards, bindings, failing maintenance, and unusual types.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(141);

CREATE FUNCTION updates(schema text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT updates FROM %I.models WHERE name IN (''personal'', ''reward'')', schema) INTO n;
	RETURN n;
END $$;
-- Lists of these users, with clicks, and training on them
CREATE FUNCTION visits(users int[], schema text DEFAULT 'board') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(CASE WHEN position %% 3 = 1 THEN %1$I.reward(decision, item) END)
		FROM unnest(%2$L::int[]) p, %1$I.recommend(p, 6)', schema, users);
	EXECUTE format('SELECT %I.learn(''0'')', schema);
END $$;

SELECT dlints_create_recommender('board', 'job', '{field,salary}', retention => '3 months', factors => 4,
  clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5, "buy": 9}') IS NOT NULL;

CREATE FUNCTION made(what text) RETURNS text LANGUAGE sql AS $$
SELECT outcome('SELECT dlints_create_recommender(' || what || ') IS NULL') $$;

-- ---------- retention ----------

SELECT visits(array_agg(i)) FROM generate_series(1, 40) i;
SELECT later('2 months');
SELECT visits('{1,2,3,41,42}'), visits('{1}');
SELECT is(updates('board'), 46 * 6::bigint, 'the models contain all impressions');
SELECT later('5 weeks');
CALL board.run();
SELECT is((SELECT count(*) FROM board.decision), 46::bigint,
  'a month is not dropped before all of its decisions are expired');
SELECT is(updates('board'), 6 * 6::bigint, 'run() retracts expired decisions from the models');
SELECT is(count(*), 6::bigint, 'the view training_example has no expired decisions') FROM
  (SELECT DISTINCT decision FROM board.training_example) d;
SELECT cmp_ok(difference_from_log('board'), '<', 1e-9::float8, 'the models are those of the log after retraction');
SELECT later('1 month');
CALL board.run();
SELECT is((SELECT count(*) FROM board.decision), 6::bigint, 'run() drops a month whose decisions are all expired');
SELECT ok(to_regclass('board.decision_2026_03') IS NULL AND to_regclass('board.decision_2026_05') IS NOT NULL,
  'run() drops the partition of an expired month');
SELECT ok(difference_from_log('board') < 1e-9 AND updates('board') = 36, 'dropping a month changes no model');
SELECT is(board.erase(1), 2::bigint, 'erase() returns the number of decisions that are left of a user');
SELECT ok(difference_from_log('board') < 1e-9 AND updates('board') = 24,
  'erase() retracts exactly the training examples of a user');
SELECT dlints_alter_recommender('board', '{"examination": [1, 0.5]}');
SELECT ok(difference_from_log('board') < 1e-9 AND updates('board') = 24,
  'an alter that retrains uses exactly the retained log');
SELECT count(*) AS items FROM board.recommend(99, 6) \gset
SELECT board.rebuild();
SELECT is(updates('board'), 24::bigint, 'rebuild() trains on no pending decision');
SELECT board.learn('0');
SELECT ok(difference_from_log('board') < 1e-9 AND updates('board') = 30,
  'learn() trains on a pending decision once after a rebuild');
SELECT board.erase(99);
SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', ''{"retention": "%s"}'')', long)),
  '22023: retention must be between 1 day and 100 years', 'dlints_alter_recommender() rejects a retention of ' || long)
FROM unnest('{100000 years,23:59}'::text[]) long;

-- a month that was dropped although the models still contained its decisions
SELECT visits(array_agg(i)) FROM generate_series(70, 72) i;
UPDATE board.setting SET retention = '1 day';
SELECT later('40 days');
SELECT inside('board', 'SELECT public._dlints_drop_partitions(0)');
SELECT inside('board', 'SELECT public._dlints_maintain_partitions()');
SELECT ok(updates('board') = 0 AND difference_from_log('board') < 1e-9,
  'maintenance of partitions retracts expired decisions before it drops their month');
UPDATE board.setting SET retention = '3 months';

-- ---------- versions of item vectors ----------

SAVEPOINT no_versions;
SELECT dlints_create_recommender('dated', 'job', '{field,salary}', retention => '3 months', factors => 4,
  clicks => 'SELECT who, job, at FROM visit');
CREATE FUNCTION versions(VARIADIC items integer[] DEFAULT '{}') RETURNS bigint LANGUAGE sql AS
$$ SELECT count(*) FROM dated.item_version WHERE item = ANY (items) OR items = '{}' $$;
CREATE TEMP TABLE past AS SELECT v.item, v.features FROM dated.item_vector v;
-- Largest difference between the features of a list and those that its items had
CREATE FUNCTION difference_from_past(list bigint) RETURNS float8 LANGUAGE sql AS $$
SELECT max(abs(u.was - u.is_now)) FROM dated.impression i JOIN past p USING (item),
       unnest(p.features, i.features[1:cardinality(p.features)]) u (was, is_now) WHERE i.decision = list $$;
SELECT is(versions(), 200::bigint, 'a new recommender has one version per item');
SELECT dated.refresh();
SELECT is(versions(), 200::bigint, 'a refresh without changes adds no versions');
SELECT min(decision) AS list, min(item) AS shown FROM dated.recommend(1, 6) \gset
INSERT INTO visit SELECT p, 1 + (p * i) % 200, now() - interval '1 hour'
FROM   generate_series(1, 60) p, generate_series(1, 9) i;
UPDATE job SET field = 'field 9' WHERE id = :shown;
SELECT dated.refresh();
SELECT is(versions(:shown), 2::bigint, 'a changed column makes a version');
SELECT is(versions(), 201::bigint, 'unchanged items keep their version');
SELECT later('1 day'), dated.refit();
SELECT cmp_ok((SELECT max(abs(v.features[1] - p.features[1])) FROM dated.item_vector v JOIN past p USING (item)), '>',
  0.01::real, 'a fit changes factors');
SELECT cmp_ok(difference_from_past(:list), '<', 0.001::float8, 'the log keeps features that changed since');
SELECT is(versions(), 401::bigint, 'a fit makes a version of each item');
SELECT later('1 day'), dated.refit();
SELECT is(versions(), 601::bigint, 'versions that were current at the last fit are kept');
SELECT later('1 day'), dated.refit();
SELECT is(versions(), 200::bigint + 200 + 200 + 6, 'the third fit drops replaced versions that no list shows');
SELECT cmp_ok(difference_from_past(:list), '<', 0.001::float8, 'versions that the log refers to are kept');
SELECT versions FROM dated.decision WHERE id = :list \gset
SELECT dated.learn('0');
SELECT later('5 months'), dated.refit();
SELECT later('8 days');
CALL dated.run();
SELECT ok(updates('dated') = 0 AND difference_from_log('dated') < 1e-9,
  'after a pause of months, run() retracts expired decisions with the features that they had');
SELECT later('1 day'), dated.refit();
SELECT is(count(*), 0::bigint, 'versions of dropped lists are dropped') FROM dated.item_version
WHERE  id = ANY (:'versions');

-- an item that comes back after a fit, and one that no refresh has encoded yet
CREATE TEMP TABLE gone AS SELECT * FROM job WHERE id = 150;
INSERT INTO visit SELECT p, i, now() FROM generate_series(2, 9) p, generate_series(149, 151) i;
DELETE FROM job WHERE id = 150;
SELECT dated.refresh(), later('1 day'), dated.refit();
INSERT INTO job SELECT * FROM gone;
INSERT INTO job SELECT 201, title, field, city_id, salary, skills, details, remote, posted, open, same
FROM   job WHERE id = 7;
SELECT min(decision) AS list FROM dated.recommend(1, 300) \gset
SELECT ok(count(*) > 150 AND bool_and(features IS NOT NULL), 'a list with an item that came back has features')
FROM   dated.impression WHERE decision = :list;
SELECT is(versions(201), 1::bigint, 'a list with an item that is not encoded yet makes a version of it');
SELECT later('1 second'), setval('dated.item_version_id', (SELECT max(id) - 99 & 16777215 FROM dated.item_version));
UPDATE job SET field = 'field 8' WHERE id < 99;
SELECT dated.refresh();
SELECT is_empty('SELECT FROM dated.item_version n JOIN dated.item_vector v ON v.version = n.id WHERE n.item <> v.item',
  'items keep apart the versions of features after tables were copied without the sequence');
SELECT cmp_ok(max(abs(u.f - u.g)), '<', 0.001::real, 'which has its features')
FROM   dated.impression i, dated.encoded_item e, dated.setting s,
       unnest(i.features[s.factors + 1:s.liked], e.encoded) u (f, g)
WHERE  i.decision = :list AND i.item = 201 AND e.item = 201;

SELECT min(decision) AS list FROM dated.recommend(1, 6) \gset
DELETE FROM dated.item_version WHERE id = (SELECT versions[1] FROM dated.decision WHERE id = :list);
SELECT ok(bool_and(features IS NULL), 'features whose version is missing are NULL') FROM dated.impression
WHERE  decision = :list;
SELECT lives_ok('SELECT dated.rebuild(), dated.report()',
  'models are rebuilt without impressions whose version is missing');
ROLLBACK TO no_versions;

-- portions of retraction
SELECT visits(array_agg(i)) FROM generate_series(50, 69) i;
SELECT later('4 months');
SELECT is(inside('board', 'SELECT public._dlints_retract_expired(0)'), '0',
  'retraction of a portion of 0 decisions retracts nothing');
SELECT is(inside('board', 'SELECT public._dlints_retract_expired()'), '20',
  'retraction without a limit retracts all expired decisions');
SELECT ok(difference_from_log('board') < 1e-9 AND updates('board') = 0,
  'the models contain nothing after all decisions are retracted');

-- ---------- values ----------

SELECT visits(array_agg(i)) FROM generate_series(1, 30) i;
SELECT decision AS made, item AS seen FROM board.impression WHERE position = 2 ORDER BY decision DESC LIMIT 1 \gset
SELECT matches(outcome(format('SELECT board.reward(%s, %s, %L, %L)', :made, :seen, what, value)),
  '^22003: ' || problem, format('reward() rejects the value %s of "%s"', value, what))
FROM (VALUES ('click', '1e20', 'value of outcome "click" must be between -1000 and 1000'),
             ('click', '-1001', 'value of outcome "click" must be between -1000 and 1000'),
             ('apply', '5001', 'value of outcome "apply" must be between -5000 and 5000'),
             ('click', 'Infinity', 'value of a reward must be finite')) v (what, value, problem);
SELECT lives_ok(format('SELECT board.reward(%s, %s, %L, 5000)', :made, :seen, 'apply'),
  'reward() accepts a value up to value_limit times that of the outcome');
SELECT dlints_alter_recommender('board', '{"value_limit": 2}');
SELECT matches(outcome(format('SELECT board.reward(%s, %s, value => 3)', :made, :seen)),
  '^22003: value of outcome "click" must be between -2 and 2', 'reward() rejects a value above value_limit');
-- a value from before value_limit was lowered
UPDATE board.reward SET value = 1e20 WHERE (decision, outcome) = (:made, 'apply');
SELECT board.learn('0');
SELECT board.reward(:made, :seen, 'apply', 0);
SELECT board.learn('0');
SELECT matches(hint, '^Retracting', 'models have a hint if rounding errors remain after a correction') FROM board.models
  WHERE name = 'later';
SELECT lives_ok('CALL board.run()', 'maintenance rebuilds models with rounding errors');
SELECT ok(difference_from_log('board') < 1e-9 AND bool_and(hint IS NULL),
  'rebuilt models have no hint') FROM board.models;

-- ---------- quarantine ----------

UPDATE board.reward SET applied = 1e6 WHERE (decision, outcome) = (SELECT min(decision), 'click' FROM board.reward);
SELECT decision AS other, item AS thing FROM board.impression WHERE position = 3 ORDER BY decision DESC LIMIT 1 \gset
SELECT board.reward(:other, :thing);
SELECT visits('{90}');
SELECT is(applied, 1::float8, 'learn() trains on other decisions although one correction fails') FROM board.reward
  WHERE (decision, item) = (:other, :thing);
SELECT ok(value = 1 AND meaning LIKE '%' || (SELECT decision FROM board.quarantine) || '%',
  'report() names a decision whose correction failed as quarantined') FROM board.report()
  WHERE measure = 'quarantined decisions';
UPDATE board.reward r SET applied = 0.5 FROM board.quarantine q WHERE q.decision = r.decision AND r.applied = 1e6;
CREATE TEMP TABLE before AS SELECT name, state FROM board.model;
SELECT is(board.learn('0'), 0::bigint, 'learn() does not retry a quarantined decision');
SELECT is_empty('TABLE before EXCEPT SELECT name, state FROM board.model',
  'the models are unchanged by corrections of a quarantined decision');
SELECT ok(bool_and(applied = 0.5), 'rewards of a quarantined decision are not marked as applied')
  FROM board.reward r JOIN board.quarantine q USING (decision) WHERE r.outcome = 'click' AND applied <> value;
SELECT lives_ok('SELECT board.rebuild()', 'rebuild() succeeds with quarantined decisions');
SELECT ok(difference_from_log('board') < 1e-9 AND NOT EXISTS (SELECT FROM board.quarantine),
  'rebuild() applies quarantined decisions and empties the quarantine');
UPDATE board.reward SET applied = 1e6 WHERE decision = :other;
SELECT is(board.erase(user_id), 1::bigint, 'erase() succeeds for a decision whose correction would fail')
FROM board.decision WHERE id = :other;
SELECT cmp_ok(difference_from_log('board'), '<', 1e-9::float8,
  'erase() of a decision whose correction would fail leaves the models of the log');

-- a decision of a batch whose rewards add up to infinity
SELECT count(*) AS lists FROM generate_series(91, 93) p, board.recommend(p, 2) r \gset
SELECT decision AS sick, item AS thing FROM board.impression JOIN board.decision d ON d.id = decision
  WHERE user_id = 92 AND position = 1 \gset
SELECT board.reward(:sick, :thing, o) FROM unnest('{apply,buy}'::text[]) o;
SELECT matches(outcome(format('UPDATE board.reward SET value = %L WHERE decision = %s', v, :sick)),
  '^23514: .*"reward_value_check"', v || ' violates the constraint of the table reward')
FROM unnest('{1e308,-1e51,NaN,Infinity}'::text[]) v;
ALTER TABLE board.reward DROP CONSTRAINT reward_value_check;
UPDATE board.reward SET value = 1e308 WHERE decision = :sick;
SELECT updates AS before FROM board.models WHERE name = 'personal' \gset
SELECT is(board.learn('0'), 2::bigint, 'learn() does not count a decision that cannot be applied');
SELECT is((SELECT updates FROM board.models WHERE name = 'personal'), :before::bigint + 4,
  'learn() trains on the other decisions of a batch');
SELECT is((SELECT count(*) FROM board.training_example WHERE decision = :sick)
  + (SELECT count(*) FROM board.quarantine WHERE decision = :sick AND NOT is_applied), 1::bigint,
    'a decision that cannot be applied is quarantined and is no training example');
SELECT is(board.erase(92), 1::bigint, 'erase() removes a quarantined decision');
SELECT ok(difference_from_log('board') < 1e-9 AND NOT EXISTS (SELECT FROM board.quarantine),
  'erase() removes the decision from the quarantine');

-- ---------- forged rewards ----------

SELECT is(outcome(format('SELECT board.reward(%s, 1)', made)), '22023: there is no decision ' || made,
  'reward() rejects ' || what)
FROM (VALUES (first_decision('2080-01-01'), 'a decision of the future'), (-1,
  'a decision from before 2020')) v (made, what);
SELECT id AS made, user_id AS whose FROM board.decision WHERE user_id = 90 LIMIT 1 \gset
SELECT is(outcome(format('SELECT board.reward(%s, %s, user_id => %s)', :made, 1, :whose + 1)),
  format('42501: decision %s does not belong to this user', :made), 'reward() rejects a decision of another user');
SELECT lives_ok(format('SELECT board.reward(%s, %s, user_id => %s)', :made, 1, :whose),
  'reward() accepts a decision of the user');
SELECT board.reward(first_decision(now()) - 7, 1);
SELECT count(*) AS rewards FROM board.reward \gset
SELECT later('23 hours');
CALL board.run();
SELECT is(count(*), :rewards::bigint, 'rewards of unknown decisions are stored for a day') FROM board.reward;
SELECT later('2 hours');
CALL board.run();
SELECT is(count(*), :rewards::bigint - 1, 'run() deletes rewards of unknown decisions after a day') FROM board.reward;
SELECT board.reward(d.id, i) FROM board.decision d, generate_series(100, 140) i WHERE d.id = :made
  AND NOT EXISTS (SELECT FROM board.impression s WHERE s.decision = d.id AND s.item = i);
SELECT is(board.profile(90), before, 'a profile contains no reward of an item that was not shown') FROM (
  SELECT board.profile(NULL, array_agg(item)) AS before FROM board.reward r
    JOIN board.impression s USING (decision, item)
  WHERE r.decision = :made AND r.value > 0) b;
CREATE TEMP TABLE number AS SELECT r.decision, n FROM generate_series(1, 200) n,
  LATERAL (SELECT decision FROM board.recommend(1000 + n, 1)) r;
SELECT ok(count(DISTINCT decision) = 200 AND count(DISTINCT decision >> 22) = 1,
  'numbers of decisions of one second differ')
  FROM number;
SELECT cmp_ok(abs(corr(decision & 16383, n)), '<', 0.4::float8, 'consecutive decision numbers are not correlated')
  FROM number;
SELECT ok(count(*) BETWEEN 60 AND 140, 'half of the decision numbers are in the upper half') FROM number
  WHERE decision & 8192 > 0;

-- the session determines the treatment
SELECT count(*) FROM generate_series(1, 30) i, board.recommend(NULL, 1 + i % 2, session => 'abc');
SELECT is(count(DISTINCT treatment), 1::bigint, 'a session stays in one treatment')
  FROM board.decision WHERE session = 'abc' AND treatment <> 'random';
SELECT is(r.value, (SELECT count(DISTINCT coalesce(user_id::text, session)) FROM board.decision)::float8,
  'report() counts a session once') FROM board.report('-infinity') r WHERE measure = 'users';

-- ---------- bindings ----------

SELECT throws_ok('ALTER TABLE job DROP COLUMN field', '2BP01', NULL,
  'a column that a recommender reads cannot be dropped');
SELECT throws_ok('ALTER TABLE job ALTER salary TYPE text', '0A000', NULL,
  'a column that a recommender reads keeps its type');
SELECT lives_ok('ALTER TABLE job DROP COLUMN same; ALTER TABLE job ADD extra integer;
  ALTER TABLE job ADD made integer GENERATED ALWAYS AS (2) STORED',
  'other columns can be dropped and added');
ALTER TABLE job RENAME COLUMN field TO branch;
ALTER TABLE job RENAME COLUMN id TO number;
ALTER TABLE job RENAME TO work;
ALTER TABLE visit RENAME COLUMN who TO whom;
SELECT is((SELECT count(*) FROM board.recommend(7)), 10::bigint,
  'recommend() succeeds after columns and tables are renamed');
SELECT is(board.refresh() >= 0 AND board.warm_start() > 0, true,
  'refresh() and warm_start() succeed after columns and tables are renamed');
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"candidates": "i.branch <> ''field 1''"}')$$,
  'dlints_alter_recommender() succeeds after columns and tables are renamed');
CREATE SCHEMA staging;
CREATE TABLE staging.visit (whom bigint, job integer, at timestamptz);
CREATE TABLE staging.work (LIKE sim.work);
SET LOCAL search_path = staging, public;
SELECT dlints_alter_recommender('board', '{"attribution_window": "1 hour", "epsilon": 0}');
SELECT matches(pg_get_viewdef('board.click'), 'sim\.visit',
  'an alter under another search_path does not rebind clicks');
SET LOCAL search_path = sim, pg_catalog, public;
SELECT is((SELECT count(*) FROM board.allowed(1, '{}')), (SELECT count(*) FROM work WHERE branch <> 'field 1'),
  'an alter under another search_path does not rebind candidates');
CREATE FUNCTION sim.fine(integer) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION staging.fine(integer) RETURNS boolean LANGUAGE sql AS 'SELECT false';
SELECT dlints_alter_recommender('board', '{"candidates": "fine(0)"}');
SELECT isnt(count(*), 0::bigint, 'an expression is bound under the search_path of the alter that sets it')
  FROM board.allowed(1, '{}');
SET LOCAL search_path = staging, sim, public;
SELECT dlints_alter_recommender('board', '{"candidates": "fine(0)"}');
SELECT is(count(*), 0::bigint, 'an alter rebinds an expression although its text is equal') FROM board.allowed(1, '{}');
SET LOCAL search_path = sim, pg_catalog, public;
SELECT dlints_alter_recommender('board', '{"candidates": "i.branch <> ''field 1''"}');

-- ---------- failing maintenance ----------

SAVEPOINT sound;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE '%', TG_ARGV[0]; END $$;
CREATE TRIGGER fail BEFORE INSERT OR UPDATE
  OR DELETE ON board.trend FOR EACH STATEMENT EXECUTE FUNCTION fail('out of order');
DELETE FROM board.item_digest;      -- a refresh of unchanged items does not compute trends
SELECT make_due('board', 'refresh', 'refit');
CALL board.run();
SELECT is(array_agg(name || ': ' || problem), '{"refresh: out of order"}',
  'a part that fails does not hold up other parts')
  FROM board.job WHERE problem IS NOT NULL;
SELECT ok(bool_and(done_at = now()), 'a part that failed is retried after an hour') FROM board.job
  WHERE name IN ('refresh', 'refit');
SELECT lives_ok('CALL board.run()', 'run() succeeds at once after a part failed');
SELECT is(array_agg(meaning), ARRAY[format('refresh: out of order (since %s)', now()::timestamptz(0))],
  'report() has the error of the part that failed')
  FROM board.report() WHERE measure = 'failed maintenance';
DROP TRIGGER fail ON board.trend;
SELECT make_due('board', 'refresh');
CALL board.run();
SELECT is(array_agg(problem), '{NULL}', 'a part that failed is done after the fault is mended') FROM board.job
  WHERE name = 'refresh';
SELECT is(count(*), 0::bigint, 'report() has no error after the part is done') FROM board.report()
  WHERE measure = 'failed maintenance';
CREATE TRIGGER fail BEFORE INSERT OR UPDATE
  OR DELETE ON board.block FOR EACH STATEMENT EXECUTE FUNCTION fail('cannot fit');
CREATE TRIGGER fail BEFORE UPDATE OR DELETE ON board.pending FOR EACH STATEMENT EXECUTE FUNCTION fail('cannot learn');
SELECT count(*) AS items FROM board.recommend(1, 2) \gset
SELECT later('2 hours');
SELECT make_due('board', 'refresh', 'refit');
CALL board.run();
SELECT ok(bool_and(problem IS NULL), 'two failing parts do not hold up the other parts') FROM board.job
  WHERE name NOT IN ('refresh', 'refit', 'learn');
SELECT is(array_agg(problem ORDER BY name), '{"cannot learn","cannot fit"}', 'the table job has the error of each part')
  FROM board.job WHERE problem IS NOT NULL AND name <> 'refresh';
SELECT is(done_at, now() - interval '6 days 23 hours', 'a weekly part that failed is retried after an hour')
  FROM board.job WHERE name = 'refit';
UPDATE board.job SET done_at = CASE name WHEN 'refit' THEN done_at ELSE '-infinity' END, problem = NULL
  WHERE name IN ('refit', 'warm_start');
CALL board.run();
SELECT is(problem, NULL, 'a warm start that failed is retried after an hour') FROM board.job WHERE name = 'refit';
ROLLBACK TO sound;

-- ---------- definitions without data ----------

SAVEPOINT whole;
DELETE FROM board.job;
SELECT matches(outcome('CALL board.run()'), '^55000: .*incomplete', 'run() does not skip all parts in silence');
DELETE FROM board.model;
DELETE FROM board.setting;
SELECT matches(outcome('SELECT board.recommend(7)'), '^55000: tables of schema "board" are empty',
  'recommend() reports that tables have no rows');
SELECT matches(outcome('CALL board.run()'), '^55000: tables of schema "board" are empty',
  'run() reports that tables have no rows');
SELECT matches(outcome($$SELECT dlints_alter_recommender('board', '{}')$$), '^55000: ',
  'dlints_alter_recommender() reports that tables have no rows');
ROLLBACK TO whole;

-- ---------- dropped objects ----------

SAVEPOINT whole;
SELECT dlints_alter_recommender('board', '{"candidates": "sim.fine(0)", "bonus": "sim.fine(1)::integer"}');
DROP FUNCTION sim.fine CASCADE;
SELECT make_due('board', 'refresh');
SELECT lives_ok('CALL board.run()', 'run() continues although the function of an expression was dropped');
SELECT matches(problem, 'allowed", "bonus', 'the table job names expressions that were dropped')
  FROM board.job WHERE name = 'refresh';
SELECT is(array_agg(measure ORDER BY measure COLLATE "C"), '{coverage,"failed maintenance"}',
  'report() names expressions that were dropped') FROM board.report() WHERE meaning ~ 'allowed", "bonus';
SELECT matches(outcome('SELECT board.recommend(7)'), '^55000: .*allowed", "bonus',
  'recommend() names expressions that were dropped');
SELECT matches(outcome(call), '^55000: .*text|function of ' || missing || ' was',
  'the error of an alter names ' || missing)
FROM  (VALUES ('SELECT dlints_alter_recommender(''board'', ''{"epsilon": 0.1}'')', '"candidates", "bonus"'),
              ('SELECT dlints_alter_recommender(''board'', ''{"bonus": null}'')', '"candidates"')) c (call, missing);
GRANT EXECUTE ON FUNCTION board.more_like TO PUBLIC;
SELECT dlints_alter_recommender('board', '{"candidates": "i.branch <> ''field 1''", "bonus": null}');
SELECT ok(has_function_privilege('public', 'board.more_like(bigint,integer,bigint,jsonb,text)', 'EXECUTE')
          AND NOT has_function_privilege('public', 'board.trending(integer,bigint,jsonb,text)', 'EXECUTE'),
  'an alter that restores expressions keeps privileges');
SELECT is((SELECT count(*) FROM board.recommend(7)), 10::bigint,
  'an alter that restores expressions mends recommend()');
SELECT make_due('board', 'refresh');
CALL board.run();
SELECT is(problem, NULL, 'the table job has no error after expressions are restored') FROM board.job
  WHERE name = 'refresh';
DROP TABLE visit CASCADE;
SELECT matches(inside('board', 'SELECT public._dlints_missing_objects()'), 'click',
  '_dlints_missing_objects() names a click log that was dropped');
SELECT matches(outcome('SELECT board.recommend(7)'), '^55000: .*click',
  'recommend() names a click log that was dropped');
SELECT updates AS before FROM board.models WHERE name = 'personal' \gset
DROP TABLE work CASCADE;
SELECT make_due('board', 'refit');
SELECT lives_ok('CALL board.run()', 'run() continues although the items were dropped');
SELECT is(array_agg(name), '{refresh}', 'the refresh alone has an error after the items were dropped') FROM board.job
  WHERE problem IS NOT NULL;
SELECT matches(problem, 'item", "encoded_item"', 'the error names the views that were dropped') FROM board.job
  WHERE name = 'refresh';
SELECT is(count(*), 1::bigint, 'report() has the error of dropped items') FROM board.report()
  WHERE measure = 'failed maintenance';
SELECT matches(outcome('SELECT dlints_alter_recommender(''board'', ''{"epsilon": 0}'')'), '^55000: ',
  'dlints_alter_recommender() reports that the items were dropped');
SELECT is((SELECT updates FROM board.models WHERE name = 'personal'), :before::bigint,
  'the models keep their training after the items were dropped');
ROLLBACK TO whole;

-- ---------- unusual types ----------

CREATE DOMAIN tone AS text NOT NULL CHECK (VALUE <> 'none');
CREATE TABLE odd (id bit(6) PRIMARY KEY, x tone, price numeric, "Two words" char(3), relation regclass);
INSERT INTO odd SELECT i::bit(6), 'tone ' || i % 3, i * 3, 'w' || i % 4, 1259 - i % 2 * 4
FROM generate_series(1, 40) i;
CREATE TABLE heard (who char(8), what bit(6), at timestamptz);
INSERT INTO heard SELECT 'p' || i % 9, (1 + i % 40)::bit(6), now() - i * interval '1 hour'
  FROM generate_series(1, 300) i;
SELECT lives_ok($$SELECT dlints_create_recommender('odd_r', 'odd', '{x,price,"Two words",relation}',
  clicks => 'SELECT who, what, at FROM heard', bonus => 'CASE WHEN user_id = ''p3'' THEN 0.1 ELSE 0 END',
  candidates => 'user_id IS NULL OR user_id <> ''nobody''')$$,
    'items with bit keys, users of type char(n) and a column "x" make a recommender');
SELECT is(count(*), 5::bigint, 'recommend() succeeds with keys of type bit')
  FROM odd_r.recommend('p3', 5, ARRAY[B'000011'], '{"like": {"x": "tone 1"}}') r JOIN odd ON id = item;
SELECT lives_ok('SELECT odd_r.reward(decision, item, user_id => ''p3'') FROM odd_r.impression',
  'reward() succeeds with keys of type bit');
SELECT is(odd_r.learn('0'), 1::bigint, 'learn() succeeds with keys of type bit');
SELECT ok(count(*) FILTER (WHERE features[1] <> 0) > 30, 'items with keys of type bit get factors')
FROM   odd_r.item_vector;
SELECT is(odd_r.erase('p3'), 1::bigint, 'erase() succeeds with users of type char(n)');
SELECT is((SELECT count(*) FROM odd_r.recommend('p1', 3, context => said)), 3::bigint,
  'recommend() accepts the context ' || said::text)
FROM unnest(ARRAY['{"like": {"price": "abc", "relation": "nothing"}}', '{"like": {"price": 5, "x": "none"}}',
  '{"like": {"nothing": 1}}',
  '{"like": [1]}', '{"like": {"price": {"a": 1}}}', '{"like": null}', 'null']::jsonb[]) said;
SELECT ok(odd_r.profile(NULL, context => '{"like": {"price": "abc", "x": "tone 2"}}') <> odd_r.profile(NULL)
  AND odd_r.profile(NULL, context => '{"like": {"price": "abc"}}') = odd_r.profile(NULL)
  AND odd_r.profile(NULL, context => format('{"like": {"x": "tone 2", "price": "%s"}}', repeat('9', 600000))::jsonb)
    = odd_r.profile(NULL),
  'profile() ignores values of "like" that cannot be encoded, and too many of them');
SELECT is(odd_r.profile('p3', context => said), odd_r.profile('p3'),
  'profile() ignores values without features: ' || said::text)
FROM unnest(ARRAY['{"like": {}}', '{"like": {"x": null}}', '{"like": {"price": "NaN"}}']::jsonb[]) said;
SELECT is(outcome(format('SELECT count(*) FROM odd_r.%s', call)),
  format('54000: argument "%s" must have at most 1000 bytes', argument),
  call || ' rejects a key that the indexes of the log cannot hold')
FROM (VALUES ('recommend(repeat(''u'', 1001))', 'user_id'), ('trending(user_id => repeat(''u'', 1001))', 'user_id'),
  ('reward(1, repeat(''1'', 8001)::bit(8001))', 'item')) v (call, argument);
CREATE TABLE thing (id point, kind text);
SELECT is(made($$'r', 'thing', '{kind}', item_key => 'id'$$), '42804: items of type point cannot be compared',
  'dlints_create_recommender() rejects keys of a type without an order');
CREATE VIEW doubled AS SELECT number AS id, branch FROM work UNION ALL SELECT 3, 'twice';
SELECT is(made($$'r', 'doubled', '{branch}', item_key => 'id'$$), '23505: several items have the key "3"',
  'dlints_create_recommender() names a key that is not unique');
CREATE FUNCTION is_sign(i integer) RETURNS boolean LANGUAGE plpgsql AS
  'BEGIN PERFORM 1 / (i + 1); RETURN true; END';
CREATE DOMAIN sign AS integer CHECK (is_sign(VALUE));
SELECT is(outcome($$SELECT _dlints_try_cast('-1', NULL::sign)$$), '22012: division by zero',
  '_dlints_try_cast() does not catch errors of SQL functions');
CREATE VIEW hashed AS SELECT hashtext(number::text) AS id, branch FROM work;
SELECT dlints_create_recommender('hashes', 'hashed', '{branch}', item_key => 'id', user_type => 'integer') IS NOT NULL;
SELECT is(count(*) FILTER (WHERE item < 0), 0::bigint, 'recommend() excludes recent items with computed negative keys')
FROM   hashes.recommend(1, 1000, (SELECT array_agg(id) FROM hashed WHERE id < 0));

SELECT * FROM finish();
ROLLBACK;
