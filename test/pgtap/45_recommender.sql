-- A recommender: what is created, recommended, logged, learned, corrected, erased.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(83);

-- ---------- made ----------

SELECT matches(dlints_create_recommender('board', 'job',
  '{title,field,city_id,salary,skills,details,remote,posted,same}',
  clicks => 'SELECT who, job, at FROM visit;',
  candidates => 'i.open AND NOT i.id = ANY (
      ARRAY(SELECT v.job FROM sim.visit v WHERE v.who = person AND v.job <= 3))',
  cap_group => 'i.field', cap => 3, outcomes => '{"click": 1, "apply": 5, "withdraw": -5}',
  epsilon => 0),
  'board.recommend', 'a recommender is made in one statement, and says how to go on');
SELECT is(count(*), 200::bigint, 'every item has a vector') FROM board.item_vector;
SELECT ok(bool_and(cardinality(features) = (SELECT dim FROM board.model m,
  dlints_info(m.state) WHERE name = 'personal')),
  'of one length') FROM board.item_vector;
SELECT ok(max(popularity) = 1 AND min(popularity) >= 0 AND count(factors) > 100,
  'with popularity and factors')
  FROM board.item_vector;
SELECT ok(prior_sample_size > 100 AND updates = 0, 'the model begins with the click log')
  FROM board.models WHERE name = 'personal';
SELECT is(board.set_beginning(), (SELECT count(*) FROM visit), 'of one example for each click');
SELECT ok(min(w) > 0 AND max(w) > 20 * 0.001, 'from which what is alike has a weight')
  FROM board.likeness, unnest(weights) w;
SELECT is(count(*), 0::bigint, 'nothing of it belongs to the extension')
  FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
  WHERE d.deptype = 'e' AND c.relnamespace = 'board'::regnamespace;

-- ---------- recommended ----------

CREATE TEMP TABLE page AS SELECT p AS person, r.* FROM generate_series(1, 60) p,
  board.recommend(p) r;
SELECT ok(bool_and(n = 10 AND first = 1 AND last = 10), 'ten places each')
  FROM (SELECT count(*) AS n, min(place) AS first, max(place) AS last FROM page
    GROUP BY decision) s;
SELECT ok(max(n) <= 3, 'at most three of a field')
  FROM (SELECT count(*) AS n FROM page JOIN job ON id = item GROUP BY decision, field) s;
SELECT is(count(*), 0::bigint, 'none that the condition leaves out')
  FROM page JOIN job ON id = item WHERE NOT open OR id <= 3
    AND EXISTS (SELECT FROM visit WHERE who = person AND visit.job = id);
SELECT results_eq('SELECT decision, item, place, probability, expected FROM page ORDER BY 1, 3',
  'SELECT decision, item, place, probability, expected FROM board.shown ORDER BY 1, 3',
    'what is returned is logged');
SELECT ok(bool_and(probability > 0 AND probability <= 1), 'with its probability') FROM page;
SELECT ok(avg((field = wants(person))::int) > 0.25, 'to their taste') FROM page
  JOIN job ON id = item;
SELECT is(count(DISTINCT arm), 2::bigint, 'some people are the control') FROM board.decision;
SELECT is(min(v.popularity), (SELECT max(popularity) FROM board.candidate(-1, '{}')),
  'who get the most popular items, the first one first')
  FROM board.decision d JOIN board.shown s ON s.decision = d.id AND s.place = 1
    JOIN board.item_vector v USING (item) WHERE d.arm = 'control';
SELECT ok(bool_and(n = 1), 'a person stays in one arm') FROM (
  SELECT count(DISTINCT arm) AS n FROM board.decision GROUP BY person) s;
SELECT ok(bool_and(id >> 22 = extract(epoch FROM at)::bigint - 1577836800),
  'a decision''s number tells its time') FROM board.decision;
SELECT ok(max(id) < 2::numeric ^ 53, 'and is one that JSON can hold') FROM board.decision;
SELECT is(count(*), 60::bigint, 'all are due') FROM board.due;
SELECT is(tableoid::regclass::text, 'board.decision_2026_03', 'each month is a partition')
  FROM board.decision LIMIT 1;
SELECT is((SELECT count(*) FROM board.recommend(NULL, 4)), 4::bigint,
  'a session without a person gets a list');
