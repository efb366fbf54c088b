-- Costs of items, and rates of outcomes, for constraints ---------------------------------

-- Convert the texts of an item's costs to numbers.  "true" becomes 1, invalid values become 0.  A constraint on an
-- outcome has a NULL text, and costs the item's rate or, if unknown, the mean rate.
CREATE FUNCTION _dlints_costs(texts text[], rates real[], mean_rates float8[]) RETURNS real[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
	SELECT CASE WHEN c.value BETWEEN 1e-30 AND 1e30 OR c.value BETWEEN -1e30 AND -1e-30 THEN c.value ELSE 0 END
	FROM   unnest(texts, rates, mean_rates) WITH ORDINALITY u (cost, rate, mean_rate, n),
	       LATERAL (SELECT CASE u.cost WHEN 'true' THEN 1 WHEN 'false' THEN 0
	                                   ELSE coalesce(u.cost::numeric,
	                                                 coalesce(u.rate, u.mean_rate)::numeric) END AS value) c
	ORDER  BY u.n)::real[];

-- Return the mean rates of constraints on outcomes, in the order of constraint names; NULL for other constraints.
CREATE FUNCTION _dlints_mean_rates() RETURNS float8[]
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN (SELECT array_agg(CASE WHEN p.outcome IS NOT NULL THEN coalesce(p.rate, p.target) END
	                         ORDER BY p.name COLLATE "C")
	        FROM   constraint_price p);
END
$$;

