-- Train models on the log, and retract from them ------------------------------------
--
-- Recommenders and rankers implement these steps differently, as functions _dlints_recommender_...() and
-- _dlints_ranker_...() with the same arguments. setting.kind decides which of both is called:
--     due(attribution_window)        up to 1000 pending decisions whose window has passed
--     accept_rewards(decisions)      declare that the models contain the rewards as reported
--     due_corrections()              up to 1000 decisions with rewards that the models do not contain
--     correct(decisions)             apply those rewards; returns their number
--     delete_log(decisions)          delete decisions and their rewards
-- The view "training_example" lists what the models contain.

-- Call the recommender's or the ranker's version of a function whose argument is a list of decisions.
CREATE FUNCTION _dlints_call(function_name text, decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	result bigint;
BEGIN
	EXECUTE format('SELECT @extschema@.%I($1)', (SELECT format('_dlints_%s_%s', s.kind, function_name) FROM setting s))
	INTO result USING decisions;
	RETURN result;
END
$$;

-- Compute each model's evidence of decisions.  Examples are read once per model, because one query for all models
-- would sort wide rows.  With OFFSET 0, the planner looks up decisions by number.
CREATE FUNCTION _dlints_evidence_of(decisions bigint[]) RETURNS TABLE (name text, evidence @extschema@.dlints)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT m.name, e.evidence
	FROM   model m,
	       LATERAL (SELECT @extschema@.dlints_evidence(
	                           m.state, x.features::@extschema@.dlints_vector, x.reward / x.examination,
	                           x.profile::@extschema@.dlints_vector, x.at, x.examination) AS evidence
	                FROM   unnest(decisions) b (decision)
	                       CROSS JOIN LATERAL (SELECT * FROM training_example x
	                                           WHERE x.model = m.name AND x.decision = b.decision OFFSET 0) x
	                WHERE  @extschema@.dlints_accepts(
	                           m.state, x.features::@extschema@.dlints_vector, x.reward / x.examination,
	                           x.profile::@extschema@.dlints_vector, x.at, x.examination)) e
	WHERE  e.evidence IS NOT NULL;
END
$$;

-- Retract decisions from the models, which the caller has locked.  Errors of class 22 mean that the models do not
-- contain the decisions as logged, or that rounding errors are too large.
CREATE FUNCTION _dlints_retract(decisions bigint[]) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	UPDATE model m SET state = @extschema@.dlints_retract(m.state, e.evidence)
	FROM   @extschema@._dlints_evidence_of(decisions) e
	WHERE  m.name = e.name;
END
$$;

-- Train the models on decisions, with the rewards that have been reported so far.
CREATE FUNCTION _dlints_apply(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM @extschema@._dlints_call('accept_rewards'::text, decisions);
	UPDATE model m SET state = @extschema@.dlints_concat(m.state, e.evidence)
	FROM   @extschema@._dlints_evidence_of(decisions) e
	WHERE  m.name = e.name;
	RETURN cardinality(decisions);
END
$$;

-- Train the models on a batch of decisions, or on corrections of their rewards.  After an error of class 22, decisions
-- are applied one by one, and those that fail are quarantined.  Returns the number of decisions or rewards.
CREATE FUNCTION _dlints_train(decisions bigint[], are_corrections boolean) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	trained bigint := 0;
	one bigint;
BEGIN
	BEGIN
		RETURN CASE WHEN are_corrections THEN @extschema@._dlints_call('correct'::text, decisions)
		            ELSE @extschema@._dlints_apply(decisions) END;
	EXCEPTION WHEN data_exception THEN
		RAISE DEBUG 'a batch of % decisions failed: %', cardinality(decisions), SQLERRM;
	END;
	FOREACH one IN ARRAY decisions LOOP
		BEGIN
			trained := trained + CASE WHEN are_corrections THEN @extschema@._dlints_call('correct'::text, ARRAY[one])
			                          ELSE @extschema@._dlints_apply(ARRAY[one]) END;
		EXCEPTION WHEN data_exception THEN
			INSERT INTO quarantine (decision, is_applied, problem)
			VALUES (one, are_corrections, SQLERRM) ON CONFLICT DO NOTHING;
		END;
	END LOOP;
	RETURN trained;
END
$$;

-- Train the models on batches of 1000 decisions that are older than the attribution window, at most "max_batches".
-- Rewards that arrive later are corrections: the models retract the logged example, and are trained on the corrected
-- one.  Rewards that a concurrent reward() has locked are skipped, because waiting could deadlock.  They become
-- corrections, too.  "has_more" is true if the limit was reached.
CREATE FUNCTION _dlints_learn_batches(attribution_window interval, max_batches integer,
	OUT learned bigint, OUT has_more boolean)
	LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	wait interval := coalesce(attribution_window, (SELECT s.attribution_window FROM setting s));
	is_ranker boolean := (SELECT s.kind = 'ranker' FROM setting s);
	n_batches integer := 0;
	n bigint;
	batch bigint[];
BEGIN
	learned := 0;
	has_more := true;
	PERFORM FROM model ORDER BY name FOR UPDATE;
	LOOP
		IF n_batches >= max_batches THEN
			RETURN;
		END IF;
		batch := CASE WHEN is_ranker THEN @extschema@._dlints_ranker_due(wait)
		              ELSE @extschema@._dlints_recommender_due(wait) END;
		EXIT WHEN cardinality(batch) = 0;
		DELETE FROM pending WHERE decision = ANY (batch);
		learned := learned + @extschema@._dlints_train(batch, are_corrections => false);
		n_batches := n_batches + 1;
	END LOOP;
	LOOP
		IF n_batches >= max_batches THEN
			RETURN;
		END IF;
		batch := CASE WHEN is_ranker THEN @extschema@._dlints_ranker_due_corrections()
		              ELSE @extschema@._dlints_recommender_due_corrections() END;
		EXIT WHEN cardinality(batch) = 0;
		n := @extschema@._dlints_train(batch, are_corrections => true);
		learned := learned + n;
		n_batches := n_batches + 1;
		EXIT WHEN n = 0;	-- concurrent sessions have locked all remaining decisions
	END LOOP;
	has_more := false;
END
$$;

-- Train the models on all decisions older than the attribution window, and on corrections of rewards.
CREATE FUNCTION _dlints_learn(setting regclass, attribution_window interval) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	IF NOT attribution_window BETWEEN '0' AND '100 years' THEN
		RAISE 'argument "window" must be between 0 and 100 years' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN (SELECT b.learned FROM @extschema@._dlints_learn_batches(attribution_window, NULL::integer) b);
END
$$;

-- Release decisions from the quarantine, and train the models on them.  Decisions that fail again stay in the
-- quarantine.
CREATE FUNCTION _dlints_release_quarantined() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	one bigint;
BEGIN
	FOR one IN SELECT q.decision FROM quarantine q ORDER BY q.decision LOOP
		BEGIN
			DELETE FROM quarantine WHERE decision = one;
			PERFORM @extschema@._dlints_call('accept_rewards'::text, ARRAY[one]);
			PERFORM count(e.evidence) FROM @extschema@._dlints_evidence_of(ARRAY[one]) e;
		EXCEPTION WHEN data_exception THEN
			UPDATE quarantine SET is_applied = false, problem = SQLERRM WHERE decision = one;
		END;
	END LOOP;
END
$$;

-- Train the models again on the log, with the rewards that the models contained, and release quarantined decisions.
CREATE FUNCTION _dlints_rebuild_models() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF (SELECT s.kind FROM setting s) = 'recommender' THEN
		PERFORM @extschema@._dlints_notice_step('training the models on the log'::text);
	END IF;
	PERFORM FROM model ORDER BY name FOR UPDATE;
	PERFORM @extschema@._dlints_release_quarantined();
	UPDATE model m
	SET    state = @extschema@.dlints_concat(@extschema@.dlints_scale(0::float8, m.state), e.evidence)
	FROM   model p,
	       LATERAL (SELECT @extschema@.dlints_evidence(
	                           p.state, x.features::@extschema@.dlints_vector, x.reward / x.examination,
	                           x.profile::@extschema@.dlints_vector, x.at, x.examination) AS evidence
	                FROM  (SELECT * FROM training_example x WHERE x.model = p.name OFFSET 0) x
	                WHERE  @extschema@.dlints_accepts(
	                           p.state, x.features::@extschema@.dlints_vector, x.reward / x.examination,
	                           x.profile::@extschema@.dlints_vector, x.at, x.examination)) e
	WHERE  m.name = p.name AND m.learns;
	IF (SELECT s.kind FROM setting s) = 'recommender' THEN
		PERFORM @extschema@._dlints_set_prior();
	END IF;
END
$$;

-- Give decisions with a future time, made while the clock was wrong, the current time.  Models that contain a future
-- decision age to its time, so that later rewards would count nothing.  If most decisions have a future time, the
-- clock may be wrong now, and nothing is changed.  Returns true if the models must be trained again.
CREATE FUNCTION _dlints_redate_decisions() RETURNS boolean
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	latest CONSTANT timestamptz := now() + interval '1 hour';
BEGIN
	IF NOT EXISTS (SELECT FROM models m WHERE m.newest > latest) AND NOT EXISTS (
	       SELECT FROM pending p JOIN decision d ON d.id = p.decision
	       WHERE  p.decision > @extschema@._dlints_first_decision(latest) AND d.at > latest) THEN
		RETURN false;
	END IF;
	PERFORM FROM model ORDER BY name FOR UPDATE;
	IF (SELECT avg((d.at > latest)::integer) > 0.5 FROM decision d) THEN
		RETURN false;
	END IF;
	DELETE FROM pending p USING decision d WHERE d.id = p.decision AND d.at > latest;
	UPDATE decision d SET at = now() WHERE d.at > latest;
	RETURN true;
END
$$;

-- Train the models again on the log.  Returns the number of observations of the first model.
CREATE FUNCTION _dlints_rebuild(setting regclass) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	PERFORM @extschema@._dlints_rebuild_models();
	RETURN (SELECT m.updates FROM models m WHERE m.name IN ('personal', 'reward'));
END
$$;

-- Delete decisions from the log, and retract them from the models.  Returns the number of decisions.
CREATE FUNCTION _dlints_erase_decisions(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	needs_rebuild boolean := false;
BEGIN
	PERFORM FROM model ORDER BY name FOR UPDATE;
	BEGIN
		PERFORM @extschema@._dlints_retract(decisions);
	EXCEPTION WHEN data_exception THEN
		needs_rebuild := true;
	END;
	PERFORM @extschema@._dlints_call('delete_log'::text, decisions);
	DELETE FROM pending WHERE decision = ANY (decisions);
	DELETE FROM quarantine WHERE decision = ANY (decisions);
	IF needs_rebuild THEN
		PERFORM @extschema@._dlints_rebuild_models();
	END IF;
	RETURN cardinality(decisions);
END
$$;
