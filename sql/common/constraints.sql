-- Constraints and their dual prices ------------------------------------------------
--
-- A constraint limits the average cost of choices.  Its dual price, in rewards per unit of cost, is multiplied by
-- costs and subtracted from scores.  To compute prices, we make recent decisions again with the current model.  If past
-- costs were above the target, these decisions have a lower target; if they were below, a higher one.

-- Write the table "constraint_price" from setting.constraints.  A constraint with an unchanged definition keeps its
-- price and its counts.  If only the target changes, a constraint keeps only its price.
CREATE FUNCTION _dlints_write_constraints() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	-- sessions that compute prices wait for this row lock
	PERFORM FROM job WHERE name = 'prices' FOR UPDATE;
	DELETE FROM constraint_price p WHERE NOT (SELECT s.constraints ? p.name FROM setting s);
	INSERT INTO constraint_price AS p (name, sign, target, hard, of, outcome, solved)
	SELECT c.key, CASE WHEN c.value ? 'max' THEN 1 ELSE -1 END,
	       coalesce(c.value ->> 'max', c.value ->> 'min')::float8, coalesce((c.value ->> 'hard')::boolean, false),
	       c.value ->> 'of', c.value ->> 'outcome', n.last_value
	FROM   setting s, jsonb_each(s.constraints) c, decision_number n
	ON CONFLICT (name) DO UPDATE SET sign = excluded.sign, target = excluded.target, hard = excluded.hard,
		of = excluded.of, outcome = excluded.outcome, rate = NULL, lag = NULL,
		price = CASE WHEN p.sign = excluded.sign THEN p.price ELSE 0 END,
		since = now(), decisions = 0, surplus = 0
	WHERE (p.sign, p.target, p.hard, p.of, p.outcome)
	      IS DISTINCT FROM (excluded.sign, excluded.target, excluded.hard, excluded.of, excluded.outcome);
END
$$;

