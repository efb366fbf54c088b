-- A recommender from creation to erasure: lists, log, rewards, training, report, maintenance.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(84);

-- ---------- creation ----------

SELECT matches(dlints_create_recommender('board', 'job',
  '{title,field,city_id,salary,skills,details,remote,posted,same}',
  factors => 8, clicks => 'SELECT who, job, at FROM visit;',
  candidates => 'i.open AND NOT i.id = ANY (
      ARRAY(SELECT v.job FROM sim.visit v WHERE v.who = user_id AND v.job <= 3))',
  cap_group => 'i.field', cap => 3, outcomes => '{"click": 1, "apply": 5, "withdraw": -5}',
  epsilon => 0),
  'board.recommend', 'dlints_create_recommender() makes a recommender in one statement and returns what to call next');
SELECT is(count(*), 200::bigint, 'every item has an item vector') FROM board.item_vector;
SELECT ok(bool_and(cardinality(features) = (SELECT dim FROM board.model m,
  dlints_info(m.state) WHERE name = 'personal')),
  'all items have as many features as the model') FROM board.item_features;
SELECT ok(max(popularity) = 1 AND min(popularity) >= 0 AND count(*) FILTER (WHERE features[1] <> 0) > 100,
  'item vectors contain popularity and factors')
  FROM board.item_vector;
SELECT ok(prior_sample_size > 100 AND updates = 0, 'the model starts from the click log')
  FROM board.models WHERE name = 'personal';
SELECT is(board.warm_start(), (SELECT count(*) FROM visit), 'warm_start() derives one example from each click');
SELECT ok(min(w) > 0 AND max(w) > 20 * 0.001, 'the warm start estimates positive weights for similarity')
  FROM board.similarity, unnest(trim_array(weights, 1)) w;
SELECT is(count(*), 0::bigint, 'no table of a recommender belongs to the extension')
  FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
  WHERE d.deptype = 'e' AND c.relnamespace = 'board'::regnamespace;

-- ---------- lists ----------

CREATE TEMP TABLE page AS SELECT p AS user_id, r.* FROM generate_series(1, 60) p,
  board.recommend(p) r;
SELECT ok(bool_and(n = 10 AND first = 1 AND last = 10), 'each list has ten positions')
  FROM (SELECT count(*) AS n, min(position) AS first, max(position) AS last FROM page GROUP BY decision) s;
SELECT ok(max(n) <= 3, 'a list has at most three items of a cap group')
  FROM (SELECT count(*) AS n FROM page JOIN job ON id = item GROUP BY decision, field) s;
SELECT is(count(*), 0::bigint, 'no list contains an item that "candidates" excludes')
  FROM page JOIN job ON id = item WHERE NOT open OR id <= 3
    AND EXISTS (SELECT FROM visit WHERE who = user_id AND visit.job = id);
SELECT results_eq('SELECT decision, item, position, probability, expected FROM page ORDER BY 1, 3',
  'SELECT decision, item, position, probability, expected FROM board.impression ORDER BY 1, 3',
    'recommend() returns what the log contains');
SELECT ok(bool_and(probability > 0 AND probability <= 1), 'every impression has a logged probability') FROM page;
SELECT ok(avg((field = wants(user_id))::int) > 0.25, 'lists prefer the items of the user''s taste') FROM page
  JOIN job ON id = item;
SELECT is(count(DISTINCT treatment), 2::bigint, 'some users are in the control group') FROM board.decision;
SELECT is(min(v.popularity), (SELECT max(v.popularity) FROM board.allowed(-1, '{}') a
  JOIN board.item_vector v USING (item)), 'the control group gets the most popular items first')
  FROM board.decision d JOIN board.impression s ON s.decision = d.id AND s.position = 1
    JOIN board.item_vector v USING (item) WHERE d.treatment = 'control';
SELECT ok(bool_and(n = 1), 'a user stays in one treatment') FROM (
  SELECT count(DISTINCT treatment) AS n FROM board.decision GROUP BY user_id) s;