SELECT is((SELECT count(*) FROM board.recommend(NULL, 4, ARRAY[5, 6, -1])), 4::bigint,
  'by what it clicked');
CREATE TEMP TABLE liked AS SELECT decision FROM board.recommend(NULL, 1,
  context => '{"like": {"field": "field 2", "skills": ["skill 2"]}}');
SELECT ok(avg(product) FILTER (WHERE field = 'field 2')
    > 2 * avg(product) FILTER (WHERE field <> 'field 2') + 0.1, 'and by what it says that it likes')
  FROM liked JOIN board.decision d ON d.id = decision,
    board.item_vector v JOIN job ON job.id = v.item,
    LATERAL (SELECT dlints_dot(dlints_unpack(d.profile)::float8[], v.features) AS product) p;
SAVEPOINT odd_times;
INSERT INTO visit VALUES (1, 5, 'epoch'), (1, 6, '-infinity'), (1, 7, 'infinity');
SELECT ok(board.set_beginning() > 0 AND (SELECT count(*) FROM board.recommend(1, 4)) = 4
    AND EXISTS (SELECT FROM board.recommend(1, 4, context => '{"like": null}'))
    AND EXISTS (SELECT FROM board.report('-infinity')),
  'times of long ago and without end do no harm, nor does a like of nothing');
ROLLBACK TO odd_times;
SELECT throws_ok('SELECT board.recommend(1, 1001)', '22023', 'k must be at most 1000, not 1001',
  'what is logged is what somebody can have seen');
SELECT is((SELECT count(*) FROM board.recommend(1, 1000)), sum(least(n, 3))::bigint,
  'more than there is gives what there is')
  FROM (SELECT count(*) AS n FROM board.candidate(1, '{}') GROUP BY cap_group) g;
INSERT INTO job SELECT 1000, 'new', 'field 9', 1, 1, '{}', '{}', true, now(), true, 'same';
SELECT is(count(*), 1::bigint, 'a new row is a candidate at once') FROM board.candidate(1, '{}')
  WHERE item = 1000;
DELETE FROM job WHERE id = 1000;

SELECT is(string_agg(measure, ', ') FILTER (WHERE value IS NULL AND measure !~ 'half-life'),
  'reward of a decision, chance, times the control, calibration',
  'before anything is clicked the report says what is not known yet') FROM board.report();

-- ---------- rewards ----------

SELECT board.reward(decision, item) FROM page WHERE (person * 7 + place) % 5 = 0;
SELECT board.reward(decision, item) FROM page WHERE (person * 7 + place) % 5 = 0;
SELECT board.reward(decision, item, 'apply') FROM page WHERE (person * 7 + place) % 15 = 0;
SELECT board.reward(s.decision, s.item, o) FROM board.shown s
  JOIN board.decision d ON d.id = s.decision, unnest('{click,apply}'::text[]) o
  WHERE d.person IS NULL AND s.place = 1;
SELECT board.reward(999, 1);
SELECT is(count(*), (SELECT sum(((person * 7 + place) % 5 = 0)::int
                                + ((person * 7 + place) % 15 = 0)::int) FROM page)
      + 2 * (SELECT count(*) FROM board.decision WHERE person IS NULL) + 1,
  'twice counts once') FROM board.reward;
SELECT is(outcome('SELECT board.reward(1, 2, ''buy'')'), '22023: unknown outcome "buy"',
  'an unknown outcome is refused');
SELECT is(hint_of('SELECT board.reward(1, 2, ''buy'')'),
  'The outcomes are apply, click, withdraw.', 'which says what there is');
SELECT is(outcome('SELECT board.reward(1, 2, value => ''NaN'')'),
  '22003: the value of a reward must be finite', 'so is NaN');
SELECT is(outcome('SELECT board.reward(NULL, 2)'),
  '22004: a reward is of a decision and of an item that it showed', 'and NULL');
SAVEPOINT told;
SELECT decision AS told, item AS thing FROM page WHERE (person * 7 + place) % 15 = 0 LIMIT 1 \gset
SELECT board.reward(:told, :thing, 'apply', 0);
SELECT is(clicked, true, 'a click is one in the log') FROM board.outcome WHERE (decision, item) = (:told, :thing);
SELECT board.reward(:told, :thing, value => 0);
SELECT is(clicked, false, 'until it is taken back') FROM board.outcome WHERE (decision, item) = (:told, :thing);
ROLLBACK TO told;

