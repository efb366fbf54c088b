-- How likely a place is looked at: told from lists by chance, and weighed with.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(29);

SELECT lives_ok($$SELECT dlints_create_recommender('board', 'job', '{field,salary}',
  outcomes => '{"click": 1, "apply": 5}', control => 0.2, epsilon => 1)$$, 'made');

-- ---------- told ----------

CREATE TEMP TABLE page AS SELECT p AS person, r.* FROM generate_series(1, 400) p,
  board.recommend(p, 6) r;
SELECT ok(bool_and(looked_at IS NULL AND stderr IS NULL) AND count(*) = 6,
  'before the first click nothing is known') FROM board.places();
-- 60, 30, 36, 12, 12 and no clicks of chance, and all of the control's
CREATE TEMP TABLE clicks AS SELECT p.*, d.arm,
    CASE d.arm WHEN 'chance' THEN row_number() OVER (PARTITION BY arm, place ORDER BY p.decision)
        <= ('{60,30,36,12,12,0}'::int[])[place] ELSE true END AS clicked
  FROM page p JOIN board.decision d ON d.id = p.decision;
SELECT board.reward(decision, item) FROM clicks WHERE clicked;
SELECT board.reward(decision, item, 'apply') FROM clicks WHERE person % 20 = 0;
SELECT is(array_agg(clicked ORDER BY place), '{60,30,36,12,12,0}'::bigint[], 'what chance earned')
  FROM board.places();
SELECT ok(bool_and(p.shown = c.lists), 'in so many lists') FROM board.places() p,
  (SELECT count(*) AS lists FROM board.decision WHERE arm = 'chance') c;
SELECT ok(max(abs(looked_at - ('{1,.55,.55,.2,.2,.01}'::float8[])[place])) < 1e-12,
  'in units of the first place, and no place more than one before it') FROM board.places();
SELECT is(stderr, 0::float8, 'to which the first one has no error') FROM board.places()
  WHERE place = 1;
SELECT ok(abs(p.stderr - 0.2 * sqrt((1 - 12.0 / p.shown) / 12 + (1 - 60.0 / p.shown) / 60)) < 1e-9,
  'and the others that of a ratio') FROM board.places() p WHERE place = 4;
SELECT ok(abs(p.stderr - 0.55 * sqrt((1 - 33.0 / p.shown) / 33 + (1 - 60.0 / p.shown) / 60)) < 1e-9,
  'from the second one on') FROM board.places() p WHERE place = 2;
SELECT ok(abs(p.stderr - sqrt(0.5 * (1 - 0.5 / p.shown)) / 60) < 1e-9, 'as if half a click, where there is none')
  FROM board.places() p WHERE place = 6;
SELECT is(count(*), 0::bigint, 'since then') FROM board.places(now() + interval '1 day');

-- ---------- given ----------

SELECT is(outcome(format('SELECT dlints_alter_recommender(''board'', ''{"places": %s}'')', given)),
    '22023: places must be an array of numbers from 0.01 to 1', given)
  FROM (VALUES ('[]'), ('0.5'), ('{"1": 1}'), ('["NaN"]'), ('[1, null]'), ('[[1, 0.5]]'), ('[1, 0]'),
    ('[1, 1.5]')) v (given);
CREATE TEMP TABLE unweighed AS SELECT * FROM board.model;
SELECT board.learn('0');
CREATE TEMP TABLE plain AS SELECT * FROM board.model;
SELECT dlints_alter_recommender('board', jsonb_build_object('places',
  array_agg(looked_at ORDER BY place))) FROM board.places() WHERE place < 6;
SELECT ok(max(abs(board.looked_at(p) - ('{1,.55,.55,.2,.2,.2,.2}'::float8[])[p])) < 1e-12,
  'the last one is for all after it') FROM generate_series(1, 7) p;
CREATE FUNCTION by_hand(model text) RETURNS dlints LANGUAGE sql AS $$
SELECT u.state || dlints_evidence(u.state, s.features, coalesce(r.reward, 0) / w, d.profile, d.at, w)
FROM   unweighed u, board.shown s JOIN board.decision d ON d.id = s.decision,
       LATERAL (SELECT sum(value) AS reward FROM board.reward r WHERE r.decision = s.decision
                AND r.item = s.item AND (r.outcome = 'apply') = (model = 'later')) r,
       LATERAL (SELECT ('{1,.55,.55,.2,.2,.2}'::float8[])[s.place] AS w) w
WHERE  u.name = model GROUP BY u.state $$;
SELECT ok(max(far(state, by_hand(name))) < 1e-9,
  'the models learn 1 / looked_at with the weight looked_at') FROM board.model WHERE learns;
SELECT cmp_ok(far(m.state, p.state), '>', 0.01::float8, 'which is another model')
  FROM board.model m JOIN plain p USING (name) WHERE name = 'personal';

SELECT p AS person, r.* INTO TEMP next FROM generate_series(1, 60) p, board.recommend(p, 6) r;
SELECT board.reward(decision, item) FROM next WHERE (person + place) % 4 = 0;
SELECT board.learn('0');
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'so does what comes then')
  FROM board.model WHERE learns;
SELECT board.reward(decision, item, 'apply') FROM next WHERE (person + place) % 8 = 0;
SELECT board.reward(decision, item, value => 0) FROM next WHERE place = 5;
SELECT cmp_ok(board.learn('0'), '>', 20::bigint, 'late rewards');
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'are corrected by the same weights')
  FROM board.model WHERE learns;
SELECT board.rebuild();
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'the log says the same')
  FROM board.model WHERE learns;
SELECT board.erase(p) FROM generate_series(1, 30) p;
SELECT ok(max(far(state, by_hand(name))) < 1e-9, 'and people are taken out as they came in')
  FROM board.model WHERE learns;

-- Clicks that are what was promised of each place
DELETE FROM board.reward;
SELECT board.reward(decision, item, value => 1 + 0.5 * expected * board.looked_at(place))
  FROM board.shown;
UPDATE board.decision SET arm = 'personal';
SELECT ok(abs(value - 0.5) < 1e-9, 'what was promised is what is promised at its place')
  FROM board.report() WHERE measure = 'calibration';
UPDATE board.contrast SET since = now() + interval '1 hour';
SELECT is(value, NULL, 'by the lists since they are learned as they are') FROM board.report()
  WHERE measure = 'calibration';

SELECT dlints_alter_recommender('board', '{"places": null}');
SELECT is(board.looked_at(5), 1::float8, 'without places all weigh alike again');

SELECT * FROM finish();
ROLLBACK;