SELECT ok(bool_and(id >> 22 = extract(epoch FROM at)::bigint - 1577836800),
  'a decision''s number contains its time') FROM board.decision;
SELECT ok(max(id) < 2::numeric ^ 53, 'JSON readers represent a decision''s number exactly') FROM board.decision;
SELECT is(count(*), 60::bigint, 'all new decisions are pending') FROM board.pending;
SELECT is(tableoid::regclass::text, 'board.decision_2026_03', 'each month of decisions is a partition')
  FROM board.decision LIMIT 1;
SELECT is((SELECT count(*) FROM board.recommend(NULL, 4)), 4::bigint, 'a request without a user gets a list');
SELECT is((SELECT count(*) FROM board.recommend(NULL, 4, ARRAY[5, 6, -1])), 4::bigint,
  'a request without a user gets a list for its recent items');
CREATE TEMP TABLE liked AS SELECT decision FROM board.recommend(NULL, 1,
  context => '{"like": {"field": "field 2", "skills": ["skill 2"]}}');
SELECT ok(avg(product) FILTER (WHERE field = 'field 2')
    > 2 * avg(product) FILTER (WHERE field <> 'field 2') + 0.1, 'a request''s "like" steers its profile')
  FROM liked JOIN board.decision d ON d.id = decision,
    board.item_features v JOIN job ON job.id = v.item,
    LATERAL (SELECT dlints_dot(dlints_unpack(d.profile)::float8[], v.features) AS product) p;
SAVEPOINT odd_times;
INSERT INTO visit VALUES (1, 5, 'epoch'), (1, 6, '-infinity'), (1, 7, 'infinity');
SELECT ok(board.warm_start() > 0 AND (SELECT count(*) FROM board.recommend(1, 4)) = 4
    AND EXISTS (SELECT FROM board.recommend(1, 4, context => '{"like": null}'))
    AND EXISTS (SELECT FROM board.report('-infinity')),
  'clicks at infinite and very old times, and "like": null, raise no error');
ROLLBACK TO odd_times;
SELECT throws_ok('SELECT board.recommend(1, 1001)', '22023', 'k must be between 1 and 1000, not 1001',
  'recommend() rejects more than 1000 items');
SELECT is((SELECT count(*) FROM board.recommend(1, 1000)), sum(least(n, 3))::bigint,
  'recommend() returns fewer items than asked for if there are fewer')
  FROM (SELECT count(*) AS n FROM board.allowed(1, '{}') a, board.cap_group(a.item, 1, '{}') g GROUP BY g) g;
INSERT INTO job SELECT 1000, 'new', 'field 9', 1, 1, '{}', '{}', true, now(), true, 'same';
SELECT is(count(*), 1::bigint, 'a new row is a candidate at once') FROM board.allowed(1, '{}') WHERE item = 1000;
DELETE FROM job WHERE id = 1000;

SELECT is(string_agg(measure, ', ') FILTER (WHERE value IS NULL AND measure !~ 'half-life'),
  'reward per list, random, ratio to control, calibration, hours since the last reward',
  'report() has no value for measures that need clicks') FROM board.report();

-- ---------- rewards ----------

SELECT board.reward(decision, item) FROM page WHERE (user_id * 7 + position) % 5 = 0;
SELECT board.reward(decision, item) FROM page WHERE (user_id * 7 + position) % 5 = 0;
SELECT board.reward(decision, item, 'apply') FROM page WHERE (user_id * 7 + position) % 15 = 0;
SELECT board.reward(s.decision, s.item, o) FROM board.impression s
  JOIN board.decision d ON d.id = s.decision, unnest('{click,apply}'::text[]) o
  WHERE d.user_id IS NULL AND s.position = 1;
