-- Examination probabilities: estimated from random lists, and applied as weights.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(29);

SELECT lives_ok($$SELECT dlints_create_recommender('board', 'job', '{field,salary}',
  outcomes => '{"click": 1, "apply": 5}', control => 0.2, epsilon => 1)$$,
    'a recommender with a control group and random lists only is made');

-- ---------- estimates ----------

CREATE TEMP TABLE page AS SELECT p AS user_id, r.* FROM generate_series(1, 400) p,
  board.recommend(p, 6) r;
SELECT ok(bool_and(examination IS NULL AND stderr IS NULL) AND count(*) = 6,
  'position_bias() has no estimate before the first click') FROM board.position_bias();
-- 60, 30, 36, 12, 12 and no clicks on random lists, and clicks on all impressions of the control
CREATE TEMP TABLE clicks AS SELECT p.*, d.treatment,
    CASE d.treatment WHEN 'random' THEN row_number() OVER (PARTITION BY treatment, position ORDER BY p.decision)
        <= ('{60,30,36,12,12,0}'::int[])[position] ELSE true END AS clicked
  FROM page p JOIN board.decision d ON d.id = p.decision;
SELECT board.reward(decision, item) FROM clicks WHERE clicked;
SELECT board.reward(decision, item, 'apply') FROM clicks WHERE user_id % 20 = 0;
SELECT is(array_agg(clicked ORDER BY position), '{60,30,36,12,12,0}'::bigint[],
  'position_bias() counts clicks on random lists')
  FROM board.position_bias();
SELECT ok(bool_and(p.shown = c.lists), 'position_bias() counts random lists') FROM board.position_bias() p,
  (SELECT count(*) AS lists FROM board.decision WHERE treatment = 'random') c;
SELECT ok(max(abs(examination - ('{1,.55,.55,.2,.2,.01}'::float8[])[position])) < 1e-12,
  'examination is relative to the first position and does not increase with the position') FROM board.position_bias();
SELECT is(stderr, 0::float8, 'the first position has no standard error') FROM board.position_bias() WHERE position = 1;
SELECT ok(abs(p.stderr - 0.2 * sqrt((1 - 12.0 / p.shown) / 12 + (1 - 60.0 / p.shown) / 60)) < 1e-9,
  'the fourth position has the standard error of a ratio') FROM board.position_bias() p WHERE position = 4;
SELECT ok(abs(p.stderr - 0.55 * sqrt((1 - 33.0 / p.shown) / 33 + (1 - 60.0 / p.shown) / 60)) < 1e-9,
  'the second position has the standard error of a ratio of pooled counts') FROM board.position_bias() p
    WHERE position = 2;
SELECT ok(abs(p.stderr - sqrt(0.5 * (1 - 0.5 / p.shown)) / 60) < 1e-9,
  'a position without a click has the standard error of half a click')
  FROM board.position_bias() p WHERE position = 6;
SELECT is(count(*), 0::bigint, 'position_bias() counts no list before "since"')
  FROM board.position_bias(now() + interval '1 day');

-- ---------- weights ----------

SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', ''{"examination": %s}'')', given)),
    '22023: examination must be an array of numbers from 0.01 to 1', given)
  FROM (VALUES ('[]'), ('0.5'), ('{"1": 1}'), ('["NaN"]'), ('[1, null]'), ('[[1, 0.5]]'), ('[1, 0]'),
    ('[1, 1.5]')) v (given);
CREATE TEMP TABLE unweighed AS SELECT * FROM board.model;
SELECT board.learn('0');
CREATE TEMP TABLE plain AS SELECT * FROM board.model;
SELECT dlints_alter_recommender('board', jsonb_build_object('examination',
  array_agg(examination ORDER BY position))) FROM board.position_bias() WHERE position < 6;
SELECT ok(max(abs(examination - ('{1,.55,.55,.2,.2,.2}'::float8[])[position])) < 1e-12,
  'the last examination probability holds for all further positions') FROM board.impression_user;
CREATE FUNCTION by_hand(model text) RETURNS dlints LANGUAGE sql AS $$
SELECT u.state || dlints_evidence(u.state, s.features, coalesce(r.reward, 0) / w, d.profile, d.at, w)
FROM   unweighed u, board.impression s JOIN board.decision d ON d.id = s.decision,
       LATERAL (SELECT sum(value) AS reward FROM board.reward r WHERE r.decision = s.decision
                AND r.item = s.item AND (r.outcome = 'apply') = (model = 'later')) r,
       LATERAL (SELECT ('{1,.55,.55,.2,.2,.2}'::float8[])[s.position] AS w) w
WHERE  u.name = model GROUP BY u.state $$;
SELECT ok(max(far(state, by_hand(name))) < 1e-9,
  'models are trained on reward / examination with the weight examination') FROM board.model WHERE learns;
SELECT cmp_ok(far(m.state, p.state), '>', 0.01::float8, 'the argument "examination" changes the model')
  FROM board.model m JOIN plain p USING (name) WHERE name = 'personal';

SELECT p AS user_id, r.* INTO TEMP next FROM generate_series(1, 60) p, board.recommend(p, 6) r;
SELECT board.reward(decision, item) FROM next WHERE (user_id + position) % 4 = 0;
SELECT board.learn('0');
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'lists after the change are trained with examination weights')
  FROM board.model WHERE learns;
SELECT board.reward(decision, item, 'apply') FROM next WHERE (user_id + position) % 8 = 0;
SELECT board.reward(decision, item, value => 0) FROM next WHERE position = 5;
SELECT cmp_ok(board.learn('0'), '>', 20::bigint, 'learn() applies late rewards of weighted examples');
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'corrections use the examination weights')
  FROM board.model WHERE learns;
SELECT board.rebuild();
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'rebuild() reproduces the weighted models')
  FROM board.model WHERE learns;
SELECT board.erase(p) FROM generate_series(1, 30) p;
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'erase() retracts examples with their examination weights')
  FROM board.model WHERE learns;

-- Clicks that are half of the expected reward at each position
DELETE FROM board.reward;
SELECT board.reward(decision, item, value => 1 + 0.5 * expected * examination) FROM board.impression_user;
UPDATE board.decision SET treatment = 'personal';
SELECT ok(abs(value - 0.5) < 1e-6, 'calibration compares rewards with the expected reward at the position')
  FROM board.report() WHERE measure = 'calibration';
UPDATE board.setting SET centered_since = now() + interval '1 hour';
SELECT is(value, NULL, 'calibration counts no list from before centering was toggled') FROM board.report()
  WHERE measure = 'calibration';

SELECT dlints_alter_recommender('board', '{"examination": null}');
SELECT is(array_agg(DISTINCT examination), '{1}'::float8[], 'all positions have the weight 1 without "examination"')
  FROM board.impression_user;

SELECT * FROM finish();
ROLLBACK;
