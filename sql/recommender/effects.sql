-- Effects of items -----------------------------------------------------------------------
--
-- The effect of an item is the reward per impression beyond the prediction from its features.  New items are on trial:
-- their effect has a wide posterior, and personal lists add a normal random number with the effect's standard
-- deviation to their scores.  Effects are computed only from the log.

-- Estimate the variance of item effects by the method of moments, and the regression line from which effects are
-- measured.  Arrays have an element per item: sums of weights, of squared weights, of weighted residuals, of squared
-- weighted residuals, and of weighted expectations.  "noise" is the variance of a residual.
--
-- Items on lists have high expectations, and better residuals than other items would have.  Residuals are therefore
-- regressed on expectations.  "slope" is the coefficient, at least 0, with the prior standard deviation
-- "slope_stddev".  "level" is the regression's residual at "mean_expected".  The prior of the variance is two items at
-- "initial_stddev".
CREATE FUNCTION _dlints_effect_prior(weights float8[], squared_weights float8[], residuals float8[],
	squared_residuals float8[], expectations float8[], noise float8, initial_stddev float8, slope_stddev float8,
	OUT variance float8, OUT slope float8, OUT level float8, OUT mean_expected float8)
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	variance := initial_stddev ^ 2;
	FOR iteration IN 1..5 LOOP
		WITH item AS (
			SELECT u.e / u.n AS e, u.x / u.n AS x, 1 / (variance + noise / u.n) AS g
			FROM   unnest(weights, residuals, expectations) u (n, e, x) WHERE u.n > 0),
		mean AS (
			SELECT sum(i.g * i.e) / sum(i.g) AS e, sum(i.g * i.x) / sum(i.g) AS x FROM item i)
		SELECT m.e, m.x, slope_stddev ^ 2 * greatest(sum(i.g * (i.x - m.x) * (i.e - m.e)), 0)
		                 / (slope_stddev ^ 2 * sum(i.g * (i.x - m.x) ^ 2) + 1)
		INTO   level, mean_expected, slope
		FROM   item i, mean m GROUP BY m.e, m.x;
		SELECT greatest((coalesce(sum(x.precision * (x.e * x.e - x.q)), 0) + 2 * initial_stddev ^ 2)
		                / (coalesce(sum(x.precision * (x.n * x.n - x.n2)), 0) + 2), (initial_stddev / 5) ^ 2)
		INTO   variance
		FROM  (SELECT u.n, u.n2, u.q, 1 / (u.n + noise / variance) ^ 2 AS precision,
		              u.e - u.n * level - slope * (u.x - u.n * mean_expected) AS e
		       FROM   unnest(weights, squared_weights, residuals, squared_residuals, expectations)
		              u (n, n2, e, q, x) OFFSET 0) x;
	END LOOP;
END
$$;

-- Return the examination probabilities of positions for item effects.  Without setting.examination they are estimated
-- from the last 20,000 lists: the ratio of rewards to expectations, as a fraction of that of the first position, plus
-- two standard errors, at most 1.  No reward counts as one: positions may be below the fold.  Probabilities are then
-- divided by their mean, since expectations contain the mean position.
CREATE FUNCTION _dlints_effect_examination(first bigint, until bigint) RETURNS float8[]
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN coalesce((SELECT s.examination FROM setting s), (
		WITH list AS MATERIALIZED (
			SELECT d.id, d.items, d.expected, d.effects FROM decision d
			WHERE  d.id >= first AND d.id < until ORDER BY d.id DESC LIMIT 20000),
		expectation AS (
			SELECT least(i.n, 20) AS n, sum(greatest(i.expected::float8 - coalesce(i.effect, 0), 0)) AS x
			FROM   list l, unnest(l.expected, l.effects) WITH ORDINALITY i (expected, effect, n) GROUP BY 1),
		rewarded AS (
			SELECT least(i.n, 20) AS n, sum(r.value) AS r, sum(r.value ^ 2) AS rr
			FROM   list l JOIN reward r ON r.decision = l.id,
			       LATERAL (SELECT i.n FROM unnest(l.items) WITH ORDINALITY i (item, n) WHERE same_item(i.item, r.item)) i
			WHERE  r.decision >= first AND r.decision < until AND abs(r.value) BETWEEN 1e-50 AND 1e50 GROUP BY 1),
		"position" AS (
			SELECT e.n, e.x, ln(r.r / e.x) AS ratio, r.variance
			FROM   expectation e LEFT JOIN (
			           SELECT r.n, r.r, r.rr / r.r ^ 2 AS variance FROM rewarded r WHERE r.r > 1e-50
			           UNION ALL
			           SELECT n.n, f.rr / f.r, 1 FROM expectation n JOIN rewarded f ON f.n = 1 AND f.r > 1e-50
			           WHERE  NOT EXISTS (SELECT FROM rewarded r WHERE r.n = n.n)) r ON r.n = e.n AND e.x > 1e-50),
		probability AS (
			SELECT p.n, p.x, coalesce(exp(greatest(least(
			           p.ratio - f.ratio + 2 * sqrt(p.variance + f.variance), 0), -4)), 1) AS l
			FROM   "position" p JOIN "position" f ON f.n = 1)
		SELECT array_agg(p.l / coalesce(m.mean, 1) ORDER BY p.n)
		FROM   probability p, (SELECT sum(p.x * p.l) / nullif(sum(p.x), 0) AS mean FROM probability p) m), '{1}');