SELECT board.reward(999, 1);
SELECT is(count(*), (SELECT sum(((user_id * 7 + position) % 5 = 0)::int
                                + ((user_id * 7 + position) % 15 = 0)::int) FROM page)
      + 2 * (SELECT count(*) FROM board.decision WHERE user_id IS NULL) + 1,
  'a reward that is reported twice counts once') FROM board.reward;
SELECT is(outcome('SELECT board.reward(1, 2, ''buy'')'), '22023: unknown outcome "buy"',
  'reward() rejects an unknown outcome');
SELECT is(hint_of('SELECT board.reward(1, 2, ''buy'')'),
  'Outcomes are apply, click, withdraw.', 'the hint of an unknown outcome lists the outcomes');
SELECT is(outcome('SELECT board.reward(1, 2, value => ''NaN'')'),
  '22003: value of a reward must be finite', 'reward() rejects NaN');
SELECT is(outcome('SELECT board.reward(NULL, 2)'),
  '22004: arguments "decision" and "item" must not be null', 'reward() rejects NULL for the decision');
SAVEPOINT reported;
SELECT decision AS reported, item AS thing FROM page WHERE (user_id * 7 + position) % 15 = 0 LIMIT 1 \gset
SELECT board.reward(:reported, :thing, 'apply', 0);
SELECT is(clicked, true, 'the view "outcome" shows a click') FROM board.outcome
  WHERE (decision, item) = (:reported, :thing);
SELECT board.reward(:reported, :thing, value => 0);
SELECT is(clicked, false, 'the view "outcome" shows no click after it is cancelled') FROM board.outcome
  WHERE (decision, item) = (:reported, :thing);
ROLLBACK TO reported;

-- ---------- training ----------

