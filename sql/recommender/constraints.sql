-- Constraints of recommenders --------------------------------------------------------
--
-- A choice is a position of a list.  Personal and random lists count; control and trending lists do not.

-- Return the number of positions within which a surplus is spent: those of 150 lists, or of the lists between two
-- calls of run() if there are more.  A surplus is summed over fourteen times as many lists, plus the lists whose
-- outcomes may still arrive, since only older lists show whether the expected rates are right.
CREATE FUNCTION _dlints_recommender_horizon() RETURNS TABLE (choices float8, decisions bigint)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN QUERY
	WITH last AS (
		SELECT d.items FROM decision d WHERE d.costs IS NOT NULL ORDER BY d.id DESC LIMIT 100),
	made AS (
		SELECT least(greatest(150, max((n.last_value - p.solved + 4194304) % 4194304)), 100000) AS lists
		FROM   constraint_price p, decision_number n),
	waiting AS (
		SELECT count(*) AS lists
		FROM  (SELECT FROM decision d
		       WHERE  d.costs IS NOT NULL
		       AND    d.id >= (SELECT @extschema@._dlints_first_decision(now() - max(p.lag)) FROM constraint_price p
		                       HAVING max(p.lag) IS NOT NULL)
		       LIMIT  100000) w)
	SELECT m.lists * coalesce((SELECT avg(cardinality(l.items)) FROM last l), 1)::float8,
	       least(14 * m.lists + w.lists, 100000)
	FROM   made m, waiting w;
END
$$;
COMMENT ON FUNCTION _dlints_recommender_horizon()
	IS 'positions within which a surplus is spent, and lists over which it is counted';

-- Return the mean cost per position of the last lists since the first constraint was set.  An outcome counts as
-- expected until 19 of 20 outcomes have arrived, and then as reported.
CREATE FUNCTION _dlints_recommender_spent(max_decisions bigint)
	RETURNS TABLE (decision bigint, constraint_name text, cost float8, choices bigint)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN QUERY
	WITH last AS MATERIALIZED (
		SELECT d.id, d.items, d.costs, cardinality(d.items) AS positions FROM decision d
		WHERE  d.costs IS NOT NULL
		AND    d.id >= (SELECT @extschema@._dlints_first_decision(min(p.since)) FROM constraint_price p)
		ORDER  BY d.id DESC LIMIT max_decisions)
	SELECT l.id, p.name,
	       CASE WHEN l.id < p.complete_until
	            THEN (SELECT count(*) FROM reward r
	                  WHERE  r.decision = l.id AND r.outcome = p.outcome
	                  AND   (r.value <> 0 OR (s.outcomes ->> r.outcome)::float8 = 0)
	                  AND    EXISTS (SELECT FROM unnest(l.items) i (item) WHERE same_item(i.item, r.item)))::float8
	                 / l.positions
	            ELSE (l.costs ->> p.name)::float8 END, l.positions::bigint
	FROM   setting s CROSS JOIN last l
	       CROSS JOIN (SELECT p.name, p.outcome, @extschema@._dlints_first_decision(p.since) AS since,
	                          @extschema@._dlints_first_decision(now() - p.lag) AS complete_until
	                   FROM   constraint_price p) p
	WHERE  l.costs ? p.name AND l.id >= p.since;
END
$$;
COMMENT ON FUNCTION _dlints_recommender_spent(bigint) IS 'mean cost per position of the last lists, by constraint';

-- Add to the items of a list those that other prices could bring into it: the best ones under each row of weights,
-- without prices, with the current prices, and with a price of each constraint that outweighs all other terms.
CREATE FUNCTION _dlints_candidates_under_extreme_prices(shown anyarray, weights float8[], n_best integer)
	RETURNS anyarray LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	signs integer[] := ARRAY(SELECT p.sign FROM constraint_price p ORDER BY p.name COLLATE "C");
	prices float8[] := ARRAY(SELECT -p.sign * p.price FROM constraint_price p ORDER BY p.name COLLATE "C");
	large float8 := 100 * sqrt((SELECT sum(w ^ 2) FROM unnest(weights) w));
	rankings float8[];
BEGIN
	SELECT array_agg(ARRAY(SELECT unnest(weights[r:r])) || p.prices) INTO rankings
	FROM   generate_subscripts(weights, 1) r,
	       LATERAL (SELECT prices
	                UNION ALL
	                SELECT ARRAY(SELECT CASE c WHEN i THEN -signs[i] * large ELSE 0 END
	                             FROM generate_subscripts(signs, 1) i ORDER BY i)
	                FROM   generate_series(0, cardinality(signs)) c) p (prices);
	RETURN @extschema@._dlints_best_in_blocks(shown, rankings, n_best);
END
$$;
COMMENT ON FUNCTION _dlints_candidates_under_extreme_prices(anyarray, float8[], integer)
	IS 'items of a list, and items that any price could bring into it';