END
$$;

-- Sum the impressions of each item in a range of decisions: weights (half-life times examination), their squares,
-- weighted residuals, and their squares.  A residual is the reward minus the expectation without effects.  "x" is the
-- weighted sum of expectations, "noise" that of squared residuals, and "reward" that of rewards.
CREATE FUNCTION _dlints_item_residuals(first bigint, until bigint, witness anyelement)
	RETURNS TABLE (item anyelement, n float8, n2 float8, e float8, q float8, x float8, noise float8, reward float8)
	LANGUAGE plpgsql STABLE SET work_mem = '128MB' AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	half_life float8 := (SELECT date_part('epoch', s.half_life) FROM setting s);
	examination float8[] := @extschema@._dlints_effect_examination(first, until);
	n_examined integer := cardinality(examination);
BEGIN
	RETURN QUERY
	SELECT t.item, sum(t.n), sum(t.n2), sum(t.e), sum(t.q), sum(t.x), sum(t.noise), sum(t.reward)
	FROM  (
		SELECT x.item, x.wl AS n, x.wl * x.wl AS n2, - x.wl * x.x AS e, x.wl * x.x * x.wl * x.x AS q,
		       x.wl * x.x AS x, x.wl * x.x * x.l * x.x AS noise, 0::float8 AS reward
		FROM  (SELECT i.item, i.l, i.w * i.l AS wl, i.expected - coalesce(i.effect, 0) AS x
		       FROM  (SELECT unnest(d.items) AS item, unnest(d.expected)::float8 AS expected,
		                     unnest(d.effects) AS effect, d.w,
		                     examination[least(generate_subscripts(d.items, 1), n_examined)] AS l
		              FROM  (SELECT d.items, d.expected, d.effects,
		                            0.5 ^ (greatest(date_part('epoch', now() - d.at), 0) / half_life) AS w
		                     FROM   decision d WHERE d.id >= first AND d.id < until OFFSET 0) d) i) x
		UNION  ALL
		SELECT x.item, 0, 0, x.w * x.r, x.w * x.w * x.r * (x.r - 2 * x.lx), 0, x.w * x.r * (x.r - 2 * x.lx), x.w * x.r
		FROM  (SELECT i.item, d.w, r.value AS r, i.lx
		       FROM  (SELECT r.decision, r.item, sum(r.value) AS value FROM reward r
		              WHERE  r.decision >= first AND r.decision < until GROUP BY r.decision, r.item) r
		              JOIN (SELECT d.id, d.items, d.expected, d.effects,
		                           0.5 ^ (greatest(date_part('epoch', now() - d.at), 0) / half_life) AS w
		                    FROM   decision d WHERE d.id >= first AND d.id < until OFFSET 0) d ON d.id = r.decision,
		              LATERAL (SELECT i.item, examination[least(i."position", n_examined)]
		                                      * (i.expected::float8 - coalesce(i.effect, 0)) AS lx
		                       FROM   unnest(d.items, d.expected, d.effects)
		                              WITH ORDINALITY i (item, expected, effect, "position")
		                       WHERE  same_item(i.item, r.item)) i) x) t
	GROUP  BY t.item;
END
$$;

-- Estimate how much users differ in their rewards of an item beyond the expectation (see src/page/history.c), from the
-- last 20,000 personal lists.  The relative variance of users is the covariance of the residuals of a user's
-- impressions of an item, divided by that of expected rewards.
--
-- Two standard errors are subtracted, so that histories have no effect while the log is short, or where users do not
-- click items again.  The variance is doubled, because changing items costs less than repeating bad ones, and limited
-- to a fourth.
CREATE FUNCTION _dlints_fit_histories(first bigint, until bigint) RETURNS void
	LANGUAGE plpgsql VOLATILE SET work_mem = '128MB' AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	prior float8;
	ratio float8;
