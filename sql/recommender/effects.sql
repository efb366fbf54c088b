-- Effects of items -----------------------------------------------------------------------
--
-- The effect of an item is the reward per impression beyond what its features predict.  The models share all of
-- their parameters between items, and are certain about an item that was never shown.  The posterior of the effect
-- is not: under each draw of a personal list, items on trial get a normal of its standard deviation.  Effects are
-- computed from the log alone.

-- Estimate the variance of item effects by the method of moments, with a prior of two items at half the mean reward.
-- Arrays have an element per item: sums of weights, of squared weights, of weighted residuals, and of squared
-- weighted residuals.  "noise" is the variance of a residual.  Items count by how well their effect is known at the
-- present estimate (five iterations).  The standard deviation is at least a tenth of the mean reward.
CREATE FUNCTION _dlints_effect_variance(weights float8[], squared_weights float8[], residuals float8[],
	squared_residuals float8[], noise float8, mean_reward float8) RETURNS float8
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	prior float8 := (mean_reward / 2) ^ 2;
	variance float8 := prior;
BEGIN
	FOR iteration IN 1..5 LOOP
		SELECT greatest((coalesce(sum(x.precision * (x.e * x.e - x.q)), 0) + 2 * prior)
		                / (coalesce(sum(x.precision * (x.n * x.n - x.n2)), 0) + 2), prior / 25)
		INTO   variance
		FROM  (SELECT u.*, 1 / (u.n + noise / variance) ^ 2 AS precision
		       FROM   unnest(weights, squared_weights, residuals, squared_residuals) u (n, n2, e, q) OFFSET 0) x;
	END LOOP;
	RETURN variance;
END
$$;
COMMENT ON FUNCTION _dlints_effect_variance(float8[], float8[], float8[], float8[], float8, float8)
	IS 'variance of item effects, from sums of weights and residuals of each item';

-- Sum the impressions of each item since a decision and before another: weights (with the half-life of the models
-- and the examination of the position), their squares, weighted residuals, and their squares.  A residual is a reward
-- minus what the models alone expected.  "noise" is the weighted sum of squared residuals, "reward" that of rewards.
-- Impressions are summed as if there were no rewards; rewards, which are few, are added.
CREATE FUNCTION _dlints_item_residuals(first bigint, until bigint, witness anyelement)
	RETURNS TABLE (item anyelement, n float8, n2 float8, e float8, q float8, noise float8, reward float8)
	LANGUAGE plpgsql STABLE SET work_mem = '128MB' AS
$$
#variable_conflict use_column
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	half_life float8 := (SELECT date_part('epoch', s.half_life) FROM setting s);
	examination float8[] := (SELECT coalesce(s.examination, '{1}') FROM setting s);
	n_examined integer := cardinality(examination);
BEGIN
	RETURN QUERY
	SELECT t.item, sum(t.n), sum(t.n2), sum(t.e), sum(t.q), sum(t.noise), sum(t.reward)
	FROM  (
		SELECT x.item, x.wl AS n, x.wl * x.wl AS n2, - x.wl * x.x AS e, x.wl * x.x * x.wl * x.x AS q,
		       x.wl * x.x * x.l * x.x AS noise, 0::float8 AS reward
		FROM  (SELECT i.item, i.l, i.w * i.l AS wl, i.expected - coalesce(i.effect, 0) AS x
		       FROM  (SELECT unnest(d.items) AS item, unnest(d.expected) AS expected, unnest(d.effects) AS effect, d.w,
		                     examination[least(generate_subscripts(d.items, 1), n_examined)] AS l
		              FROM  (SELECT d.items, d.expected, d.effects,
		                            0.5 ^ (greatest(date_part('epoch', now() - d.at), 0) / half_life) AS w
		                     FROM   decision d WHERE d.id >= first AND d.id < until OFFSET 0) d) i) x
		UNION  ALL
		SELECT x.item, 0, 0, x.w * x.r, x.w * x.w * x.r * (x.r - 2 * x.lx), x.w * x.r * (x.r - 2 * x.lx), x.w * x.r
		FROM  (SELECT i.item, d.w, r.value AS r, i.lx
		       FROM  (SELECT r.decision, r.item, sum(r.value) AS value FROM reward r
		              WHERE  r.decision >= first AND r.decision < until GROUP BY r.decision, r.item) r
		              JOIN (SELECT d.id, d.items, d.expected, d.effects,
		                           0.5 ^ (greatest(date_part('epoch', now() - d.at), 0) / half_life) AS w
		                    FROM   decision d WHERE d.id >= first AND d.id < until OFFSET 0) d ON d.id = r.decision,
		              LATERAL (SELECT i.item, examination[least(i."position", n_examined)]
		                                      * (i.expected - coalesce(i.effect, 0)) AS lx
		                       FROM   unnest(d.items, d.expected, d.effects)
		                              WITH ORDINALITY i (item, expected, effect, "position")
		                       WHERE  same_item(i.item, r.item)) i) x) t
	GROUP  BY t.item;
END
$$;
COMMENT ON FUNCTION _dlints_item_residuals(bigint, bigint, anyelement)
	IS 'sums of weights and of residuals of the impressions of each item';

