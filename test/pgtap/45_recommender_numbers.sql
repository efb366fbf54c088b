-- The numbers that a recommender goes by: shares, half-lives, windows, portions, verdicts.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(87);

SELECT dlints_create_recommender('board', 'job', '{field,salary}', control => 0.3, epsilon => 0.5, factors => 16,
  clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5}') IS NOT NULL;
SELECT dlints_create_recommender('quiet', 'job', '{field,salary}', control => 0, epsilon => 0, keep => '1 month',
  outcomes => '{"click": 1, "apply": 5, "look": 0}') IS NOT NULL;

-- ---------- shares ----------

CREATE TEMP TABLE page AS SELECT p AS person, r.decision FROM generate_series(1, 1000) p, board.recommend(p, 1) r;
SELECT is(count(*) FILTER (WHERE arm = 'control'), count(*) FILTER (WHERE
    ('x' || left(md5('board' || person), 8))::bit(32)::bigint / 4294967296.0 < 0.3),
  'the control is a share of the people by their hash') FROM board.decision;
SELECT cmp_ok(abs(count(*) FILTER (WHERE arm = 'control') - 300), '<', 90::bigint, 'as large as it was said to be')
  FROM board.decision;
-- of 700, six standard deviations are 80
SELECT cmp_ok(abs(count(*) FILTER (WHERE arm = 'chance') - 0.5 * count(*) FILTER (WHERE arm <> 'control')), '<', 80.0,
  'and chance decides its share of all others') FROM board.decision;
SELECT count(*) AS pages FROM generate_series(1, 50) p, quiet.recommend(p, 1) \gset
SELECT is(array_agg(DISTINCT arm), '{personal}', 'without either all is personal') FROM quiet.decision;

-- ---------- a person ----------

SELECT v.features AS one FROM board.item_vector v WHERE item = 11 \gset
SELECT v.features AS two FROM board.item_vector v WHERE item = 12 \gset
SELECT cardinality(features) AS size FROM board.item_vector WHERE item = 11 \gset
-- what a person is of clicks with these weights: a mean, shrunk by five, each block by what it is
-- worth, and what it is worth to be popular
CREATE FUNCTION person(features float8[], weights float8[]) RETURNS real[] LANGUAGE sql AS $$
SELECT array_agg(CASE WHEN k = n THEN 0.2 ELSE sum / (w + 5) * CASE WHEN k <= 16 THEN 0.5 WHEN k <= 21 THEN 2 ELSE 3 END END
                 ORDER BY k)
FROM  (SELECT k, sum(features[(i - 1) * n + k] * weights[i]) AS sum, sum(weights[i]) AS w, n
       FROM   generate_subscripts(weights, 1) i, (SELECT cardinality(features) / cardinality(weights) AS n) n,
              generate_series(1, n) k GROUP BY k, n) s $$;
CREATE FUNCTION near(a real[], b real[]) RETURNS boolean LANGUAGE sql AS $$
SELECT cardinality(a) = cardinality(b) AND max(abs(x - y)) < 1e-5 FROM unnest(a, b) u (x, y) $$;
UPDATE board.likeness SET weights = '{0.5,2,3,0.2}', scale = board.spread('{0.5,2,3,0.2}'), half_life = 14;
INSERT INTO visit VALUES (5000, 11, now() - interval '14 days'), (5000, 12, now());
SELECT ok(near(board.profile(5000), person(:'one'::float8[] || :'two'::float8[], '{0.5,1}')),
  'a click of 14 days ago counts half');
INSERT INTO visit VALUES (5001, 11, now() + interval '1 day'), (5001, 12, now());
SELECT ok(near(board.profile(5001), person(:'one'::float8[] || :'two'::float8[], '{1,1}')),
  'one of the future as one of now');
