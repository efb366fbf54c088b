-- Training of recommenders ----------------------------------------------------------
--
-- An impression is an example for two models: "personal" is trained on the first outcome, "later" on the sum of the
-- others.  The examination probability of the position is the weight of the example, and the reward is divided by it.

-- Return up to 1000 pending decisions whose attribution window has passed.
CREATE FUNCTION _dlints_recommender_due(attribution_window interval) RETURNS bigint[]
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN ARRAY(
		SELECT p.decision FROM pending p
		WHERE  p.decision < @extschema@._dlints_first_decision(now() - attribution_window + interval '1 second')
		ORDER  BY p.decision LIMIT 1000);
END
$$;

-- Record that the models contain the reported rewards of decisions, except rewards that a concurrent reward() has
-- locked.
CREATE FUNCTION _dlints_recommender_accept_rewards(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH available AS MATERIALIZED (
		SELECT r.decision, r.item, r.outcome FROM reward r WHERE r.decision = ANY (decisions)
		FOR    UPDATE SKIP LOCKED)
	UPDATE reward r SET applied = r.value
	FROM   available a
	WHERE  r.decision = a.decision AND same_item(r.item, a.item) AND r.outcome = a.outcome
	AND    r.decision = ANY (decisions);
	RETURN cardinality(decisions);
END
$$;

-- Return up to 1000 decisions with rewards that the models do not contain, without quarantined decisions.
CREATE FUNCTION _dlints_recommender_due_corrections() RETURNS bigint[]
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN ARRAY(
		SELECT DISTINCT c.decision
		FROM  (SELECT r.decision FROM reward r
		       WHERE  r.applied IS DISTINCT FROM r.value
		       AND    r.decision >= (SELECT s.trained_from FROM setting s)
		       AND    EXISTS (SELECT FROM decision d WHERE d.id = r.decision OFFSET 0)
		       AND    NOT EXISTS (SELECT FROM pending p WHERE p.decision = r.decision OFFSET 0)
		       AND    NOT EXISTS (SELECT FROM quarantine q WHERE q.decision = r.decision OFFSET 0)
		       LIMIT  1000) c);
END
$$;

-- Apply rewards that were reported after training.  Returns the number of rewards.
CREATE FUNCTION _dlints_recommender_correct(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	corrected bigint;
BEGIN
	WITH reported AS MATERIALIZED (
		SELECT r.decision, r.item, r.outcome, r.applied
		FROM   reward r
		WHERE  r.applied IS DISTINCT FROM r.value AND r.decision = ANY (decisions)
		FOR    UPDATE SKIP LOCKED),
	applied AS (
		UPDATE reward r SET applied = r.value
		FROM   reported o, setting s
		WHERE  r.decision = o.decision AND same_item(r.item, o.item) AND r.outcome = o.outcome
		AND    r.decision = ANY (decisions)
		RETURNING r.decision, r.item, r.outcome <> s.first_outcome AS later,
		          r.value - coalesce(o.applied, 0) AS change),
	example AS (
		SELECT m.name, m.state, i.training_features::@extschema@.dlints_vector AS features,
		       i.profile::@extschema@.dlints_vector AS profile, i.at, i.examination,
		       w.was / i.examination AS was, (w.was + c.change) / i.examination AS is_now
		FROM  (SELECT a.decision, a.item, a.later, sum(a.change) AS change FROM applied a GROUP BY 1, 2, 3) c
		       CROSS JOIN setting s
		       CROSS JOIN LATERAL (
		           SELECT * FROM impression_user i
		           WHERE  i.decision = c.decision AND same_item(i.item, c.item) OFFSET 0) i
		       JOIN model m ON m.learns AND (m.name = 'later') = c.later
		       CROSS JOIN LATERAL (
		           SELECT coalesce(sum(r.applied), 0) AS was FROM reward r
		           WHERE  r.decision = c.decision AND same_item(r.item, c.item)
		           AND    (r.outcome <> s.first_outcome) = c.later) w),
	trained AS (
		UPDATE model m SET state = @extschema@.dlints_concat(@extschema@.dlints_retract(m.state, e.was), e.is_now)
		FROM  (SELECT x.name,
		              @extschema@.dlints_evidence(x.state, x.features, x.was, x.profile, x.at, x.examination)
		                  FILTER (WHERE @extschema@.dlints_accepts(
		                              x.state, x.features, x.was, x.profile, x.at, x.examination)) AS was,
		              @extschema@.dlints_evidence(x.state, x.features, x.is_now, x.profile, x.at, x.examination)
		                  FILTER (WHERE @extschema@.dlints_accepts(
		                              x.state, x.features, x.is_now, x.profile, x.at, x.examination)) AS is_now
		       FROM   example x GROUP BY x.name) e
		WHERE  m.name = e.name)
	SELECT count(*) INTO corrected FROM applied;
	RETURN corrected;
END
$$;

-- Delete decisions and their rewards.
CREATE FUNCTION _dlints_recommender_delete_log(decisions bigint[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	DELETE FROM reward WHERE decision = ANY (decisions);
	DELETE FROM decision WHERE id = ANY (decisions);
	RETURN cardinality(decisions);
END
$$;

-- Erase a user, a session, or both, from the log, the warm start and the models.  The next run() removes them from
-- item effects.  Returns the number of decisions.
CREATE FUNCTION _dlints_recommender_erase(setting regclass, user_id anyelement, session text) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
	erased bigint;
	model record;
	evidence @extschema@.dlints;
	must_set_prior boolean := false;
BEGIN
	IF user_id IS NULL AND session IS NULL THEN
		RAISE 'arguments "user_id" and "session" must not both be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	-- a concurrent warm start must add its examples completely before or after this
	LOCK TABLE warm_start_example IN ROW EXCLUSIVE MODE;
	PERFORM FROM model ORDER BY name FOR UPDATE;
	erased := @extschema@._dlints_erase_decisions(ARRAY(
		SELECT d.id FROM decision d
		WHERE  same_user(d.user_id, _dlints_recommender_erase.user_id)
		OR     hashtextextended(d.session, 0) = hashtextextended(_dlints_recommender_erase.session, 0)
		       AND d.session = _dlints_recommender_erase.session));
	FOR model IN SELECT m.name, m.prior FROM model m
	             WHERE  m.learns AND m.prior IS NOT NULL AND EXISTS (
	                        SELECT FROM warm_start_example x WHERE same_user(x.user_id, _dlints_recommender_erase.user_id))
	LOOP
		EXECUTE 'WITH erased AS (SELECT * FROM warm_start_example x WHERE same_user(x.user_id, $1))'
			|| @extschema@._dlints_prior_query('erased'::text, model.name) INTO evidence USING user_id;
		BEGIN
			PERFORM @extschema@._dlints_write_prior(model.name, @extschema@.dlints_retract(model.prior, evidence));
		EXCEPTION WHEN data_exception THEN      -- because of rounding errors, the model has less evidence than is retracted
			must_set_prior := true;
		END;
	END LOOP;
	DELETE FROM warm_start_example x WHERE same_user(x.user_id, _dlints_recommender_erase.user_id);
	IF must_set_prior THEN
		PERFORM @extschema@._dlints_set_prior();
	END IF;
	IF erased > 0 THEN              -- the next run() computes all item effects again
		UPDATE job j SET done_at = '-infinity' WHERE j.name = 'effects';
	END IF;
	RETURN erased;
END
$$;

-- Centering within a list -------------------------------------------------------------

-- Compare predictions with rewards between lists: return the z-score of the slope of a list's mean reward on its mean
-- prediction, over the last 2000 lists in the models.  Users differ in their overall click rate.  If users with high
-- predictions click less, the score is below 0, and the model learns about users instead of items.  NULL with too
-- little data.
CREATE FUNCTION _dlints_calibration_z() RETURNS float8
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN (
		WITH list AS (
			SELECT avg(x.fit) AS fit, avg(x.reward) AS reward
			FROM  (SELECT e.decision, @extschema@.dlints_dot(
			                  e.profile::float8[], e.item_features::@extschema@.dlints_vector) AS fit, e.reward
			       FROM  (SELECT d.id FROM decision d
			              WHERE  cardinality(d.items) > 1 AND d.id >= (SELECT s.trained_from FROM setting s)
			              ORDER  BY d.id DESC LIMIT 2000) d,
			              LATERAL (SELECT * FROM training_example e
			                       WHERE  e.model = 'personal' AND e.decision = d.id
			                       AND    cardinality(e.profile) = cardinality(e.item_features) OFFSET 0) e) x
			GROUP  BY x.decision),
		summed AS (
			SELECT count(*) - 2 AS freedom, regr_sxx(l.reward, l.fit) AS xx, regr_sxy(l.reward, l.fit) AS xy,
			       regr_syy(l.reward, l.fit) AS yy
			FROM   list l)
		SELECT s.xy / s.xx / sqrt(nullif(greatest(s.yy - s.xy ^ 2 / s.xx, 0), 0) / s.freedom / s.xx)
		FROM   summed s WHERE s.freedom >= 30 AND s.xx > 1e-12);
END
$$;

-- Switch centering on if the z-score is below -3, and off if it is above 0 after a week.  Returns true if centering
-- was switched; the models must then be trained again.
CREATE FUNCTION _dlints_toggle_centering() RETURNS boolean
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	z float8 := @extschema@._dlints_calibration_z();
BEGIN
	PERFORM FROM model ORDER BY name FOR UPDATE;    -- lock models before settings, as all functions do
	UPDATE setting s SET is_centered = NOT s.is_centered, centered_since = now()
	WHERE  CASE WHEN s.is_centered THEN z > 0 AND s.centered_since < now() - interval '7 days' ELSE z < -3 END;
	RETURN FOUND;
END
$$;

-- Scale of the prior --------------------------------------------------------------------

-- Fit the scale of the prior: the slope of rewards on the click rate predicted from the click log, over the last 2000
-- personal lists in the models.  Returns true if the scale was changed; the prior must then be set again.
--
-- The estimate starts from the ratio of the mean reward to the mean predicted rate, with half of the ratio as its
-- standard deviation.  Only the first impression of an item on a user's lists counts, because an item is shown again
-- until it is clicked.  The scale is limited to between half of the ratio and twice the ratio, because the slope
-- within lists is too small: listed items have high predictions, which differ mostly by errors.  Only lists since the
-- last fit count.  Changes below 5 % are not written.
CREATE FUNCTION _dlints_fit_reward_scale() RETURNS boolean
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH shown AS (                 -- rates are computed before the sort, so that its rows are narrow
		SELECT e.rate, e.reward,
		       row_number() OVER (PARTITION BY e.item, e.user_id, CASE WHEN e.user_id IS NULL THEN e.decision END
		                          ORDER BY e.decision) AS n
		FROM   similarity l CROSS JOIN (
		           SELECT d.id FROM decision d
		           WHERE  d.treatment = 'personal' AND d.id >= (SELECT s.trained_from FROM setting s)
		           ORDER  BY d.id DESC LIMIT 2000) d,
		       LATERAL (SELECT e.decision, e.user_id, e.item,
		                       CASE WHEN e.at >= l.found_at
		                            THEN @extschema@._dlints_click_rate(l.click_value, e.profile, e.item_features)
		                       END AS rate,
		                       CASE WHEN abs(e.reward) < 1e-50 THEN 0 ELSE e.reward END AS reward  -- squares underflow
		                FROM   training_example e
		                WHERE  e.model = 'personal' AND e.decision = d.id
		                AND    cardinality(e.profile) = cardinality(e.item_features) OFFSET 0) e),
	impression AS (
		SELECT s.rate, s.reward FROM shown s WHERE s.n = 1),
	summed AS (
		SELECT regr_sxx(i.reward, i.rate) AS xx, regr_sxy(i.reward, i.rate) AS xy, regr_syy(i.reward, i.rate) AS yy,
		       greatest(count(i.rate) - 2, 1) AS freedom,
		       greatest((sum(i.reward) + 50 * avg(i.rate)) / ((count(*) + 50) * greatest(avg(i.rate), 0.01)), 0.01) AS ratio
		FROM   impression i HAVING count(i.rate) > 0),
	fit AS (
		SELECT s.*,
		       greatest(s.yy - coalesce(s.xy ^ 2 / nullif(s.xx, 0), 0), 0) / s.freedom / (s.ratio / 2) ^ 2 AS evidence
		FROM   summed s),
	fitted AS (
		SELECT least(greatest(coalesce((f.xy + f.evidence * f.ratio) / nullif(f.xx + f.evidence, 0), f.ratio),
		                      f.ratio / 2, 0.01), 2 * f.ratio, 100) AS scale
		FROM   fit f)
	UPDATE similarity l SET reward_scale = f.scale
	FROM   fitted f
	WHERE  abs(ln(f.scale / l.reward_scale)) > 0.05;
	RETURN FOUND;
END
$$;