CREATE FUNCTION now_is(what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE was AS SELECT * FROM board.model;
	PERFORM board.rebuild();
	RETURN NEXT ok(bool_and(far(m.state, w.state) < 1e-9) AND count(*) = 3, what)
		FROM board.model m JOIN was w USING (name);
	UPDATE board.model m SET state = w.state FROM was w WHERE m.name = w.name;
	DROP TABLE was;
END $$;
CREATE TEMP TABLE at_first AS SELECT state FROM board.model WHERE name = 'personal';
SELECT is(board.learn(), 0::bigint, 'learn() trains on no decision within the attribution window');
SELECT later('1 hour');
SELECT is(board.learn(), (SELECT count(*) FROM board.decision),
  'learn() trains on all decisions after the attribution window');
SELECT is(updates, (SELECT count(*) FROM board.impression), 'the models are trained on every impression')
  FROM board.models WHERE learns;
SELECT ok(abs(m.mean_reward - r.value / (SELECT count(*) FROM board.impression)) < 1e-9,
  'a model is trained on its own outcomes: ' || m.name)
  FROM board.models m JOIN (SELECT CASE outcome WHEN 'click' THEN 'personal' ELSE 'later' END AS name,
                                   sum(applied) AS value
                            FROM board.reward GROUP BY 1) r USING (name);
SELECT now_is('rebuild() reproduces the models');
SELECT board.reward(decision, item) FROM page WHERE (user_id * 7 + position) % 6 = 0;
SELECT board.reward(decision, item, 'withdraw') FROM page WHERE (user_id * 7 + position) % 30 = 0;
SELECT board.reward(decision, item, value => 2) FROM page WHERE position = 1;
SELECT cmp_ok(board.learn(), '>', 10::bigint, 'learn() applies late rewards, cancellations and changed values');
SELECT now_is('rebuild() reproduces the models after corrections');
SELECT is(board.learn(), 0::bigint, 'learn() has nothing left to apply');
SELECT is(sum(applied - value), 0::float8, 'rewards of unknown decisions are stored and not applied')
  FROM board.reward WHERE decision <> 999 OR applied IS NOT NULL;
SELECT ok(state = (SELECT dlints_set(dlints_new(dim, interactions => 'matched',
  half_life => '7 days', exploration => 0.025), policy => 'greedy') FROM dlints_info(state)),
  'the model of the control group is not trained') FROM board.model WHERE name = 'control';
-- one page of each user, with the values of all columns but the last or but one
CREATE TEMP TABLE explained AS SELECT d.id AS decision, d.user_id, w.*
  FROM board.decision d, board.explain(d.id) WITH ORDINALITY w (item, position, part, contribution, stddev, n);
SELECT is(array_agg(DISTINCT part COLLATE "C"), ARRAY['(bought together)', '(clicks)', '(popularity)', 'city_id',
  'details', 'field', 'intercept',
  'posted', 'remote', 'salary', 'skills', 'title'], 'explain() returns columns, clicks and popularity as parts')
    FROM explained;
SELECT cmp_ok(max(abs(w.sum - dlints_predict(m.state, s.features, d.profile)
                      - dlints_predict(l.state, s.features, d.profile))), '<', 1e-9::float8,
  'the contributions of explain() add up to the expected reward')
  FROM (SELECT decision, item, sum(contribution) FROM explained GROUP BY 1, 2) w
    JOIN board.impression s USING (decision, item) JOIN board.decision d ON d.id = decision,
    board.model m, board.model l WHERE m.name = 'personal' AND l.name = 'later';
SELECT ok(bool_and(remote = (contribution <> 0)) AND count(DISTINCT remote) = 2 AND bool_and(stddev >= 0),
  'a column that is false contributes 0, and one that is true does not')
  FROM explained JOIN job ON id = item WHERE part = 'remote';
SELECT ok(bool_and(size >= next) AND count(DISTINCT position) > 9, 'explain() orders the parts of an item by size')
  FROM (SELECT position, abs(contribution) AS size,
               lead(abs(contribution), 1, 0::float8) OVER (PARTITION BY decision, position ORDER BY n) AS next
        FROM explained) s;

CREATE FUNCTION error_of(models text[]) RETURNS float8 LANGUAGE sql AS $$
SELECT sqrt(sum(e.stddev ^ 2)) FROM board.model m, board.impression s JOIN board.decision d ON d.id = s.decision,
       dlints_explain(m.state, s.features, d.profile) e
WHERE  m.name = ANY (models) AND (s.decision, s.item) = (SELECT decision, item FROM explained LIMIT 1)
AND    e.name = 'intercept' $$;
SELECT ok(abs(stddev - error_of('{personal,later}')) < 1e-9, 'explain() combines the standard errors of both models')
  FROM explained WHERE part = 'intercept' LIMIT 1;
SAVEPOINT rare;
UPDATE board.model SET state = (SELECT empty_model FROM board.setting) WHERE name = 'later';
SELECT ok(abs(w.stddev - error_of('{personal}')) < 1e-9,
  'explain() has the standard errors of one model where nothing has followed a click')
  FROM (SELECT decision, item FROM explained LIMIT 1) f, board.explain(f.decision) w
  WHERE w.item = f.item AND part = 'intercept';
CREATE VIEW odd AS SELECT id, city_id AS clicks, id % 5 AS popularity, id % 3 AS intercept FROM job;
SELECT dlints_create_recommender('odd', 'odd', '{clicks,popularity,intercept}', item_key => 'id');
SELECT decision FROM odd.recommend(1, 1) \gset
SELECT is(array_agg(part ORDER BY part COLLATE "C"), ARRAY['(bought together)', '(clicks)', '(popularity)', 'clicks',
  'intercept',
  'intercept', 'popularity'], 'explain() separates columns that are named like its own parts')
  FROM odd.explain(:decision);
ROLLBACK TO rare;

UPDATE board.decision SET features = dlints_pack(array_fill(1::real, ARRAY[cardinality(items), 1]))
WHERE  (SELECT min(item) FROM board.impression) = ANY (items);
SELECT lives_ok('SELECT board.rebuild()', 'rebuild() succeeds although the log contains an invalid row');
SELECT matches(outcome('UPDATE board.decision SET ' || change),
  '^(23514: .* violates check constraint|22P03: )', change)
FROM (VALUES ($$features = '\x00'$$), ($$features = dlints_pack('{{1}}')$$),
  ('expected = expected || 1::float8')) v (change);

-- ---------- report ----------

CREATE FUNCTION says(what text, OUT value float8, OUT error float8) LANGUAGE sql AS
$$ SELECT value, error FROM board.report() WHERE measure = what $$;
CREATE TEMP VIEW list AS SELECT d.id, d.user_id, d.treatment,
  coalesce((SELECT sum(r.value) FROM board.reward r
    JOIN board.impression s USING (decision, item) WHERE r.decision = d.id), 0) AS reward
      FROM board.decision d;
SELECT ok(abs((says('reward per list, personal')).value - avg(reward)) < 1e-9, 'report() has the mean reward per list')
  FROM list WHERE treatment = 'personal';
SELECT ok(abs((says('ratio to control')).value - avg(reward) FILTER (WHERE treatment = 'personal')
  / avg(reward) FILTER (WHERE treatment = 'control')) < 1e-9,
  'report() has the ratio of personal lists to the control') FROM list;
WITH visitor AS (
  SELECT count(*) AS lists, sum(reward) AS reward FROM list WHERE treatment = 'control'
  GROUP BY coalesce(user_id::text, 'list ' || id)),
control AS (SELECT count(*)::float8 AS users, sum(lists) AS lists, sum(reward) / sum(lists) AS mean FROM visitor)
SELECT is(round((says('reward per list, control')).error::numeric, 9),
  round((sqrt(sum((v.reward - v.lists * c.mean) ^ 2) * c.users / nullif(c.users - 1, 0)) / c.lists)::numeric, 9),
  'report() has the standard error of a mean of lists, which are correlated within users')
FROM visitor v, control c GROUP BY c.users, c.lists, c.mean;
SELECT is((says('users')).value, (60 + count(*))::float8, 'report() counts users')
  FROM board.decision WHERE user_id IS NULL;
SAVEPOINT anonymous;
SELECT count(*) FROM unnest('{one,one,two}'::text[]) s, board.recommend(NULL, 2, session => s);
SELECT is((says('users')).value - (SELECT 60 + count(*) FROM board.decision WHERE session IS NULL AND user_id IS NULL),
  2::float8, 'report() counts sessions without a user as users');
ROLLBACK TO anonymous;
SELECT board.reward(min(id), -1) FROM board.decision;
SELECT is((says('rewards of items that were not shown')).value, 1::float8,
  'report() counts rewards of items that were not shown');
DELETE FROM board.reward WHERE item = -1;
SELECT is(value, (60 + count(*) OVER ())::float8, 'report() covers the whole log since -infinity')
  FROM board.report('-infinity') LEFT JOIN board.decision
  ON user_id IS NULL WHERE measure = 'users' LIMIT 1;

SAVEPOINT there;
DELETE FROM job WHERE id IN (SELECT item FROM board.impression WHERE item % 2 = 0) OR id > 190;
INSERT INTO job SELECT 1000, title, field, city_id, salary, skills, details, remote, posted, open, same
  FROM job LIMIT 1;
SELECT is((says('coverage')).value, count(*) FILTER (WHERE id IN (SELECT item
  FROM board.impression))::float8 / count(*), 'coverage counts no items that are gone') FROM job;
ROLLBACK TO there;

-- ---------- a long log ----------

-- 2,000 decisions that are years old, trained, in the default partitions
SAVEPOINT short;
INSERT INTO board.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities,
  expected, versions, features)