BEGIN
	BEGIN
		WITH list AS MATERIALIZED (
			SELECT d.id, d.user_id, d.items, d.expected
			FROM   decision d
			WHERE  d.id >= first AND d.id < until AND d.treatment = 'personal' AND d.user_id IS NOT NULL
			ORDER  BY d.id DESC LIMIT 20000),
		rewarded AS MATERIALIZED (
			SELECT r.decision, r.item, sum(r.value) AS value
			FROM   reward r
			WHERE  r.decision >= (SELECT min(l.id) FROM list l) AND r.decision < until GROUP BY r.decision, r.item),
		shown AS (
			SELECT i.id, i.user_id, i.item,
			       greatest(i.expected, 0) * coalesce(s.examination[least(i."position", cardinality(s.examination))], 1) AS x
			FROM   setting s CROSS JOIN (
			           SELECT l.id, l.user_id, unnest(l.items) AS item, unnest(l.expected)::float8 AS expected,
			                  generate_subscripts(l.items, 1) AS "position"
			           FROM   list l) i),
		pair AS MATERIALIZED (
			SELECT sum(i.x) AS x, sum(i.x ^ 2) AS xx, sum(r.value) AS r, sum(r.value ^ 2) AS rr, sum(r.value * i.x) AS rx
			FROM   shown i LEFT JOIN rewarded r ON r.decision = i.id AND same_item(r.item, i.item)
			GROUP  BY i.user_id, i.item),
		total AS MATERIALIZED (
			SELECT sum(p.r) / sum(p.x) AS ratio FROM pair p HAVING sum(p.x) > 0 AND sum(p.r) > 0),
		summed AS (
			SELECT t.ratio, sum(e.q) / sum(p.x * t.ratio) AS noise, sum(e.e ^ 2 - e.q) AS covariance,
			       sum(p.x ^ 2 - p.xx) * t.ratio ^ 2 AS square
			FROM   total t CROSS JOIN pair p,
			       LATERAL (SELECT coalesce(p.r, 0) - t.ratio * p.x AS e,
			                       coalesce(p.rr, 0) - 2 * t.ratio * coalesce(p.rx, 0) + t.ratio ^ 2 * p.xx AS q) e
			GROUP  BY t.ratio)
		SELECT s.ratio, CASE WHEN v.variance > 0 THEN s.noise / least(2 * v.variance, 0.25) END
		INTO   ratio, prior
		FROM   summed s,
		       LATERAL (SELECT s.covariance / s.square - 2 * s.noise * sqrt(2 / s.square) AS variance) v
		WHERE  s.square > 0 AND s.square < 'infinity' AND s.noise > 0 AND s.noise < 'infinity';
	EXCEPTION WHEN numeric_value_out_of_range THEN	-- of rewards or expectations: no histories
		NULL;
	END;
	UPDATE setting s SET history_prior = prior, history_ratio = ratio
	WHERE  s.history_prior IS DISTINCT FROM prior OR s.history_ratio IS DISTINCT FROM ratio;
END
$$;

-- Compute the effects of all items, and the items on trial.  The data are up to 200,000 lists of ten half-lives, after
-- their attribution window.  The effect of an old item is its residual beyond the regression, divided by 1 + slope.
-- The popularity of old items is known from the click log, so their effect has a prior standard deviation of .07 of
-- the mean reward (with .2, noise led to recommendations that users did not like).
--
-- Items that were added after the recommender was created are new (setting.made_at).  Their prior standard deviation is
-- half of the mean reward.  A new item is on trial as long as its impressions have less weight than the prior.  The
-- newest items come first, and trials take at most about 8 % of a day's positions (10 to 100 items).  Small changes are
-- not written, except after an erasure.  Returns the number of rows that changed.
CREATE FUNCTION _dlints_refresh_effects() RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET work_mem = '128MB' AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	max_lists CONSTANT bigint := 200000;
	min_change CONSTANT float8 := (SELECT CASE WHEN isfinite(j.done_at) THEN 0.03 ELSE 0 END FROM job j
	                               WHERE j.name = 'effects');
	until bigint := (SELECT @extschema@._dlints_first_decision(now() - s.attribution_window) FROM setting s);
	first bigint := (
		SELECT greatest(s.trained_from, @extschema@._dlints_first_decision(
		           now() - make_interval(secs => least(10 * date_part('epoch', s.half_life), 1e9))))
		FROM   setting s);
	new_since timestamptz := (SELECT s.made_at FROM setting s);
	day_positions float8;
	stddev float8;
	n_changed bigint;
