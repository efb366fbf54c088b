-- Parts of the maintenance of recommenders and rankers -------------------------------------
--
-- run() calls the parts in turn, and commits after each.  If another session is already doing a part, it is
-- skipped.

-- Do a part that only recommenders have, if it is due.  Returns 'more' if the part must be called again, and NULL
-- if it is not due.  The weekly fit takes two or three calls: for later values of columns, if there are any, for
-- factors, and for the warm start.
CREATE FUNCTION _dlints_recommender_part(part text) RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	is_due boolean;
	scale_changed boolean;
BEGIN
	IF part = 'refresh' THEN
		PERFORM @extschema@._dlints_check_objects();
		-- after an erasure, item effects are computed at the next run
		SELECT r.done_at < now() - interval '1 hour' OR e.done_at = '-infinity' INTO is_due
		FROM   job r, job e WHERE r.name = 'refresh' AND e.name = 'effects';
		IF is_due THEN
			-- do not wait for a session that writes all vectors
			PERFORM FROM job j WHERE j.name = 'items' FOR UPDATE NOWAIT;
			PERFORM @extschema@._dlints_refresh_items();
			RETURN 'done';
		END IF;
	ELSIF @extschema@._dlints_missing_objects() IS NOT NULL THEN
		RETURN NULL;                    -- the part "refresh" reports missing objects
	ELSIF part = 'items' THEN
		-- if keys are no longer unique (the index was dropped, or a table inherits from the items), use one row per key
		UPDATE setting s SET has_unique_key = false, has_ordered_key = false
		FROM   @extschema@._dlints_add_bindings(own::text, '{}'::jsonb) b (a)
		WHERE  s.has_unique_key
		AND    NOT @extschema@._dlints_key_is_unique((b.a ->> 'items')::oid, b.a ->> 'item_key');
		PERFORM @extschema@._dlints_add_items();
		RETURN 'done';
	ELSIF part = 'refit' THEN
		PERFORM set_config('lock_timeout', '1min', true);       -- to write a fit, wait for locks up to a minute
		SELECT j.done_at < now() - interval '7 days' INTO is_due FROM job j WHERE j.name = 'refit';
		IF is_due THEN
			IF NOT @extschema@._dlints_adopt_values() THEN  -- this locks the models, so fit in the next call
				PERFORM @extschema@._dlints_find_latest_clicks();
				PERFORM @extschema@._dlints_refit_factors();
			END IF;
			RETURN 'more';
		ELSIF EXISTS (SELECT FROM job f JOIN job w ON w.done_at < f.done_at
		              WHERE f.name = 'refit' AND w.name = 'warm_start') THEN
			PERFORM @extschema@._dlints_find_latest_clicks();
			PERFORM @extschema@._dlints_fit_prior();
			PERFORM @extschema@._dlints_find_repeats();
			RETURN 'done';
		END IF;
	ELSIF part = 'rebuild' THEN         -- centering and the prior's scale are tested once after each refresh
		SELECT r.done_at > b.done_at AND r.problem IS NULL INTO is_due
		FROM   job r, job b WHERE r.name = 'refresh' AND b.name = 'rebuild';
		IF is_due THEN
			UPDATE job j SET done_at = now() WHERE j.name = 'rebuild';
			scale_changed := @extschema@._dlints_fit_reward_scale();
			IF @extschema@._dlints_toggle_centering() THEN
				RETURN 'rebuild';           -- a rebuild also sets the prior
			ELSIF scale_changed THEN
				PERFORM @extschema@._dlints_set_prior();
			END IF;
			RETURN 'done';
		END IF;
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION _dlints_recommender_part(text)
	IS 'do a part of the maintenance that only recommenders have, if it is due';

