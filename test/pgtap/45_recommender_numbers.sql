-- Constants and estimates of a recommender: shares, half-lives, windows, batches, verdicts.
-- This takes over 20 s, since it fits recommenders to seven click logs, of which one grows to 1,100,000 clicks.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(126);

SELECT dlints_create_recommender('board', 'job', '{field,salary}', control => 0.3, epsilon => 0.5, factors => 16,
  clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5}') IS NOT NULL;
SELECT dlints_create_recommender('quiet', 'job', '{field,salary}', control => 0, epsilon => 0, retention => '1 month',
  outcomes => '{"click": 1, "apply": 5, "look": 0}') IS NOT NULL;

SELECT bag_eq($$SELECT attname FROM pg_stats WHERE schemaname = 'board' AND tablename = 'item_vector'
    AND attname IN ('popularity', 'features')$$, $$VALUES ('popularity'::name)$$,
  'ANALYZE computes no statistics of vectors');

-- ---------- shares ----------

CREATE TEMP TABLE page AS SELECT p AS user_id, r.decision FROM generate_series(1, 1000) p, board.recommend(p, 1) r;
CREATE TEMP TABLE control AS SELECT user_id FROM board.decision WHERE treatment = 'control';
ALTER SCHEMA board RENAME TO renamed;
SELECT is(count(*), 0::bigint, 'control users stay control users after ALTER SCHEMA ... RENAME')
  FROM control c, renamed.recommend(c.user_id, 1) r JOIN renamed.decision d ON d.id = r.decision
    WHERE d.treatment <> 'control';
ALTER SCHEMA renamed RENAME TO board;
DELETE FROM board.decision d USING control c WHERE d.user_id = c.user_id
  AND NOT EXISTS (SELECT FROM page p WHERE p.decision = d.id);
SELECT cmp_ok(abs(count(*) FILTER (WHERE treatment = 'control') - 300), '<', 90::bigint,
  'the share of the control group is as set')
  FROM board.decision;
-- six standard deviations of 700 lists are 80
SELECT cmp_ok(abs(count(*) FILTER (WHERE treatment = 'random') - 0.5 * count(*) FILTER (WHERE treatment <> 'control')),
  '<', 80.0,
  'the share of random lists is as set') FROM board.decision;
SELECT count(*) AS pages FROM generate_series(1, 50) p, quiet.recommend(p, 1) \gset
SELECT is(array_agg(DISTINCT treatment), '{personal}', 'all lists are personal without control and random lists')
  FROM quiet.decision;

-- ---------- profiles ----------

SELECT v.features AS one FROM board.item_features v WHERE item = 11 \gset
SELECT v.features AS two FROM board.item_features v WHERE item = 12 \gset
SELECT cardinality(features) AS size FROM board.item_features WHERE item = 11 \gset
-- The profile by hand: the weighted mean of clicks, shrunken by five clicks, times the weights of blocks; last
-- the weights of the popularity and of the neighbour score
CREATE FUNCTION by_hand(features float8[], weights float8[]) RETURNS real[] LANGUAGE sql AS $$
SELECT array_agg(CASE WHEN k = n THEN 0.7 WHEN k = n - 1 THEN 0.2 ELSE sum / (w + 5) * CASE WHEN k <= 16 THEN 0.5
  WHEN k <= 21 THEN 2 ELSE 3 END END ORDER BY k)
FROM  (SELECT k, sum(features[(i - 1) * n + k] * weights[i]) AS sum, sum(weights[i]) AS w, n
       FROM   generate_subscripts(weights, 1) i, (SELECT cardinality(features) / cardinality(weights) AS n) n,
              generate_series(1, n) k GROUP BY k, n) s $$;
CREATE FUNCTION near(a real[], b real[]) RETURNS boolean LANGUAGE sql AS $$
SELECT cardinality(a) = cardinality(b) AND max(abs(x - y)) < 1e-5 FROM unnest(a, b) u (x, y) $$;
UPDATE board.similarity SET weights = '{0.5,2,3,0.2,0.7,0}',
  scale = (SELECT public._dlints_expand_block_weights('{0.5,2,3,0.2}', feature_blocks) FROM board.setting),
  half_life = 14;
INSERT INTO visit VALUES (5000, 11, now() - interval '14 days'), (5000, 12, now());
SELECT ok(near(board.profile(5000), by_hand(:'one'::float8[] || :'two'::float8[], '{0.5,1}')),
  'a click that is one half-life old has half the weight in a profile');
INSERT INTO visit VALUES (5001, 11, now() + interval '1 day'), (5001, 12, now());
SELECT ok(near(board.profile(5001), by_hand(:'one'::float8[] || :'two'::float8[], '{1,1}')),
  'a click of the future has the weight of a present one');
SELECT ok(near(board.profile(NULL, '{12}', '{"like": {"field": "field 1"}}'), by_hand(:'two'::float8[]
    || array_fill(0::float8, ARRAY[16]) || board.encode_document('{"field": "field 1"}')::float8[] || '{0,0}'::float8[],
      '{1,5}')),
  'a request''s "like" has the weight of five clicks');
INSERT INTO visit SELECT 5002, 12, now() - interval '1 minute' FROM generate_series(1, 500);
INSERT INTO visit SELECT 5002, 11, now() - interval '2 minutes' FROM generate_series(1, 50);
UPDATE board.similarity SET half_life = NULL;
SELECT ok(near(board.profile(5002), by_hand(:'two'::float8[], '{500}')), 'a profile contains the latest 500 clicks');
SELECT ok(near(board.profile(NULL), by_hand(array_fill(0::float8, ARRAY[:size]), '{1}')),
  'the profile without clicks is 0, except for popularity and neighbour score');
DELETE FROM visit WHERE who >= 5000;

-- ---------- the warm start ----------

SELECT count(*) AS clicks FROM visit \gset
SELECT is(board.warm_start(), :clicks::bigint, 'warm_start() returns the number of clicks');
-- A click is an example with the user's profile, and one without at the weight 0.35.  Each has four examples of
-- items, with the weight 5 on average, less those that the user clicked in other parts of the log.
SELECT ok(count(*) = 4 AND bool_and(updates > 9 * :clicks AND updates < 10 * :clicks),
  'warm_start() tries four half-lives, with nearly ten examples for each click')
  FROM board.half_life_candidate t, dlints_info(t.state) WHERE t.half_life > 0;