BEGIN
	PERFORM @extschema@._dlints_lock_item_vectors();
	first := coalesce((SELECT d.id FROM decision d WHERE d.id >= first AND d.id < until
	                   ORDER BY d.id DESC OFFSET max_lists LIMIT 1), first);
	day_positions := (
		SELECT sum(cardinality(d.items))
		       / greatest(least(date_part('epoch', now() - min(d.at)) / 86400, 7), 1)
		FROM   decision d
		WHERE  d.id >= greatest(first, @extschema@._dlints_first_decision(now() - interval '7 days')) AND d.id < until);
	WITH residual AS MATERIALIZED (
		SELECT r.* FROM (SELECT v.item FROM (SELECT) one LEFT JOIN item_vector v ON false) w,
		                LATERAL @extschema@._dlints_item_residuals(first, until, w.item) r),
	total AS MATERIALIZED (
		SELECT sum(r.noise) / sum(r.n) AS noise, abs(sum(r.reward) / sum(r.n)) AS mean_reward
		FROM   residual r HAVING sum(r.noise) > 0 AND sum(r.n) > 0 AND sum(r.reward) <> 0),
	item AS MATERIALIZED (
		SELECT array_agg(r.n) AS n, array_agg(r.n2) AS n2, array_agg(r.e) AS e, array_agg(r.q) AS q,
		       array_agg(r.x) AS x
		FROM   residual r),
	prior AS MATERIALIZED (
		SELECT k.is_new, t.noise, p.variance, t.noise / p.variance AS weight, p.slope, p.level, p.mean_expected
		FROM   total t CROSS JOIN item i
		       CROSS JOIN (VALUES (true, 0.5, 0), (false, 0.07, 10)) k (is_new, share, slope_stddev),
		       LATERAL @extschema@._dlints_effect_prior(i.n, i.n2, i.e, i.q, i.x, t.noise,
		                                                k.share * t.mean_reward, k.slope_stddev::float8) p),
	posterior AS (
		SELECT v.item, v.since, v.is_new,
		       coalesce((r.e - r.n * p.level - p.slope * (r.x - r.n * p.mean_expected)) / (r.n + p.weight)
		                / (1 + p.slope), 0)::real AS effect,
		       (1 / sqrt(1 / p.variance + coalesce(r.n, 0) / p.noise) / (1 + p.slope))::real AS stddev,
		       coalesce(r.n, 0) < p.weight AND v.is_new AS is_uncertain
		FROM  (SELECT v.item, v.since, v.effect, v.effect_stddev, v.since > new_since AS is_new FROM item_vector v) v
		       LEFT JOIN prior p ON p.is_new = v.is_new
		       LEFT JOIN residual r ON same_item(r.item, v.item)
		WHERE  v.is_new OR r.item IS NOT NULL OR v.effect <> 0 OR v.effect_stddev IS NOT NULL),
	estimate AS (
		SELECT o.item, o.is_new, o.effect, o.stddev,
		       o.is_uncertain IS TRUE
		       AND o.n <= least(greatest(0.08 * day_positions / (SELECT p.weight FROM prior p WHERE p.is_new), 10), 100)
		       AS is_on_trial
		FROM  (SELECT p.*, row_number() OVER (PARTITION BY p.is_uncertain ORDER BY p.since DESC, p.item DESC) AS n
		       FROM posterior p) o),
	written AS (
		UPDATE item_vector v
		SET    effect = e.effect, effect_stddev = CASE WHEN e.is_on_trial THEN e.stddev END
		FROM   estimate e LEFT JOIN prior p ON p.is_new = e.is_new
		WHERE  same_item(e.item, v.item)
		AND   (abs(e.effect - v.effect) > min_change * coalesce(sqrt(p.variance) / (1 + p.slope), 0)
		       OR abs(e.stddev - v.effect_stddev) > min_change * coalesce(sqrt(p.variance) / (1 + p.slope), 0)
		       OR (v.effect_stddev IS NOT NULL) <> e.is_on_trial)
		RETURNING 1)
	SELECT (SELECT sqrt(p.variance) / (1 + p.slope) FROM prior p WHERE p.is_new), (SELECT count(*) FROM written w)
	INTO   stddev, n_changed;
	UPDATE setting s SET effect_stddev = stddev, n_on_trial = t.n
	FROM  (SELECT count(*)::integer AS n FROM item_vector v WHERE v.effect_stddev IS NOT NULL) t
	WHERE  s.effect_stddev IS DISTINCT FROM stddev OR s.n_on_trial <> t.n;
	PERFORM @extschema@._dlints_fit_histories(first, until);
	UPDATE job j SET done_at = now() WHERE j.name = 'effects';
	RETURN n_changed;
END
$$;
