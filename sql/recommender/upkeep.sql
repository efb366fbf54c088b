-- Maintenance of a recommender: item vectors, popularity, trend, factors ------------

-- Describe the objects that were dropped with CASCADE because they read the user's tables, and the remedy; NULL
-- if none is missing.  Texts and the items' table can be passed again.
CREATE FUNCTION _dlints_missing_objects() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	missing text := (
		SELECT string_agg(format('"%s"', o.name), ', ' ORDER BY o.n)
		FROM   setting s, LATERAL (VALUES
			(1, 'item', true), (2, 'encoded_item', true), (3, 'encode_document', true), (4, 'click', true),
			(5, 'allowed', true), (6, 'bonus', s.bonus IS NOT NULL), (7, 'cap_group', s.cap_group IS NOT NULL),
			(8, 'cost_text', s.constraints <> '{}')) o (n, name, is_expected)
		WHERE  o.is_expected
		AND    to_regclass(format('%I.%I', own, o.name)) IS NULL
		AND    NOT EXISTS (SELECT FROM pg_proc p
		                   WHERE p.pronamespace = quote_ident(own)::regnamespace AND p.proname = o.name));
BEGIN
	RETURN CASE WHEN missing IS NULL THEN NULL ELSE
		'dropped together with the tables or columns that they read: ' || missing
		|| CASE WHEN missing ~ '"(click|allowed|bonus|cap_group)"' THEN '. The recommender returns no lists'
		        ELSE '. Item vectors and costs are no longer refreshed' END
		|| CASE WHEN missing ~ '"(item|encoded_item|encode_document)"'
		   THEN '. Its log and models remain. Name a table with the same columns:'
		        ' dlints_alter_recommender(..., ''{"items": "name"}'').'
		   ELSE '. Pass the arguments that define them to dlints_alter_recommender() again.' END END;
END
$$;
COMMENT ON FUNCTION _dlints_missing_objects()
	IS 'objects of a recommender that were dropped together with what they read, and the remedy; NULL: none';

-- Raise an error if objects that a recommender reads were dropped.
CREATE FUNCTION _dlints_check_objects() RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	problem text := @extschema@._dlints_missing_objects();
BEGIN
	IF problem IS NOT NULL THEN
		RAISE 'objects of recommender "%" were %', own, split_part(problem, '. ', 1)
			USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = substring(problem FROM '[.] (.*)$');
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_check_objects() IS 'raise an error if objects that a recommender reads were dropped';

-- Checks when a recommender is made or altered ----------------------------------------

-- Raise an error if the query of clicks fails, or if none of its rows is about an item: user and item are easily
-- swapped, and all recommendations would be useless.
CREATE FUNCTION _dlints_check_clicks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	PERFORM count(c.user_id), count(c.item), max(c.at)
	FROM   (SELECT k.user_id, k.item, k.at FROM click k LIMIT 1000) c;
	IF EXISTS (SELECT FROM click) AND EXISTS (SELECT FROM item)
	   AND NOT EXISTS (SELECT FROM click c JOIN item i ON same_item(c.item, i.item)) THEN
		RAISE 'no click is on an item of %', (SELECT s.relation FROM setting s)
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
EXCEPTION WHEN data_exception THEN
	RAISE 'argument "clicks": %', SQLERRM
		USING ERRCODE = SQLSTATE, HINT = 'It must be a query of user, item and time, in this order.';
END
$$;
COMMENT ON FUNCTION _dlints_check_clicks() IS 'raise an error if clicks cannot be read, or none is on an item';

-- Count the candidates for a user and a context, and compute their bonus and group.  An error of one of these
-- expressions is raised again with the name of the argument.
CREATE FUNCTION _dlints_try_rules(of_user anyelement, context jsonb) RETURNS bigint
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	argument text := 'candidates';
	has_bonus boolean;
	has_cap_group boolean;
	n_candidates bigint;
BEGIN
	SELECT s.bonus IS NOT NULL, s.cap_group IS NOT NULL INTO has_bonus, has_cap_group FROM setting s;
	SELECT count(a.item) INTO n_candidates FROM allowed(of_user, context) a;
	IF has_bonus THEN
		argument := 'bonus';
		PERFORM max(b.bonus) FROM allowed(of_user, context) a, LATERAL bonus(a.item, of_user, context) b;
	END IF;
	IF has_cap_group THEN
		argument := 'cap_group';
		PERFORM max(g.cap_group) FROM allowed(of_user, context) a, LATERAL cap_group(a.item, of_user, context) g;
	END IF;
	RETURN n_candidates;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
	RAISE 'argument "%": %', argument, SQLERRM
		USING ERRCODE = SQLSTATE, HINT = 'It is computed for each item; user_id and context can be NULL or empty.';
END
$$;
COMMENT ON FUNCTION _dlints_try_rules(anyelement, jsonb)
	IS 'number of candidates for a user and a context; an error of the expressions names the argument';

-- Raise an error if candidates, bonus or cap_group fail for an unknown user and an empty context, and a notice if
-- no item passes: unknown users would get empty lists.
CREATE FUNCTION _dlints_check_rules() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_candidates bigint;
BEGIN
	SELECT @extschema@._dlints_try_rules(d.user_id, '{}'::jsonb) INTO n_candidates
	FROM   (SELECT) unknown_user LEFT JOIN decision d ON false;
	IF n_candidates = 0 AND EXISTS (SELECT FROM item) THEN
		RAISE NOTICE 'no item passes "candidates" for an unknown user and an empty context'
			USING HINT = 'user_id is NULL for unknown users; a condition on it can be coalesce(..., true).';
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_check_rules()
	IS 'raise an error if candidates, bonus or cap_group fail for an unknown user; a notice if no item passes';

-- Raise an error if the costs of an item cannot be computed.
CREATE FUNCTION _dlints_check_costs() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	IF EXISTS (SELECT FROM constraint_price) THEN
		PERFORM count(c.costs) FROM cost_text c;
	END IF;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
	RAISE 'argument "constraints": %', SQLERRM
		USING ERRCODE = SQLSTATE, HINT = 'The expression in "of" is computed for each item.';
