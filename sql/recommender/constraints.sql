-- Constraints of recommenders --------------------------------------------------------
--
-- A choice is a position of a list.  Only personal and random lists have costs.

-- Return the mean cost per position of the last lists since the first constraint was set.  An outcome has its expected
-- cost until 19 of 20 outcomes have arrived.
CREATE FUNCTION _dlints_recommender_spent(max_decisions bigint)
	RETURNS TABLE (decision bigint, constraint_name text, cost float8, choices bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
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

CREATE FUNCTION _dlints_replay_list(user_id "any", context jsonb, items "any", profile real[], seed bigint,
                                    signs integer[])
	RETURNS TABLE (scores float8[], costs float8[])
	AS 'MODULE_PATHNAME', 'dlints_replay_list' LANGUAGE C VOLATILE;

-- Choose the last 100 personal lists of the usual length again, under two posterior draws of the current model.  Caps
-- and diversity are ignored, because the surplus contains their effect on costs.  Without a shortlist, all items are
-- candidates, and we use fewer lists.
CREATE FUNCTION _dlints_recommender_replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	has_blocks boolean := EXISTS (SELECT FROM block);
	max_lists bigint := CASE WHEN has_blocks THEN 100 ELSE (
		SELECT least(100, greatest(2, 200000 / greatest(v.n * c.n, 1)))
		FROM  (SELECT count(*) AS n FROM item_vector x WHERE NOT x.is_deleted) v,
		      (SELECT count(*) AS n FROM constraint_price) c) END;
BEGIN
	RETURN QUERY
	WITH latest AS MATERIALIZED (
		SELECT d.id, d.user_id, d.context, d.items, cardinality(d.items) AS k,
		       @extschema@.dlints_unpack(d.profile) AS profile
		FROM   decision d WHERE d.costs IS NOT NULL AND d.treatment = 'personal' ORDER BY d.id DESC LIMIT max_lists),
	price AS MATERIALIZED (
		SELECT p.sign, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM constraint_price p),
	random_cost AS MATERIALIZED (
		SELECT array_agg(m.mean ORDER BY m.n) AS means, array_agg(m.sign ORDER BY m.n) AS signs
		FROM  (SELECT p.n, p.sign, p.sign * avg(v.costs[p.n]) AS mean
		       FROM   item_vector v CROSS JOIN price p WHERE NOT v.is_deleted GROUP BY p.n, p.sign) m)
	SELECT r.scores, r.costs, m.means, l.k::bigint
	FROM   latest l JOIN (SELECT mode() WITHIN GROUP (ORDER BY latest.k) AS k FROM latest) u ON u.k = l.k
	       CROSS JOIN random_cost m
	       CROSS JOIN LATERAL @extschema@._dlints_replay_list(l.user_id, l.context, l.items, l.profile, l.id, m.signs) r;
END
$$;

-- Compute prices again after enough lists, in one session at a time.  Returns NULL if prices are current.
CREATE FUNCTION _dlints_recommender_find_prices() RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
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