-- Do a part of the maintenance, if it is due.  Returns 'more' if the part must be called again, and NULL if it is
-- not due.
CREATE FUNCTION _dlints_do_part(part text) RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	max_batches CONSTANT integer := 10;     -- batches of 1,000 decisions per transaction
	is_recommender boolean := (SELECT s.kind = 'recommender' FROM setting s);
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
				PERFORM @extschema@._dlints_recommender_delete_orphans();
				DELETE FROM empty_request e USING setting s
				WHERE  e.id < @extschema@._dlints_first_decision(now() - s.retention);
			ELSE
				PERFORM @extschema@._dlints_ranker_delete_orphans();
			END IF;
			RETURN 'done';
		WHEN 'rebuild' THEN
			IF is_recommender THEN
				result := @extschema@._dlints_recommender_part(part);
			END IF;
			IF result = 'rebuild' OR EXISTS (
				SELECT FROM model m, @extschema@.dlints_info(m.state) i WHERE starts_with(i.hint, 'Retracting '))
			THEN
				PERFORM @extschema@._dlints_rebuild_models();
			END IF;
			RETURN 'done';
		WHEN 'prices' THEN
			IF is_recommender THEN
				RETURN @extschema@._dlints_recommender_find_prices();
			END IF;
			RETURN @extschema@._dlints_ranker_find_prices();
		ELSE
			IF is_recommender THEN
				RETURN @extschema@._dlints_recommender_part(part);
			END IF;
			RETURN NULL;
	END CASE;
END
$$;
COMMENT ON FUNCTION _dlints_do_part(text) IS 'do a part of the maintenance, if it is due';

-- Do a part of the maintenance of a recommender or a ranker, if it is due and no other session is doing it.  Parts
-- are refresh, items, refit, learn, rebuild, prices and months; "run" records that all were called.  Returns 'more'
-- if the part must be called again in another transaction.
--
-- An error becomes a warning and a row of report(), so that the other parts are done.  After an error, the weekly
-- fit is tried again an hour later.
CREATE FUNCTION _dlints_run_part(setting regclass, part text) RETURNS text
	LANGUAGE plpgsql VOLATILE
	SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off SET lock_timeout = '900ms'
	SET extra_float_digits = 1 AS
$$
DECLARE
	own pg_catalog.name;
	result text;
	message text;
	remedy text;
BEGIN
	BEGIN                                   -- not in the block below, where an error would restore the search_path
		own := @extschema@._dlints_enter(setting);
	EXCEPTION
		WHEN lock_not_available THEN
			RAISE NOTICE 'part "%" of the maintenance of "%" waits for the next run()', part, (parse_ident(setting::text))[1]
				USING DETAIL = 'Another session holds a lock that it needs.';
			RETURN NULL;
	END;
	IF (part = ANY ('{refresh,items,refit,learn,rebuild,prices,months,run}')) IS NOT TRUE THEN
		RAISE 'there is no part "%" of the maintenance', part USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Parts are refresh, items, refit, learn, rebuild, prices and months.';
	END IF;
	BEGIN
		IF part = 'run' THEN
			UPDATE job j SET done_at = now() WHERE j.name = 'run';
			RETURN NULL;
		END IF;
		PERFORM FROM job j WHERE j.name = part FOR UPDATE SKIP LOCKED;
		IF NOT FOUND THEN               -- another session is doing this part
			RETURN NULL;
		END IF;
		result := @extschema@._dlints_do_part(part);
		IF result IS NOT NULL THEN
			UPDATE job j SET problem = NULL WHERE j.name = part AND j.problem IS NOT NULL;
		END IF;
		RETURN result;
	EXCEPTION
		WHEN lock_not_available THEN
			RAISE NOTICE 'part "%" of the maintenance of "%" waits for the next run()', part, own
				USING DETAIL = 'Another session holds a lock that it needs.';
			RETURN NULL;
		WHEN OTHERS OR ASSERT_FAILURE THEN
			GET STACKED DIAGNOSTICS remedy = PG_EXCEPTION_HINT;
			message := SQLERRM;
	END;
	message := concat_ws('. ', message, nullif(remedy, ''));
	RAISE WARNING 'part "%" of the maintenance of "%" failed: %', part, own, message;
	UPDATE job j
	SET    problem = message,
	       done_at = CASE part WHEN 'refit' THEN now() - interval '6 days 23 hours'
	                           WHEN 'refresh' THEN CASE WHEN @extschema@._dlints_missing_objects() IS NULL THEN now()
	                                                    ELSE j.done_at END
	                           ELSE j.done_at END
	WHERE  j.name = part;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION _dlints_run_part(regclass, text)
	IS 'do a part of the maintenance of a recommender or a ranker, if it is due; ''more'' if it has more to do';
