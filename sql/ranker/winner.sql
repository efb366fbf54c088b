-- Compare actions ------------------------------------------------------------------------

-- Compute inverse-propensity weights of the events in which all tested actions could be chosen, with one row per event
-- and action.  The log is divided into 20 blocks by time.  The weight of a block depends on its rarest action, so that
-- all actions are compared over the same times and contexts.  Propensities of equal contexts within a block are
-- averaged.
CREATE FUNCTION _dlints_weigh_events(first bigint, actions text[])
	RETURNS TABLE (action text, counts float8, price float8, weight float8, reward float8)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH names AS (
		SELECT array_agg(p.name) || '{price}' AS names FROM constraint_price p),
	event AS (
		SELECT d.context, d.actions, d.ranking, d.probabilities, o.reward, ntile(20) OVER (ORDER BY d.id) AS block
		FROM   outcome o JOIN decision d ON d.id = o.decision
		WHERE  o.treatment = 'live' AND o.reward IS NOT NULL AND o.decision >= first
		AND    NOT EXISTS (SELECT unnest(_dlints_weigh_events.actions) EXCEPT
		                   SELECT @extschema@._dlints_action_id(a.value) FROM jsonb_array_elements(d.actions) a)),
	option AS (
		SELECT e.block, a.action, a.price, r.position = 1 AS is_chosen, e.reward,
		       greatest(avg(r.probability) OVER (PARTITION BY e.block, e.context - s.user_key, a.document),
		                0.001) AS probability
		FROM   names n CROSS JOIN setting s CROSS JOIN event e,
		       LATERAL (SELECT u.n, u.probability, u.position, g.document
		                FROM   unnest(e.ranking, e.probabilities) WITH ORDINALITY u (n, probability, position)
		                       JOIN jsonb_array_elements(e.actions) WITH ORDINALITY g (document, n) ON g.n = u.n) r,
		       LATERAL (SELECT @extschema@._dlints_action_id(r.document) AS action,
		                       coalesce(@extschema@._dlints_announced_cost(r.document, 'price'::text), 0) AS price,
		                       CASE jsonb_typeof(r.document) WHEN 'object' THEN r.document - n.names
		                                                     ELSE r.document END AS document) a
		WHERE  a.action = ANY (_dlints_weigh_events.actions)),
	block AS (
		SELECT p.block, 1 / sum(p.one_in) AS counts
		FROM  (SELECT o.block, avg(1 / o.probability) AS one_in FROM option o GROUP BY o.block, o.action) p
		GROUP  BY p.block)
	SELECT o.action, b.counts, o.price,
	       CASE WHEN o.is_chosen THEN b.counts / o.probability END, CASE WHEN o.is_chosen THEN o.reward END
	FROM   option o JOIN block b ON b.block = o.block;
END
$$;

-- Estimate the mean reward of each action, with a normal posterior.  The variance of an action's rewards is at least
-- the variance of all rewards, because a few equal rewards say little.  The expected reward is shrunken to the mean of
-- all rewards by one observation, and that mean to the middle of possible rewards.  "n" is the effective number of
-- events.
CREATE FUNCTION _dlints_estimate_arms(first bigint, actions text[], lowest float8, highest float8)
	RETURNS TABLE (place bigint, action text, events bigint, mean float8, price float8, bottom float8, top float8,
	               n bigint, squares float8, expected float8, error float8)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH weighed AS MATERIALIZED (
		SELECT w.*, sum(w.weight * w.reward) OVER a / sum(w.weight) OVER a AS mean
		FROM   @extschema@._dlints_weigh_events(first, _dlints_estimate_arms.actions) w
		WINDOW a AS (PARTITION BY w.action)),
	total AS (
		SELECT t.bottom, t.top, (t.n * t.mean + (t.bottom + t.top) / 2) / (t.n + 1) AS mean,
		       (t.n * t.variance + t.n / (t.n + 1) * (t.mean - (t.bottom + t.top) / 2) ^ 2) / (t.n + 1) AS variance
		FROM  (SELECT count(w.reward)::float8 AS n, avg(w.reward) AS mean, var_pop(w.reward) AS variance,
		              least(lowest, min(w.reward)) AS bottom, greatest(highest, max(w.reward)) AS top
		       FROM   weighed w) t),
	arm AS (
		SELECT w.action, count(w.weight) AS events, max(w.mean) AS mean,
		       sum(w.counts * w.price) / sum(w.counts) AS price,
		       sum(w.weight) ^ 2 / sum(w.weight ^ 2) AS sample_size, floor(sum(w.weight) / max(w.weight)) AS n,
		       sum(w.weight * (w.reward - w.mean) ^ 2) / sum(w.weight) AS variance,
		       sum((w.weight * (w.reward - w.mean)) ^ 2) / max(w.weight) ^ 2 AS squares
		FROM   weighed w GROUP BY w.action)
	SELECT a.n, a.action, coalesce(m.events, 0), c.mean, m.price, t.bottom, t.top, coalesce(m.n, 0)::bigint,
	       least(m.squares, m.n * (c.mean - t.bottom) * (t.top - c.mean)),
	       (coalesce(m.sample_size * c.mean, 0) + t.mean) / (coalesce(m.sample_size, 0) + 1) - m.price,
	       sqrt(nullif(greatest(t.variance, m.variance), 0) / (coalesce(m.sample_size, 0) + 1))
	FROM   unnest(_dlints_estimate_arms.actions) WITH ORDINALITY a (action, n)
	       LEFT JOIN arm m ON m.action = a.action CROSS JOIN total t,
	       LATERAL (SELECT CASE WHEN m.mean IS NOT NULL	-- rounding may move a mean out of its bounds
	                            THEN least(greatest(m.mean, t.bottom), t.top) END AS mean) c;