SELECT first_decision('2020-02-01') + i, '2020-02-01', 0, 1000 + i, 'personal', '{}', dlints_pack('{}'),
       ARRAY(SELECT generate_series(1, 10)), array_fill(1, ARRAY[10]), array_fill(0, ARRAY[10]),
       array_fill(0, ARRAY[10]), dlints_pack(array_fill(0::real, ARRAY[10, 1]))
FROM   generate_series(1, 2000) i;
INSERT INTO board.reward SELECT decision, item, 'click', 1, now(), 1 FROM board.impression
WHERE decision < first_decision('2020-03-01');
ANALYZE board.decision, board.reward;
CREATE FUNCTION reads(statement text) RETURNS bigint LANGUAGE sql AS
$$ SELECT rows_read(statement, 'board', '^(decision|reward)_rest') $$;
SELECT cmp_ok(reads('SELECT count(*) FROM board.impression WHERE position > 0'), '>=', 2000::bigint,
  'rows_read() counts the rows that a query of the log reads');
SELECT decision AS made, item AS seen FROM board.recommend(5) WHERE position = 1 \gset
SELECT board.reward(:made, :seen);
SELECT cmp_ok(reads($$SELECT board.learn('0')$$), '<', 500::bigint, 'learn() does not read a long log');
SELECT board.reward(:made, :seen, value => 0);
SELECT cmp_ok(reads($$SELECT board.learn('0')$$), '<', 500::bigint,
  'learn() does not read a long log for late rewards');
