-- Parts of the maintenance of recommenders and rankers -------------------------------------
--
-- The procedure run() executes maintenance tasks ("parts") in turn, and commits after each task.  A task that another
-- session is executing is skipped.

-- Refresh a recommender if the last refresh is an hour old, or after an erasure.  Returns 'done', or NULL if no
-- refresh is due.
CREATE FUNCTION _dlints_run_refresh() RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM @extschema@._dlints_check_objects();
	IF EXISTS (SELECT FROM job r, job e WHERE r.name = 'refresh' AND e.name = 'effects'
	           AND (r.done_at < now() - interval '1 hour' OR e.done_at = '-infinity')) THEN
		-- do not wait for a session that is writing all item vectors
		PERFORM FROM job j WHERE j.name = 'items' FOR UPDATE NOWAIT;
		PERFORM @extschema@._dlints_refresh_items();
		RETURN 'done';
	END IF;
	RETURN NULL;
END
$$;

-- Add the vectors of new items.  If keys are no longer unique, later statements use one row per key.
CREATE FUNCTION _dlints_run_items() RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	UPDATE setting s SET has_unique_key = false, has_ordered_key = false
	FROM   @extschema@._dlints_add_bindings(own::text, '{}'::jsonb) b (a)
	WHERE  s.has_unique_key
	AND    NOT @extschema@._dlints_key_is_unique((b.a ->> 'items')::oid, b.a ->> 'item_key');
	PERFORM @extschema@._dlints_add_items();
	RETURN 'done';
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	IF @extschema@._dlints_is_row_error(SQLSTATE) THEN
		PERFORM @extschema@._dlints_check_item_rows(SQLSTATE);      -- its error names the argument
	END IF;
	RAISE;
END
$$;

-- Execute a part of the weekly fit, if due: later values of columns, then factors, then the warm start.  Returns
-- 'more', 'done' after the last part, or NULL if no fit is due.
CREATE FUNCTION _dlints_run_refit() RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM set_config('lock_timeout', '1min', true);       -- to write a fit, wait for locks up to a minute
	IF EXISTS (SELECT FROM job j WHERE j.name = 'refit' AND j.done_at < now() - interval '7 days') THEN
		IF NOT @extschema@._dlints_adopt_values() THEN  -- this locks the models, so fit in the next call
			PERFORM @extschema@._dlints_find_latest_clicks();
			PERFORM @extschema@._dlints_refit_factors();
		END IF;
		RETURN 'more';
	ELSIF EXISTS (SELECT FROM job f JOIN job w ON w.done_at < f.done_at
	              WHERE f.name = 'refit' AND w.name = 'warm_start'
	              AND   f.done_at > now() - interval '6 days 23 hours') THEN     -- it did not fail within the hour
		PERFORM @extschema@._dlints_find_latest_clicks();
		PERFORM @extschema@._dlints_fit_prior();
		PERFORM @extschema@._dlints_find_repeats();
		RETURN 'done';
	END IF;
	RETURN NULL;
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	IF @extschema@._dlints_is_row_error(SQLSTATE) THEN
		PERFORM @extschema@._dlints_check_click_rows();    -- their errors name the argument
		PERFORM @extschema@._dlints_check_item_rows(SQLSTATE);
	END IF;
	RAISE;
END
$$;

-- Test the centering of examples and the scale of the prior, once after each refresh.  Returns true if the models must
-- be trained again.
CREATE FUNCTION _dlints_revise_models() RETURNS boolean
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	scale_changed boolean;
BEGIN
	UPDATE job b SET done_at = now()
	FROM   job r
	WHERE  b.name = 'rebuild' AND r.name = 'refresh' AND r.done_at > b.done_at AND r.problem IS NULL;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	scale_changed := @extschema@._dlints_fit_reward_scale();
	IF @extschema@._dlints_toggle_centering() THEN
		RETURN true;
	ELSIF scale_changed THEN
		PERFORM @extschema@._dlints_set_prior();
	END IF;
	RETURN false;
END
$$;

-- Execute a part of a maintenance task, if due.  Returns 'more' if the task is not complete, and NULL if it is not
-- due.  Tasks that need missing objects, which the task "refresh" reports, are skipped.
CREATE FUNCTION _dlints_do_part(part text) RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	max_batches CONSTANT integer := 10;     -- batches of 1,000 decisions per transaction
	is_recommender boolean := (SELECT s.kind = 'recommender' FROM setting s);
	is_complete boolean := is_recommender AND @extschema@._dlints_missing_objects() IS NULL;
	must_rebuild boolean := false;
	result text;
	batches record;