SELECT ok(near(board.profile(NULL, '{12}', '{"like": {"field": "field 1"}}'), person(:'two'::float8[]
    || array_fill(0::float8, ARRAY[16]) || board.encode_document('{"field": "field 1"}')::float8[] || 0::float8,
      '{1,5}')),
  'what is liked counts as five clicks');
INSERT INTO visit SELECT 5002, 12, now() - interval '1 minute' FROM generate_series(1, 500);
INSERT INTO visit SELECT 5002, 11, now() - interval '2 minutes' FROM generate_series(1, 50);
UPDATE board.likeness SET half_life = NULL;
SELECT ok(near(board.profile(5002), person(:'two'::float8[], '{500}')), 'the latest five hundred clicks say it');
SELECT ok(near(board.profile(NULL), person(array_fill(0::float8, ARRAY[:size]), '{1}')),
  'of a stranger nothing is known');
DELETE FROM visit WHERE who >= 5000;

-- ---------- the beginning ----------

SELECT count(*) AS clicks FROM visit \gset
SELECT is(board.set_beginning(), :clicks::bigint, 'an example for each click');
-- Once as this person's and once as a stranger's, at 0.35, and each time beside four that were not
-- clicked, which weigh five times on average
SELECT ok(count(*) = 4 AND bool_and(updates = 10 * :clicks), 'examples, under four half-lives')
  FROM board.tried t, dlints_info(t.state);
SELECT ok(max(abs(mean_reward * effective_sample_size / (1.35 * :clicks) - 1)) < 1e-9, 'what was clicked')
FROM board.tried t, dlints_info(t.state);
SELECT ok(max(abs((1 - mean_reward) * effective_sample_size / (20 * 1.35 * :clicks) - 1)) < 0.05, 'and what was not')
FROM board.tried t, dlints_info(t.state);
SELECT ok(abs(board.rarity(32) - 0.25) < 1e-9, 'by the number of its clicks to the power of 0.6 - 1');
SELECT is(count(*), 10 * :clicks::bigint, 'they are kept') FROM board.beginning;
SELECT is(count(*) FILTER (WHERE profile IS NULL), count(*) FILTER (WHERE profile IS NOT NULL),
  'half of them a stranger''s')
FROM board.beginning;
SELECT ok(bool_and(features[cardinality(features)] BETWEEN 0 AND 1), 'and popular') FROM board.beginning;
SELECT is(prior_weight, 30::float8, 'they count much') FROM board.model, dlints_info(state) WHERE name = 'personal';

-- where the log is that of the lists, which have taught already
SELECT dlints_create_recommender('alone', 'job', '{field}', person_type => 'bigint', wait => '0', control => 0);
SELECT count(alone.reward(decision, item)) FROM generate_series(1, 60) p, alone.recommend(p, 5);
SELECT ok(alone.set_beginning() = 300, 'clicks on its own lists are examples, too');
SELECT is(prior_weight, 0.3::float8, 'which count little') FROM alone.model, dlints_info(state) WHERE name = 'personal';
DROP SCHEMA alone CASCADE;

SELECT ok(max(w) = 1 AND worth > 0.02 AND worth * weights[2] > 0.02, 'what they like by is worth most, and is 1')
  FROM board.likeness, unnest(weights) w GROUP BY worth, weights;
-- factors that were fitted to these very clicks would seem to know everything
CREATE TABLE blind AS SELECT hashint8extended(i, 1) & 63 AS who, 1 + (hashint8extended(i, 2) & 127) AS job,
  now() - i * interval '10 minutes' AS at FROM generate_series(1, 3000) i;
SELECT dlints_create_recommender('blind_r', 'job', '{field}',
  clicks => 'SELECT who, job::integer, at FROM blind') IS NOT NULL;
SELECT ok(worth * weights[1] < 0.02 AND worth < 0.15, 'clicks by chance give factors no weight, and columns little')
  FROM blind_r.likeness;