END
$$;

-- Compare actions as if each were always chosen.  By default, the actions of the newest event are compared.  Events
-- count if the ranker chose the action, all tested actions could be chosen, and the attribution window has passed.
-- All rewards are assumed to be between "lowest" and "highest".
CREATE FUNCTION _dlints_ranker_winner(setting regclass, since timestamptz, actions text[], lowest float8,
                                      highest float8)
	RETURNS TABLE (action text, events bigint, earns float8, low float8, high float8,
	               chance_best float8, could_gain float8, verdict text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
	first bigint := greatest(@extschema@._dlints_first_decision(coalesce(since, '-infinity')),
	                         (SELECT s.trained_from FROM setting s));
	-- by default, the actions of the newest event that the ranker decided
	compared text[] := coalesce(actions, ARRAY(
		SELECT r.action FROM ranked r
		WHERE  r.decision = (SELECT d.id FROM decision d WHERE d.active AND d.treatment = 'live' AND d.id >= first
		                     ORDER BY d.id DESC LIMIT 1)
		ORDER  BY r.action));
	unknown text;
BEGIN
	IF cardinality(actions) = 0 OR array_ndims(actions) > 1
	   OR cardinality(actions) > (SELECT count(DISTINCT a) FROM unnest(actions) a) THEN
		RAISE 'argument "actions" must contain ids of actions, each once' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	PERFORM @extschema@._dlints_check_comparison(cardinality(compared), lowest, highest);
	IF compared = '{}' THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH arm AS MATERIALIZED (
		SELECT * FROM @extschema@._dlints_estimate_arms(first, compared, lowest, highest)),
	compared AS (
		SELECT c.*
		FROM  (SELECT array_agg(a.mean ORDER BY a.place) AS means,
		              array_agg(sqrt(a.squares / greatest(a.n * (a.n - 1), 1)) ORDER BY a.place) AS stderrs,
		              array_agg(a.n ORDER BY a.place) AS observations, min(a.bottom) AS bottom, max(a.top) AS top,
		              array_agg(a.price ORDER BY a.place) AS prices,
		              array_agg(a.expected ORDER BY a.place) AS expected,
		              array_agg(a.error ORDER BY a.place) AS errors FROM arm a) a,
		       LATERAL @extschema@._dlints_compare_arms(a.means, a.stderrs, a.observations, a.bottom, a.top, a.prices,
		                                                a.expected, a.errors) c)
	SELECT a.action, a.events, a.mean - a.price, c.low, c.high, c.chance_best, c.could_gain, c.verdict
	FROM   arm a JOIN compared c ON c.n = a.place
	ORDER  BY c.chance_best DESC NULLS LAST, a.mean - a.price DESC NULLS LAST, a.place;
	SELECT a INTO unknown FROM unnest(actions) a
	WHERE  NOT EXISTS (SELECT FROM ranked r WHERE r.decision >= first AND r.action = a) LIMIT 1;
	IF unknown IS NOT NULL THEN
		RAISE NOTICE 'no event since the beginning of the comparison had an action "%"', left(unknown, 100);
	END IF;
END
$$;