BEGIN
	CASE part
		WHEN 'learn' THEN
			SELECT b.learned, b.has_more INTO batches
			FROM   @extschema@._dlints_learn_batches(NULL::interval, max_batches) b;
			RETURN CASE WHEN batches.has_more AND batches.learned > 0 THEN 'more' ELSE 'done' END;
		WHEN 'months' THEN
			PERFORM @extschema@._dlints_maintain_partitions();
			IF is_recommender THEN
				DELETE FROM reward r            -- of an unknown decision, after one day
				WHERE  r.applied IS DISTINCT FROM r.value AND r.applied IS NULL AND r.at < now() - interval '1 day'
				AND    NOT EXISTS (SELECT FROM decision d WHERE d.id = r.decision);
				DELETE FROM empty_request e USING setting s
				WHERE  e.id < @extschema@._dlints_first_decision(now() - s.retention);
			ELSE
				PERFORM @extschema@._dlints_ranker_delete_orphans();
			END IF;
			RETURN 'done';
		WHEN 'rebuild' THEN
			IF is_complete THEN
				must_rebuild := @extschema@._dlints_revise_models();
			END IF;
			IF @extschema@._dlints_redate_decisions() THEN      -- the planner would not call it in "... OR true"
				must_rebuild := true;
			END IF;
			IF must_rebuild OR EXISTS (SELECT FROM models m WHERE starts_with(m.hint, 'Retracting ')) THEN
				PERFORM @extschema@._dlints_rebuild_models();
			END IF;
			RETURN 'done';
		WHEN 'prices' THEN
			IF is_recommender THEN
				RETURN @extschema@._dlints_recommender_find_prices();
			END IF;
			result := @extschema@._dlints_ranker_find_prices(1::bigint);
			-- because run() is called regularly, requests compute prices less often
			UPDATE job SET done_at = now()
			WHERE  name = 'prices' AND problem IS NULL AND EXISTS (SELECT FROM constraint_price);
			RETURN result;
		ELSE
			RETURN CASE
				WHEN part = 'refresh' AND is_recommender THEN @extschema@._dlints_run_refresh()
				WHEN part = 'items' AND is_complete THEN @extschema@._dlints_run_items()
				WHEN part = 'refit' AND is_complete THEN @extschema@._dlints_run_refit() END;
	END CASE;
END
$$;

-- Execute a maintenance task (learn, refresh, items, refit, rebuild, prices or months) if it is due and no other
-- session is executing it.  "run" records that all tasks were called.  Returns 'more' if the task is not complete.  An
-- error becomes a warning and a row of report().  The weekly fit is tried again an hour after an error.
CREATE FUNCTION _dlints_run_part(setting regclass, part text) RETURNS text
	LANGUAGE plpgsql VOLATILE
	SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off SET lock_timeout = '900ms'
	SET extra_float_digits = 1 AS
$$
DECLARE
	own pg_catalog.name;
	is_free boolean;
	result text;
	message text;
	remedy text;
BEGIN
	BEGIN                                   -- outside of the block below, where an error would undo both
		own := @extschema@._dlints_enter(setting);
		PERFORM FROM job j WHERE j.name = part FOR UPDATE SKIP LOCKED;
		is_free := FOUND;
	EXCEPTION
		WHEN lock_not_available OR transaction_rollback THEN
			RAISE NOTICE 'part "%" of the maintenance of "%" waits for the next run()', part, (parse_ident(setting::text))[1]
				USING DETAIL = 'Another session holds a lock that it needs, or has changed the same rows.';
			RETURN NULL;
	END;
	IF (part = ANY ('{learn,refresh,items,refit,rebuild,prices,months,run}')) IS NOT TRUE THEN
		RAISE 'there is no part "%" of the maintenance', part USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Parts are learn, refresh, items, refit, rebuild, prices and months.';
	ELSIF NOT EXISTS (SELECT FROM job) THEN
		RAISE 'tables of schema "%" are incomplete', own USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'The table "job" is empty.';
	ELSIF NOT is_free THEN          -- another session is executing the task
		RETURN NULL;
	END IF;
	BEGIN
		IF part = 'run' THEN
			-- without this correction, nothing would be due for long after the clock was wrong
			UPDATE job j SET done_at = now() WHERE j.name = 'run' OR j.done_at > now() + interval '1 hour';
			RETURN NULL;
		END IF;
		result := @extschema@._dlints_do_part(part);
		IF result IS NOT NULL THEN
			UPDATE job j SET problem = NULL WHERE j.name = part AND j.problem IS NOT NULL;
		END IF;
		RETURN result;
	EXCEPTION
		WHEN lock_not_available OR transaction_rollback THEN
			RAISE NOTICE 'part "%" of the maintenance of "%" waits for the next run()', part, own
				USING DETAIL = 'Another session holds a lock that it needs, or has changed the same rows.';
			RETURN NULL;
		WHEN OTHERS OR ASSERT_FAILURE THEN
			GET STACKED DIAGNOSTICS remedy = PG_EXCEPTION_HINT;
			message := SQLERRM;
	END;
	message := concat_ws('. ', message, nullif(remedy, ''));
	RAISE WARNING 'part "%" of the maintenance of "%" failed: %', part, own, message;
	UPDATE job j
	SET    problem = message, since = CASE WHEN j.problem IS NULL THEN now() ELSE j.since END,
	       done_at = CASE WHEN part = 'refit' THEN now() - interval '6 days 23 hours'
	                      WHEN part = 'refresh' AND @extschema@._dlints_missing_objects() IS NULL THEN now()
	                      ELSE j.done_at END
	WHERE  j.name = part;
	RETURN NULL;
END
$$;
