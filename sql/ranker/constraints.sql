-- Constraints of rankers ------------------------------------------------------------------
--
-- Actions have announced costs, and reward() reports the true costs of chosen actions.  The expected cost of an action
-- is the announced cost times the ratio of reported to announced costs.

-- Return the costs of the last decisions since the first constraint was set.  Costs that were not reported are
-- expected costs.
CREATE FUNCTION _dlints_ranker_spent(max_decisions bigint)
	RETURNS TABLE (decision bigint, constraint_name text, cost float8, choices bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH last AS MATERIALIZED (
		SELECT d.id, d.event, d.costs -> 0 AS costs FROM decision d
		WHERE  d.costs IS NOT NULL AND d.active
		AND    d.id >= (SELECT @extschema@._dlints_first_decision(min(p.since)) FROM constraint_price p)
		ORDER  BY d.id DESC LIMIT max_decisions)
	SELECT l.id, p.name, coalesce((c.costs ->> p.name)::float8, (l.costs ->> p.name)::float8), 1::bigint
	FROM   last l CROSS JOIN constraint_price p
	       LEFT JOIN LATERAL (SELECT c.costs FROM event_cost c WHERE c.event = l.event OFFSET 0) c ON true
	WHERE  l.costs ? p.name AND l.id >= @extschema@._dlints_first_decision(p.since);
END
$$;

-- Estimate the costs of actions from their last 30 reported costs, among the last 1000 decisions.
CREATE FUNCTION _dlints_estimate_action_costs() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH reported AS (
		SELECT d.id, @extschema@._dlints_action_id(a.document) AS action, a.document, c.costs
		FROM  (SELECT d.id, d.event, d.actions, d.ranking FROM decision d
		       WHERE  d.costs IS NOT NULL AND d.active ORDER BY d.id DESC LIMIT 1000) d
		       CROSS JOIN LATERAL (SELECT c.costs FROM event_cost c WHERE c.event = d.event OFFSET 0) c
		       CROSS JOIN LATERAL (SELECT d.actions -> (d.ranking[1] - 1)) a (document)),
	latest AS (
		SELECT p.name, r.action, coalesce(@extschema@._dlints_announced_cost(r.document, p.name), 0) AS announced,
		       (r.costs ->> p.name)::float8 AS cost,
		       row_number() OVER (PARTITION BY p.name, r.action ORDER BY r.id DESC) AS n
		FROM   reported r JOIN constraint_price p ON r.costs ? p.name)
	INSERT INTO action_cost AS c (constraint_name, action, ratio, cost)
	SELECT l.name, l.action,
	       least(greatest(coalesce(sum(l.cost) FILTER (WHERE l.announced <> 0) / nullif(sum(l.announced), 0), 1),
	                      1e-3), 1e3),
	       avg(l.cost)
	FROM   latest l WHERE l.n <= 30 GROUP BY l.name, l.action
	ON CONFLICT (constraint_name, action) DO UPDATE SET ratio = excluded.ratio, cost = excluded.cost
	WHERE c.ratio <> excluded.ratio OR c.cost <> excluded.cost;
END
$$;

-- Make the last 100 decisions again, each under five posterior draws of the current model.  Returns scores of actions,
-- and their costs times signs.  With many actions, we use fewer draws and decisions, but at least ten decisions.
CREATE FUNCTION _dlints_ranker_replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH last AS (
		SELECT d.id, d.context, d.actions, jsonb_array_length(d.actions) AS n_actions FROM decision d
		WHERE  d.costs IS NOT NULL AND d.active ORDER BY d.id DESC LIMIT 100),
	recent AS MATERIALIZED (
		SELECT l.id, l.context, l.actions, row_number() OVER (ORDER BY l.id) AS place,
		       greatest(count(*) OVER () / 5, sum(l.n_actions) OVER () / 250, 1) AS step
		FROM  (SELECT l.*, row_number() OVER w AS n, sum(l.n_actions) OVER w AS sum
		       FROM last l WINDOW w AS (ORDER BY l.id DESC)) l
		WHERE  l.n <= 10 OR l.sum <= 2000),
	drawn AS MATERIALIZED (
		SELECT @extschema@.dlints_draw_weights(m.state, '{}'::@extschema@.dlints_vector,
		                                       (SELECT max(r.id) FROM recent r), 100) AS weights
		FROM   model m WHERE m.name = 'reward'),
	draw AS MATERIALIZED (
		SELECT n, ARRAY(SELECT unnest(d.weights[n:n])) AS weights FROM drawn d, generate_series(1, 100) n),
	action AS MATERIALIZED (
		SELECT r.place, r.step, a.n, a.features, a.price, c.costs
		FROM   setting s CROSS JOIN recent r,
		       LATERAL @extschema@._dlints_ranker_actions(r.context - s.user_key, r.actions, s.vectors,
		                                                  ARRAY(SELECT p.name FROM constraint_price p)) a,
		       LATERAL (SELECT array_agg(p.sign * @extschema@._dlints_expected_cost(
		                           @extschema@._dlints_announced_cost(r.actions -> (a.n - 1), p.name), c.ratio, c.cost)
		                                 ORDER BY p.name COLLATE "C") AS costs
		                FROM   constraint_price p
		                       LEFT JOIN action_cost c ON c.constraint_name = p.name AND c.action = a.id) c),
	cost AS (
		SELECT k.place, array_agg(k.costs ORDER BY k.n) AS costs, array_agg(k.mean ORDER BY k.n) AS means
		FROM  (SELECT a.place, u.n, array_agg(u.cost ORDER BY a.n) AS costs, avg(u.cost) AS mean
		       FROM   action a, unnest(a.costs) WITH ORDINALITY u (cost, n) GROUP BY a.place, u.n) k
		GROUP  BY k.place)
	SELECT s.scores, c.costs, c.means, 1::bigint
	FROM  (SELECT s.place, s.draw, array_agg(s.score ORDER BY s.n) AS scores
	       FROM  (SELECT a.place, w.n AS draw, a.n,
	                     @extschema@.dlints_dot(w.weights, a.features::@extschema@.dlints_vector) - a.price AS score
	              FROM   action a JOIN draw w ON w.n % a.step = a.place % a.step OFFSET 0) s
	       GROUP  BY s.place, s.draw) s
	       JOIN cost c ON c.place = s.place;
END
$$;

-- Compute dual prices if at least "min_decisions" decisions were made since the last time.  Concurrent sessions use
-- the current prices.  Returns NULL if prices are current or cannot be computed.  Prices count as computed even after
-- an error of class 22, so that the next request does not try again.  If statement_timeout cancels the computation,
-- only run() computes prices, until it has done so quickly.
CREATE FUNCTION _dlints_ranker_find_prices(min_decisions bigint) RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	is_request CONSTANT boolean := min_decisions > 1;
	begun timestamptz := clock_timestamp();
BEGIN
	IF @extschema@._dlints_prices_are_stale(min_decisions) IS NOT TRUE THEN
		RETURN NULL;
	END IF;
	BEGIN
		PERFORM FROM job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
		-- another session may have computed prices meanwhile
		IF NOT FOUND OR @extschema@._dlints_prices_are_stale(min_decisions) IS NOT TRUE THEN
			RETURN NULL;
		END IF;
		IF is_request THEN
			PERFORM setval('cancelled_prices'::regclass, 1::bigint);
		END IF;
		UPDATE constraint_price SET solved = (SELECT n.last_value FROM decision_number n);
		BEGIN
			PERFORM @extschema@._dlints_estimate_action_costs();
			PERFORM @extschema@._dlints_solve();
			UPDATE job SET problem = NULL WHERE name = 'prices' AND problem IS NOT NULL;
		EXCEPTION WHEN data_exception THEN
			UPDATE job SET problem = SQLERRM WHERE name = 'prices';
		END;
		IF is_request OR clock_timestamp() < begun + interval '0.2 seconds' THEN
			PERFORM setval('cancelled_prices'::regclass, 0::bigint);
		END IF;
		RETURN (SELECT CASE WHEN j.problem IS NULL THEN 'prices found' END FROM job j WHERE j.name = 'prices');
	EXCEPTION WHEN serialization_failure THEN
		PERFORM setval('cancelled_prices'::regclass, 0::bigint);
		RETURN NULL;
	END;
END
$$;