SELECT ok(max(abs(mean_reward * effective_sample_size / (1.35 * :clicks) - 1)) < 1e-9,
  'examples of clicked items have the reward 1')
FROM board.half_life_candidate t, dlints_info(t.state) WHERE t.half_life > 0;
SELECT ok(max(abs((1 - mean_reward) * effective_sample_size / (20 * 1.35 * :clicks) - 1)) < 0.1,
  'examples of other items have the reward 0')
FROM board.half_life_candidate t, dlints_info(t.state) WHERE t.half_life > 0;
SELECT ok(abs(public._dlints_exposure_weight(32, 0.6) - 0.25) < 1e-9,
  'the weight of an example is its item''s number of clicks to the power of -0.4');
SELECT is(count(*), updates, 'examples of the warm start are stored')
  FROM board.warm_start_example, board.half_life_candidate h, dlints_info(h.state)
  WHERE h.half_life = 14 GROUP BY updates;
SELECT is(count(*) FILTER (WHERE profile IS NULL), count(*) FILTER (WHERE profile IS NOT NULL),
  'half of the examples have no profile')
FROM board.warm_start_example;
SELECT ok(bool_and(features[cardinality(features)] BETWEEN 0 AND 1), 'examples contain the popularity')
  FROM board.warm_start_example;
SELECT is(array_agg(prior_weight ORDER BY name), '{1,30}'::float8[],
  'the prior from a click log has the weight 30, and 1 for outcomes after the first')
FROM board.model, dlints_info(state) WHERE learns;
-- One of eight parts, with as many examples as it has clicks that were not on lists
SELECT count(board.reward(decision, item)) FROM board.recommend(7000, 30);
INSERT INTO visit SELECT 7000, item, now() FROM board.impression_user WHERE user_id = 7000;
SELECT inside('board', 'SELECT public._dlints_write_latest_clicks(), public._dlints_write_recent_clicks()');
DELETE FROM board.warm_start_example;
SELECT inside('board', format('SELECT public._dlints_hold_out(%s, NULL), public._dlints_add_examples(%1$s, %s, 100,
  public._dlints_common_features())',
  part, count(*) FILTER (WHERE user_id < 7000)))
FROM board.recent_click WHERE part > 0 GROUP BY part ORDER BY count(*) FILTER (WHERE user_id = 7000) DESC LIMIT 1;
SELECT ok(count(*) > 0 AND NOT bool_or(user_id = 7000),
  'clicks on lists are no examples if there are enough others') FROM board.warm_start_example WHERE user_id IS NOT NULL;
DROP TABLE board.newest_click, board.recent_click, board.held_out_item;
DELETE FROM visit WHERE who = 7000;

-- without a click log
SELECT dlints_create_recommender('alone', 'job', '{field}', user_type => 'bigint', attribution_window => '0',
  control => 0);
SELECT count(alone.reward(decision, item)) FROM generate_series(1, 60) p, alone.recommend(p, 5);
SELECT ok(alone.warm_start() = 300, 'clicks on the recommender''s own lists are examples for the warm start');
SELECT is(prior_weight, 0.3::float8, 'the prior from the recommender''s own lists has the weight 0.3')
  FROM alone.model, dlints_info(state) WHERE name = 'personal';
DROP SCHEMA alone CASCADE;

-- the last weight is that of the neighbour score
SELECT ok(max(w) = 1 AND click_value > 0.02 AND click_value * weights[2] > 0.02,
  'the most predictive of blocks and popularity has the weight 1, and similarity predicts clicks')
  FROM board.similarity, unnest(trim_array(weights, 1)) w GROUP BY click_value, weights;
-- factors are tested with other clicks than those they were fitted to
CREATE TABLE blind AS SELECT hashint8extended(i, 1) & 63 AS who, 1 + (hashint8extended(i, 2) & 127) AS job,
  now() - i * interval '10 minutes' AS at FROM generate_series(1, 3000) i;
SELECT dlints_create_recommender('blind_r', 'job', '{field}', factors => 16,
  clicks => 'SELECT who, job::integer, at FROM blind') IS NOT NULL;
SELECT ok(click_value * weights[1] < 0.02 AND click_value < 0.15, 'random clicks give factors no weight')
  FROM blind_r.similarity;
-- 60 users who like one field each, either always or a new one every eight days
CREATE FUNCTION wanting(days integer) RETURNS TABLE (who integer, job bigint, at timestamptz) LANGUAGE sql AS $$
SELECT n % 60, j.id, now() - n * interval '30 minutes'
FROM   generate_series(1, 3000) n, LATERAL (SELECT n % 60 + n / (48 * days) AS turn) t,
       LATERAL (SELECT id FROM job WHERE field = 'field ' || turn % 5 ORDER BY hashint8extended(id, n) LIMIT 1) j $$;
CREATE TABLE steady AS SELECT * FROM wanting(1000);
CREATE TABLE turning AS SELECT * FROM wanting(8);
SELECT dlints_create_recommender('steady_r', 'job', '{field}', factors => 16,
  clicks => 'SELECT * FROM steady') IS NOT NULL;
SELECT dlints_create_recommender('turning_r', 'job', '{field}', factors => 16,
  clicks => 'SELECT * FROM turning') IS NOT NULL;
SELECT is(half_life, NULL, 'no half-life is used if tastes do not change') FROM steady_r.similarity;
SELECT is(half_life, 14::float8, 'the half-life is short if tastes change quickly') FROM turning_r.similarity;
-- half of the examples have profiles of a few clicks of the user, the others of all clicks
CREATE FUNCTION largest_of(features real[]) RETURNS float8 LANGUAGE sql AS $$ SELECT max(v)
  FROM unnest(features[17:21]) v $$;
SELECT ok(min(k) BETWEEN 0.1666 AND 0.1667 AND max(k) > 0.85 AND avg((k > 0.82)::integer) BETWEEN 0.55 AND 0.74
  AND avg((k < 0.3)::integer) BETWEEN 0.07 AND 0.22,
  format('examples have profiles of few and of many clicks: %s to %s, %s many, %s few', min(k), max(k),
    avg((k > 0.82)::integer), avg((k < 0.3)::integer)))
  FROM steady_r.warm_start_example, largest_of(profile) k WHERE profile IS NOT NULL;