SELECT is(applied, 0::float8, 'learn() applies a late reward') FROM board.reward WHERE decision = :made;
SELECT cmp_ok(reads('SELECT * FROM board.report()'), '<', 35000::bigint, 'report() reads a long log once');
ROLLBACK TO short;

-- ---------- erasure ----------

SELECT is(board.erase(1), (SELECT count(*) FROM page WHERE user_id = 1 AND position = 1) + 1,
  'erase() returns the number of erased decisions');
SELECT is((SELECT count(*) FROM board.decision WHERE user_id = 1) + (SELECT count(*)
  FROM board.warm_start_example WHERE user_id = 1), 0::bigint,
  'erase() removes the user''s rows from the log and the warm start');
SELECT now_is('erase() removes the user''s rows from the models');
SELECT is(sum(board.erase(p)),
  (SELECT count(*) FROM board.decision WHERE user_id BETWEEN 2 AND 9)::numeric, 'erase() works for several users')
  FROM generate_series(2, 9) p;
SELECT now_is('erase() of several users leaves the models of the remaining log');

-- ---------- maintenance ----------

CREATE TEMP TABLE outdated AS SELECT item, f.features, v.ctid AS tid FROM board.item_features f
  JOIN board.item_vector v USING (item);
SELECT later('3 days');
SELECT ok(count(*) > 1, 'features of dates change with time') FROM outdated o JOIN board.item_features v USING (item)
  WHERE v.features <> o.features;
UPDATE job SET city_id = 99 WHERE id = 8;
CALL board.run();
SELECT ok(v.features <> o.features AND v.ctid <> o.tid, 'refresh updates the vectors of changed items')
  FROM outdated o JOIN board.item_vector v USING (item) WHERE item = 8;
SELECT ok(count(*) > 1 AND bool_and(v.popularity <> o.features[s.liked + 1]
  OR v.effect <> 0), 'refresh does not write the vectors of other items')
  FROM outdated o JOIN board.item_vector v USING (item), board.setting s WHERE item <> 8 AND v.ctid <> o.tid;
SELECT is(count(problem), 0::bigint,
  'maintenance succeeds although the log contains a list with vectors of another size')
  FROM board.job;
SELECT later('10 months');
CALL board.run();
SELECT is(done_at, now(), 'run() fits the item vectors after a week') FROM board.job WHERE name = 'refit';
SELECT is(to_regclass('board.decision_2026_03') IS NOT NULL
  AND to_regclass('board.decision_2027_04') IS NOT NULL, true, 'run() makes partitions ahead');
SELECT later('10 months');
CALL board.run();
SELECT is(to_regclass('board.decision_2026_03'), NULL, 'run() drops partitions after the retention');

SELECT * FROM finish();
ROLLBACK;
