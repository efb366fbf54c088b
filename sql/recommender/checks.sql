-- Checks of the objects, clicks, rules and costs of a recommender -----------------------

-- Describe objects that DROP ... CASCADE has removed, and how to restore them; NULL if none is missing.
CREATE FUNCTION _dlints_missing_objects() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
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

-- Raise an error if objects that a recommender reads were dropped.
CREATE FUNCTION _dlints_check_objects() RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	problem text := @extschema@._dlints_missing_objects();
BEGIN
	IF problem IS NOT NULL THEN
		RAISE 'objects of recommender "%" were %', own, split_part(problem, '. ', 1)
			USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = substring(problem FROM '[.] (.*)$');
	END IF;
END
$$;

-- Return the tables and views that the bound views and functions of arguments read.  The table of items counts for
-- "items" only.
CREATE FUNCTION _dlints_read_tables() RETURNS TABLE (argument text, relation oid)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	schema CONSTANT oid := quote_ident(own)::regnamespace;
BEGIN
	RETURN QUERY
	WITH read AS (
		SELECT b.argument, d.refobjid AS relation
		FROM  (SELECT n.argument, 'pg_rewrite'::regclass AS class, r.oid
		       FROM  (VALUES ('items', 'item'), ('clicks', 'click'), ('constraints', 'cost_text')) n (argument, name)
		              JOIN pg_class c ON c.relnamespace = schema AND c.relname = n.name
		              JOIN pg_rewrite r ON r.ev_class = c.oid
		       UNION ALL
		       SELECT n.argument, 'pg_proc', p.oid
		       FROM  (VALUES ('candidates', 'allowed'), ('bonus', 'bonus'), ('cap_group', 'cap_group')) n (argument, name)
		              JOIN pg_proc p ON p.pronamespace = schema AND p.proname = n.name) b
		       JOIN pg_depend d ON d.classid = b.class AND d.objid = b.oid AND d.refclassid = 'pg_class'::regclass
		       JOIN pg_class c ON c.oid = d.refobjid AND c.relnamespace <> schema)
	SELECT DISTINCT r.argument, r.relation FROM read r
	WHERE  r.argument = 'items' OR NOT EXISTS (SELECT FROM read i WHERE i.argument = 'items' AND i.relation = r.relation);
END
$$;

-- Store the names of the tables that arguments read.  A view or function reads the same table after a rename, so that
-- the names show whether another table took its place.
CREATE FUNCTION _dlints_note_read_tables(arguments text[]) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	UPDATE setting s
	SET    read_tables = s.read_tables - arguments || coalesce((
	           SELECT jsonb_object_agg(t.argument, t.names)
	           FROM  (SELECT r.argument, jsonb_agg(r.relation::regclass::text) AS names
	                  FROM   @extschema@._dlints_read_tables() r WHERE r.argument = ANY (arguments)
	                  GROUP  BY r.argument) t), '{}');
END
$$;

-- Return the report's rows on arguments that read a renamed table whose name another table has now.
CREATE FUNCTION _dlints_report_renamed_tables() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH current AS MATERIALIZED (
		SELECT r.argument, r.relation FROM @extschema@._dlints_read_tables() r),
	noted AS (
		SELECT b.key AS argument, n.name, to_regclass(n.name)::oid AS relation
		FROM   setting s, jsonb_each(s.read_tables) b, jsonb_array_elements_text(b.value) n (name))
	SELECT format('"%s" of a renamed table', n.argument), count(*)::float8, NULL::float8,
	       format('%s is another table now, and the recommender reads %s: pass the argument to dlints_alter_recommender()'
	              ' again to read the new table', string_agg(n.name, ', '), (
	                  SELECT string_agg(c.relation::regclass::text, ', ') FROM current c
	                  WHERE  c.argument = n.argument AND NOT EXISTS (
	                             SELECT FROM noted o WHERE o.argument = c.argument AND o.relation = c.relation)))
	FROM   noted n
	WHERE  n.relation IS NOT NULL
	AND    NOT EXISTS (SELECT FROM current c WHERE c.argument = n.argument AND c.relation = n.relation)
	GROUP  BY n.argument ORDER BY n.argument;