-- Compute the costs of one item for all constraints.  If an expression fails, each constraint is computed separately,
-- the costs of failing ones are 0, and "problem" has the error message.
CREATE FUNCTION _dlints_cost_of(key anyelement, OUT costs real[], OUT problem text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	computed real[];
BEGIN
	costs := array_fill(0::real, ARRAY[(SELECT count(*)::integer FROM constraint_price)]);
	IF costs = '{}' THEN
		RETURN;
	END IF;
	FOR n IN 0 .. cardinality(costs) LOOP
		BEGIN
			SELECT @extschema@._dlints_costs(t.costs, v.outcome_rates, @extschema@._dlints_mean_rates()) INTO computed
			FROM   cost_text t LEFT JOIN item_vector v ON same_item(v.item, t.item)
			WHERE  t.part = n AND same_item(t.item, key) LIMIT 1;
			IF n = 0 THEN
				costs := CASE WHEN cardinality(computed) = cardinality(costs) THEN computed ELSE costs END;
				RETURN;
			END IF;
			costs[n] := coalesce(computed[n], 0);
		EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
			IF NOT @extschema@._dlints_concerns_one_item(SQLSTATE) THEN
				RAISE;
			END IF;
			problem := SQLERRM;
		END;
	END LOOP;
END
$$;

-- Estimate the time in which 19 of 20 events of each constrained outcome arrive, from the last 60 days.  The time is
-- at least the attribution window.
CREATE FUNCTION _dlints_refresh_lags() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH event AS (
		SELECT r.outcome, percentile_disc(0.95) WITHIN GROUP (
		           ORDER BY date_part('epoch', r.at) - 1577836800 - (r.decision >> 22)) AS seconds
		FROM   setting s, reward r
		WHERE  r.decision >= @extschema@._dlints_first_decision(now() - interval '60 days')
		AND    r.outcome IN (SELECT p.outcome FROM constraint_price p)
		AND   (r.value <> 0 OR (s.outcomes ->> r.outcome)::float8 = 0)
		GROUP  BY r.outcome)
	UPDATE constraint_price p
	SET    lag = greatest(s.attribution_window, make_interval(secs => coalesce(
	           (SELECT e.seconds FROM event e WHERE e.outcome = p.outcome), 0)))
	FROM   setting s
	WHERE  p.outcome IS NOT NULL;
END
$$;

-- Estimate the rate of each constrained outcome per impression, over all items and for each item, from the last
-- 200,000 lists of 90 days that are older than the outcome's lag.  The mean rate has a prior of one event at the
-- target rate.  An item's rate is shrunken to the rate predicted from its features, the less so the more rates differ
-- from predictions.
--
-- A reward of 0 withdraws its outcome, unless the settings value the outcome at 0.  Changes below 3 % are not written.
-- "setting" and the constraints are joined with items only once, because PostgreSQL 18 would plan large hash tables
-- for tables without statistics.
CREATE FUNCTION _dlints_refresh_rates() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM @extschema@._dlints_refresh_lags();
	WITH wanted AS MATERIALIZED (
		SELECT p.name, p.outcome, p.target, @extschema@._dlints_first_decision(now() - p.lag) AS until
		FROM   constraint_price p WHERE p.outcome IS NOT NULL),
	list AS MATERIALIZED (
		SELECT d.id, d.items FROM decision d
		WHERE  d.id >= @extschema@._dlints_first_decision(now() - interval '90 days')
		AND    d.id < (SELECT max(w.until) FROM wanted w)
		ORDER  BY d.id DESC LIMIT 200000),
	shown AS (
		SELECT w.name, i.item, count(*) AS n
		FROM   wanted w JOIN list l ON l.id < w.until CROSS JOIN unnest(l.items) i (item) GROUP BY w.name, i.item),
	event AS (
		SELECT w.name, r.item, count(*) AS n
		FROM   setting s, wanted w JOIN reward r ON r.outcome = w.outcome AND r.decision < w.until
		       JOIN list l ON l.id = r.decision
		WHERE (r.value <> 0 OR (s.outcomes ->> r.outcome)::float8 = 0)
		AND    EXISTS (SELECT FROM unnest(l.items) i (item) WHERE same_item(i.item, r.item))
		GROUP  BY w.name, r.item),
	counted AS MATERIALIZED (
		SELECT w.name, v.item, v.features || v.popularity AS features,
		       coalesce(n.n, 0) AS shown, coalesce(e.n, 0) AS events
		FROM   wanted w CROSS JOIN item_vector v
		       LEFT JOIN shown n ON n.name = w.name AND same_item(n.item, v.item)
		       LEFT JOIN event e ON e.name = w.name AND same_item(e.item, v.item)),
	mean AS MATERIALIZED (
		SELECT w.name, (1 + coalesce(sum(c.events), 0)) / (1 / w.target + coalesce(sum(c.shown), 0)) AS rate
		FROM   wanted w LEFT JOIN counted c ON c.name = w.name GROUP BY w.name, w.target),
	fitted AS MATERIALIZED (
		SELECT m.name, m.rate, @extschema@.dlints_concat(f.empty, (
		           SELECT @extschema@.dlints_evidence(
		                      f.empty, c.features::@extschema@.dlints_vector, c.events::float8 / c.shown - m.rate,
		                      '{}'::@extschema@.dlints_vector, NULL::timestamptz, c.shown::float8)
		           FROM   counted c WHERE c.name = m.name AND c.shown > 0)) AS state
		FROM   mean m CROSS JOIN LATERAL (
		           SELECT @extschema@.dlints_new((SELECT s.liked + 1 FROM setting s), discount => 1::float8,
		                                         ridge => 4 / m.rate) AS empty OFFSET 0) f),
	predicted AS MATERIALIZED (
		SELECT f.name, f.rate AS mean, c.item, c.shown, c.events, least(1, f.rate * least(greatest(
		           1 + coalesce(@extschema@.dlints_predict(f.state, c.features::@extschema@.dlints_vector), 0) / f.rate,
		           0.2), 5)) AS rate
		FROM   fitted f JOIN counted c ON c.name = f.name),
	weighted AS (
		SELECT p.*, p.mean / greatest(
		           sum((p.events - p.shown * p.rate) ^ 2 / p.shown - p.rate * (1 - p.rate)) FILTER (WHERE p.shown > 0)
		           OVER same_name / sum(p.shown) OVER same_name,
		           1e-4 * p.mean ^ 2) AS impressions
		FROM   predicted p WINDOW same_name AS (PARTITION BY p.name)),
	rate AS MATERIALIZED (
		SELECT w.name, w.item,
		       (w.events + w.rate * coalesce(w.impressions, 1)) / (w.shown + coalesce(w.impressions, 1)) AS rate
		FROM   weighted w),
	new_mean AS (
		UPDATE constraint_price p SET rate = m.rate FROM mean m WHERE m.name = p.name),
	item_rates AS (
		SELECT v.item, array_agg(r.rate ORDER BY p.name COLLATE "C")::real[] AS rates
		FROM   item_vector v CROSS JOIN constraint_price p
		       LEFT JOIN rate r ON r.name = p.name AND same_item(r.item, v.item)
		WHERE  NOT v.is_deleted
		GROUP  BY v.item)
	UPDATE item_vector v SET outcome_rates = n.rates
	FROM   item_rates n
	WHERE  same_item(n.item, v.item)
	AND   (v.outcome_rates IS NULL OR EXISTS (
	           SELECT FROM unnest(v.outcome_rates, n.rates) u (was, is_now)
	           WHERE  abs(u.was - u.is_now) > 0.03 * u.was OR (u.was IS NULL) <> (u.is_now IS NULL)));
END
$$;

-- Compute the costs of all items for all constraints.  If an expression fails for all items together, each item is
-- computed separately, and the cost of a failing expression is 0.  The job "costs" has the number of failures for
-- report().  Returns 0 if no row changed.
CREATE FUNCTION _dlints_refresh_costs() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	mean_rates float8[];
	problem text;
	n_changed bigint := 0;
BEGIN
	PERFORM @extschema@._dlints_lock_item_vectors();
	IF EXISTS (SELECT FROM constraint_price) THEN
		IF EXISTS (SELECT FROM constraint_price p WHERE p.outcome IS NOT NULL) THEN
			PERFORM @extschema@._dlints_refresh_rates();
		END IF;
		mean_rates := @extschema@._dlints_mean_rates();
		BEGIN
			WITH computed AS MATERIALIZED (
				SELECT t.item, @extschema@._dlints_costs(t.costs, w.outcome_rates, mean_rates) AS costs,
				       t.costs && '{NaN,Infinity,-Infinity}' AS is_infinite
				FROM   cost_text t LEFT JOIN item_vector w ON same_item(w.item, t.item) WHERE t.part = 0),
			written AS (
				UPDATE item_vector v SET costs = c.costs
				FROM   computed c WHERE same_item(c.item, v.item) AND v.costs IS DISTINCT FROM c.costs
				RETURNING true)
			SELECT (SELECT count(*) FROM written),
			       (SELECT format('items whose costs are not finite cost 0 (number: %s, for example "%s")',
			                      count(*), left(min(c.item::text), 100))
			        FROM   computed c WHERE c.is_infinite HAVING count(*) > 0)
			INTO   n_changed, problem;
		EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
			IF NOT @extschema@._dlints_is_row_error(SQLSTATE) OR @extschema@._dlints_is_object_error(SQLSTATE)
			   AND NOT EXISTS (SELECT FROM item_vector w, LATERAL @extschema@._dlints_cost_of(w.item) c
			                   WHERE NOT w.is_deleted AND c.problem IS NULL)
			THEN
				RAISE;
			END IF;
			WITH computed AS MATERIALIZED (
				SELECT w.item, c.costs, c.problem
				FROM   item_vector w, LATERAL @extschema@._dlints_cost_of(w.item) c WHERE NOT w.is_deleted),
			written AS (
				UPDATE item_vector v SET costs = c.costs
				FROM   computed c WHERE same_item(c.item, v.item) AND v.costs IS DISTINCT FROM c.costs)
			SELECT format('items whose costs cannot be computed cost 0 (number: %s, for example "%s"): %s',
			              count(*), left(min(c.item::text), 100), min(c.problem))
			INTO   problem
			FROM   computed c WHERE c.problem IS NOT NULL;
			n_changed := 1;
		END;
	END IF;
	PERFORM @extschema@._dlints_note_problem('costs'::text, problem);
	RETURN n_changed;
END
$$;