-- ---------- learned ----------

CREATE FUNCTION now_is(what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE was AS SELECT * FROM board.model;
	PERFORM board.rebuild();
	RETURN NEXT ok(bool_and(far(m.state, w.state) < 1e-9) AND count(*) = 3, what)
		FROM board.model m JOIN was w USING (name);
	UPDATE board.model m SET state = w.state FROM was w WHERE m.name = w.name;
	DROP TABLE was;
END $$;
CREATE TEMP TABLE beginning AS SELECT state FROM board.model WHERE name = 'personal';
SELECT is(board.learn(), 0::bigint, 'nothing is learned before the wait is over');
SELECT later('1 hour');
SELECT is(board.learn(), (SELECT count(*) FROM board.decision), 'then all decisions are');
SELECT is(updates, (SELECT count(*) FROM board.shown), 'every item that was shown')
  FROM board.models WHERE learns;
SELECT ok(abs(m.mean_reward - r.value / (SELECT count(*) FROM board.shown)) < 1e-9,
  'a model learns its outcomes: ' || m.name)
  FROM board.models m JOIN (SELECT CASE outcome WHEN 'click' THEN 'personal' ELSE 'later' END AS name,
                                   sum(learned) AS value
                            FROM board.reward GROUP BY 1) r USING (name);
SELECT now_is('the model is that of the log');
SELECT board.reward(decision, item) FROM page WHERE (person * 7 + place) % 6 = 0;
SELECT board.reward(decision, item, 'withdraw') FROM page WHERE (person * 7 + place) % 30 = 0;
SELECT board.reward(decision, item, value => 2) FROM page WHERE place = 1;
SELECT cmp_ok(board.learn(), '>', 10::bigint,
  'late rewards, cancellations and other values are corrections');
SELECT now_is('the model is that of the log as it is now');
SELECT is(board.learn(), 0::bigint, 'and nothing is left to learn');
SELECT is(sum(learned - value), 0::float8, 'rewards of unknown decisions are kept, and not learned')
  FROM board.reward WHERE decision <> 999 OR learned IS NOT NULL;
SELECT ok(state = (SELECT dlints_set(dlints_new(dim, interactions => 'matched',
  half_life => '7 days', exploration => 0.025), policy => 'greedy') FROM dlints_info(state)),
  'the model of the control has learned nothing') FROM board.model WHERE name = 'control';
-- one page of each person, which has items with and without the last but one column
CREATE TEMP TABLE why AS SELECT d.id AS decision, d.person, w.*
  FROM board.decision d, board.why(d.id) WITH ORDINALITY w (item, place, part, contribution, stddev, n);
SELECT is(array_agg(DISTINCT part COLLATE "C"), ARRAY['(clicks)', '(popularity)', 'city_id', 'details', 'field', 'intercept',
  'posted', 'remote', 'salary', 'skills', 'title'], 'why: parts are columns, clicks and popularity') FROM why;
SELECT cmp_ok(max(abs(w.sum - dlints_predict(m.state, s.features, d.profile)
                      - dlints_predict(l.state, s.features, d.profile))), '<', 1e-9::float8,
  'they add up to what is expected')
  FROM (SELECT decision, item, sum(contribution) FROM why GROUP BY 1, 2) w
    JOIN board.shown s USING (decision, item) JOIN board.decision d ON d.id = decision,
    board.model m, board.model l WHERE m.name = 'personal' AND l.name = 'later';
SELECT ok(bool_and(remote = (contribution <> 0)) AND count(DISTINCT remote) = 2 AND bool_and(stddev >= 0),
  'a column that is false adds nothing, others something')
  FROM why JOIN job ON id = item WHERE part = 'remote';
SELECT ok(bool_and(size >= next) AND count(DISTINCT place) > 9, 'in order, the largest part first')
  FROM (SELECT place, abs(contribution) AS size,
               lead(abs(contribution), 1, 0::float8) OVER (PARTITION BY decision, place ORDER BY n) AS next
        FROM why) s;

CREATE FUNCTION error_of(models text[]) RETURNS float8 LANGUAGE sql AS $$
SELECT sqrt(sum(e.stddev ^ 2)) FROM board.model m, board.shown s JOIN board.decision d ON d.id = s.decision,
       dlints_explain(m.state, s.features, d.profile) e
WHERE  m.name = ANY (models) AND (s.decision, s.item) = (SELECT decision, item FROM why LIMIT 1)
AND    e.name = 'intercept' $$;
SELECT ok(abs(stddev - error_of('{personal,later}')) < 1e-9, 'errors are those of both models')
  FROM why WHERE part = 'intercept' LIMIT 1;
SAVEPOINT rare;
UPDATE board.model SET state = board.empty() WHERE name = 'later';
SELECT ok(abs(w.stddev - error_of('{personal}')) < 1e-9, 'of one, where nothing has followed a click')
  FROM (SELECT decision, item FROM why LIMIT 1) f, board.why(f.decision) w
  WHERE w.item = f.item AND part = 'intercept';
CREATE VIEW odd AS SELECT id, city_id AS clicks, id % 5 AS popularity, id % 3 AS intercept FROM job;
SELECT dlints_create_recommender('odd', 'odd', '{clicks,popularity,intercept}', item_key => 'id');
SELECT decision FROM odd.recommend(1, 1) \gset
SELECT is(array_agg(part ORDER BY part COLLATE "C"), ARRAY['(clicks)', '(popularity)', 'clicks', 'intercept',
  'intercept', 'popularity'], 'columns of such names are parts of their own')
  FROM odd.why(:decision);
ROLLBACK TO rare;

UPDATE board.decision SET features = dlints_pack(array_fill(1::real, ARRAY[cardinality(items), 1]))
WHERE  (SELECT min(item) FROM board.shown) = ANY (items);
SELECT lives_ok('SELECT board.rebuild()', 'a bad row stops nothing');
SELECT matches(outcome('UPDATE board.decision SET ' || change), '^(23514: .* violates check constraint|22P03: )', change)
FROM (VALUES ($$features = '\x00'$$), ($$features = dlints_pack('{{1}}')$$), ('expected = expected || 1::float8')) v (change);

-- ---------- judged ----------

CREATE FUNCTION says(what text, OUT value float8, OUT error float8) LANGUAGE sql AS
$$ SELECT value, error FROM board.report() WHERE measure = what $$;
CREATE TEMP VIEW list AS SELECT d.id, d.person, d.arm,
  coalesce((SELECT sum(r.value) FROM board.reward r
    JOIN board.shown s USING (decision, item) WHERE r.decision = d.id), 0) AS reward
      FROM board.decision d;
SELECT ok(abs((says('reward of a decision')).value - avg(reward)) < 1e-9,
  'the report says what a list earns')
  FROM list WHERE arm = 'personal';
SELECT ok(abs((says('times the control')).value - avg(reward) FILTER (WHERE arm = 'personal')
  / avg(reward) FILTER (WHERE arm = 'control')) < 1e-9,
  'and how many times the control') FROM list;
SELECT ok(abs((says('reward of a decision, control')).error
  - stddev(reward) / sqrt(count(*))) < 1e-9,
  'with the error of a mean, where everybody came once') FROM list WHERE arm = 'control';
SELECT is((says('people')).value, (60 + count(*))::float8, 'and how many people came')
  FROM board.decision WHERE person IS NULL;
SAVEPOINT strangers;
SELECT count(*) FROM unnest('{one,one,two}'::text[]) s, board.recommend(NULL, 2, session => s);
SELECT is((says('people')).value - (SELECT 60 + count(*) FROM board.decision WHERE session IS NULL AND person IS NULL),
  2::float8, 'or sessions');
ROLLBACK TO strangers;
SELECT board.reward(min(id), -1) FROM board.decision;
SELECT is((says('rewards of items that were not shown')).value, 1::float8, 'and what is told of others');
DELETE FROM board.reward WHERE item = -1;
SELECT is(value, (60 + count(*) OVER ())::float8, 'since ever') FROM board.report('-infinity') LEFT JOIN board.decision
  ON person IS NULL WHERE measure = 'people' LIMIT 1;

SAVEPOINT there;
DELETE FROM job WHERE id IN (SELECT item FROM board.shown WHERE item % 2 = 0) OR id > 190;
INSERT INTO job SELECT 1000, title, field, city_id, salary, skills, details, remote, posted, open, same
  FROM job LIMIT 1;
SELECT is((says('coverage')).value, count(*) FILTER (WHERE id IN (SELECT item FROM board.shown))::float8 / count(*),
  'what has gone counts neither as shown nor as there') FROM job;
SELECT is((says('items weighed for a list')).value, count(*)::float8, 'nor as weighed') FROM job;
ROLLBACK TO there;

-- ---------- a long log ----------

-- 2,000 decisions of years ago, learned, in the partitions for what no month takes
SAVEPOINT short;
INSERT INTO board.decision (id, at, seed, person, arm, context, profile, items, probabilities, expected, features)
SELECT board.first_decision('2020-02-01') + i, '2020-02-01', 0, 1000 + i, 'personal', '{}', dlints_pack('{}'),
       ARRAY(SELECT generate_series(1, 10)), array_fill(1, ARRAY[10]), array_fill(0, ARRAY[10]), dlints_pack(array_fill(0::real, ARRAY[10, 1]))
FROM   generate_series(1, 2000) i;
INSERT INTO board.reward SELECT decision, item, 'click', 1, now(), 1 FROM board.shown
WHERE decision < board.first_decision('2020-03-01');
ANALYZE board.decision, board.reward;
CREATE FUNCTION reads(statement text) RETURNS bigint LANGUAGE sql AS
$$ SELECT rows_read(statement, 'board', '^(decision|reward)_rest') $$;
SELECT cmp_ok(reads('SELECT count(*) FROM board.shown WHERE place > 0'), '>=', 2000::bigint,
  'what is read of a long log is counted');
SELECT decision AS made, item AS seen FROM board.recommend(5) WHERE place = 1 \gset
SELECT board.reward(:made, :seen);
SELECT cmp_ok(reads($$SELECT board.learn('0')$$), '<', 500::bigint, 'it is not read to learn');
SELECT board.reward(:made, :seen, value => 0);
SELECT cmp_ok(reads($$SELECT board.learn('0')$$), '<', 500::bigint, 'nor to learn what comes late');
SELECT is(learned, 0::float8, 'which is learned') FROM board.reward WHERE decision = :made;
SELECT cmp_ok(reads('SELECT * FROM board.report()'), '<', 25000::bigint,
  'nor for a report, but rewards once, of which the unknown are counted');
ROLLBACK TO short;

-- ---------- erased ----------

SELECT is(board.erase(1), (SELECT count(*) FROM page WHERE person = 1 AND place = 1) + 1,
  'a person is erased');
SELECT is((SELECT count(*) FROM board.decision WHERE person = 1) + (SELECT count(*)
  FROM board.beginning WHERE person = 1), 0::bigint,
  'from the log and from the beginning');
SELECT now_is('and from the model');
SELECT is(sum(board.erase(p)),
  (SELECT count(*) FROM board.decision WHERE person BETWEEN 2 AND 9)::numeric, 'so are others')
  FROM generate_series(2, 9) p;
SELECT now_is('and from the model again');

-- ---------- upkeep ----------

SELECT later('3 days');
UPDATE job SET city_id = 99 WHERE id = 8;
SELECT is(board.run(), format('0 learned, %s vectors refreshed', count(*)),
    'a run refreshes what has changed, ages too')
  FROM board.encoded_item i JOIN board.item_vector v USING (item)
  WHERE i.item = 8 OR v.ages <> board.ages(i.dates, now());
SELECT is(count(problem), 0::bigint, 'nothing fails, though a list of the log has vectors of another size')
  FROM board.job;
SELECT later('10 months');
SELECT matches(board.run(), 'vectors fitted', 'and fits the vectors');
SELECT is(to_regclass('board.decision_2026_03') IS NOT NULL
  AND to_regclass('board.decision_2027_04') IS NOT NULL, true,
  'partitions are made ahead');
SELECT later('10 months');
SELECT board.run();
SELECT is(to_regclass('board.decision_2026_03'), NULL, 'and dropped');

SELECT * FROM finish();
ROLLBACK;