SELECT ok(click_value > 0.15, 'similarity predicts clicks if tastes are clear: ' || click_value)
  FROM steady_r.similarity;
-- predictions for items of the user's field, and for others
SELECT ok(avg(e) FILTER (WHERE likes) - avg(e) FILTER (WHERE NOT likes) BETWEEN 0.6 * l.click_value
  AND 1.1 * l.click_value, format('predictions differ by the click value: %s and %s, %s', avg(e) FILTER (WHERE likes),
    avg(e) FILTER (WHERE NOT likes), l.click_value))
  FROM steady_r.similarity l, steady_r.model m, steady_r.item_features v JOIN job ON job.id = v.item,
       generate_series(0, 4) p, steady_r.profile(p) u, LATERAL (SELECT field = 'field ' || p AS likes) f,
       LATERAL (SELECT dlints_predict(m.state, v.features, u) AS e) e
  WHERE m.name = 'personal' GROUP BY l.click_value;
-- a user without a profile
SELECT dlints_alter_recommender(s, '{"control": 0, "epsilon": 0}') FROM unnest('{turning_r,quiet}'::text[]) s;
SELECT ok(bool_and(c.probability = 1) AND avg(v.popularity) > 0.97 * (SELECT avg(p) FROM (
    SELECT popularity AS p FROM turning_r.item_vector ORDER BY 1 DESC LIMIT 10) t),
      'a user without a profile gets popular items')
  FROM turning_r.recommend(NULL, 10) c JOIN turning_r.item_vector v USING (item);
SELECT ok(bool_and(c.probability < 1), 'a user without a profile gets drawn items if there is no click log')
  FROM quiet.recommend(NULL, 10) c;
-- clicks without a user
CREATE TABLE anonymous AS SELECT NULL::integer AS who, id AS job, now() - n * interval '1 minute' AS at
  FROM job, generate_series(0, id / 10) n;
SELECT dlints_create_recommender('anonymous_r', 'job', '{field}', clicks => 'SELECT * FROM anonymous', factors => 4,
  control => 0, epsilon => 0) IS NOT NULL;
SELECT ok(count(*) = 10 AND min(item) > 170, 'clicks without a user count for the popularity')
  FROM anonymous_r.recommend(NULL, 10) c;
SELECT ok(count(*) > 0 AND count(profile) = 0, 'clicks without a user give no profiles')
  FROM anonymous_r.warm_start_example;
-- an example must not contain its own click
CREATE TABLE twice AS SELECT n % 100 AS who, 1 + n % 100 AS job, now() - n * interval '1 hour' AS at
  FROM generate_series(1, 200) n;
SELECT dlints_create_recommender('twice_r', 'job', '{field}', clicks => 'SELECT * FROM twice', factors => 4)
  IS NOT NULL;
SELECT ok(count(*) > 0 AND count(profile) = 0,
  'an example''s profile does not contain the click on the example''s item') FROM twice_r.warm_start_example;
