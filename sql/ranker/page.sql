-- Requests to a ranker -----------------------------------------------------------------

CREATE FUNCTION _dlints_rank(setting regclass, event text, context jsonb, actions jsonb, deferred boolean)
	RETURNS TABLE (event_id text, action text, "position" integer, probability float8, expected float8)
	AS 'MODULE_PATHNAME', 'dlints_rank' LANGUAGE C VOLATILE;

-- Report the reward of an event, before or after the event is ranked.  The setting "repeated" decides whether the
-- first, the last or the sum of several rewards counts.  Of several costs, the last one counts.  Costs of unknown
-- constraints raise a warning only, so that the reward is not lost.
CREATE FUNCTION _dlints_ranker_reward(setting regclass, event text, value float8, costs jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
	has_costs boolean := coalesce(costs, '{}') NOT IN ('{}', 'null');
	settings record;
	cost record;
BEGIN
	IF has_costs THEN
		IF jsonb_typeof(costs) <> 'object' THEN
			RAISE 'argument "costs" must be a JSON object of costs by constraint'
				USING ERRCODE = 'invalid_parameter_value', DETAIL = format('The value is %s.', left(costs::text, 100)),
				HINT = 'For example {"usd": 0.002}.';
		END IF;
		FOR cost IN SELECT c.key, c.value FROM jsonb_each(costs) c LOOP
			IF @extschema@._dlints_announced_cost(costs, cost.key) IS NULL THEN
				RAISE 'cost "%" must be 0 or a number from 1e-50 to 1e50', cost.key
					USING ERRCODE = 'invalid_parameter_value',
					DETAIL = format('The value is %s.', left(cost.value::text, 100));
			ELSIF NOT EXISTS (SELECT FROM constraint_price p WHERE p.name = cost.key) THEN
				RAISE WARNING 'there is no constraint "%", which argument "costs" names', left(cost.key, 100)
					USING ERRCODE = 'invalid_parameter_value', HINT = 'This cost does not count.';
			END IF;
		END LOOP;
	END IF;
	SELECT s.repeated, s.value_limit INTO settings FROM setting s;
	IF event IS NULL OR value IS NULL AND NOT has_costs THEN
		RAISE 'arguments "event" and "value" must not be null' USING ERRCODE = 'null_value_not_allowed',
			HINT = '"value" can be null if there are costs.';
	ELSIF octet_length(event) > 1000 THEN
		RAISE 'argument "event" must have at most 1000 bytes' USING ERRCODE = 'program_limit_exceeded';
	ELSIF value IN ('NaN', 'Infinity', '-Infinity') THEN
		RAISE 'argument "value" must be finite' USING ERRCODE = 'numeric_value_out_of_range',
			DETAIL = format('The value is %s.', value);
	ELSIF abs(value) > settings.value_limit THEN
		RAISE 'argument "value" must be between -% and %', settings.value_limit, settings.value_limit
			USING ERRCODE = 'numeric_value_out_of_range', DETAIL = format('The value is %s.', value),
			HINT = 'The argument "value_limit" of the ranker changes this limit.';
	END IF;
	IF value IS NULL THEN
		NULL;
	ELSIF settings.repeated = 'first' THEN
		INSERT INTO reward (event, value) VALUES (event, value) ON CONFLICT DO NOTHING;
	ELSIF settings.repeated = 'last' THEN
		INSERT INTO reward AS r (event, value) VALUES (event, value)
		ON CONFLICT ON CONSTRAINT reward_pkey DO UPDATE SET value = excluded.value WHERE r.value <> excluded.value;
	ELSE
		INSERT INTO reward AS r (event, value) VALUES (event, value)
		ON CONFLICT ON CONSTRAINT reward_pkey DO UPDATE SET value = r.value + excluded.value;
	END IF;
	IF has_costs THEN
		INSERT INTO event_cost AS c (event, costs) VALUES (event, costs)
		ON CONFLICT ON CONSTRAINT event_cost_pkey DO UPDATE SET costs = c.costs || excluded.costs
		WHERE NOT c.costs @> excluded.costs;
	END IF;
END
$$;

-- Activate a deferred event, which starts its attribution window.  Returns false if the event is not deferred, or if
-- its decision has expired.
CREATE FUNCTION _dlints_activate(setting regclass, event text) RETURNS boolean
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	WITH activated AS (
		UPDATE decision d SET active = true, activated_at = now()
		WHERE  d.id = (SELECT e.decision FROM event e WHERE e.event = _dlints_activate.event) AND NOT d.active
		AND    d.id >= (SELECT s.trained_from FROM setting s)
		RETURNING d.id)
	INSERT INTO pending (decision, since) SELECT a.id, now() FROM activated a;
	RETURN FOUND;
END
$$;

-- Set the share of events for which the ranker chooses the action.  For other events, the caller's first action is
-- chosen.
CREATE FUNCTION _dlints_go_live(setting regclass, share float8) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	IF share IS NULL OR NOT share BETWEEN 0 AND 1 THEN
		RAISE 'argument "share" must be between 0 and 1' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('The value is %s.', coalesce(share::text, 'null'));
	END IF;
	UPDATE setting SET live_share = share;
END
$$;