-- 60 people who want one field each: the same for good, or another one every eight days
CREATE FUNCTION wanting(days integer) RETURNS TABLE (who integer, job bigint, at timestamptz) LANGUAGE sql AS $$
SELECT n % 60, j.id, now() - n * interval '30 minutes'
FROM   generate_series(1, 3000) n, LATERAL (SELECT n % 60 + n / (48 * days) AS turn) t,
       LATERAL (SELECT id FROM job WHERE field = 'field ' || turn % 5 ORDER BY hashint8extended(id, n) LIMIT 1) j $$;
CREATE TABLE steady AS SELECT * FROM wanting(1000);
CREATE TABLE turning AS SELECT * FROM wanting(8);
SELECT dlints_create_recommender('steady_r', 'job', '{field}', factors => 16,
  clicks => 'SELECT * FROM steady') IS NOT NULL;
SELECT dlints_create_recommender('turning_r', 'job', '{field}', clicks => 'SELECT * FROM turning') IS NOT NULL;
SELECT is(half_life, NULL, 'a taste that stays fades not at all') FROM steady_r.likeness;
SELECT is(half_life, 14::float8, 'one that turns as fast as can be') FROM turning_r.likeness;
-- half of the examples know a few clicks of a person, the others all: of one field, that is its number
CREATE FUNCTION known_of(features real[]) RETURNS float8 LANGUAGE sql AS $$ SELECT max(v) FROM unnest(features[17:21]) v $$;
SELECT ok(min(k) BETWEEN 0.1666 AND 0.1667 AND max(k) > 0.88 AND avg((k > 0.86)::integer) BETWEEN 0.55 AND 0.74
  AND avg((k < 0.3)::integer) BETWEEN 0.07 AND 0.22,
  format('%s to %s, %s many, %s few', min(k), max(k), avg((k > 0.86)::integer), avg((k < 0.3)::integer)))
  FROM steady_r.beginning, known_of(profile) k WHERE profile IS NOT NULL;
SELECT ok(worth > 0.15, 'what is liked is clicked more often by ' || worth) FROM steady_r.likeness;
-- what is expected of an item of a person's field, and of others
SELECT ok(avg(e) FILTER (WHERE likes) - avg(e) FILTER (WHERE NOT likes) BETWEEN 0.6 * l.worth AND 1.1 * l.worth,
  format('expected %s and %s, worth %s', avg(e) FILTER (WHERE likes), avg(e) FILTER (WHERE NOT likes), l.worth))
  FROM steady_r.likeness l, steady_r.model m, steady_r.item_vector v JOIN job ON job.id = v.item,
       generate_series(0, 4) p, steady_r.profile(p) u, LATERAL (SELECT field = 'field ' || p AS likes) f,
       LATERAL (SELECT dlints_predict(m.state, v.features, u) AS e) e
  WHERE m.name = 'personal' GROUP BY l.worth;
-- a stranger gets the most popular ones, for sure; without a log one explores
SELECT dlints_alter_recommender(s, '{"control": 0, "epsilon": 0}') FROM unnest('{turning_r,quiet}'::text[]) s;
SELECT ok(bool_and(c.probability = 1) AND avg(v.popularity) > 0.97 * (SELECT avg(p) FROM (
    SELECT popularity AS p FROM turning_r.item_vector ORDER BY 1 DESC LIMIT 10) t), 'what a stranger gets is popular')
  FROM turning_r.recommend(NULL, 10) c JOIN turning_r.item_vector v USING (item);
SELECT ok(bool_and(c.probability < 1), 'or drawn') FROM quiet.recommend(NULL, 10) c;
-- clicks of nobody say what is popular
CREATE TABLE nobodys AS SELECT NULL::integer AS who, id AS job, now() - n * interval '1 minute' AS at
  FROM job, generate_series(1, id) n;
SELECT dlints_create_recommender('nobodys_r', 'job', '{field}', clicks => 'SELECT * FROM nobodys',
  control => 0, epsilon => 0) IS NOT NULL;