END
$$;
COMMENT ON FUNCTION _dlints_check_costs() IS 'raise an error if the costs of an item cannot be computed';

-- Raise a notice at the beginning of a step that may take long: where the tables of items or clicks have more than
-- 20,000 rows or two megabytes, or if the statement has taken two seconds already.
CREATE FUNCTION _dlints_notice_step(step text) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
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
COMMENT ON FUNCTION _dlints_notice_step(text) IS 'raise a notice at the beginning of a step that may take long';

-- Record that the key of the items is not unique any more, for example after its index was dropped or another table
-- inherits from the items.  Pages then leave out further rows of an item.
CREATE FUNCTION _dlints_check_unique_key() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	UPDATE setting s SET has_unique_key = false, has_ordered_key = false
	FROM   @extschema@._dlints_add_bindings(own::text, '{}'::jsonb) b (a)
	WHERE  s.has_unique_key AND NOT @extschema@._dlints_key_is_unique((b.a ->> 'items')::oid, b.a ->> 'item_key');
END
$$;
COMMENT ON FUNCTION _dlints_check_unique_key() IS 'record that the key of the items is not unique any more';

-- Item vectors -------------------------------------------------------------------------

-- Lock the item vectors for a change of many rows, until the end of the transaction.  A row of "job" is the lock:
-- readers and single new items are not held up, and run() skips the part "items" meanwhile.
CREATE FUNCTION _dlints_lock_item_vectors() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	PERFORM FROM job j WHERE j.name = 'items' FOR UPDATE;
END
$$;
COMMENT ON FUNCTION _dlints_lock_item_vectors() IS 'lock the item vectors for a change of many rows';

-- Record the present problem of a part of the maintenance, or NULL, in "job".  Rows are written only if they change.
CREATE FUNCTION _dlints_note_problem(part text, problem text) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	IF _dlints_note_problem.problem IS NULL THEN
		UPDATE job j SET problem = NULL WHERE j.name = part AND j.problem IS NOT NULL;
	ELSE
		INSERT INTO job AS j (name, done_at, problem) VALUES (part, now(), _dlints_note_problem.problem)
		ON CONFLICT (name) DO UPDATE SET problem = excluded.problem
		WHERE  j.problem IS DISTINCT FROM excluded.problem;
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_note_problem(text, text)
	IS 'record the problem of a part of the maintenance, or that there is none';