-- Compute the effects of all items, and which items are on trial.  Data: up to 200,000 lists of ten half-lives, of
-- all treatments, past their attribution window.  Residuals are centered first: an error of all expectations is
-- no item's effect.  An item is on trial as long as its impressions tell less than the prior does, if its vector was
-- added after the recommender was made; without a click log all items can be.  The newest come first, and trials
-- are expected to take at most a tenth of a week's positions (5 to 100 items).  Changes below 3 % of the effects'
-- standard deviation are not written, except after an erasure.
CREATE FUNCTION _dlints_refresh_effects() RETURNS void
	LANGUAGE plpgsql VOLATILE SET work_mem = '128MB' AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	max_lists CONSTANT bigint := 200000;
	min_change CONSTANT float8 := (SELECT CASE WHEN isfinite(j.done_at) THEN 0.03 ELSE 0 END FROM job j
	                               WHERE j.name = 'effects');
	until bigint := (SELECT @extschema@._dlints_first_decision(now() - s.attribution_window) FROM setting s);
	first bigint := (
		SELECT greatest(s.trained_from, @extschema@._dlints_first_decision(
		           now() - make_interval(secs => least(10 * date_part('epoch', s.half_life), 1e9))))
		FROM   setting s);
	week_positions bigint;
	stddev float8;
BEGIN
	PERFORM @extschema@._dlints_lock_item_vectors();
	first := coalesce((SELECT d.id FROM decision d WHERE d.id >= first AND d.id < until
	                   ORDER BY d.id DESC OFFSET max_lists LIMIT 1), first);
	week_positions := (
		SELECT sum(cardinality(d.items)) FROM decision d
		WHERE  d.id >= greatest(first, @extschema@._dlints_first_decision(now() - interval '7 days')) AND d.id < until);
	WITH residual AS MATERIALIZED (
		SELECT r.* FROM (SELECT v.item FROM (SELECT) one LEFT JOIN item_vector v ON false) w,
		                LATERAL @extschema@._dlints_item_residuals(first, until, w.item) r),
	total AS MATERIALIZED (
		SELECT sum(r.noise) / sum(r.n) AS noise, abs(sum(r.reward) / sum(r.n)) AS mean_reward, sum(r.e) / sum(r.n) AS mean
		FROM   residual r HAVING sum(r.noise) > 0 AND sum(r.n) > 0 AND sum(r.reward) <> 0),
	centered AS MATERIALIZED (
		SELECT r.item, r.n, r.n2, r.e - r.n * t.mean AS e, r.q FROM residual r, total t),
	prior AS MATERIALIZED (
		SELECT t.noise, x.variance, t.noise / x.variance AS weight
		FROM   total t, (SELECT array_agg(c.n) AS n, array_agg(c.n2) AS n2, array_agg(c.e) AS e, array_agg(c.q) AS q
		                 FROM centered c) a,
		       LATERAL (SELECT @extschema@._dlints_effect_variance(a.n, a.n2, a.e, a.q, t.noise, t.mean_reward)
		                AS variance OFFSET 0) x),
	posterior AS (
		SELECT v.item, v.since, coalesce(c.e / (c.n + p.weight), 0)::real AS effect,
		       (1 / sqrt(1 / p.variance + coalesce(c.n, 0) / p.noise))::real AS stddev,
		       coalesce(c.n, 0) < p.weight AND (v.since > s.made_at OR s.clicks IS NULL) IS TRUE AS is_uncertain
		FROM   setting s CROSS JOIN item_vector v
		       LEFT JOIN prior p ON true
		       LEFT JOIN centered c ON same_item(c.item, v.item)),
	estimate AS (
		SELECT o.item, o.effect, o.stddev,
		       o.is_uncertain IS TRUE
		       AND o.n <= least(greatest(0.1 * week_positions / (SELECT p.weight FROM prior p), 5), 100) AS is_on_trial
		FROM  (SELECT p.*, row_number() OVER (PARTITION BY p.is_uncertain ORDER BY p.since DESC, p.item DESC) AS n
		       FROM posterior p) o),
	written AS (
		UPDATE item_vector v
		SET    effect = e.effect, effect_stddev = CASE WHEN e.is_on_trial THEN e.stddev END
		FROM   estimate e, (SELECT) one LEFT JOIN prior p ON true
		WHERE  same_item(e.item, v.item)
		AND   (abs(e.effect - v.effect) > min_change * coalesce(sqrt(p.variance), 0)
		       OR abs(e.stddev - v.effect_stddev) > min_change * coalesce(sqrt(p.variance), 0)
		       OR (v.effect_stddev IS NOT NULL) <> e.is_on_trial))
	SELECT sqrt(p.variance) INTO stddev FROM prior p;
	UPDATE setting s SET effect_stddev = stddev, n_on_trial = t.n
	FROM  (SELECT count(*)::integer AS n FROM item_vector v WHERE v.effect_stddev IS NOT NULL) t
	WHERE  s.effect_stddev IS DISTINCT FROM stddev OR s.n_on_trial <> t.n;
	UPDATE job j SET done_at = now() WHERE j.name = 'effects';
END
$$;
COMMENT ON FUNCTION _dlints_refresh_effects()
	IS 'compute the effects of items from the log, and which items are on trial';