SELECT ok(count(*) = 10 AND min(item) > 170, 'nobody''s clicks say what is popular, to nobody')
  FROM nobodys_r.recommend(NULL, 10) c;
SELECT ok(count(*) > 0 AND count(profile) = 0, 'and nothing else') FROM nobodys_r.beginning;
-- nobody is alike to what is asked about
CREATE TABLE twice AS SELECT n % 100 AS who, 1 + n % 100 AS job, now() - n * interval '1 hour' AS at
  FROM generate_series(1, 200) n;
SELECT dlints_create_recommender('twice_r', 'job', '{field}', clicks => 'SELECT * FROM twice') IS NOT NULL;
SELECT ok(count(*) > 0 AND count(profile) = 0, 'an example is not known by the same item') FROM twice_r.beginning;
-- where nothing changes an item was as popular when it was clicked as it is today
UPDATE blind_r.likeness SET popular_half_life = 2;
SELECT blind_r.refresh_popularity();
DELETE FROM blind_r.beginning;
SELECT count(blind_r.add_examples(part, 1000, 1000)) AS parts FROM generate_series(0, 7) part \gset
SELECT ok(avg(f.was) BETWEEN 0.93 * e.now AND 1.05 * e.now, format('was popular %s, is %s', avg(f.was), e.now))
  FROM blind_r.beginning b, LATERAL (SELECT b.features[cardinality(b.features)] AS was) f,
       (SELECT avg(popularity) AS now FROM blind JOIN blind_r.item_vector ON item = job) e GROUP BY e.now;
SELECT ok(popular_half_life IS NULL OR popular_half_life >= 7, 'what does not change fades slowly')
  FROM steady_r.likeness;
-- what was popular a day ago says little
CREATE TABLE press AS SELECT i % 50 AS who, 1 + (i / 100 + (hashint8extended(i, 3) & 3)) AS job,
  now() - (5000 - i) * interval '10 minutes' AS at FROM generate_series(1, 5000) i;
SELECT dlints_create_recommender('press_r', 'job', '{field}',
  clicks => 'SELECT who, job::integer, at FROM press') IS NOT NULL;
SELECT ok(popular_half_life <= 1 AND weights[3] = 1,
  'where items live for a day, so do their clicks, and nothing says more than what was clicked then')
    FROM press_r.likeness;

-- ---------- how popular ----------

UPDATE board.likeness SET popular_half_life = 14;
INSERT INTO visit SELECT 6000 + i, 21, now() - interval '13 days' FROM generate_series(1, 30) i;
INSERT INTO visit SELECT 6000 + i, 22, now() - interval '15 days' FROM generate_series(1, 90) i;
INSERT INTO visit SELECT 6000 + i, 23, now() + interval '1 day' FROM generate_series(1, 90) i;
INSERT INTO visit VALUES (6000, 24, now());
SELECT board.refresh_popularity();
CREATE TEMP TABLE counted AS SELECT job AS item, ln(1 + sum(0.5 ^ (extract(epoch FROM now() - at) / 86400 / 14))) AS n
  FROM visit WHERE at <= now() GROUP BY 1;
SELECT ok(max(abs(v.popularity - round(coalesce(c.n, 0) / (SELECT max(n) FROM counted), 3))) < 0.0011,
  'clicks say what is popular, after 14 days half as loud') FROM board.item_vector v LEFT JOIN counted c USING (item);

SELECT count(*) AS pages FROM generate_series(1, 60) p, quiet.recommend(p, 4) \gset
SELECT quiet.reward(decision, item) FROM quiet.shown WHERE place = 1;
SELECT quiet.refresh_popularity();
CREATE TEMP TABLE rate AS SELECT item, (sum(clicked::int) + 10 * avg) / (count(*) + 10) AS rate
  FROM quiet.outcome, (SELECT avg(clicked::int)::float8 AS avg FROM quiet.outcome) a GROUP BY item, avg;