-- Encode one item.  A row whose columns cannot be encoded gets zeros, and no dates; "problem" says why.
CREATE FUNCTION _dlints_encode_item(key anyelement, OUT encoded real[], OUT dates float8[], OUT problem text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	SELECT e.encoded, e.dates INTO encoded, dates FROM encoded_item e WHERE same_item(e.item, key) LIMIT 1;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
	problem := SQLERRM;
	SELECT array_fill(0::real, ARRAY[s.liked - s.factors]), array_fill(NULL::float8, ARRAY[s.aged / 3])
	INTO   encoded, dates FROM setting s;
END
$$;
COMMENT ON FUNCTION _dlints_encode_item(anyelement)
	IS 'encode an item; zeros and the error message if its columns cannot be encoded';

-- Record for a week that the columns of more than half of the items changed at once, as when a table is loaded again.
CREATE FUNCTION _dlints_note_changed_items(share float8) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	IF share > 0.5 THEN
		INSERT INTO job AS j (name, done_at, problem) VALUES ('changed', now(), round(share::numeric, 3))
		ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at, problem = excluded.problem;
	ELSE
		DELETE FROM job j WHERE j.name = 'changed' AND j.done_at < now() - interval '7 days';
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_note_changed_items(float8) IS 'record that more than half of the items changed at once';

-- Write the vectors of all items, or of new items only.  Returns the number of rows that changed.  Unless all rows
-- can be encoded together, each is encoded separately, and "job" holds the number of those that failed.
CREATE FUNCTION _dlints_encode_items(only_new boolean) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_changed bigint;
	n_failed bigint;
	share_changed float8;
	example text;
	reason text;
BEGIN
	BEGIN
		IF only_new THEN
			INSERT INTO item_vector AS v (item, encoded, dates)
			SELECT i.item, i.encoded, i.dates
			FROM   encoded_item i
			WHERE  i.item IS NOT NULL
			AND    NOT EXISTS (SELECT FROM item_vector w WHERE same_item(w.item, i.item) AND NOT w.is_deleted)
			ON CONFLICT (item) DO UPDATE SET encoded = excluded.encoded, dates = excluded.dates, is_deleted = false
			WHERE  v.is_deleted;
			GET DIAGNOSTICS n_changed = ROW_COUNT;
		ELSE
			-- ON CONFLICT locks every row that it meets, and writes that to the WAL
			WITH encoded AS MATERIALIZED (
				SELECT i.item, i.encoded, i.dates, v.is_deleted, v.encoded <> i.encoded AS is_changed,
				       v.item IS NULL OR v.is_deleted OR v.encoded <> i.encoded OR v.dates <> i.dates AS is_written
				FROM   encoded_item i LEFT JOIN item_vector v ON same_item(v.item, i.item) WHERE i.item IS NOT NULL),
			written AS (
				INSERT INTO item_vector AS v (item, encoded, dates)
				SELECT e.item, e.encoded, e.dates FROM encoded e WHERE e.is_written
				ON CONFLICT (item) DO UPDATE SET encoded = excluded.encoded, dates = excluded.dates, is_deleted = false
				RETURNING 1)
			SELECT (SELECT count(*) FROM written), avg(e.is_changed::integer) FILTER (WHERE NOT e.is_deleted)
			INTO   n_changed, share_changed
			FROM   encoded e;
			PERFORM @extschema@._dlints_note_changed_items(share_changed);
			DELETE FROM job j WHERE j.name = 'encoding';
		END IF;
		RETURN n_changed;
	EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
		NULL;                           -- row by row, below
	END;
	WITH encoded AS MATERIALIZED (
		SELECT i.item, e.encoded, e.dates, e.problem
		FROM  (SELECT DISTINCT k.item FROM item k WHERE k.item IS NOT NULL
		       AND (NOT only_new OR NOT EXISTS (
		           SELECT FROM item_vector w WHERE same_item(w.item, k.item) AND NOT w.is_deleted))) i,
		       LATERAL @extschema@._dlints_encode_item(i.item) e),
	written AS (
		INSERT INTO item_vector AS v (item, encoded, dates)
		SELECT e.item, e.encoded, e.dates FROM encoded e
		WHERE  NOT EXISTS (SELECT FROM item_vector w WHERE same_item(w.item, e.item) AND NOT w.is_deleted
		                   AND w.encoded = e.encoded AND w.dates = e.dates)
		ON CONFLICT (item) DO UPDATE SET encoded = excluded.encoded, dates = excluded.dates, is_deleted = false
		RETURNING 1)
	SELECT (SELECT count(*) FROM written), count(e.problem), min(e.item::text) FILTER (WHERE e.problem IS NOT NULL),
	       min(e.problem)
	INTO   n_changed, n_failed, example, reason
	FROM   encoded e;
	IF NOT only_new OR NOT EXISTS (SELECT FROM job j WHERE j.name = 'encoding') THEN
		PERFORM @extschema@._dlints_note_problem('encoding'::text, format(
			'items that cannot be encoded have features of 0 (number: %s, for example "%s"): %s',
			n_failed, left(example, 100), reason));
	END IF;
	RETURN n_changed;
END
$$;
COMMENT ON FUNCTION _dlints_encode_items(boolean)
	IS 'write the vectors of all or of new items; returns the number of rows that changed';

-- Delete the vectors of items that no longer exist.  Vectors of clicked items are marked and stay as long as their
-- clicks count: profiles of users consist of them.  If the deleted items are more than half of all, which may be a
-- mistake, nothing is done until "grace" after that was first seen.  The log keeps the features of impressions.
CREATE FUNCTION _dlints_purge_deleted_items(grace interval) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_items bigint;
	n_deleted bigint;
	n_marked bigint;
	message text;
	seen_at timestamptz;
BEGIN
	SELECT count(*) FILTER (WHERE NOT v.is_deleted), count(*) FILTER (WHERE NOT v.is_deleted AND v.is_gone),
	       count(*) FILTER (WHERE v.is_deleted)
	INTO   n_items, n_deleted, n_marked
	FROM  (SELECT w.is_deleted, i.item IS NULL AS is_gone
	       FROM   item_vector w LEFT JOIN item i ON same_item(i.item, w.item)) v;
	message := format('%s of the items of %s were deleted; their vectors are kept for %s', n_deleted, own, grace);
	IF 2 * n_deleted > n_items THEN
		INSERT INTO job AS j (name, done_at, problem) VALUES ('deleted', now(), message)
		ON CONFLICT (name) DO UPDATE SET problem = excluded.problem
		RETURNING j.done_at INTO seen_at;
		IF seen_at >= now() - grace AND grace > '0' THEN
			RAISE WARNING '%', message
				USING HINT = format('To delete them now: DELETE FROM %1$I.item_vector v WHERE NOT EXISTS'
					' (SELECT FROM %1$I.item i WHERE %1$I.same_item(i.item, v.item)).', own);
			RETURN;
		END IF;
	END IF;
	IF n_deleted > 0 THEN
		UPDATE item_vector v SET is_deleted = true, popularity = 0, costs = NULL, outcome_rates = NULL
		WHERE  NOT v.is_deleted AND NOT EXISTS (SELECT FROM item i WHERE same_item(i.item, v.item));
	END IF;
	IF n_deleted + n_marked > 0 THEN
		DELETE FROM item_vector v
		WHERE  v.is_deleted
		AND    NOT EXISTS (SELECT FROM item i WHERE same_item(i.item, v.item))
		AND    NOT EXISTS (SELECT FROM setting s, LATERAL (
		                       SELECT k.item FROM click k WHERE k.at > now() - s.retention AND k.weight <> 0
		                       ORDER  BY k.at DESC LIMIT 1000000) c WHERE same_item(c.item, v.item))
		AND    NOT EXISTS (SELECT FROM reward r WHERE r.value <> 0 AND same_item(r.item, v.item));
	END IF;
	DELETE FROM job j WHERE j.name = 'deleted';
END
$$;
COMMENT ON FUNCTION _dlints_purge_deleted_items(interval)
	IS 'delete or mark the vectors of deleted items; if most items were deleted, only after a time of grace';

-- Raise an error if several items have one key.
CREATE FUNCTION _dlints_check_keys() RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	duplicate text;
BEGIN
	IF (SELECT s.has_unique_key FROM setting s) THEN
		RETURN;
	END IF;
	SELECT min(i.item::text) INTO duplicate
	FROM  (SELECT i.item FROM item i WHERE i.item IS NOT NULL GROUP BY i.item HAVING count(*) > 1) i;
	IF duplicate IS NOT NULL THEN
		RAISE 'several items have the key "%"', duplicate
			USING ERRCODE = 'unique_violation', HINT = 'Make a view that has each key once.';
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_check_keys() IS 'raise an error if several items have one key';

-- Write the vectors and costs of new and changed items, and delete the vectors of deleted items.  Returns the number
-- of vectors whose columns or dates changed.
CREATE FUNCTION _dlints_refresh_vectors() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_changed bigint;
BEGIN
	PERFORM @extschema@._dlints_notice_step('encoding items'::text);
	UPDATE job j SET done_at = now(), problem = NULL WHERE j.name = 'refresh';
	PERFORM @extschema@._dlints_check_keys();
	PERFORM @extschema@._dlints_lock_item_vectors();
	PERFORM @extschema@._dlints_purge_deleted_items('1 day'::interval);
	n_changed := @extschema@._dlints_encode_items(false);
	PERFORM @extschema@._dlints_refresh_costs();
	RETURN n_changed;
END
$$;
COMMENT ON FUNCTION _dlints_refresh_vectors()
	IS 'refresh item vectors and costs; returns the number of vectors whose columns or dates changed';

-- Refresh item vectors, costs, popularity, trends, item effects and, once a day, neighbours.  Returns the number of
-- vectors whose columns or dates changed.
CREATE FUNCTION _dlints_refresh_items() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_changed bigint := @extschema@._dlints_refresh_vectors();
BEGIN
	PERFORM @extschema@._dlints_refresh_popularity();
	PERFORM @extschema@._dlints_refresh_trend();
	PERFORM @extschema@._dlints_refresh_effects();
	PERFORM @extschema@._dlints_set_blocks();
	IF EXISTS (SELECT FROM job j WHERE j.name = 'neighbours' AND j.done_at < now() - interval '1 day') THEN
		PERFORM @extschema@._dlints_fit_neighbours();
	END IF;
	RETURN n_changed;
END
$$;
COMMENT ON FUNCTION _dlints_refresh_items()
	IS 'refresh item vectors, costs, popularity, trends, effects; returns the number of vectors with new columns or dates';

-- Add the vectors and costs of new items, and append them to the blocks.  Returns the number of new vectors.
CREATE FUNCTION _dlints_add_items() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_constraints integer := (SELECT count(*) FROM constraint_price);
	n_added bigint := @extschema@._dlints_encode_items(true);
BEGIN
	IF n_added = 0 THEN
		RETURN 0;
	END IF;
	IF n_constraints > 0 THEN
		UPDATE item_vector v SET costs = @extschema@._dlints_cost_of(v.item)
		WHERE  v.costs IS NULL AND NOT v.is_deleted;
	END IF;
	WITH known AS MATERIALIZED (
		SELECT i.item FROM block b, unnest(b.items) i (item)),
	added AS (
		SELECT v.item, v.features,
		       @extschema@._dlints_block_numbers(v.popularity, v.effect, v.costs, n_constraints, v.dates) AS numbers,
		       row_number() OVER () - 1 AS n
		FROM   item_vector v
		WHERE  NOT v.is_deleted AND NOT EXISTS (SELECT FROM known k WHERE same_item(k.item, v.item)))
	INSERT INTO block (n, items, codes, numbers)
	SELECT l.n + a.n / s.block_slots, array_agg(a.item),
	       @extschema@._dlints_block_codes(array_agg(a.features[1:s.liked]), s.factors), array_agg(a.numbers)
	FROM   added a, setting s, (SELECT coalesce(max(b.n), -1) + 1 AS n FROM block b) l
	GROUP  BY l.n + a.n / s.block_slots, s.factors;
	RETURN n_added;
END
$$;
COMMENT ON FUNCTION _dlints_add_items() IS 'add the vectors of new items; returns their number';

-- Popularity and trends -----------------------------------------------------------------

CREATE FUNCTION _dlints_decayed_clicks(query text, half_lives float8[], periods float8[]) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dlints_decayed_clicks' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 100000;
COMMENT ON FUNCTION _dlints_decayed_clicks(text, float8[], float8[])
	IS 'sums of the decayed clicks on each item, under half-lives in days; a user''s clicks on an item count once per period';

-- Sums of decayed clicks, as text for the FROM clause: columns item and sums.  "clicks" is a query of user_id, item, at
-- and weight.  Days are counted back from the newest click.
CREATE FUNCTION _dlints_decayed_call(clicks text, half_lives float8[], periods float8[]) RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN (
		SELECT format('(SELECT d.item::%s AS item, d.sums FROM @extschema@._dlints_decayed_clicks('
		              '%L::text, %L::float8[], %L::float8[]) d (item %s, sums float8[]))',
		              @extschema@._dlints_type_name(a.atttypid),
		              format('SELECT c.user_id%s, c.item%s, date_part(''epoch'', c.at) / 86400, c.weight::float8 FROM (%s) c',
		                     u.to_type, i.to_type, clicks), half_lives, periods, i.type)
		FROM   pg_attribute a, @extschema@._dlints_hashed_key(a.attrelid::regclass, 'item'::text) i,
		       @extschema@._dlints_hashed_key(format('%I.decision', own)::regclass, 'user_id'::text) u
		WHERE  a.attrelid = format('%I.item_vector', own)::regclass AND a.attname = 'item');
END
$$;
COMMENT ON FUNCTION _dlints_decayed_call(text, float8[], float8[])
	IS 'sums of decayed clicks, as text for the FROM clause';

-- Write popularities.  "scores" is text for the FROM clause: columns item and score, a sum or rate of clicks.  Items
-- added within seven days have at least the mean popularity with a click log, since nobody could click them before.
-- Small changes are not written.
CREATE FUNCTION _dlints_write_popularity(scores text) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	EXECUTE format('
		WITH score AS MATERIALIZED (SELECT c.item, c.score FROM %s c),
		present AS MATERIALIZED (
			SELECT w.item, w.popularity AS was, t.clicks IS NOT NULL AND w.since > greatest(t.made_at, now() - interval ''7 days'') AS is_new,
			       coalesce(round((ln(1 + coalesce(s.score, 0)) / nullif(ln(1 + max(s.score) OVER ()), 0))::numeric, 3),
			                0) AS popularity
			FROM   setting t CROSS JOIN item_vector w LEFT JOIN score s ON same_item(s.item, w.item)
			WHERE  NOT w.is_deleted)
		UPDATE item_vector v SET popularity = n.popularity
		FROM  (SELECT p.item, p.was, (CASE WHEN p.is_new THEN greatest(p.popularity, round(avg(p.popularity) OVER (), 3))
		                                   ELSE p.popularity END)::real AS popularity
		       FROM present p) n
		WHERE  same_item(n.item, v.item) AND n.popularity <> n.was
		AND   (abs(n.popularity - n.was) > 0.003 OR n.popularity IN (0, 1) OR n.was IN (0, 1))', scores);
END
$$;
COMMENT ON FUNCTION _dlints_write_popularity(text) IS 'write the popularities of items, given sums or rates of clicks';

-- Compute the popularity of items, from 0 to 1.  With a click log it comes from the last million clicks, which
-- decay with age; a user's clicks on an item count once per half-life.  Without a click log it comes from the click
-- rate of two weeks' lists per user, smoothed by ten impressions at the mean rate.
CREATE FUNCTION _dlints_refresh_popularity() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	half_life CONSTANT float8 := (SELECT coalesce(s.popularity_half_life, 1e12) FROM similarity s);
BEGIN
	PERFORM @extschema@._dlints_notice_step('computing the popularity of items'::text);
	PERFORM @extschema@._dlints_lock_item_vectors();
	IF (SELECT s.clicks IS NOT NULL FROM setting s) THEN
		PERFORM @extschema@._dlints_write_popularity(format('(SELECT d.item, d.sums[1] AS score FROM %s d)',
			@extschema@._dlints_decayed_call(@extschema@._dlints_latest_clicks(), ARRAY[half_life], ARRAY[half_life])));
	ELSE
		PERFORM @extschema@._dlints_write_popularity('(
			WITH list AS MATERIALIZED (
				SELECT d.id, d.items, d.user_id,
				       CASE WHEN d.user_id IS NULL THEN coalesce(d.session, d.id::text) END AS visitor
				FROM   decision d WHERE d.id >= @extschema@._dlints_first_decision(now() - interval ''14 days'')),
			shown AS (
				SELECT u.item, count(*) AS shown
				FROM  (SELECT DISTINCT i.item, l.user_id, l.visitor FROM list l, unnest(l.items) i (item)) u
				GROUP  BY u.item),
			rewarded AS (
				SELECT u.item, count(*) AS clicked
				FROM  (SELECT DISTINCT r.item, l.user_id, l.visitor
				       FROM   reward r JOIN list l ON l.id = r.decision
				       WHERE  r.value > 0 AND r.decision >= @extschema@._dlints_first_decision(now() - interval ''14 days'')
				       AND    EXISTS (SELECT FROM unnest(l.items) i (item) WHERE same_item(i.item, r.item))) u
				GROUP  BY u.item),
			mean AS (
				SELECT (SELECT sum(r.clicked) FROM rewarded r)::float8 / sum(s.shown) AS rate FROM shown s)
			SELECT v.item, (coalesce(r.clicked, 0) + 10 * m.rate) / (coalesce(s.shown, 0) + 10) AS score
			FROM   item_vector v CROSS JOIN mean m
			       LEFT JOIN shown s ON same_item(s.item, v.item)
			       LEFT JOIN rewarded r ON same_item(r.item, v.item)
			WHERE  NOT v.is_deleted)'::text);
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_refresh_popularity() IS 'compute the popularity of items';

-- Compute the thousand items that trend: recent clicks (half-life of a day), relative to those expected from clicks
-- with a half-life of two weeks, smoothed by five expected clicks.  A user's clicks on an item count once a day.
-- Items with less than twice the expected clicks are scored by popularity, below 1.  Where a million clicks cover
-- less than eight weeks, both half-lives are shorter.
CREATE FUNCTION _dlints_refresh_trend() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	clicks text := 'SELECT d.user_id, r.item, d.at, 1 AS weight
		FROM  (SELECT DISTINCT r.decision, r.item FROM reward r
		       WHERE  r.value > 0 AND r.decision >= @extschema@._dlints_first_decision(now() - interval ''60 days'')
		       ORDER  BY r.decision DESC, r.item LIMIT 1000000) r,
		       LATERAL (SELECT d.user_id, d.at FROM decision d     -- OFFSET 0: by the primary key of its partition
		                WHERE  d.id = r.decision
		                AND    EXISTS (SELECT FROM unnest(d.items) i (item) WHERE same_item(i.item, r.item)) OFFSET 0) d';
	days float8 := 14;
BEGIN
	PERFORM @extschema@._dlints_notice_step('computing trends'::text);
	IF (SELECT s.clicks IS NOT NULL FROM setting s) THEN
		clicks := format('SELECT l.user_id, l.item, l.at, 1 AS weight FROM (%s) l',
		                 @extschema@._dlints_latest_clicks());
		days := least(14, (      -- NULL, which least() passes over, if the log has fewer clicks
			SELECT greatest(1e-5, date_part('epoch', max(c.at) - min(c.at)) / 86400 / 4)
			FROM  (SELECT k.at FROM click k WHERE k.at <= now() AND isfinite(k.at) ORDER BY k.at DESC LIMIT 1000000) c
			HAVING count(*) = 1000000));
	END IF;
	EXECUTE format('
		WITH lift AS (
			SELECT c.item, (c.sums[1] + 5) / (c.sums[2] * sum(c.sums[1]) OVER () / sum(c.sums[2]) OVER () + 5) AS ratio
			FROM   %s c),
		best AS MATERIALIZED (
			SELECT v.item, (CASE WHEN l.ratio >= 2 THEN l.ratio ELSE v.popularity END)::real AS score
			FROM   item_vector v LEFT JOIN lift l ON same_item(l.item, v.item)
			WHERE  NOT v.is_deleted
			ORDER  BY score DESC, v.item LIMIT 1000),
		removed AS (
			DELETE FROM trend t WHERE NOT EXISTS (SELECT FROM best b WHERE same_item(b.item, t.item)))
		INSERT INTO trend AS t (item, score)
		SELECT b.item, b.score FROM best b
		WHERE  NOT EXISTS (SELECT FROM trend o WHERE same_item(o.item, b.item) AND o.score = b.score)
		ON CONFLICT (item) DO UPDATE SET score = excluded.score',
		@extschema@._dlints_decayed_call(clicks, ARRAY[days / 14, days], ARRAY[days / 14, days / 14]));
END
$$;
COMMENT ON FUNCTION _dlints_refresh_trend() IS 'compute the items that trending() shows first';

-- Blocks of vectors ---------------------------------------------------------------------

-- True if the planner finds an item by its key without reading all items
CREATE FUNCTION _dlints_has_item_index() RETURNS boolean
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	one_row json;
	all_rows json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM (SELECT v.item FROM item_vector v LIMIT 1) v'
		' JOIN item i ON same_item(i.item, v.item)' INTO one_row;
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM item' INTO all_rows;
	RETURN (one_row -> 0 -> 'Plan' ->> 'Total Cost')::float8 < 0.3 * (all_rows -> 0 -> 'Plan' ->> 'Total Cost')::float8;
END
$$;
COMMENT ON FUNCTION _dlints_has_item_index() IS 'does the planner find an item by its key without reading all items?';

CREATE FUNCTION _dlints_block_codes(features real[], factors integer) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dlints_block_codes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _dlints_block_codes(real[], integer)
	IS 'factors and columns of the items of a block, a byte per number, with two scales per item';

CREATE FUNCTION _dlints_block_numbers(popularity real, effect real, costs real[], n_costs integer, dates float8[])
	RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_block_numbers' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _dlints_block_numbers(real, real, real[], integer, float8[])
	IS 'numbers of an item of a block: popularity, effect, costs (0 unless there are n_costs) and dates';

CREATE FUNCTION _dlints_block_numbers_differ(old real[], new real[]) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dlints_block_numbers_differ' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _dlints_block_numbers_differ(real[], real[])
	IS 'do the numbers of a block differ by more than 5 % of a popularity?';

CREATE FUNCTION _dlints_block_centroid(codes bytea, numbers real[], factors integer, columns integer,
	OUT features real[], OUT means real[], OUT spreads real[])
	AS 'MODULE_PATHNAME', 'dlints_block_centroid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _dlints_block_centroid(bytea, real[], integer, integer)
	IS 'means of the items of a block, and how far the items spread';

CREATE FUNCTION _dlints_halving_tree(sample real[], scale real[], depth integer) RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_halving_tree' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _dlints_halving_tree(real[], real[], integer)
	IS 'tree that divides items into 2^depth parts of similar ones, from a sample of vectors and the scale of each feature';

CREATE FUNCTION _dlints_halving_part(tree real[], features real[], bits bigint) RETURNS integer
	AS 'MODULE_PATHNAME', 'dlints_halving_part' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _dlints_halving_part(real[], real[], bigint)
	IS 'part of an item in a tree; random bits divide items that are equal';

CREATE FUNCTION _dlints_halving_order(tree real[], features real[], size integer) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'dlints_halving_order' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _dlints_halving_order(real[], real[], integer)
	IS 'place of each item of a part, so that groups of this size are similar';

-- Place items into new blocks of similar items, whose codes and numbers are left empty.  A tree from a sample divides
-- the items into parts of some 8,000, which fit in memory, and each part is halved until a block has room.
CREATE FUNCTION _dlints_group_items() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	depth integer := (SELECT least(16, greatest(0, ceil(log(2, count(*) / 8000.0))))
	                  FROM item_vector v WHERE NOT v.is_deleted);
BEGIN
	PERFORM @extschema@._dlints_notice_step('grouping similar items'::text);
	WITH scaled AS MATERIALIZED (
		SELECT s.block_slots AS slots, s.liked + 1 AS width,
		       l.scale[1:s.liked] || l.weights[cardinality(l.weights) - 1]::real AS scale
		FROM   setting s, similarity l),
	tree AS MATERIALIZED (
		SELECT @extschema@._dlints_halving_tree(
		           (SELECT array_agg(v.features[1:s.width] ORDER BY v.item)
		            FROM  (SELECT v.item, v.features FROM item_vector v WHERE NOT v.is_deleted
		                   ORDER BY hashtextextended(v.item::text, 49) LIMIT 20000) v), s.scale, depth) AS tree
		FROM   scaled s),
	divided AS (
		SELECT v.item, v.features[1:s.width] AS features,
		       @extschema@._dlints_halving_part(t.tree, v.features[1:s.width],
		                                        hashtextextended(v.item::text, 50)) AS part
		FROM   item_vector v, scaled s, tree t
		WHERE  NOT v.is_deleted),
	ordered AS (
		SELECT d.part, array_agg(d.item ORDER BY d.item) AS items,
		       @extschema@._dlints_halving_order((SELECT t.tree FROM tree t), array_agg(d.features ORDER BY d.item),
		                                         s.slots) AS places
		FROM   divided d, scaled s GROUP BY d.part, s.slots)
	INSERT INTO block (n, items, codes, numbers)
	SELECT p.n, array_agg(p.item), '', '{}'
	FROM  (SELECT u.item, (row_number() OVER (ORDER BY o.part, u.place) - 1) / s.slots AS n
	       FROM   scaled s, ordered o, unnest(o.items, o.places) u (item, place)) p
	GROUP  BY p.n;
END
$$;
COMMENT ON FUNCTION _dlints_group_items() IS 'place items into new blocks of similar items';

-- Write the means of blocks of similar items.  Rows that do not change are not written.
CREATE FUNCTION _dlints_set_centroids() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	slots integer := (SELECT greatest(s.block_slots * 3 / 4, 1) FROM setting s);     -- spreads need room
BEGIN
	DELETE FROM centroid c WHERE NOT EXISTS (SELECT FROM block b WHERE b.n / slots = c.n);
	INSERT INTO centroid AS c (n, blocks, codes, numbers, spreads)
	SELECT b.n / slots, array_agg(b.n ORDER BY b.n),
	       @extschema@._dlints_block_codes(array_agg(m.features ORDER BY b.n), s.factors),
	       array_agg(m.means ORDER BY b.n), array_agg(m.spreads ORDER BY b.n)
	FROM   block b, setting s,
	       LATERAL @extschema@._dlints_block_centroid(b.codes, b.numbers, s.factors, s.liked - s.factors) m
	GROUP  BY b.n / slots, s.factors
	ON CONFLICT (n) DO UPDATE
	SET    blocks = excluded.blocks, codes = excluded.codes, numbers = excluded.numbers, spreads = excluded.spreads
	WHERE  (c.blocks, c.codes, c.numbers, c.spreads)
	       IS DISTINCT FROM (excluded.blocks, excluded.codes, excluded.numbers, excluded.spreads);
END
$$;
COMMENT ON FUNCTION _dlints_set_centroids() IS 'write the means of blocks, which pages read in large catalogues';

-- Catalogues from this number of items on have blocks of similar items; in smaller ones pages read all blocks
CREATE FUNCTION _dlints_min_grouped_items() RETURNS bigint
	LANGUAGE sql IMMUTABLE
RETURN 30000;
COMMENT ON FUNCTION _dlints_min_grouped_items() IS 'number of items from which on blocks contain similar items';

-- Write the item vectors into "block", in rows of about a page: popular items together, or similar ones from 30,000
-- items on.  Rows that do not change are not written; all are regenerated if many are not full.
CREATE FUNCTION _dlints_set_blocks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_items bigint := (SELECT count(*) FROM item_vector v WHERE NOT v.is_deleted);
	n_constraints integer := (SELECT count(*) FROM constraint_price);
	slots integer := (SELECT s.block_slots FROM setting s);
	has_index boolean := @extschema@._dlints_has_item_index();
	is_large boolean := n_items >= @extschema@._dlints_min_grouped_items();
	is_grouped boolean := EXISTS (SELECT FROM centroid);
BEGIN
	PERFORM @extschema@._dlints_notice_step('writing blocks of item vectors'::text);
	PERFORM @extschema@._dlints_lock_item_vectors();
	UPDATE setting s SET has_item_index = has_index WHERE s.has_item_index <> has_index;
	IF (SELECT max(b.n) + 1 FROM block b) > 1.2 * n_items / slots + 8 OR is_large AND NOT is_grouped THEN
		DELETE FROM block;
	ELSIF EXISTS (SELECT FROM block)
	      AND NOT EXISTS (SELECT FROM item_vector v WHERE age(v.xmin) <= age(pg_current_xact_id()::xid)) THEN
		RETURN;         -- vectors that this transaction has written are no older than its first xid
	END IF;
	IF is_large AND NOT EXISTS (SELECT FROM block) THEN
		PERFORM @extschema@._dlints_group_items();
		is_grouped := true;
	END IF;
	WITH known AS MATERIALIZED (
		SELECT DISTINCT ON (i.item) i.item, b.n FROM block b, unnest(b.items) i (item) ORDER BY i.item, b.n),
	placed AS (
		SELECT v.item, v.features,
		       @extschema@._dlints_block_numbers(v.popularity, v.effect, v.costs, n_constraints, v.dates) AS numbers,
		       coalesce(k.n, l.n + (row_number() OVER (PARTITION BY k.n IS NULL ORDER BY v.popularity DESC, v.item)
		                            - 1) / slots) AS n
		FROM   item_vector v LEFT JOIN known k ON same_item(k.item, v.item),
		       (SELECT coalesce(max(k.n), -1) + 1 AS n FROM known k) l
		WHERE  NOT v.is_deleted),
	emptied AS (
		DELETE FROM block b
		WHERE  NOT EXISTS (SELECT FROM known k JOIN item_vector v ON same_item(k.item, v.item)
		                   WHERE k.n = b.n AND NOT v.is_deleted))
	INSERT INTO block (n, items, codes, numbers)
	SELECT p.n, p.items, p.codes, p.numbers
	FROM  (SELECT q.n, array_agg(q.item ORDER BY q.item) AS items,
	              @extschema@._dlints_block_codes(array_agg(q.features[1:s.liked] ORDER BY q.item), s.factors) AS codes,
	              array_agg(q.numbers ORDER BY q.item) AS numbers
	       FROM   placed q, setting s GROUP BY q.n, s.factors, s.liked) p LEFT JOIN block b ON b.n = p.n
	WHERE  b.n IS NULL OR b.items <> p.items OR b.codes <> p.codes
	OR     @extschema@._dlints_block_numbers_differ(b.numbers, p.numbers)
	ON CONFLICT (n) DO UPDATE SET items = excluded.items, codes = excluded.codes, numbers = excluded.numbers;
	IF NOT is_large THEN
		DELETE FROM centroid;
	ELSIF is_grouped THEN
		PERFORM @extschema@._dlints_set_centroids();
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_set_blocks() IS 'write the item vectors into blocks, which pages score';

-- Latent factors ------------------------------------------------------------------------

-- The type of a key column, as dlints_factors() reads it, and the cast to it: text for types without hashing
CREATE FUNCTION _dlints_hashed_key(relation regclass, key text, OUT type text, OUT to_type text)
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT h.type, CASE h.type WHEN 'pg_catalog.text' THEN '::pg_catalog.text' ELSE '' END
FROM   pg_attribute a JOIN pg_type t ON t.oid = a.atttypid,
       LATERAL (SELECT CASE WHEN t.typcategory IN ('A', 'E', 'R', 'S', 'C') OR EXISTS (
                    SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod
                    WHERE  m.amname = 'hash' AND c.opcdefault AND c.opcintype = t.oid)
                THEN @extschema@._dlints_type_name(t.oid) ELSE 'pg_catalog.text' END AS type) h
WHERE  a.attrelid = relation AND a.attname = key
$$;
COMMENT ON FUNCTION _dlints_hashed_key(regclass, text)
	IS 'type of a key column as dlints_factors() reads it, and the cast to it';

-- The last million clicks, as a query of user_id, item, at and weight.  All fits read it.
CREATE FUNCTION _dlints_latest_clicks() RETURNS text
	LANGUAGE sql IMMUTABLE
RETURN 'SELECT k.user_id, k.item, k.at, k.weight FROM click k WHERE k.at <= now() AND isfinite(k.at)'
       ' AND k.item IS NOT NULL AND k.weight > 0 ORDER BY k.at DESC LIMIT 1000000';
COMMENT ON FUNCTION _dlints_latest_clicks() IS 'query of the last million clicks, as text';

-- The last million clicks, as a query for dlints_factors() and dlints_neighbours(): user, item and weight.  A part from
-- 0 to 7 is left out of the log.
CREATE FUNCTION _dlints_log_query(left_out integer DEFAULT NULL) RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN (
		SELECT format('SELECT c.user_id%s, c.item%s, c.weight FROM (%s) c WHERE c.user_id IS NOT NULL%s',
		              u.to_type, i.to_type, @extschema@._dlints_latest_clicks(),
		              CASE WHEN left_out IS NOT NULL THEN format(
		                  ' AND hashtext(c.user_id::text || '' '' || c.item::text) & 7 <> %s', left_out) END)
		FROM   @extschema@._dlints_hashed_key(format('%I.item_vector', own)::regclass, 'item'::text) i,
		       @extschema@._dlints_hashed_key(format('%I.decision', own)::regclass, 'user_id'::text) u);
END
$$;
COMMENT ON FUNCTION _dlints_log_query(integer) IS 'query of the last million clicks, as text';

-- A call of dlints_factors() over the click log, as text for the FROM clause: alias f, columns item and factors.
-- Without the part that is left out, the factors are aligned with the present ones.
CREATE FUNCTION _dlints_factors_call(left_out integer DEFAULT NULL) RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN (
		SELECT format(
			'@extschema@.dlints_factors(%L::text, %s::bigint, %s::text, 0::bigint) f (item %s, factors real[])',
			@extschema@._dlints_log_query(left_out), s.factors,
			CASE WHEN left_out IS NULL
			     THEN quote_literal(format('SELECT v.item%s, v.factors FROM item_vector v', i.to_type))
			     ELSE 'NULL' END, i.type)
		FROM   setting s, @extschema@._dlints_hashed_key(format('%I.item_vector', own)::regclass, 'item'::text) i);
END
$$;
COMMENT ON FUNCTION _dlints_factors_call(integer) IS 'call of dlints_factors() over the click log, as text';

-- A call of dlints_neighbours() over the click log, as text for the FROM clause: alias n, columns item, neighbours and
-- weights.
CREATE FUNCTION _dlints_neighbours_call(left_out integer DEFAULT NULL) RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN (
		SELECT format(
			'@extschema@.dlints_neighbours(%L::text, 50::bigint) n (item %s, neighbours %2$s[], weights real[])',
			@extschema@._dlints_log_query(left_out), i.type)
		FROM   @extschema@._dlints_hashed_key(format('%I.item_vector', own)::regclass, 'item'::text) i);
END
$$;
COMMENT ON FUNCTION _dlints_neighbours_call(integer) IS 'call of dlints_neighbours() over the click log, as text';

-- Compute the factors of all items from the click log, aligned with the present ones so that the models still
-- apply, and the neighbours of items.  Returns the number of items with factors.  Nothing is locked before the
-- factors have been computed.
CREATE FUNCTION _dlints_refit_factors() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	item_type text := (SELECT @extschema@._dlints_type_name(a.atttypid) FROM pg_attribute a
	                   WHERE a.attrelid = format('%I.item_vector', own)::regclass AND a.attname = 'item');
	n_changed bigint := 0;
BEGIN
	PERFORM @extschema@._dlints_notice_step('fitting the latent factors of items'::text);
	IF (SELECT s.factors > 0 FROM setting s) THEN
		EXECUTE format('
			WITH fitted AS MATERIALIZED (SELECT f.item::%s AS item, f.factors FROM %s),
			locked AS MATERIALIZED (
				SELECT @extschema@._dlints_lock_item_vectors()
				FROM   (SELECT count(*) AS n FROM fitted OFFSET 0) c WHERE c.n > 0)
			UPDATE item_vector v SET factors = f.factors
			FROM   locked, fitted f
			WHERE  same_item(f.item, v.item)', item_type, @extschema@._dlints_factors_call());
		GET DIAGNOSTICS n_changed = ROW_COUNT;
		IF EXISTS (SELECT FROM block) THEN      -- a new recommender gets blocks when popularity is known
			DELETE FROM block WHERE EXISTS (SELECT FROM centroid);      -- similar items are grouped again
			PERFORM @extschema@._dlints_set_blocks();
		END IF;
	END IF;
	PERFORM @extschema@._dlints_fit_neighbours();
	UPDATE job j SET done_at = now(), problem = NULL WHERE j.name = 'refit';
	RETURN n_changed;
END
$$;
COMMENT ON FUNCTION _dlints_refit_factors()
	IS 'compute the latent factors of items from the click log; returns the number of items with factors';

-- Compute the neighbours of items from the click log.  Rows that do not change are not written, and nothing is locked
-- before the neighbours have been computed.
CREATE FUNCTION _dlints_fit_neighbours() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	PERFORM @extschema@._dlints_notice_step('fitting the neighbours of items'::text);
	EXECUTE format('
		WITH fitted AS MATERIALIZED (
			SELECT n.item::%1$s AS item, n.neighbours::%1$s[] AS neighbours, n.weights FROM %2$s),
		locked AS MATERIALIZED (
			SELECT @extschema@._dlints_lock_item_vectors() FROM (SELECT count(*) AS n FROM fitted OFFSET 0) c),
		deleted AS (
			DELETE FROM neighbour o USING locked
			WHERE  NOT EXISTS (SELECT FROM fitted f WHERE same_item(f.item, o.item)))
		INSERT INTO neighbour AS o (item, neighbours, weights)
		SELECT f.item, f.neighbours, f.weights FROM locked, fitted f
		ON CONFLICT (item) DO UPDATE SET neighbours = excluded.neighbours, weights = excluded.weights
		WHERE  o.neighbours <> excluded.neighbours OR o.weights <> excluded.weights',
		(SELECT @extschema@._dlints_type_name(a.atttypid) FROM pg_attribute a
		 WHERE a.attrelid = format('%I.item_vector', own)::regclass AND a.attname = 'item'),
		@extschema@._dlints_neighbours_call());
	UPDATE job j SET done_at = now() WHERE j.name = 'neighbours';
END
$$;
COMMENT ON FUNCTION _dlints_fit_neighbours() IS 'compute the neighbours of items from the click log';

-- Refresh a recommender: item vectors, costs, popularity, trends and item effects.  Returns the number of vectors whose
-- columns or dates changed.
CREATE FUNCTION _dlints_refresh(setting regclass) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	PERFORM @extschema@._dlints_check_objects();
	RETURN @extschema@._dlints_refresh_items();
END
$$;
COMMENT ON FUNCTION _dlints_refresh(regclass) IS 'refresh the item vectors of a recommender';

-- Fit the latent factors of a recommender.  Returns the number of items with factors.
CREATE FUNCTION _dlints_refit(setting regclass) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	PERFORM @extschema@._dlints_check_objects();
	-- the lock of run()'s part "refit", before those of item vectors and examples
	PERFORM FROM job j WHERE j.name = 'refit' FOR UPDATE;
	PERFORM @extschema@._dlints_adopt_values();
	RETURN @extschema@._dlints_refit_factors();
END
$$;
COMMENT ON FUNCTION _dlints_refit(regclass) IS 'fit the latent factors of a recommender';