-- Return two numbers: future choices that compensate for past costs above or below the target, and past decisions
-- whose costs count.  For recommenders, the future is 150 lists, or the lists between two calls of run() if there are
-- more.  The past is fourteen times as long, plus the lists whose outcomes may still arrive.
CREATE FUNCTION _dlints_horizon() RETURNS TABLE (choices float8, decisions bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF (SELECT s.kind = 'ranker' FROM setting s) THEN
		RETURN QUERY VALUES (150::float8, 2000::bigint);
		RETURN;
	END IF;
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

-- Recommenders and rankers have separate versions of the next two functions, _dlints_recommender_...() and
-- _dlints_ranker_...().

-- Return the mean cost per choice of the last decisions under constraints, at most "max_decisions".
CREATE FUNCTION _dlints_spent(max_decisions bigint)
	RETURNS TABLE (decision bigint, constraint_name text, cost float8, choices bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY EXECUTE format('SELECT * FROM @extschema@.%I($1)',
		(SELECT format('_dlints_%s_spent', s.kind) FROM setting s)) USING max_decisions;
END
$$;

-- Make recent decisions again, with posterior draws of the current model.  Returns scores of candidates without prices,
-- costs times signs (an array per constraint), mean costs of random choices, and the number of choices.
CREATE FUNCTION _dlints_replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY EXECUTE format('SELECT * FROM @extschema@.%I()',
		(SELECT format('_dlints_%s_replay', s.kind) FROM setting s));
END
$$;

-- Compute the surplus of each constraint: the sum of target minus cost over the last decisions.  A surplus is limited
-- to the target over half the horizon, so that the constraint also holds in the near future.  For hard constraints,
-- the limit is the target of 30 decisions.
CREATE FUNCTION _dlints_balance(max_decisions bigint)
	RETURNS TABLE (constraint_name text, decisions bigint, surplus float8, target float8, hard boolean)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH summed AS (
		SELECT s.constraint_name, s.decision, sum(p.sign * (p.target - s.cost) * s.choices) OVER w AS surplus,
		       CASE WHEN p.hard THEN 30 ELSE h.choices / 2 END * p.target AS max_surplus
		FROM   @extschema@._dlints_horizon() h,
		       @extschema@._dlints_spent(max_decisions) s JOIN constraint_price p ON p.name = s.constraint_name
		WINDOW w AS (PARTITION BY s.constraint_name ORDER BY s.decision)),
	total AS (
		SELECT s.constraint_name, count(*) AS decisions,
		       least(greatest((array_agg(s.surplus ORDER BY s.decision DESC))[1]
		                      - greatest(max(s.surplus - s.max_surplus), 0), -1e53), 1e53) AS surplus
		FROM   summed s GROUP BY s.constraint_name)
	SELECT p.name, coalesce(t.decisions, 0), coalesce(t.surplus, 0), p.target, p.hard
	FROM   constraint_price p LEFT JOIN total t ON t.constraint_name = p.name;
END
$$;

-- Compute the dual prices of all constraints.  Prices spend a surplus, or compensate for a deficit, within the
-- horizon.  Some targets cannot be met.  We never ask for the last twentieth of the possible saving, because its price
-- would outweigh all scores.  If costs are estimated rates of outcomes, we ask for at most three quarters of the
-- saving, or for a fifth of the part below the target.
CREATE FUNCTION _dlints_solve() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH wanted AS MATERIALIZED (
		SELECT p.name, p.sign, p.sign * p.target AS bound, p.outcome IS NOT NULL AS is_expected,
		       b.decisions, b.surplus, p.sign * p.target
		       * least(greatest(1 + p.sign * b.surplus / (h.choices * abs(p.target)), 0.05), 3) AS target,
		       row_number() OVER (ORDER BY p.name COLLATE "C") AS n
		FROM   @extschema@._dlints_horizon() h, LATERAL @extschema@._dlints_balance(h.decisions) b
		       JOIN constraint_price p ON p.name = b.constraint_name),
	decision AS MATERIALIZED (
		SELECT * FROM @extschema@._dlints_replay()),
	random_cost AS (
		SELECT u.n, avg(u.mean) AS mean
		FROM   decision d, unnest(d.means) WITH ORDINALITY u (mean, n) GROUP BY u.n),
	-- mean cost at the highest price, and without a price
	range AS (
		SELECT w.n, avg(l.cost) AS lowest, avg(f.cost) AS free
		FROM   decision d CROSS JOIN wanted w
		       CROSS JOIN LATERAL (
		           SELECT avg(c.cost) AS cost
		           FROM  (SELECT c.cost FROM unnest(d.costs[w.n:w.n]) c (cost) ORDER BY c.cost LIMIT d.k) c) l
		       CROSS JOIN LATERAL (
		           SELECT avg(c.cost) AS cost
		           FROM  (SELECT c.cost FROM unnest(d.scores, d.costs[w.n:w.n]) c (score, cost)
		                  ORDER BY c.score DESC LIMIT d.k) c) f
		GROUP  BY w.n),
	asked AS MATERIALIZED (
		SELECT array_agg(greatest(
		           (w.target - s.epsilon * m.mean) / greatest(1 - s.epsilon, 0.01),
		           CASE WHEN w.is_expected
		                THEN r.lowest + greatest(
		                    0.05 * (r.free - r.lowest),
		                    least(0.25 * (r.free - r.lowest), CASE WHEN r.lowest < w.bound
		                          THEN 0.8 * (w.bound - r.lowest) END))
		                WHEN r.lowest < w.bound
		                THEN r.lowest + 0.05 * (w.bound - r.lowest) END) ORDER BY w.n) AS targets
		FROM   setting s, wanted w JOIN random_cost m ON m.n = w.n JOIN range r ON r.n = w.n),
	solution AS (
		SELECT @extschema@.dlints_prices(d.scores, d.costs, d.k, a.targets) AS prices
		FROM   decision d, asked a)
	UPDATE constraint_price p
	SET    price = least(x.prices[1][w.n], 1e15 * greatest(1, 1 / abs(p.target)), 1e45),
	       decisions = w.decisions, surplus = w.surplus, target_cost = p.sign * a.targets[w.n],
	       expected_cost = p.sign * x.prices[2][w.n]
	FROM   solution x, asked a, wanted w WHERE w.name = p.name AND x.prices IS NOT NULL;
END
$$;

-- Have "min_decisions" decisions been made since prices were computed?  A quarter of the log is enough.  NULL without
-- constraints.
CREATE FUNCTION _dlints_prices_are_stale(min_decisions bigint) RETURNS boolean
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN (
		SELECT (n.last_value - min(p.solved) + 4194304) % 4194304
		       >= least(min_decisions, greatest(1, min(p.decisions) / 4))
		FROM   constraint_price p, decision_number n GROUP BY n.last_value);
END
$$;

-- Compute the reward per choice that is lost to each price: the difference of the mean scores of _dlints_replay()
-- without and with the price.
CREATE FUNCTION _dlints_reward_lost() RETURNS TABLE (constraint_name text, lost float8)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH price AS MATERIALIZED (
		SELECT p.name, p.price, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM constraint_price p),
	decision AS MATERIALIZED (
		SELECT d.scores, d.costs, d.k, ARRAY(
		           SELECT sum(p.price * d.costs[p.n][i])
		           FROM   generate_subscripts(d.scores, 1) i CROSS JOIN price p GROUP BY i ORDER BY i) AS penalties
		FROM  (SELECT d.* FROM @extschema@._dlints_replay() d
		       WHERE EXISTS (SELECT FROM price p WHERE p.price > 0) LIMIT 100) d),
	left_out AS (
		SELECT p.name, p.n, p.price FROM price p WHERE p.price > 0
		UNION ALL
		SELECT NULL AS name, 1 AS n, 0 AS price),
	scored AS (
		SELECT l.name, avg(c.score) AS mean
		FROM   left_out l CROSS JOIN decision d,
		       LATERAL (SELECT u.score FROM unnest(d.scores, d.penalties) WITH ORDINALITY u (score, penalty, i)
		                ORDER BY u.score - u.penalty + l.price * d.costs[l.n][u.i] DESC LIMIT d.k) c
		GROUP  BY l.name)
	SELECT w.name, w.mean - a.mean FROM scored w, scored a WHERE w.name IS NOT NULL AND a.name IS NULL;
END
$$;

-- Return the report's rows about constraints, for at most 100,000 decisions from "first" on.
CREATE FUNCTION _dlints_constraint_report(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	is_ranker boolean := (SELECT s.kind = 'ranker' FROM setting s);
	choice text := CASE WHEN is_ranker THEN 'request' ELSE 'position' END;
BEGIN
	IF NOT EXISTS (SELECT FROM constraint_price) THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH summed AS (
		SELECT s.constraint_name, s.cost, s.choices, sum(s.cost * s.choices) OVER w AS costs,
		       sum(s.choices) OVER w AS all_choices, row_number() OVER w AS n
		FROM   @extschema@._dlints_spent(100000) s WHERE s.decision >= first
		WINDOW w AS (PARTITION BY s.constraint_name ORDER BY s.decision)),
	spent AS (
		SELECT s.constraint_name, s.cost, s.choices, s.n, (s.costs - lag(s.costs, 1000, 0::float8) OVER w)
		           / (s.all_choices - lag(s.all_choices, 1000, 0::numeric) OVER w)::float8 AS mean
		FROM   summed s WINDOW w AS (PARTITION BY s.constraint_name ORDER BY s.n)),
	total AS (
		SELECT s.constraint_name, sum(s.cost * s.choices) / sum(s.choices) AS mean,
		       stddev_samp(s.cost) / sqrt(count(*)) AS stderr,
		       min(s.mean) FILTER (WHERE s.n >= 1000) AS lowest, max(s.mean) FILTER (WHERE s.n >= 1000) AS highest
		FROM   spent s GROUP BY s.constraint_name),
	lost AS (
		SELECT l.constraint_name, l.lost FROM @extschema@._dlints_reward_lost() l WHERE is_ranker
		UNION ALL
		SELECT p.name, p.reward_lost FROM constraint_price p WHERE NOT is_ranker)
	SELECT format('constraint "%s"', p.name), t.mean, t.stderr, concat_ws('; ',
	       format('%s %s per %s', CASE p.sign WHEN 1 THEN 'at most' ELSE 'at least' END, p.target, choice),
	       CASE p.sign WHEN 1 THEN 'highest' ELSE 'lowest' END || ' mean of 1000 consecutive decisions '
	           || round((CASE p.sign WHEN 1 THEN t.highest ELSE t.lowest END)::numeric, 6)::text,
	       CASE WHEN t.mean IS NULL THEN 'no decision counts yet'
	            WHEN p.outcome IS NOT NULL AND coalesce(abs(p.rate - p.target) < 1e-9 * p.target, true)
	            THEN 'no impression is old enough to estimate the rate, which is assumed to be the target'
	            WHEN (p.sign * (p.expected_cost - p.target_cost) > 0.02 * p.target
	                  OR p.outcome IS NOT NULL AND p.surplus < 0)
	                 AND p.decisions >= CASE WHEN p.outcome IS NULL THEN 1 ELSE 100 END
	                 AND p.sign * (p.expected_cost - p.target) > 0.02 * p.target	-- above target, too
	            THEN format('cannot be met: the expected mean is %s %s', round(p.expected_cost::numeric, 6),
	                        CASE WHEN p.outcome IS NULL THEN 'at any price' ELSE 'by the estimated rates of items' END)
	            WHEN p.price = 0 AND p.sign * (t.mean - p.target) > 0 AND p.decisions = 0
	            THEN 'not met: there is no price yet'
	            WHEN p.price = 0 AND p.sign * (t.mean - p.target) > 0
	            THEN format('not met so far; the expected mean without a price is %s', round(p.expected_cost::numeric, 6))
	            WHEN p.price = 0 THEN 'met without a price'
	            ELSE format('the price is %s, which costs a reward of %s per %s', round(p.price::numeric, 4),
	                        greatest(round(l.lost::numeric, 4), 0), choice) END)
	FROM   constraint_price p LEFT JOIN total t ON t.constraint_name = p.name
	       LEFT JOIN lost l ON l.constraint_name = p.name
	ORDER  BY p.name;
END
$$;