SELECT ok(max(abs(v.popularity - ln(1 + r.rate) / ln(1 + (SELECT max(rate) FROM rate)))) < 0.001,
  'without a click log rates do, each smoothed as if shown ten times more') FROM quiet.item_vector v
    JOIN rate r USING (item);
SELECT later('20 days'), quiet.refresh_popularity();
SELECT is(max(popularity), 0::real, 'of two weeks, too') FROM quiet.item_vector;

-- ---------- when ----------

SELECT quiet.refresh(), quiet.refit();
SELECT later('55 minutes');
SELECT is(quiet.run(), '0 learned', 'nothing is refreshed within the hour') FROM quiet.learn('0');
SELECT later('10 minutes');
SELECT matches(quiet.run(), 'refreshed', 'then it is');
SELECT later('6 days 20 hours');
SELECT doesnt_match(quiet.run(), 'fitted', 'nor fitted within the week');
SELECT later('3 hours');
SELECT matches(quiet.run(), 'fitted', 'then it is');
SELECT is(done_at, now(), 'when run() was called is known') FROM quiet.job WHERE name = 'run';

-- ---------- portions ----------

CREATE FUNCTION log_of(n integer, first bigint, made timestamptz) RETURNS void LANGUAGE sql AS $$
INSERT INTO quiet.decision (id, at, seed, person, arm, context, profile, items, probabilities, expected, features)
SELECT first + i, made, 0, i, 'personal', '{}', dlints_pack('{}'), ARRAY[v.item], '{1}', '{0.1}', dlints_pack(v.features)
FROM generate_series(1, n) i JOIN quiet.item_vector v ON v.item = 1 + i % 200;
INSERT INTO quiet.due SELECT first + i FROM generate_series(1, n) i $$;
SELECT updates AS before FROM quiet.models WHERE name = 'personal' \gset
SELECT log_of(2500, quiet.first_decision(now() - interval '2 hours'), now() - interval '2 hours');
SELECT is(quiet.learn(), 2500::bigint, 'one call learns all that is due');
SELECT is(updates, :before::bigint + 2500, 'to the last') FROM quiet.models WHERE name = 'personal';
SELECT quiet.reward(decision, item) FROM quiet.shown WHERE decision > quiet.first_decision(now() - interval '2 hours');
SELECT is(quiet.learn(), 2500::bigint, 'and all that is late');
SELECT is(count(*), 0::bigint, 'to the last') FROM quiet.reward WHERE learned IS DISTINCT FROM value;
SELECT log_of(3, quiet.first_decision(now() - interval '29 minutes'), now() - interval '29 minutes');
SELECT is(quiet.learn(), 0::bigint, 'what has not waited half an hour waits');
SELECT later('2 minutes');
SELECT is(quiet.learn(), 3::bigint, 'and then is learned');
SELECT count(*) AS lists FROM generate_series(1, 3), quiet.recommend(7777, 2) \gset
SELECT quiet.erase(7777);
SELECT is(count(*), 0::bigint, 'nothing is left of who is erased before that') FROM quiet.due;

-- what no month takes goes when it is older than is kept
SELECT quiet.set_months();
SELECT log_of(5, quiet.first_decision('2020-02-01'), '2020-02-01');
INSERT INTO quiet.reward SELECT id, items[1], 'click', 1 FROM quiet.decision_rest;
SELECT is(count(*), 5::bigint, 'what is of no month is in the rest') FROM quiet.decision_rest;
SELECT quiet.run();
SELECT is((SELECT count(*) FROM quiet.decision_rest) + (SELECT count(*) FROM quiet.reward_rest)
  + (SELECT count(*) FROM quiet.due), 0::bigint, 'and goes, what is due of it, too');

-- ---------- verdicts ----------

