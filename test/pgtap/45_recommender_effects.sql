-- Effects of items: new items are tried, good ones stay, bad ones fade, and all of it follows from the log.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SELECT plan(40);

-- The probability of a click.  Users like a field, and items differ by more than their columns say.
CREATE FUNCTION click_rate(user_id bigint, item integer) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
SELECT CASE WHEN item > 210 THEN 0.8 WHEN item > 200 THEN 0
            ELSE (hashint4(item) & 255) / 255.0 * CASE WHEN item % 5 = user_id % 5 THEN 0.5 ELSE 0.25 END END $$;
-- Pages of one hour with clicks, then run()
CREATE FUNCTION play(hours integer, pages integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR h IN 1..hours LOOP
		FOR p IN 1..pages LOOP
			PERFORM later(interval '1 hour' / pages);
			PERFORM board.reward(r.decision, r.item)
			FROM   board.recommend(1 + (hashint8(h * 1000 + p) & 1023) % 60, 5) r
			WHERE  random() < click_rate(d_user(r.decision), r.item);
		END LOOP;
		PERFORM inside('board', $q$SELECT public._dlints_learn_batches(NULL::interval, NULL::integer)$q$);
		PERFORM inside('board', $q$SELECT public._dlints_refresh_items()$q$);
		IF inside('board', $q$SELECT public._dlints_fit_reward_scale()$q$)::boolean THEN
			PERFORM inside('board', $q$SELECT public._dlints_set_prior()$q$);
		END IF;
	END LOOP;
END $$;
CREATE FUNCTION d_user(decision bigint) RETURNS bigint LANGUAGE sql AS $$
SELECT d.user_id FROM board.decision d WHERE d.id = decision $$;
-- New items with columns like those of old ones
CREATE FUNCTION add_items(first integer, last integer) RETURNS void LANGUAGE sql AS $$
INSERT INTO job
SELECT i, j.title, j.field, j.city_id, j.salary, j.skills, j.details, j.remote, j.posted, true, j.same
FROM   generate_series(first, last) i JOIN job j ON j.id = i - 100 $$;
-- Share of positions of personal lists since a decision
CREATE FUNCTION share(first integer, last integer, since timestamptz) RETURNS float8 LANGUAGE sql AS $$
SELECT avg((u.item BETWEEN first AND last)::integer)
FROM   board.decision d, unnest(d.items) u (item)
WHERE  d.at >= since AND d.treatment = 'personal' $$;

SELECT dlints_create_recommender('board', 'job', '{field,city_id,salary}',
  clicks => 'SELECT who, job, at FROM visit', repeats => true, examination => '{1}',
  control => 0.1, epsilon => 0.05, factors => 8);

-- ---------- against the formulas ----------

SELECT play(30, 12);
SELECT ok(count(*) = 200 AND count(effect_stddev) = 0,
          'items of a click log that are as old as the recommender are not on trial') FROM board.item_vector;
SELECT inside('board', $$UPDATE job SET done_at = '-infinity' WHERE name = 'effects'$$ || ' RETURNING name');
SELECT inside('board', 'SELECT public._dlints_refresh_effects()');

-- The same formulas over one row per impression
CREATE TEMP TABLE impression AS
SELECT o.item, 0.5 ^ (extract(epoch FROM now() - o.at)::float8 / (7 * 86400)) AS w, o.reward,
       o.reward - (o.expected - coalesce(i.effect, 0)) AS e
FROM   board.outcome o JOIN board.impression i USING (decision, item)
WHERE  o.decision < first_decision(now() - interval '30 minutes');
CREATE TEMP TABLE summed AS
SELECT item, sum(w) AS n, sum(w * w) AS n2, sum(w * e) AS e, sum((w * e) ^ 2) AS q, sum(w * (reward - e)) AS x
FROM   impression GROUP BY item;
-- Five iterations from the initial standard deviation, a share of the mean reward
CREATE FUNCTION fit(share float8, has_slope boolean, OUT noise float8, OUT variance float8, OUT slope float8,
  OUT level float8, OUT center float8)
LANGUAGE plpgsql AS $$
DECLARE
	rate float8;
BEGIN
	SELECT sum(i.w * i.e ^ 2) / sum(i.w), sum(i.w * i.reward) / sum(i.w) INTO noise, rate FROM impression i;
	variance := (share * rate) ^ 2;
	FOR step IN 1..5 LOOP
		SELECT sum(g * e / n) / sum(g), sum(g * x / n) / sum(g) INTO level, center
		FROM   summed, LATERAL (SELECT 1 / (variance + noise / n) AS g) w;
		SELECT CASE WHEN has_slope THEN greatest(sum(g * (x / n - center) * (e / n - level))
		                                         / (sum(g * (x / n - center) ^ 2) + 0.01), 0) ELSE 0 END INTO slope
		FROM   summed, LATERAL (SELECT 1 / (variance + noise / n) AS g) w;
		SELECT greatest((sum(a * (d * d - q)) + 2 * (share * rate) ^ 2) / (sum(a * (n * n - n2)) + 2), (share * rate / 5) ^ 2)
		INTO   variance
		FROM   summed, LATERAL (SELECT 1 / (n + noise / variance) ^ 2 AS a,
			e - n * (level + slope * (x / n - center)) AS d) w;
	END LOOP;
END $$;
SELECT ok(abs(s.effect_stddev / sqrt(f.variance) - 1) < 1e-9,
          'the standard deviation of new items'' effects follows the formula')
FROM board.setting s, fit(0.5, false) f;
SELECT ok(max(abs(v.effect - coalesce((s.e - s.n * (f.level + f.slope * (s.x / s.n - f.center)))
                                      / (s.n + f.noise / f.variance) / (1 + f.slope), 0))) < 1e-6
                                        AND count(s.item) > 50, 'each effect of an old item follows the formula')
FROM board.item_vector v LEFT JOIN summed s USING (item), fit(0.07, true) f;
-- without given examination probabilities, and with a fourth of the rewards after the second position
SAVEPOINT biased;
UPDATE board.setting SET examination = NULL;
UPDATE board.reward r SET value = CASE WHEN i.position > 2 THEN 0.25 ELSE 1 END
FROM board.impression i WHERE i.decision = r.decision AND i.item = r.item;
CREATE TEMP TABLE seen AS
SELECT row_number() OVER () AS position, l
FROM inside('board', 'SELECT public._dlints_effect_examination(0, (SELECT max(id) FROM decision))') x,
     unnest(x::float8[]) l;
SELECT ok(count(*) = 5 AND min(l) FILTER (WHERE position <= 2) > 1.6 * max(l) FILTER (WHERE position > 2)
          AND min(l) > 0.25, 'item effects use examination probabilities that are estimated from the log') FROM seen;
DELETE FROM board.reward r USING board.impression i
WHERE  i.decision = r.decision AND i.item = r.item AND i.position > 4;
SELECT cmp_ok(p[5] / p[1], '<', 0.5::float8, 'a position without rewards is assumed to be examined rarely')
FROM  (SELECT inside('board', 'SELECT public._dlints_effect_examination(0, (SELECT max(id) FROM decision))')::float8[]
         AS p) x;
UPDATE board.reward SET value = -1;
SELECT is(inside('board', 'SELECT public._dlints_effect_examination(0, (SELECT max(id) FROM decision))'), '{1,1,1,1,1}',
          'without positive rewards, all positions are assumed to be examined equally');
ROLLBACK TO biased;
-- rewards that differ three times as much as expected between items have a slope of 2
SELECT ok(abs(p.slope - 2) < 0.05 AND abs(p.level - p.mean_expected * 2 - 0.1) < 0.01,
          'the slope measures how much more rewards differ than expectations')
FROM  (SELECT array_agg(100::float8) AS n, array_agg(100 * (0.1 + 2 * x)) AS e, array_agg(100 * x) AS x
       FROM generate_series(0.01::numeric, 0.5, 0.01) g, LATERAL (SELECT g::float8 AS x) v) i,
      _dlints_effect_prior(i.n, i.n, i.e, i.n, i.x, 0.2, 0.06, 10) p;

-- ---------- lists ----------

SELECT ok(bool_and(effects IS NULL), 'control, random and trending lists use no effects')
FROM board.decision WHERE treatment <> 'personal';
CREATE TEMP TABLE page AS SELECT p AS user_id, r.* FROM generate_series(1, 60) p, board.recommend(p, 5) r;
SELECT ok(bool_and(i.effect = v.effect), 'the log of personal lists contains the effects that were used')
FROM page JOIN board.decision d ON d.id = page.decision AND d.treatment = 'personal'
     JOIN board.impression i ON i.decision = page.decision AND i.item = page.item
     JOIN board.item_vector v ON v.item = i.item;
SELECT ok(max(abs(p.expected - m.score - i.effect)) < 1e-6, 'the expected reward is that of the model and the effect')
FROM page p JOIN board.decision d ON d.id = p.decision AND d.treatment = 'personal'
     JOIN board.impression i ON i.decision = p.decision AND i.item = p.item,
     LATERAL (SELECT dlints_predict(state, i.features, dlints_unpack(d.profile, 1)) AS score
              FROM board.model WHERE name = 'personal') m;
SELECT ok(max(abs(s.sum - p.expected)) < 1e-6 AND bool_or(s.has_effect),
          'the contributions of explain() add up to the expected reward, with the part "(item)"')
FROM page p JOIN board.decision d ON d.id = p.decision AND d.treatment = 'personal',
     LATERAL (SELECT sum(e.contribution), bool_or(e.part = '(item)') AS has_effect
              FROM board.explain(p.decision) e WHERE e.item = p.item) s;

-- ---------- new items ----------

CREATE TEMP TABLE start AS SELECT now() AS at;
SELECT add_items(201, 220);
SELECT inside('board', 'SELECT public._dlints_refresh_items()');
SELECT is(count(*), (SELECT n_on_trial FROM board.setting)::bigint, 'new items are on trial at the next refresh')
FROM board.item_vector WHERE effect_stddev > 0 AND item > 200;
SELECT ok(min(popularity) FILTER (WHERE item > 200) > 0.9 * avg(popularity) FILTER (WHERE item <= 200)
          AND min(popularity) FILTER (WHERE item <= 200) < min(popularity) FILTER (WHERE item > 200),
          'new items have the mean popularity until they are clicked') FROM board.item_vector;
SELECT ok(bool_and(v.effect_stddev <= s.effect_stddev * 1.000001),
  'a trial''s standard deviation is at most the prior''s')
FROM board.item_vector v, board.setting s WHERE v.effect_stddev IS NOT NULL;
-- the means of logged probabilities and of choices agree, within five standard errors, with histories of users
UPDATE board.setting SET history_prior = 1;
CREATE TEMP TABLE chosen AS
SELECT r.decision, r.item, r.probability
FROM   generate_series(1, 150) g,
       (SELECT user_id FROM board.decision WHERE treatment = 'personal' ORDER BY id DESC LIMIT 1) u,
       board.recommend(u.user_id + 0 * g, 5) r;
SELECT ok(sum(c.n) > 0 AND bool_and(abs(c.share - c.probability) < 5 * sqrt(0.25 / 150) + 0.02),
          'items on trial are chosen as often as logged probabilities say')
FROM (SELECT h.item, count(*) / 150.0 AS share, avg(h.probability) AS probability, count(v.effect_stddev) AS n
      FROM chosen h JOIN board.item_vector v USING (item) GROUP BY h.item) c;
UPDATE board.setting SET history_prior = NULL;
DELETE FROM board.pending WHERE decision IN (SELECT decision FROM chosen);
DELETE FROM board.decision WHERE id IN (SELECT decision FROM chosen);
SELECT play(24, 25);
SELECT cmp_ok(share(211, 220, at), '>', 0.02::float8,
  'new items that users love are on lists on their first day') FROM start;
SELECT cmp_ok(max(effect), '>', 0.1::real, 'the effects of loved items are large') FROM board.item_vector
WHERE item BETWEEN 211 AND 220;
SELECT play(24, 20);
SELECT cmp_ok(share(211, 220, now() - interval '1 day'), '>', 0.3::float8,
  'new items that users like are a large part of lists on the second day');
SELECT cmp_ok(share(201, 210, now() - interval '1 day'), '<', 0.08::float8,
              'new items that nobody clicks fade, though they are half of the new items');

-- ---------- unknown users ----------

-- Scores are in the order of expected rewards, to the rounding of packed features.
CREATE TEMP TABLE unknown AS
SELECT r.decision, r.expected, lead(r.expected) OVER (PARTITION BY r.decision ORDER BY r.position) AS next
FROM   generate_series(10001, 10030) g, board.recommend(g::bigint, 5) r;
SELECT ok(bool_and(d.effects IS NOT NULL) AND max(u.next - u.expected) < 0.01 AND count(*) > 50,
          'unknown users get effects without draws')
FROM unknown u JOIN board.decision d ON d.id = u.decision AND d.treatment = 'personal';

-- ---------- an empty click log ----------

CREATE TABLE no_visit (who bigint, job integer, at timestamptz);
SELECT dlints_create_recommender('fresh', 'job', '{field}', clicks => 'SELECT who, job, at FROM no_visit',
  control => 0, epsilon => 0, factors => 8);
SELECT fresh.reward(r.decision, r.item) FROM generate_series(1, 30) p, fresh.recommend(p::bigint, 5) r
WHERE  r.position = 1;
SELECT later('1 hour');
SELECT inside('fresh', 'SELECT public._dlints_refresh_items()');
SELECT cmp_ok(n_on_trial, '>', 0, 'items are on trial if the click log was empty') FROM fresh.setting;
SELECT ok(max(v.popularity) FILTER (WHERE i.clicks = 0) < max(v.popularity) FILTER (WHERE i.clicks IS NULL),
          'items that were shown to nobody are more popular than items without clicks, if there was no log')
FROM fresh.item_vector v
     LEFT JOIN (SELECT o.item, sum(o.reward) AS clicks FROM fresh.outcome o GROUP BY 1) i USING (item);
INSERT INTO no_visit SELECT 1, 1, now() FROM generate_series(1, 350);
SELECT inside('fresh', 'SELECT public._dlints_refresh_items()');
SELECT is(made_at, '-infinity', 'items stay new while half of the clicks are on our lists') FROM fresh.setting;
INSERT INTO no_visit SELECT 1, 1, now() FROM generate_series(1, 10);
SELECT inside('fresh', 'SELECT public._dlints_refresh_items()');
SELECT cmp_ok(made_at, '>', '-infinity', 'items are not new after an import of clicks') FROM fresh.setting;
SELECT is(item, 1, 'an import of clicks makes its item the most popular')
FROM fresh.item_vector ORDER BY popularity DESC, item LIMIT 1;

-- ---------- report ----------

SELECT ok(bool_or(measure = 'items added within 7 days' AND value = 20)
          AND bool_or(measure = 'share of positions, new items' AND value > 0.1)
          AND bool_or(measure = 'reward per impression, new items' AND value > 0.2 AND error > 0)
          AND bool_or(measure = 'items on trial' AND value >= 0), 'report() has rows about new items')
FROM board.report(now() - interval '2 days');

-- ---------- the scale of the prior ----------

-- as if a fit had changed the profiles of the later lists
UPDATE board.similarity l SET reward_scale = 99, found_at = d.at
FROM  (SELECT percentile_disc(0.3) WITHIN GROUP (ORDER BY at) AS at FROM board.decision) d;
SELECT inside('board', 'SELECT public._dlints_fit_reward_scale()');
CREATE TEMP TABLE predicted AS
SELECT CASE WHEN d.at >= l.found_at THEN
           0.05 + l.click_value * dlints_dot(e.profile::float8[], e.item_features) END AS rate, e.reward
FROM   board.similarity l, board.decision d JOIN (
           SELECT DISTINCT ON (item, user_id) * FROM board.training_example
           WHERE  model = 'personal' AND decision IN (
                      SELECT id FROM board.decision WHERE treatment = 'personal' ORDER BY id DESC LIMIT 2000)
           ORDER  BY item, user_id, decision) e ON d.id = e.decision;
CREATE TEMP TABLE slope AS      -- with its variance, and the mean of its prior distribution
SELECT regr_slope(reward, rate) AS slope,
       (regr_syy(reward, rate) - regr_sxy(reward, rate) ^ 2 / regr_sxx(reward, rate)) / (count(rate) - 2)
       / regr_sxx(reward, rate) AS variance, (sum(reward) + 50 * avg(rate)) / ((count(*) + 50) * avg(rate)) AS ratio
FROM   predicted;
SELECT ok(abs(l.reward_scale / greatest(least((s.slope + 4 * s.variance / s.ratio)
                                              / (1 + 4 * s.variance / s.ratio ^ 2), 2 * s.ratio), s.ratio / 2) - 1)
          < 1e-9,
          'the scale of the prior is the slope of rewards of first impressions on rates predicted since the last fit')
FROM slope s, board.similarity l;

-- ---------- the log decides ----------

SELECT ok(board.erase(1) > 0, 'erase() removes a user''s lists');
SELECT is(done_at, '-infinity', 'effects are due after erase()') FROM board.job WHERE name = 'effects';
SELECT board.run_part('refresh');
CREATE TEMP TABLE effect AS SELECT item, effect FROM board.item_vector;
UPDATE board.item_vector SET effect = 9, effect_stddev = 1;
SELECT make_due('board', 'effects');
SELECT board.run_part('refresh');
SELECT ok(bool_and(e.effect = v.effect), 'effects follow from the log alone, after an erasure exactly')
FROM effect e JOIN board.item_vector v USING (item);

-- ---------- histories of users ----------

-- each user clicks some items whenever they are shown
INSERT INTO board.reward (decision, item, outcome, value)
SELECT o.decision, o.item, 'click', 1 FROM board.outcome o JOIN board.decision d ON d.id = o.decision
WHERE  hashint8(d.user_id * 1000 + o.item) & 15 = 0 ON CONFLICT DO NOTHING;
UPDATE board.decision SET user_id = NULL WHERE user_id IN (3, 4);
UPDATE board.setting SET examination = '{1,0.8,0.5}';
SELECT inside('board', 'SELECT public._dlints_fit_histories(s.trained_from, public._dlints_first_decision('
                       'now() - s.attribution_window)) FROM setting s');
CREATE TEMP TABLE seen AS
SELECT o.n, o.user_id, o.item, o.x, o.reward - o.x * o.ratio AS e, o.ratio
FROM  (SELECT row_number() OVER () AS n, o.user_id, o.item, o.reward, x.x,
              sum(o.reward) OVER () / sum(x.x) OVER () AS ratio
       FROM   board.outcome o,
              LATERAL (SELECT greatest(o.expected, 0) * ('{1,0.8,0.5}'::float8[])[least(o."position", 3)] AS x) x
       WHERE  o.treatment = 'personal' AND o.at < now() - interval '30 minutes' AND o.user_id IS NOT NULL) o;
CREATE TEMP TABLE pairs AS
SELECT f.noise / least(2 * (sum(a.e * b.e) / s.square - 2 * f.noise * sqrt(2 / s.square)), 0.25) AS prior
FROM   seen a JOIN seen b USING (user_id, item),
       (SELECT sum(e ^ 2) / sum(ratio * x) AS noise FROM seen) f,
       (SELECT sum(a.ratio ^ 2 * a.x * b.x) AS square FROM seen a JOIN seen b USING (user_id, item) WHERE a.n <> b.n) s
WHERE  a.n <> b.n GROUP BY f.noise, s.square;
SELECT ok(abs(s.history_prior / p.prior - 1) < 1e-6 AND p.prior > 0 AND abs(s.history_ratio / t.ratio - 1) < 1e-6,
          'the prior of histories follows the formula')
FROM   board.setting s, pairs p, (SELECT max(ratio) AS ratio FROM seen) t;
-- a list by history equals a list without histories whose items' effects contain the addends
UPDATE board.setting SET history_prior = 1, epsilon = 0, control = 0, n_on_trial = 0;
UPDATE board.item_vector SET effect_stddev = NULL;
SELECT board.reward(r.decision, r.item) FROM generate_series(1, 3, 2) g, board.recommend(8 + 0 * g, 5) r
WHERE  r.position = g;
CREATE TEMP TABLE addend AS
SELECT t.item, t.x / t.n * (t.r - t.x) / (t.x + 1) AS addend
FROM  (SELECT s.item, sum(s.r) AS r, sum(s.n) AS n,
              greatest(sum(s.x), 0.1 * sum(s.n) * sum(sum(s.x)) OVER () / sum(sum(s.n)) OVER ()) AS x
       FROM  (SELECT o.item, w.w * o.reward AS r, w.w * o.examination AS n,
                     w.w * o.examination * greatest(o.expected, 0) * s.history_ratio AS x
              FROM   board.setting s, board.similarity l, (
                         SELECT o.*, ('{1,0.8,0.5}'::float8[])[least(o."position", 3)] AS examination
                         FROM   board.outcome o WHERE o.user_id = 8) o,
                     LATERAL (SELECT 0.5 ^ coalesce(date_part('epoch', now() - o.at) / 86400 / l.half_life, 0) AS w) w
              WHERE  o.at < now() - interval '30 minutes' OR o.reward <> 0) s
       GROUP  BY s.item) t;
SET LOCAL dlints.seed = 2;
CREATE TEMP TABLE by_history AS SELECT * FROM board.recommend(8, 150);
UPDATE board.setting SET history_prior = NULL;
UPDATE board.item_vector v SET effect = v.effect + a.addend FROM addend a WHERE a.item = v.item;
SET LOCAL dlints.seed = 2;
SELECT ok(count(h.item) = 150 AND count(*) = 150 AND (SELECT count(*) FROM addend) > 5,
          'the addend of a user''s history follows the formula')
FROM   by_history h FULL JOIN board.recommend(8, 150) r USING ("position", item);
CREATE TEMP TABLE odd AS
SELECT id FROM board.decision WHERE user_id = 8 AND treatment = 'personal' AND cardinality(items) = 5;
UPDATE board.decision SET at = '-infinity', expected = '{NaN,Infinity,-Infinity,3e38,1e-45}'
WHERE  id IN (SELECT id FROM odd);
SELECT inside('board', 'SELECT public._dlints_fit_histories(0, 9e18::bigint)');
SELECT ok(history_prior IS NULL, 'invalid expectations in the log end histories') FROM board.setting;
UPDATE board.setting SET history_prior = 1;
UPDATE board.reward SET value = CASE WHEN decision % 2 = 0 THEN 1e50 ELSE -1e-300 END
WHERE  decision IN (SELECT id FROM odd);
SELECT is(count(*), 5::bigint, 'invalid expectations and absurd rewards do not stop lists') FROM board.recommend(8, 5);
SELECT ok(inside('board', 'SELECT public._dlints_fit_histories(0, 9e18::bigint)') IS NOT NULL,
  'absurd rewards do not stop run()');
SELECT board.erase(8);
SET LOCAL dlints.seed = 2;
UPDATE board.setting SET history_prior = NULL;
CREATE TEMP TABLE unseen AS SELECT "position", item FROM board.recommend(8, 5) r;
UPDATE board.setting SET history_prior = 1;
SET LOCAL dlints.seed = 2;
SELECT is(count(*), 5::bigint, 'erase() removes the history of a user')
FROM   unseen u JOIN board.recommend(8, 5) r USING ("position", item);
DELETE FROM board.reward;
DELETE FROM board.decision;
SELECT make_due('board', 'effects');
SELECT board.run_part('refresh');
SELECT ok(bool_and(effect = 0 AND effect_stddev IS NULL), 'without a log all effects are 0') FROM board.item_vector;
SELECT ok(effect_stddev IS NULL AND n_on_trial = 0, 'without effects no item is on trial') FROM board.setting;
SELECT ok(history_prior IS NULL, 'without a log users have no histories') FROM board.setting;

-- ---------- without a click log ----------

SELECT dlints_create_recommender('own', 'job', '{field,city_id}', factors => 0, control => 0, epsilon => 0);
SELECT own.reward(r.decision, r.item) FROM generate_series(1, 60) g, own.recommend(g::bigint, 5) r WHERE r.position = 1;
SELECT later('1 hour');
SELECT inside('own', 'SELECT public._dlints_refresh_effects()');
SELECT cmp_ok(n_on_trial, '>=', 5, 'without a click log all items can be on trial') FROM own.setting;

SELECT * FROM finish();
ROLLBACK;
