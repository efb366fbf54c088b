-- Training of rankers ------------------------------------------------------------------
--
-- The model "reward" is trained on rewards of chosen actions, the model "imitation" on the choices of the baseline.

-- Return up to 1000 pending decisions whose attribution window has passed.  If the first reward is final, decisions
-- with a reward are included.
CREATE FUNCTION _dlints_ranker_due(attribution_window interval) RETURNS bigint[]
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN ARRAY(
		(SELECT p.decision FROM pending p
		 WHERE  p.since <= now() - attribution_window ORDER BY p.decision LIMIT 1000)
		UNION
		(SELECT p.decision
		 FROM   reward r JOIN event e ON e.event = r.event JOIN pending p ON p.decision = e.decision
		 WHERE  r.applied IS DISTINCT FROM r.value AND (SELECT s.repeated = 'first' FROM setting s)
		 ORDER  BY p.decision LIMIT 1000)
		ORDER  BY decision LIMIT 1000);
END
$$;

-- Record that the models contain the reported rewards of decisions, except rewards that a concurrent reward() has
-- locked.
CREATE FUNCTION _dlints_ranker_accept_rewards(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH available AS MATERIALIZED (
		SELECT r.event FROM reward r
		WHERE  r.event = ANY (ARRAY(SELECT d.event FROM decision d WHERE d.id = ANY (decisions)))
		FOR    UPDATE SKIP LOCKED)
	UPDATE reward r SET applied = r.value WHERE r.event = ANY (ARRAY(SELECT a.event FROM available a));
	RETURN cardinality(decisions);
END
$$;

-- Return up to 1000 decisions with rewards that the models do not contain.
CREATE FUNCTION _dlints_ranker_due_corrections() RETURNS bigint[]
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN ARRAY(
		SELECT l.id
		FROM   reward r JOIN event e ON e.event = r.event,
		       LATERAL (SELECT d.id FROM decision d
		                WHERE  d.id = e.decision AND d.active
		                AND    d.id >= (SELECT s.trained_from FROM setting s)
		                AND    NOT EXISTS (SELECT FROM pending p WHERE p.decision = d.id)
		                AND    NOT EXISTS (SELECT FROM quarantine q WHERE q.decision = d.id)
		                OFFSET 0) l
		WHERE  r.applied IS DISTINCT FROM r.value
		LIMIT  1000);
END
$$;

-- Apply rewards that were reported after training: retract the logged example, and train on the corrected one.
-- Returns the number of rewards.  Rewards that a concurrent reward() has locked are skipped.
CREATE FUNCTION _dlints_ranker_correct(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	corrected bigint;
BEGIN
	WITH late AS MATERIALIZED (
		SELECT r.event, coalesce(r.applied, s.default_reward) AS was, s.vectors,
		       d.context - s.user_key AS context, d.actions, d.ranking[1] AS chosen, d.at
		FROM   setting s CROSS JOIN decision d,
		       LATERAL (SELECT r.event, r.applied FROM reward r
		                WHERE  r.event = d.event AND r.applied IS DISTINCT FROM r.value OFFSET 0
		                FOR    UPDATE SKIP LOCKED) r
		WHERE  d.id = ANY (decisions)),
	applied AS (
		UPDATE reward r SET applied = r.value
		FROM   late l
		WHERE  r.event = l.event AND r.event = ANY (ARRAY(SELECT l.event FROM late l))
		RETURNING l.was, r.value AS is_now, l.context, l.actions, l.chosen, l.at, l.vectors),
	example AS (
		SELECT x.features::@extschema@.dlints_vector AS features, a.at, a.was, a.is_now
		FROM   applied a,
		       LATERAL @extschema@._dlints_ranker_actions(
		           a.context, jsonb_build_array(a.actions -> (a.chosen - 1)), a.vectors,
		           ARRAY(SELECT p.name FROM constraint_price p)) x),
	trained AS (
		UPDATE model m SET state = @extschema@.dlints_concat(@extschema@.dlints_retract(m.state, e.was), e.is_now)
		FROM  (SELECT p.name,
		              @extschema@.dlints_evidence(p.state, x.features, x.was, '{}'::@extschema@.dlints_vector, x.at)
		                  FILTER (WHERE @extschema@.dlints_accepts(
		                      p.state, x.features, x.was, '{}'::@extschema@.dlints_vector, x.at)) AS was,
		              @extschema@.dlints_evidence(p.state, x.features, x.is_now, '{}'::@extschema@.dlints_vector, x.at)
		                  FILTER (WHERE @extschema@.dlints_accepts(
		                      p.state, x.features, x.is_now, '{}'::@extschema@.dlints_vector, x.at)) AS is_now
		       FROM   model p, example x WHERE p.name = 'reward' GROUP BY p.name) e
		WHERE  m.name = e.name)
	SELECT count(*) INTO corrected FROM applied;
	RETURN corrected;
END
$$;

-- Delete decisions with their events, rewards and costs.
CREATE FUNCTION _dlints_ranker_delete_log(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	events text[] := ARRAY(SELECT d.event FROM decision d WHERE d.id = ANY (decisions));
BEGIN
	DELETE FROM reward r WHERE r.event = ANY (events);
	DELETE FROM event_cost c WHERE c.event = ANY (events);
	DELETE FROM event e WHERE e.event = ANY (events);
	DELETE FROM decision WHERE id = ANY (decisions);
	RETURN cardinality(decisions);
END
$$;

-- Delete events whose decision is no longer in the log, and expired rewards and costs.  Rewards of unknown events are
-- deleted after a day, except for deferred events, which may still be activated.
CREATE FUNCTION _dlints_ranker_delete_orphans() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	expires timestamptz := (SELECT now() - s.retention FROM setting s);
BEGIN
	DELETE FROM event e
	WHERE  e.decision < @extschema@._dlints_first_decision(expires)
	AND    NOT EXISTS (SELECT FROM decision d WHERE d.id = e.decision);
	DELETE FROM reward r
	WHERE  r.applied IS NULL AND r.applied IS DISTINCT FROM r.value AND r.at < now() - interval '1 day'
	AND    NOT EXISTS (SELECT FROM event e WHERE e.event = r.event);
	DELETE FROM reward r
	WHERE  r.at < expires
	AND    NOT EXISTS (SELECT FROM event e
	                   WHERE e.event = r.event AND e.decision >= (SELECT s.trained_from FROM setting s));
	DELETE FROM event_cost c WHERE c.at < expires - interval '1 day';
END
$$;

-- Erase a user, whose id is in the context under "user_key", from the log and the models.  Returns the number of
-- decisions.
CREATE FUNCTION _dlints_ranker_erase(setting regclass, user_id text) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
	number CONSTANT numeric := @extschema@._dlints_try_cast(user_id, NULL::numeric);     -- JSON has 7.0 for 7
BEGIN
	IF user_id IS NULL THEN
		RAISE 'argument "user_id" must not be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM FROM model ORDER BY name FOR UPDATE;
	RETURN @extschema@._dlints_erase_decisions(ARRAY(
		SELECT d.id FROM setting s, decision d
		WHERE  d.context ->> s.user_key = _dlints_ranker_erase.user_id
		OR     CASE jsonb_typeof(d.context -> s.user_key) WHEN 'number'
		       THEN (d.context ->> s.user_key)::numeric = number END));
END
$$;