-- lists of people who each came once, so many with a reward
CREATE FUNCTION verdict(people integer, personal integer, control integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	TRUNCATE quiet.decision, quiet.reward, quiet.due;
	INSERT INTO quiet.decision (id, at, seed, person, arm, context, profile, items, probabilities, expected, features)
	SELECT quiet.first_decision(now()) + i, now(), 0, i, CASE WHEN i <= people THEN 'control' ELSE 'personal' END, '{}',
	       dlints_pack('{}'), '{1}', '{1}', '{0.1}', dlints_pack('{{0}}')
	FROM generate_series(1, 2 * people) i;
	INSERT INTO quiet.reward SELECT quiet.first_decision(now()) + i, 1, 'click', 1, now(), 1 FROM generate_series(1, control) i;
	INSERT INTO quiet.reward SELECT quiet.first_decision(now()) + people + i, 1, 'click', 1, now(), 1 FROM generate_series(1, personal) i;
	SELECT concat_ws('; ', round(value::numeric, 3), round(error::numeric, 3), meaning) INTO said
	FROM quiet.report() WHERE measure = 'times the control';
	RETURN said;
END $$;
-- the logarithm of a ratio of shares p, q of n people has the variance (1-p)/pn + (1-q)/qn (n - 1 for n)
SELECT is(verdict(people, personal, control), said, people || ' people: ' || personal || ' and ' || control)
FROM (VALUES
  (100, 40, 20, '2.000; 0.471; personal lists are better, and that is no accident: between 1.25 and 3.19, by 100 people of the control'),
  (100, 20, 40, '0.500; 0.118; personal lists are worse, and that is no accident: between 0.31 and 0.80, by 100 people of the control. Give it columns that matter'),
  (100, 33, 22, '1.500; 0.356; no difference that could not be chance: between 0.94 and 2.40, by 100 people of the control'),
  (100, 22, 33,
   '0.667; 0.158; no difference that could not be chance: between 0.42 and 1.07, by 100 people of the control'),
  (29, 20, 4, '5.000; 2.446; not known before 30 people of the control came: now between 1.84 and 13.62, by 29 people of the control'),
  (30, 20, 4, '5.000; 2.457; personal lists are better, and that is no accident: between 1.83 and 13.66, by 30 people of the control'),
  (100, 5, 0, 'not known yet: both kinds of lists have to earn something'),
  (100, 0, 5, '0.000; not known yet: both kinds of lists have to earn something'),
  (30, 30, 30, '1.000; 0.000; not known yet: both kinds of lists have to earn something'),
  (1, 1, 1, '1.000; not known yet: both kinds of lists have to earn something'))
  v (people, personal, control, said);
SELECT ok(abs(quiet.errors_of(n + 1) - t) < 0.01 * t, n || ' degrees of freedom')
FROM (VALUES (3, 3.182), (9, 2.262), (29, 2.045), (1000, 1.962)) v (n, t);

CREATE FUNCTION says(what text, OUT value float8, OUT error float8, OUT meaning text) LANGUAGE sql AS
$$ SELECT value, error, meaning FROM quiet.report() WHERE measure = what $$;
SELECT verdict(100, 40, 20);
DELETE FROM quiet.decision WHERE person > 110;
SELECT is(split_part(split_part(meaning, 'between ', 2), ' and ', 1), round((value / exp(quiet.errors_of(10) * error
  / value))::numeric, 2)::text, 'the fewer people of the two kinds count') FROM says('times the control');
UPDATE quiet.reward SET value = -1;
SELECT alike((says('times the control')).meaning, 'not known yet: both%', 'twice of a loss is no gain');
UPDATE quiet.reward SET value = 1 WHERE decision > quiet.first_decision(now()) + 100;
SELECT alike((says('times the control')).meaning, 'not known yet: both%', 'nor is a gain where there is a loss');
TRUNCATE quiet.decision, quiet.reward;
SELECT is(array_agg(value), '{0,0}', 'of no lists') FROM quiet.report() WHERE measure IN ('people', 'decisions');
-- 400 lists that promise from 0 to 1, and keep so much of it, more or less
CREATE FUNCTION calibration(slope float8, noise float8) RETURNS text LANGUAGE sql AS $$
TRUNCATE quiet.decision, quiet.reward, quiet.due;
INSERT INTO quiet.decision (id, at, seed, person, arm, context, profile, items, probabilities, expected, features)
SELECT quiet.first_decision(now()) + i, now(), 0, i, 'personal', '{}', dlints_pack('{}'), '{1}',
       CASE WHEN i <= 100 THEN '{0.6}' ELSE '{1}' END::float8[], ARRAY[i / 400.0], dlints_pack('{{0}}')
FROM generate_series(1, 400) i;
INSERT INTO quiet.reward SELECT id, 1, 'click', slope * expected[1] + noise * (1 - id % 4 / 2 * 2), now(), 1
FROM   quiet.decision;
SELECT split_part(meaning, ':', 1) FROM says('calibration') $$;
SELECT is(calibration(slope, noise), said, 'calibration ' || slope || ', noise ' || noise)
FROM (VALUES (1::float8, 1::float8, 'what personal lists promise comes true'), (1, 2.8, 'not known yet'),
  (1, 3, 'not known yet'), (0.1, 1, 'the model promises too much, as it does in its first days; later'),
  (2, 1, 'the model promises too little'), (0.7, 1, 'not known yet')) v (slope, noise, said);
SELECT is(meaning, format('not known yet: between %s and %s, and 1 is exact', round((value - 2 * error)::numeric, 2),
  round((value + 2 * error)::numeric, 2)), 'from where to where') FROM says('calibration');
SELECT calibration(0, 0);
SELECT ok(value IS NULL AND meaning = 'not known yet: too little was clicked', 'or nothing') FROM says('calibration');
SELECT ok(abs(value - 0.1) < 1e-9, 'and how much is explored') FROM says('exploration');

INSERT INTO quiet.due SELECT id FROM quiet.decision WHERE id % 2 = 0;
SELECT quiet.reward(1, 1), later('29 minutes');
SELECT is(array_agg(value), '{0,0}', 'what waits, and what is told of what may still come')
FROM quiet.report() WHERE measure IN ('decisions to be learned', 'rewards of unknown decisions');
SELECT later('60 minutes');
SELECT is(array_agg(format('%s %s', value, split_part(meaning, ':', 1))),
  '{200 as run() finds them,1 told an hour ago or more}', 'what is due, and what never came')
FROM quiet.report() WHERE measure IN ('decisions to be learned', 'rewards of unknown decisions');
SELECT later('2 minutes');
SELECT is((says('decisions to be learned')).meaning, 'the oldest is of 91 minutes ago: have cron call run()',
  'what is overdue');
UPDATE quiet.job SET done_at = now() - interval '8 days' WHERE name = 'refit';
SELECT ok(value = 8 AND meaning = 'run() fits them every week', 'since when vectors are as they are')
FROM says('days since the vectors were fitted');
SELECT later('1 minute');
SELECT alike((says('days since the vectors were fitted')).meaning, 'overdue%', 'and that they are old');
INSERT INTO job SELECT 1000 + i, title, field, city_id, salary, skills, details, remote, posted, open, same
FROM job, generate_series(1, 2) i WHERE id = 1;
SELECT is((says('items without a vector')).value, 2::float8, 'and how many items have none');
SAVEPOINT items;
DELETE FROM job;
SELECT is((says('coverage')).value, NULL, 'where there are no items nothing is covered');
ROLLBACK TO items;

-- ---------- what outcomes are worth ----------

SELECT is(outcome($$SELECT quiet.reward(1, 1, 'look', 5001)$$),
  '22003: the value of "look" must be between -5000 and 5000',
    'one that is worth nothing has the bound of the largest');

SELECT * FROM finish();
ROLLBACK;