-- Replay the last 100 personal lists of the usual length, under two draws of the current model each.  Caps and
-- diversity are ignored, since their effect is part of the surplus or deficit.  Without a shortlist all items are
-- candidates, and fewer lists are replayed.
CREATE FUNCTION _dlints_recommender_replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	has_blocks boolean := EXISTS (SELECT FROM block);
	max_lists bigint := CASE WHEN has_blocks THEN 100 ELSE (
		SELECT least(100, greatest(2, 200000 / greatest(v.n * c.n, 1)))
		FROM  (SELECT count(*) AS n FROM item_vector x WHERE NOT x.is_deleted) v,
		      (SELECT count(*) AS n FROM constraint_price) c) END;
BEGIN
	RETURN QUERY
	WITH price AS MATERIALIZED (
		SELECT p.sign, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM constraint_price p),
	latest AS MATERIALIZED (
		SELECT d.id, d.user_id, d.context, d.items, cardinality(d.items) AS k,
		       @extschema@.dlints_unpack(d.profile) AS profile
		FROM   decision d WHERE d.costs IS NOT NULL AND d.treatment = 'personal' ORDER BY d.id DESC LIMIT max_lists),
	usual AS MATERIALIZED (
		SELECT l.*, CASE WHEN s.liked > 0 AND l.profile[1:s.liked] = array_fill(0::real, ARRAY[s.liked])
		                      AND EXISTS (SELECT FROM warm_start_example)
		                 THEN 'unknown' ELSE 'personal' END AS policy
		FROM   setting s, latest l, (SELECT mode() WITHIN GROUP (ORDER BY latest.k) AS k FROM latest) u
		WHERE  l.k = u.k),
	drawn AS MATERIALIZED (
		SELECT u.id, u.user_id, u.context, u.k, r.weights,
		       CASE WHEN has_blocks THEN @extschema@._dlints_candidates_under_extreme_prices(
		                                     u.items, r.weights, (32 + 4 * u.k)::integer) END AS shortlist
		FROM   usual u CROSS JOIN LATERAL (
		           SELECT w.weights[1:2] AS weights
		           FROM   @extschema@._dlints_ranking_weights(u.profile, u.policy, u.id) w (weights) OFFSET 0) r),
	candidate AS MATERIALIZED (
		SELECT d.id, row_number() OVER (PARTITION BY d.id) AS n, c.features || c.effect::real AS features,
		       c.bonus, c.costs
		FROM   drawn d, LATERAL @extschema@._dlints_candidates(d.user_id, d.context, d.shortlist) c
		WHERE  c.features IS NOT NULL),
	draw AS MATERIALIZED (
		SELECT d.id, n, ARRAY(SELECT unnest(d.weights[n:n])) AS weights
		FROM   drawn d, LATERAL generate_subscripts(d.weights, 1) n),
	score AS (
		SELECT w.id, w.n AS draw, array_agg(
		           c.bonus + @extschema@.dlints_dot(w.weights, c.features::@extschema@.dlints_vector)
		           ORDER BY c.n) AS scores
		FROM   draw w JOIN candidate c ON c.id = w.id GROUP BY w.id, w.n),
	cost AS (
		SELECT x.id, array_agg(x.costs ORDER BY x.n) AS costs
		FROM  (SELECT c.id, p.n, array_agg(p.sign * c.costs[p.n] ORDER BY c.n)::float8[] AS costs
		       FROM   candidate c CROSS JOIN price p GROUP BY c.id, p.n) x
		GROUP  BY x.id),
	random_cost AS (
		SELECT array_agg(m.mean ORDER BY m.n) AS means
		FROM  (SELECT p.n, p.sign * avg(v.costs[p.n]) AS mean
		       FROM   item_vector v CROSS JOIN price p WHERE NOT v.is_deleted GROUP BY p.n, p.sign) m)
	SELECT s.scores, c.costs, m.means, d.k::bigint
	FROM   score s JOIN cost c ON c.id = s.id JOIN drawn d ON d.id = s.id CROSS JOIN random_cost m;
END
$$;
COMMENT ON FUNCTION _dlints_recommender_replay()
	IS 'scores and costs of the candidates of recent lists, under draws of the current model';

-- Compute prices again after enough lists.  One session does so at a time, while the others use the current
-- prices.  Returns NULL if prices were not stale.
CREATE FUNCTION _dlints_recommender_find_prices() RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	IF @extschema@._dlints_prices_are_stale(20::bigint) IS NOT TRUE THEN
		RETURN NULL;
	END IF;
	PERFORM FROM job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
	IF NOT FOUND THEN
		RETURN NULL;
	END IF;
	PERFORM @extschema@._dlints_solve();
	UPDATE constraint_price SET solved = (SELECT n.last_value FROM decision_number n), reward_lost = 0;
	UPDATE constraint_price p SET reward_lost = l.lost
	FROM   @extschema@._dlints_reward_lost() l WHERE l.constraint_name = p.name;
	RETURN 'prices computed';
END
$$;
COMMENT ON FUNCTION _dlints_recommender_find_prices() IS 'compute prices again after enough lists; NULL: nothing to do';