END
$$;

-- Checks when a recommender is created or altered ----------------------------------------

-- Read the complete click log.  If an expression fails for a row, the error names the argument.
CREATE FUNCTION _dlints_check_click_rows() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	PERFORM count(k.user_id), count(k.item), count(k.at), count(k.weight) FROM click k;
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	PERFORM @extschema@._dlints_raise_in('in the argument "clicks"'::text, SQLSTATE, SQLERRM, NULL::text, NULL::text);
END
$$;

-- Read the keys of all items.  If an error with this code came from the columns of every item, read the columns, too.
-- If an expression of a view fails, the error names the argument.
CREATE FUNCTION _dlints_check_item_rows(code text) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	PERFORM count(i.item) FROM item i;
	IF NOT @extschema@._dlints_is_item_error(code) THEN
		PERFORM bit_xor(e.digest) FROM encoded_item e;
	END IF;
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	PERFORM @extschema@._dlints_raise_in('in the argument "items"'::text, SQLSTATE, SQLERRM, NULL::text, NULL::text);
END
$$;

-- Raise an error if the query of clicks fails, or if none of its rows has the key of an item.  The second error
-- detects that the columns for user and item were swapped.
CREATE FUNCTION _dlints_check_clicks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM @extschema@._dlints_check_click_rows();
	IF EXISTS (SELECT FROM click) AND EXISTS (SELECT FROM item)
	   AND NOT EXISTS (SELECT FROM click c JOIN item i ON same_item(c.item, i.item)) THEN
		RAISE 'argument "clicks": no click is on an item of %', (SELECT s.relation FROM setting s)
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'The argument must be a query of user, item and time, in this order.';
	END IF;
END
$$;

-- Evaluate candidates, bonus and cap_group for all items, for an unknown user and an empty context.  Raises a notice
-- if an expression fails for some items, or if no item is eligible, and an error if an expression fails for all items.
CREATE FUNCTION _dlints_check_rules() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	tried record;
BEGIN
	SELECT t.* INTO tried
	FROM   (SELECT) unknown_user LEFT JOIN decision d ON false,
	       LATERAL @extschema@._dlints_try_rules(d.user_id, '{}'::jsonb) t;
	IF tried.n_failing > 0 THEN
		RAISE NOTICE 'lists leave out % items, for example "%": %',
			tried.n_failing, left(tried.example, 100), tried.problem
			USING HINT = 'The report counts them. The expression is computed for each item.';
	ELSIF tried.n_candidates = 0 AND EXISTS (SELECT FROM item) THEN
		RAISE NOTICE 'no item passes "candidates" for an unknown user and an empty context'
			USING HINT = 'user_id and keys of context can be NULL: for example, write (user_id IS NULL OR condition).';
	END IF;
END
$$;

-- Raise a notice if the costs of some items cannot be computed, and an error if the costs of all items cannot be.
CREATE FUNCTION _dlints_check_costs() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_computed bigint;
	code text;
	problem text;
BEGIN
	IF NOT EXISTS (SELECT FROM constraint_price) THEN
		RETURN;
	END IF;
	BEGIN
		PERFORM max(c.costs) FROM cost_text c WHERE c.part = 0;   -- PostgreSQL 19 does not evaluate an array in count()
	EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
		IF NOT @extschema@._dlints_is_row_error(SQLSTATE) THEN
			RAISE;
		END IF;
		code := SQLSTATE;
		problem := SQLERRM;
	END;
	IF problem IS NULL THEN
		RETURN;
	END IF;
	SELECT count(*) FILTER (WHERE c.problem IS NULL) INTO n_computed
	FROM  (SELECT DISTINCT i.item FROM item i WHERE i.item IS NOT NULL LIMIT 1000) i,
	       LATERAL @extschema@._dlints_cost_of(i.item) c;
	IF n_computed = 0 THEN
		RAISE 'in the argument "constraints": %', problem
			USING ERRCODE = code, HINT = 'The expression in "of" is computed for each item.';
	END IF;
	RAISE NOTICE 'items whose costs cannot be computed cost 0: %', problem
		USING HINT = 'The report counts them. The expression in "of" is computed for each item.';
END
$$;