-- the popularity of examples is that of the time of the click
UPDATE blind_r.similarity SET popularity_half_life = 2;
SELECT inside('blind_r', 'SELECT public._dlints_refresh_popularity()');
DELETE FROM blind_r.warm_start_example;
SELECT inside('blind_r', 'SELECT public._dlints_write_latest_clicks(), public._dlints_write_recent_clicks()');
SELECT count(inside('blind_r', format('SELECT public._dlints_hold_out(%s, now()),
    public._dlints_add_examples(%1$s, 1000, 1000, public._dlints_common_features())', part))) AS parts
FROM generate_series(0, 7) part \gset
DROP TABLE blind_r.held_out_item, blind_r.newest_click, blind_r.recent_click;
SELECT ok(avg(f.was) BETWEEN 0.93 * e.now AND 1.05 * e.now,
  format('examples have the popularity of the time of the click: %s, now %s', avg(f.was), e.now))
  FROM blind_r.warm_start_example b, LATERAL (SELECT b.features[cardinality(b.features)] AS was) f,
       (SELECT avg(popularity) AS now FROM blind JOIN blind_r.item_vector ON item = job) e GROUP BY e.now;
SELECT ok(popularity_half_life IS NULL OR popularity_half_life >= 7,
  'the popularity has a long half-life if it does not change')
  FROM steady_r.similarity;
-- items that live for a day
CREATE TABLE press AS SELECT i % 50 AS who, 1 + (i / 100 + (hashint8extended(i, 3) & 3)) AS job,
  now() - (3000 - i) * interval '10 minutes' AS at FROM generate_series(1, 3000) i;
SELECT dlints_create_recommender('press_r', 'job', '{field}', factors => 4,
  clicks => 'SELECT who, job::integer, at FROM press') IS NOT NULL;
SELECT ok(popularity_half_life <= 1 AND weights[3] = 1, 'the popularity has a short half-life if items live for a day')
    FROM press_r.similarity;
-- 300 users who click some of the items of each day, either the odd or the even ones
CREATE TABLE daily AS SELECT who, 1 + 8 * day + 2 * k + who % 2 AS job,
  now() - (20 - day) * interval '1 day' + (hashint8extended(who * 100 + day, k) & 1023) * interval '1 minute' AS at
  FROM generate_series(1, 300) who, generate_series(0, 19) day, generate_series(0, 3) k
  WHERE (hashint8extended(who * 100 + day, 10 + k) & 3) < 2;
SELECT dlints_create_recommender('daily_r', 'job', '{field}', factors => 4,
  clicks => 'SELECT who, job, at FROM daily') IS NOT NULL;
SELECT ok(l.weights[4] = 0.02 AND (dlints_mean(h.state))[4] > 5 * l.click_value * l.weights[4],
  'the neighbour score has the minimum weight if the latest clicks have better ranks without it')
  FROM daily_r.similarity l, daily_r.half_life_candidate h WHERE h.half_life = coalesce(l.half_life, 'infinity');
SELECT ok(bool_and(abs(w.weight - greatest(c.coefficient / l.click_value, 0.02)) < 1e-9),
  'weights are coefficients less two errors, and that of factors counts 0.4')
FROM daily_r.similarity l JOIN daily_r.half_life_candidate h ON h.half_life = coalesce(l.half_life, 'infinity'),
     (SELECT cardinality(s.feature_blocks) + 1 AS popularity, s.factors FROM daily_r.setting s) s,
     unnest(trim_array(l.weights, 2)) WITH ORDINALITY w (weight, k),
     LATERAL (SELECT CASE WHEN k = 1 AND s.factors > 0 THEN 0.4 ELSE 1 END
                     * ((dlints_mean(h.state))[k] - CASE WHEN k = s.popularity THEN 0
                        ELSE 2 * sqrt((dlints_covariance(h.state))[k][k]) END) AS coefficient) c;
UPDATE daily_r.similarity SET latest_from = '2000-01-01', newest_from = '2000-01-01';  -- a fit writes tables
SELECT inside('daily_r', 'SELECT public._dlints_fit_prior()');
SELECT is(coalesce(to_regclass('daily_r.held_out_item'), to_regclass('daily_r.recent_click'),
                   to_regclass('daily_r.newest_click'), to_regclass('daily_r.latest_click')), NULL,
  'the warm start drops its tables');
SAVEPOINT no_pause;     -- held-out clicks follow a pause of many half-lives of popularity
UPDATE daily SET at = at - interval '20 days' WHERE at < now() - interval '1 day';
UPDATE daily_r.similarity SET popularity_half_life = 0.125;
SELECT inside('daily_r', 'SELECT public._dlints_hold_out(0, now() - interval ''2 days'')');
-- one user of hundreds clicks an item that is no neighbour of the clicked one, while all others are
DELETE FROM daily_r.held_out_item;
INSERT INTO daily_r.held_out_item (item, neighbours, weights)
SELECT 190, array_agg(id), array_agg(1::real) FROM job WHERE id < 190;
INSERT INTO daily VALUES (1000, 190, now() - interval '3 days'), (1000, 191, now());
UPDATE daily_r.similarity SET weights[4] = 1;
SELECT inside('daily_r', 'SELECT public._dlints_write_latest_clicks(), public._dlints_write_recent_clicks()');
SELECT inside('daily_r', 'SELECT public._dlints_limit_neighbour_weight(now() - interval ''2 days'')');
SELECT is(weights[4], 1::float8, 'the neighbour score keeps its weight if better ranks without it may be chance')
  FROM daily_r.similarity;
-- a log without times: users click odd or even items, whose neighbours are the others
UPDATE daily_r.recent_click SET at = now(), first_at = now() - interval '1 day';
DELETE FROM daily_r.held_out_item;
INSERT INTO daily_r.held_out_item (item, neighbours, weights)
SELECT i.id, array_agg(o.id), array_agg(0.01::real) FROM job i JOIN job o ON o.id % 2 <> i.id % 2
GROUP BY i.id;
UPDATE daily_r.similarity SET weights[4] = 0.1;
SELECT inside('daily_r', 'SELECT public._dlints_limit_neighbour_weight(now() - interval ''1 hour'')');
SELECT is(weights[4], 0.1::float8, 'repeated clicks do not change the weight of the neighbour score')
  FROM daily_r.similarity;
UPDATE daily_r.recent_click SET first_at = now();
SELECT inside('daily_r', 'SELECT public._dlints_limit_neighbour_weight(now())');
SELECT ok(weights[4] < 0.1, 'the neighbour score has a smaller weight if held-out clicks then have better ranks')
  FROM daily_r.similarity;
SELECT count(*) AS items FROM daily_r.recommend(1) \gset
SET LOCAL DateStyle = 'SQL, DMY';
SET LOCAL TimeZone = 'Asia/Shanghai';
SELECT is(substring(inside('daily_r', 'SELECT public._dlints_log_query(0, now())')
                    FROM '<= ''([^'']+)''::timestamptz$')::timestamptz, now(),
  'queries of the log have times that do not depend on abbreviations of time zones');
SELECT is(max(value), 1::float8, 'report() counts users since a time in any DateStyle')
  FROM daily_r.report(now() - interval '1 hour') WHERE measure = 'users';
ROLLBACK TO no_pause;
-- fits read a million clicks
INSERT INTO press SELECT 1, 1, now() - interval '1 year' - i * interval '1 second' FROM generate_series(1, 1100000) i;
SELECT inside('press_r', 'SELECT public._dlints_find_latest_clicks()');
SELECT ok(count(*) BETWEEN 1000000 AND 1100000, 'fits read the latest million clicks')
  FROM press_r.similarity JOIN press ON at >= latest_from;
SELECT ok(count(*) BETWEEN 100000 AND 125000, 'examples and reports read the newest 100,000 clicks on known items')
  FROM press_r.similarity JOIN press ON at >= newest_from;
UPDATE press_r.similarity SET newest_from = now() - interval '1 day';
INSERT INTO press VALUES (1, 1, '-infinity');
SELECT is(inside('press_r', 'SELECT ROW(n, no_time, age IS NULL)::text FROM public._dlints_click_health()'),
  '(146,1,f)', 'the report reads the newest clicks, and those at -infinity');
SAVEPOINT item_is_known;
DELETE FROM press_r.item_vector WHERE item = 1;
SELECT inside('press_r', 'SELECT public._dlints_find_latest_clicks()');
SELECT is(newest_from, latest_from, 'examples read no more than the latest million clicks if few are on known items')
  FROM press_r.similarity;
ROLLBACK TO item_is_known;
DELETE FROM press WHERE at < now() - interval '1 year';
SELECT inside('press_r', 'SELECT public._dlints_find_latest_clicks()');
SELECT is(ARRAY[latest_from, newest_from], '{NULL,NULL}', 'fits read all clicks of a log that has become short')
  FROM press_r.similarity;
SELECT is(inside('press_r', 'SELECT public._dlints_has_click_index()'), 'false', 'no index finds the clicks of a user');
CREATE INDEX ON press (who, at);
SELECT is(inside('press_r', 'SELECT public._dlints_has_click_index()'), 'true', 'an index finds the clicks of a user');

-- ---------- popularity ----------

UPDATE board.similarity SET popularity_half_life = 14;
INSERT INTO visit SELECT 6000 + i, 21, now() - interval '13 days' FROM generate_series(1, 30) i;
INSERT INTO visit SELECT 6000 + i, 22, now() - interval '15 days' FROM generate_series(1, 90) i;
INSERT INTO visit SELECT 6000 + i, 23, now() + interval '1 day' FROM generate_series(1, 90) i;
INSERT INTO visit VALUES (6000, 24, now());
SELECT board.refresh();
CREATE TEMP TABLE counted AS SELECT job AS item, ln(1 + sum(0.5 ^ (extract(epoch FROM now() - at) / 86400 / 14))) AS n
  FROM visit WHERE at <= now() GROUP BY 1;
SELECT ok(max(abs(v.popularity - round(coalesce(c.n, 0) / (SELECT max(n) FROM counted), 3))) < 0.0011,
  'popularity counts clicks with a half-life of 14 days') FROM board.item_vector v LEFT JOIN counted c USING (item);

SELECT count(*) AS pages FROM generate_series(1, 60) p, quiet.recommend(p, 4) \gset
SELECT quiet.reward(decision, item) FROM quiet.impression WHERE position = 1;
SELECT quiet.refresh();
CREATE TEMP TABLE seen AS SELECT user_id, item, bool_or(clicked) AS clicked FROM quiet.outcome GROUP BY 1, 2;
CREATE TEMP TABLE rate AS SELECT item, (sum(clicked::int) + 10 * avg) / (count(*) + 10) AS rate
  FROM seen, (SELECT avg(clicked::int)::float8 AS avg FROM seen) a GROUP BY item, avg;
SELECT ok(max(abs(v.popularity - ln(1 + r.rate) / ln(1 + (SELECT max(rate) FROM rate)))) < 0.001,
  'popularity without a click log is the smoothed click rate') FROM quiet.item_vector v
    JOIN rate r USING (item);
SELECT later('20 days'), quiet.refresh();
SELECT is(max(popularity), 0::real, 'popularity without a click log covers two weeks') FROM quiet.item_vector;

-- ---------- intervals ----------

SELECT quiet.refresh(), quiet.refit();
SELECT later('55 minutes');
CREATE FUNCTION done_by_run(part text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	CALL quiet.run();
	RETURN (SELECT done_at = now() FROM quiet.job WHERE name = part);
END $$;
UPDATE quiet.job SET done_at = now() - interval '55 minutes' WHERE name = 'refresh';
UPDATE quiet.job SET done_at = now() - interval '6 days 23 hours' WHERE name = 'refit';
SELECT is(done_by_run('refresh'), false, 'run() does not refresh within the hour');
SELECT later('10 minutes');
SELECT is(done_by_run('refresh'), true, 'run() refreshes after an hour');
SELECT is(done_by_run('refit'), false, 'run() does not fit within the week');
SELECT later('3 hours');
SELECT is(done_by_run('refit'), true, 'run() fits after a week');
UPDATE quiet.job SET done_at = now() + interval '5 years' WHERE name = 'refit';
CALL quiet.run();
SELECT is(array_agg(done_at ORDER BY name), ARRAY[now(), now()],
  'the table job has the time of the last run(), and none in the future after the clock was set back')
  FROM quiet.job WHERE name IN ('refit', 'run');

CREATE TABLE part_done (n serial, name text);
CREATE FUNCTION note_part() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN INSERT INTO sim.part_done (name) VALUES (NEW.name); RETURN NULL; END $$;
UPDATE quiet.job SET problem = 'a part that succeeds removes this';
CREATE TRIGGER note_part AFTER UPDATE OF problem ON quiet.job FOR EACH ROW EXECUTE FUNCTION note_part();
SELECT later('2 hours');
CALL quiet.run();
DROP TRIGGER note_part ON quiet.job;
SELECT is(array_agg(name ORDER BY n), '{learn,refresh,costs,items,rebuild,months}',
  'run() trains models first, so that no timeout of another part delays it') FROM part_done;

-- ---------- batches ----------

CREATE FUNCTION log_of(n integer, first bigint, made timestamptz) RETURNS void LANGUAGE sql AS $$
INSERT INTO quiet.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities,
  expected, versions, features)
SELECT first + i, made, 0, i, 'personal', '{}', dlints_pack('{}'), ARRAY[v.item], '{1}', '{0.1}', ARRAY[v.version],
  dlints_pack(f.features[s.liked + 1:])
FROM quiet.setting s, generate_series(1, n) i JOIN quiet.item_vector v ON v.item = 1 + i % 200
     JOIN quiet.item_features f USING (item);
INSERT INTO quiet.pending SELECT first + i FROM generate_series(1, n) i $$;
SELECT updates AS before FROM quiet.models WHERE name = 'personal' \gset
SELECT log_of(2500, first_decision(now() - interval '2 hours'), now() - interval '2 hours');
SELECT is(quiet.learn(), 2500::bigint, 'one call of learn() trains on all due decisions');
SELECT is(updates, :before::bigint + 2500, 'learn() trains on 2,500 due decisions') FROM quiet.models
  WHERE name = 'personal';
SELECT quiet.reward(decision, item) FROM quiet.impression WHERE decision > first_decision(now() - interval '2 hours');
SELECT is(quiet.learn(), 2500::bigint, 'one call of learn() applies all late rewards');
SELECT is(count(*), 0::bigint, 'learn() leaves no reward to apply') FROM quiet.reward
  WHERE applied IS DISTINCT FROM value;
SELECT log_of(3, first_decision(now() - interval '29 minutes'), now() - interval '29 minutes');
SELECT is(quiet.learn(), 0::bigint, 'learn() waits for the attribution window');
SELECT later('2 minutes');
SELECT is(quiet.learn(), 3::bigint, 'learn() trains on decisions after the attribution window');

-- a clock that was set back, and one that is wrong now
SELECT later('50 years');
SELECT log_of(4, first_decision(now()), now());
SELECT is(quiet.learn('0'), 4::bigint, 'learn() trains on decisions made while the clock is wrong');
SELECT first_decision(now()) AS wrong \gset
SELECT later('-50 years');
SELECT lives_ok(format('SELECT quiet.reward(%s, 2)', :wrong + 1), 'reward() accepts a decision of a time to come');
SELECT throws_ok(format('SELECT quiet.reward(%s, 2)', :wrong + 5), '22023', 'there is no decision ' || :wrong + 5);
SAVEPOINT revised;
SET LOCAL plan_cache_mode = force_custom_plan;
CREATE OR REPLACE FUNCTION public._dlints_revise_models() RETURNS boolean LANGUAGE sql RETURN true;
SELECT quiet.run_part('rebuild');
SELECT is(m.newest, now(), 'run() does so, too, if it trains the models again for another reason')
  FROM quiet.models m WHERE m.name = 'personal';
ROLLBACK TO revised;
SELECT quiet.run_part('rebuild');
SELECT is(m.newest, now(), 'run() gives decisions of a time to come the current time')
  FROM quiet.models m WHERE m.name = 'personal';
SELECT cmp_ok(m.effective_sample_size, '>', 0.9::float8 * m.updates, 'other decisions count again')
  FROM quiet.models m WHERE m.name = 'personal';
SELECT later('51 years');
SELECT log_of(4, first_decision(now()), now());
SELECT later('-51 years');
SELECT quiet.run_part('rebuild');
SELECT is(count(*), 0::bigint, 'decisions of a time to come do not wait for that time') FROM quiet.pending
  WHERE decision > first_decision(now() + interval '1 hour');
SELECT later('-50 days');
SELECT quiet.run_part('rebuild');
SELECT is(m.newest, now() + interval '50 days', 'run() gives no decision another time if the clock is wrong now')
  FROM quiet.models m WHERE m.name = 'personal';
SELECT later('50 days');
DELETE FROM quiet.reward WHERE decision > :wrong;
DELETE FROM quiet.decision WHERE id > :wrong;

-- decisions outside all months
SELECT quiet.run_part('months');
SELECT log_of(5, first_decision('2020-02-01'), '2020-02-01');
INSERT INTO quiet.reward SELECT id, items[1], 'click', 1 FROM quiet.decision_rest;
SELECT is(count(*), 5::bigint, 'decisions without a month are in the partition "decision_rest"')
  FROM quiet.decision_rest;
CALL quiet.run();
SELECT is((SELECT count(*) FROM quiet.decision_rest) + (SELECT count(*) FROM quiet.reward_rest)
  + (SELECT count(*) FROM quiet.pending), 0::bigint,
    'run() deletes expired decisions of "decision_rest" and their rows in pending');

-- ---------- verdicts ----------

-- lists of users with one list each, some with a reward
CREATE FUNCTION verdict(users integer, personal integer, control integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	TRUNCATE quiet.decision, quiet.reward, quiet.pending;
	INSERT INTO quiet.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities,
		expected, versions, features)
	SELECT first_decision(now()) + i, now(), 0, i, CASE WHEN i <= users THEN 'control' ELSE 'personal' END, '{}',
	       dlints_pack('{}'), '{1}', '{1}', '{0.1}', '{0}', dlints_pack('{{0}}')
	FROM generate_series(1, 2 * users) i;
	INSERT INTO quiet.reward SELECT first_decision(now()) + i, 1, 'click', 1, now(), 1
	                         FROM   generate_series(1, control) i;
	INSERT INTO quiet.reward SELECT first_decision(now()) + users + i, 1, 'click', 1, now(), 1
		FROM generate_series(1, personal) i;
	SELECT concat_ws('; ', round(value::numeric, 3), round(error::numeric, 3), meaning) INTO said
	FROM quiet.report() WHERE measure = 'ratio to control';
	RETURN said;
END $$;
-- the logarithm of a ratio of shares p, q of n users has the variance (1-p)/pn + (1-q)/qn (n - 1 for n)
SELECT is(verdict(users, personal, control), said, format('report() compares %s of %s users with %s', personal,
  users, control))
FROM (VALUES
  (100, 40, 20, '2.000; 0.471; personal lists are better, statistically significant (95 %): '
   'between 1.25 and 3.19, by 100 users of the control group'),
  (100, 20, 40, '0.500; 0.118; personal lists are worse, statistically significant (95 %): '
   'between 0.31 and 0.80, by 100 users of the control group; pass columns that influence what users click'),
  (100, 33, 22,
   '1.500; 0.356; no statistically significant difference: between 0.94 and 2.40, by 100 users of the control group'),
  (100, 22, 33,
   '0.667; 0.158; no statistically significant difference: between 0.42 and 1.07, by 100 users of the control group'),
  (29, 20, 4, '5.000; 2.446; unknown until 30 users of the control group have come; now '
   'between 1.84 and 13.62, by 29 users of the control group'),
  (30, 20, 4, '5.000; 2.457; personal lists are better, statistically significant (95 %): '
   'between 1.83 and 13.66, by 30 users of the control group'),
  (100, 5, 0, 'unknown: personal and control lists need rewards that differ, with a mean above 0'),
  (100, 0, 5, '0.000; unknown: personal and control lists need rewards that differ, with a mean above 0'),
  (30, 30, 30, '1.000; 0.000; unknown: personal and control lists need rewards that differ, with a mean above 0'),
  (1, 1, 1, '1.000; unknown: personal and control lists need rewards that differ, with a mean above 0'))
  v (users, personal, control, said);
SELECT ok(abs(public._dlints_t_quantile(n + 1) - t) < 0.01 * t,
  format('_dlints_t_quantile() is accurate for %s degrees of freedom', n))
FROM (VALUES (3, 3.182), (9, 2.262), (29, 2.045), (1000, 1.962)) v (n, t);

CREATE FUNCTION says(what text, OUT value float8, OUT error float8, OUT meaning text) LANGUAGE sql AS
$$ SELECT value, error, meaning FROM quiet.report() WHERE measure = what $$;
SELECT verdict(100, 40, 20);
DELETE FROM quiet.decision WHERE user_id > 110;
SELECT is(split_part(split_part(meaning, 'between ', 2), ' and ', 1),
  round((value / exp(public._dlints_t_quantile(10) * error
  / value))::numeric, 2)::text, 'the confidence interval is wider with fewer users in one of the groups')
    FROM says('ratio to control');
UPDATE quiet.reward SET value = -1;
SELECT alike((says('ratio to control')).meaning, 'unknown: personal and control lists need%',
  'the ratio of two losses is not reported as a gain');
UPDATE quiet.reward SET value = 1 WHERE decision > first_decision(now()) + 100;
SELECT alike((says('ratio to control')).meaning, 'unknown: personal and control lists need%',
  'the ratio of a gain and a loss is not reported');
TRUNCATE quiet.decision, quiet.reward;
SELECT is(array_agg(value), '{0,0}', 'report() counts 0 users and lists of an empty log') FROM quiet.report()
  WHERE measure IN ('users', 'decisions');
-- 400 lists with expected rewards from 0 to 1, and rewards of a given slope and noise
CREATE FUNCTION calibration(slope float8, noise float8) RETURNS text LANGUAGE sql AS $$
TRUNCATE quiet.decision, quiet.reward, quiet.pending;
INSERT INTO quiet.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities,
  expected, versions, features)
SELECT first_decision(now()) + i, now(), 0, i, 'personal', '{}', dlints_pack('{}'), '{1}',
       CASE WHEN i <= 100 THEN '{0.6}' ELSE '{1}' END::float8[], ARRAY[i / 400.0], '{0}', dlints_pack('{{0}}')
FROM generate_series(1, 400) i;
INSERT INTO quiet.reward SELECT id, 1, 'click', slope * expected[1] + noise * (1 - id % 4 / 2 * 2), now(), 1
FROM   quiet.decision;
SELECT split_part(meaning, ':', 1) FROM says('calibration') $$;
SELECT is(calibration(slope, noise), said,
  'report() judges the calibration of a slope of ' || slope || ' and noise of ' || noise)
FROM (VALUES (1::float8, 1::float8, 'rewards are as expected'), (1, 2.8, 'unknown'),
  (1, 3, 'unknown'), (0.1, 1,
  'rewards differ less between items than expected, as is usual in the first days; later, pass fewer columns'),
  (2, 1, 'rewards differ more between items than expected'), (0.7, 1, 'unknown')) v (slope, noise, said);
SELECT is(meaning, format('unknown: between %s and %s; 1 is exact', round((value - 2 * error)::numeric, 2),
  round((value + 2 * error)::numeric, 2)), 'report() has the interval of the calibration') FROM says('calibration');
SELECT calibration(0, 0);
SELECT ok(value IS NULL AND meaning ~ '^unknown', 'the calibration is unknown without clicks') FROM says('calibration');
SELECT ok(abs(value - 0.1) < 1e-7, 'report() has the exploration') FROM says('exploration');

INSERT INTO quiet.pending SELECT id FROM quiet.decision WHERE id % 2 = 0;
SELECT quiet.reward(1, 1), later('29 minutes');
SELECT is(array_agg(value), '{0,0}', 'report() counts no pending decision within the attribution window')
FROM quiet.report() WHERE measure IN ('pending decisions', 'rewards of unknown decisions');
SELECT later('60 minutes');
SELECT is(array_agg(format('%s %s', value, split_part(meaning, ':', 1))),
  ARRAY['200 past their attribution window; the next run() trains the models on them',
    '1 reported more than an hour ago; if there are many, check the application'],
  'report() counts pending decisions and rewards of unknown decisions')
FROM quiet.report() WHERE measure IN ('pending decisions', 'rewards of unknown decisions');
SELECT later('2 minutes');
SELECT is((says('pending decisions')).meaning, 'the oldest one was made 91 minutes ago: have cron call run()',
  'report() names the age of the oldest overdue decision');
UPDATE quiet.job SET done_at = now() - interval '8 days' WHERE name = 'refit';
SELECT ok(value = 8 AND meaning = 'run() fits them every week', 'report() has the days since the last fit')
FROM says('days since the vectors were fitted');
SELECT later('1 minute');
SELECT alike((says('days since the vectors were fitted')).meaning, 'overdue%', 'report() says that the fit is overdue');
INSERT INTO job SELECT 1000 + i, title, field, city_id, salary, skills, details, remote, posted, open, same
FROM job, generate_series(1, 2) i WHERE id = 1;
SELECT is((says('items without a vector')).value, 2::float8, 'report() counts items without a vector');
SAVEPOINT items;
DELETE FROM job;
SELECT is((says('coverage')).value, NULL, 'the coverage is NULL without items');
ROLLBACK TO items;

-- ---------- values of outcomes ----------

SELECT is(outcome($$SELECT quiet.reward(1, 1, 'look', 5001)$$),
  '22003: value of outcome "look" must be between -5000 and 5000 (The value is 5001.)',
    'an outcome of value 0 has the limit of the largest value');

-- ---------- repeated clicks: .21 of the clicks for .21 at random, and .37 for .18 ----------

CREATE TABLE song AS SELECT i AS id, i % 3 AS kind FROM generate_series(1, 40) i;
CREATE VIEW play AS SELECT w AS who, CASE WHEN n % 5 < often THEN 1 ELSE n END AS song,
  now() - (21 - n) * interval '2 hours' AS at, often
FROM generate_series(1, 20) w, generate_series(1, 20) n, generate_series(1, 2) often;
SELECT dlints_create_recommender('song_' || often, 'song', '{kind}', item_key => 'id', factors => 0,
  clicks => format('SELECT who, song, at FROM play WHERE often = %s', often)) IS NOT NULL
FROM   generate_series(1, 2) often;
SELECT ok(a.repeat_after > '1 year' AND b.repeat_after IS NULL,
  'lists contain clicked items again if users repeat clicks') FROM song_1.setting a, song_2.setting b;

CREATE SEQUENCE clicks_read;
CREATE OR REPLACE VIEW play AS SELECT i % 2 AS who, i AS song, now() - i * interval '1 minute' AS at, 1 AS often
FROM   generate_series(1, 1000) i WHERE nextval('clicks_read') > 0;
SELECT dlints_alter_recommender('song_1', '{"repeats": null}');
SAVEPOINT lists;
SELECT count(*) FROM generate_series(1, 100) i, song_1.recommend(i % 2);
SELECT setval('clicks_read', 1);
SELECT is(value, 0::float8, 'lists leave out clicked items if "repeats" is NULL and users do not repeat clicks')
FROM   song_1.report() WHERE measure = 'impressions of clicked items';
SELECT cmp_ok(last_value, '<', 20000::bigint, 'report() does not read the click log for each impression')
FROM   clicks_read;
ROLLBACK TO lists;

-- half of a user's clicks are on one song, which other users seldom click
CREATE TABLE hum AS SELECT w AS who, CASE n % 2 WHEN 0 THEN w ELSE 1 + (hashint8(w * 100 + n) & 1023) % 40 END AS song,
  now() - (21 - n) * interval '2 hours' AS at, 1 AS stars FROM generate_series(1, 20) w, generate_series(1, 20) n;
SELECT dlints_create_recommender('hums', 'song', '{kind}', item_key => 'id', control => 0, epsilon => 0, factors => 4,
  clicks => 'SELECT who, song, at, stars FROM hum');
SELECT ok(count(*) > 15 AND max(expected) < 0.45, 'the first item is the one that the user clicked most')
FROM   generate_series(1, 20) w, hums.recommend(w, 1) WHERE item = w;
SELECT ok(h.weights[cardinality(h.weights)] > 1 AND s.weights[cardinality(s.weights)] = 0 AND o.repeat_lift < 1,
  'a user''s own clicks have a weight only if users repeat clicks on songs that others do not click')
FROM hums.similarity h, song_1.similarity s, song_2.setting o;
UPDATE song_1.similarity SET reward_scale = 0.5;
SELECT song_1.warm_start();
SELECT is(reward_scale, 1::float8, 'predicted click rates are not reduced if own clicks have no weight')
FROM song_1.similarity;
INSERT INTO hum SELECT 21, i, at, stars FROM (VALUES (32, '-infinity', 1), (33, now() + interval '2 hours', 1),
  (34, now() - interval '2 hours', -1), (35, now(), 1)) v (i, at, stars), generate_series(1, 20);
INSERT INTO hum VALUES (21, 36, now() - interval '2 hours', 1);
SELECT is(item, 36, 'only positive clicks more than an hour ago raise an item') FROM hums.recommend(21, 1);
SELECT is(own_half_life, NULL, 'own clicks count without decay if users repeat clicks on one song')
FROM   hums.similarity;
-- user 22 clicked five songs of kind 0, and more popular ones of the other kinds
INSERT INTO hum SELECT 22, id, now() - interval '2 hours', 1 FROM song WHERE id % 3 = 0 AND id <= 15 OR id IN (20, 22);
UPDATE hums.item_vector SET popularity = CASE WHEN item IN (20, 22) THEN 1 ELSE 0.1 END;
UPDATE hums.similarity SET scale = array_fill((0.5 * weights[cardinality(weights)])::real, ARRAY[cardinality(scale)]);
DELETE FROM hums.block;
UPDATE hums.model SET state = dlints_set(state, policy => 'greedy');
SELECT cmp_ok(avg(expected) FILTER (WHERE item % 3 = 0), '<', 1.1 * avg(expected) FILTER (WHERE item % 3 > 0),
  'similarity to a profile does not raise the items that the user clicked')
FROM   hums.recommend(22, 7);
-- 50 users click in turns, half of the time on one song each
CREATE TABLE whistle AS SELECT w AS who,
  CASE n % 2 WHEN 0 THEN w ELSE 51 + (hashint8(w * 100 + n) & 1023) % 50 END AS song,
  now() - (500 - n * 50 - w) * interval '2 minutes' AS at FROM generate_series(1, 50) w, generate_series(0, 9) n;
CREATE TABLE tune AS SELECT i AS id, i % 3 AS kind FROM generate_series(1, 100) i;
SELECT dlints_create_recommender('whistles', 'tune', '{kind}', item_key => 'id', factors => 0,
  clicks => 'SELECT who, song, at FROM whistle');
SELECT cmp_ok(repeat_lift, '>', 4::float8, 'repeats are compared with clicks of several other users')
FROM whistles.setting;
-- two days become twenty; users changed their songs ten days ago
UPDATE hum SET at = now() - (now() - at) * 12,
  song = CASE WHEN at < now() - interval '20 hours' THEN 41 - song ELSE song END WHERE who <= 20;
UPDATE hums.setting SET repeat_lift = 1000;
SELECT make_due('hums', 'refit', 'warm_start');
CALL hums.run();
SELECT cmp_ok(own_half_life, '<=', 7::float8, 'own clicks decay fast if users change their songs') FROM hums.similarity;
SELECT cmp_ok(repeat_lift, '<', 1000::float8, 'run() counts repeated clicks again after a week') FROM hums.setting;

-- ---------- a common part of all items ----------

CREATE TABLE ware AS SELECT i AS id, ARRAY['kind ' || i % 8, 'shop'] AS tags,
  ARRAY(SELECT (k IN (i % 8, 8))::integer::real FROM generate_series(0, 8) k) AS look FROM generate_series(1, 400) i;
CREATE TABLE sale AS SELECT u, i, now() - (u * i % 97) * interval '1 hour' AS at
FROM generate_series(1, 80) u, generate_series(1, 400) i
WHERE (hashint8extended(u * 1000 + i, 1) & 1023) * (1 + u % 5) * (20 + i)
  < CASE u % 8 WHEN i % 8 THEN 60000 ELSE 3000 END;
SELECT dlints_create_recommender(v, 'ware', ARRAY[v], item_key => 'id', control => 0, epsilon => 0, factors => 0,
  clicks => 'SELECT u, i, at FROM sale') IS NOT NULL FROM unnest('{tags,look}'::text[]) v;
SELECT cmp_ok(avg((item % 8 = u % 8)::integer), '>', 0.9, 'lists follow the taste of users if all items share a tag')
FROM   generate_series(1, 80) u, tags.recommend(u, 10);
SELECT cmp_ok(avg((item % 8 = u % 8)::integer), '>', 0.9,
  'lists follow the taste of users if all embeddings share an element')
FROM   generate_series(1, 80) u, look.recommend(u, 10);

SELECT * FROM finish();
ROLLBACK;
