-- Maintenance of a recommender ----------------------------------------------------------

-- Raise a notice before a step that may take long, because the tables of items or clicks are large, or the statement
-- has already taken two seconds.
CREATE FUNCTION _dlints_notice_step(step text) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	IF clock_timestamp() > statement_timestamp() + interval '2 seconds'
	   OR EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
	              JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid
	                  AND c.relkind IN ('r', 'm', 'p')
	              WHERE  r.ev_class IN (to_regclass(format('%I.item', own)), to_regclass(format('%I.click', own)))
	              AND   (c.reltuples > 20000 OR pg_relation_size(c.oid) > 2000000)) THEN
		RAISE NOTICE '%', step;
	END IF;
END
$$;

-- Record the error of a maintenance task, or NULL, in the table "job", if it has changed.
CREATE FUNCTION _dlints_note_problem(part text, problem text) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF _dlints_note_problem.problem IS NULL THEN
		UPDATE job j SET problem = NULL WHERE j.name = part AND j.problem IS NOT NULL;
	ELSE
		INSERT INTO job AS j (name, done_at, problem, since) VALUES (part, now(), _dlints_note_problem.problem, now())
		ON CONFLICT (name) DO UPDATE
		SET    problem = excluded.problem, since = CASE WHEN j.problem IS NULL THEN now() ELSE j.since END
		WHERE  j.problem IS DISTINCT FROM excluded.problem;
	END IF;
END
$$;

-- Lock the item vectors for a change of many rows, until the end of the transaction.  The lock is a row of "job", so
-- that readers and the addition of single items do not wait. run() skips the task "items" meanwhile.
CREATE FUNCTION _dlints_lock_item_vectors() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM FROM job j WHERE j.name = 'items' FOR UPDATE;
END
$$;

-- Refresh popularity, trends and, once a day, neighbours from the click log.  Returns the number of item vectors that
-- changed.  If an expression of the click log fails, all three keep their values, and report() shows the error.
CREATE FUNCTION _dlints_refresh_clicks(are_items_new boolean) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_written bigint := 0;
	problem text;
BEGIN
	BEGIN
		PERFORM @extschema@._dlints_adopt_click_log();
		IF @extschema@._dlints_write_click_digest() OR are_items_new THEN
			PERFORM @extschema@._dlints_find_latest_clicks();
			n_written := @extschema@._dlints_refresh_popularity();
			PERFORM @extschema@._dlints_refresh_trend();
		END IF;
		IF EXISTS (SELECT FROM job j WHERE j.name = 'neighbours' AND j.done_at < now() - interval '1 day') THEN
			PERFORM @extschema@._dlints_find_latest_clicks();
			PERFORM @extschema@._dlints_notice_step('fitting the neighbours of items'::text);
			PERFORM @extschema@._dlints_write_fit(0);
		END IF;
	EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
		IF NOT @extschema@._dlints_is_row_error(SQLSTATE) THEN
			RAISE;
		END IF;
		PERFORM FROM click LIMIT 0;     -- raises the error of a log that cannot be read at all
		BEGIN                           -- a trigger on our tables may have raised the error
			PERFORM @extschema@._dlints_check_click_rows();
		EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
			IF NOT @extschema@._dlints_is_row_error(SQLSTATE) THEN
				RAISE;
			END IF;
			problem := SQLERRM;
			RAISE WARNING '%', problem
				USING ERRCODE = SQLSTATE, DETAIL = 'Popularities, trends and neighbours keep their values.';
		END;
		IF problem IS NULL THEN
			RAISE;
		END IF;
		n_written := 0;
	END;
	PERFORM @extschema@._dlints_note_problem('clicks'::text, problem);
	RETURN n_written;
END
$$;

-- Refresh item vectors, costs, popularity, trends, item effects and, once a day, neighbours.  Returns the number of
-- vectors whose columns or dates changed.
CREATE FUNCTION _dlints_refresh_items() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_changed bigint;
	is_written boolean;
	n_written bigint;
BEGIN
	SELECT v.n_changed, v.is_written INTO n_changed, is_written FROM @extschema@._dlints_refresh_vectors() v;
	n_written := is_written::integer + @extschema@._dlints_refresh_clicks(is_written)
	             + @extschema@._dlints_refresh_effects();
	IF n_written > 0 OR NOT EXISTS (SELECT FROM block) THEN
		PERFORM @extschema@._dlints_set_blocks();
	ELSE
		PERFORM @extschema@._dlints_note_item_index();
	END IF;
	RETURN n_changed;
END
$$;

-- Execute a step of a recommender's maintenance, even if it is not due.  Returns the number of changed vectors
-- ("refresh"), of items with factors ("refit") or of clicks used ("warm_start").
CREATE FUNCTION _dlints_upkeep(setting regclass, step text) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
	SET extra_float_digits = 1 AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	PERFORM @extschema@._dlints_check_objects();
	IF step = 'refresh' THEN
		RETURN @extschema@._dlints_refresh_items();
	END IF;
	-- lock the row of run()'s task "refit" before those of item vectors and examples
	PERFORM FROM job j WHERE j.name = 'refit' FOR UPDATE;
	PERFORM @extschema@._dlints_check_click_rows();
	PERFORM @extschema@._dlints_find_latest_clicks();
	IF step = 'refit' THEN
		PERFORM @extschema@._dlints_adopt_values();
		RETURN @extschema@._dlints_refit_factors();
	END IF;
	RETURN @extschema@._dlints_fit_prior();
END
$$;
