-- Make a recommender --------------------------------------------------------------

-- Add to the arguments how each column is encoded.
CREATE FUNCTION _dlints_measure_columns(a jsonb) RETURNS jsonb
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT a || jsonb_build_object('vectors', @extschema@._dlints_widths(ARRAY(
	SELECT m.measured
	FROM   jsonb_array_elements_text(coalesce(a -> 'columns', '[]')) WITH ORDINALITY c (name, n),
	       LATERAL @extschema@._dlints_measure_column((a ->> 'items')::oid, a ->> 'item_key', c.name) m (measured)
	WHERE  m.measured IS NOT NULL ORDER BY c.n), (a ->> 'factors')::integer))
$$;

-- Is a column the unique key of a table, from which no other tables inherit?
CREATE FUNCTION _dlints_key_is_unique(items oid, key text) RETURNS boolean
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT EXISTS (
	SELECT FROM pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
	WHERE  i.indrelid = items AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indnkeyatts = 1
	AND    i.indpred IS NULL AND t.attname = key)
AND NOT EXISTS (SELECT FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent
                WHERE h.inhparent = items AND p.relkind = 'r')
$$;

-- Add the constants of the table "setting" that are derived from arguments to the arguments.
CREATE FUNCTION _dlints_derive(a jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	factors integer := a -> 'vectors' -> 'factors';
	size integer := a -> 'vectors' -> 'size';
	aged integer;
	feature_blocks jsonb;
	parts jsonb;
	names jsonb;
	is_unique boolean := @extschema@._dlints_key_is_unique((a ->> 'items')::oid, a ->> 'item_key');
	grows boolean := (SELECT t.typcategory IN ('N', 'D') AND t.typnamespace = 'pg_catalog'::regnamespace
	                  FROM pg_type t WHERE t.oid = (a ->> 'item_type')::oid);
	n_constraints integer := (SELECT count(*) FROM jsonb_object_keys(a -> 'constraints'));
BEGIN
	IF a -> 'vectors' -> 'columns' = '[]' AND a ->> 'clicks' IS NULL THEN
		RAISE 'a recommender needs "columns" or "clicks"' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Each of the named columns has the same value in all items.';
	ELSIF factors = 0 AND NOT jsonb_path_exists(a, '$.vectors.columns[*] ? (@.kind != "age")') THEN
		RAISE 'a recommender without "columns", or with columns of dates alone, needs factors'
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Argument "factors" must be at least 1, or another column must differ between items.';
	END IF;
	WITH block AS (
		SELECT 0::bigint AS n, 1 AS place, '(clicks)' AS name, factors AS width
		UNION ALL
		SELECT c.n, CASE c.c ->> 'kind' WHEN 'age' THEN 4 ELSE 2 END, c.c ->> 'column', (c.c ->> 'width')::integer
		FROM   jsonb_array_elements(a -> 'vectors' -> 'columns') WITH ORDINALITY c (c, n)
		UNION ALL
		SELECT 0, 3, '(popularity)', 1
		UNION ALL
		SELECT 0, 5, '(bought together)', 1),
	placed AS (
		SELECT b.*, sum(b.width) OVER (ORDER BY b.place, b.n) AS upto FROM block b WHERE b.width > 0)
	SELECT (SELECT coalesce(sum(p.width), 0) FROM placed p WHERE p.place = 4),
	       to_jsonb(ARRAY(SELECT format('[%s,%s)', p.upto - p.width + 1, p.upto + 1) FROM placed p
	                      WHERE p.place < 3 ORDER BY p.upto)),
	       to_jsonb(ARRAY(SELECT p.name FROM placed p, generate_series(1, p.width) ORDER BY p.upto)),
	       to_jsonb(ARRAY(SELECT p.name FROM placed p WHERE p.place = 2 ORDER BY p.upto))
	INTO   aged, feature_blocks, parts, names;
	RETURN '{"columns": [], "diversity": 0}' || a || jsonb_build_object(
		'empty_model', @extschema@.dlints_new(size, interactions => 'matched'::text,
		               half_life => (a ->> 'half_life')::interval, exploration => 0.025::float8)::text,
		'relation', (a ->> 'items')::oid::regclass::text,
		'size', size,
		'aged', aged,
		'liked', size - 2 - aged,
		'feature_blocks', feature_blocks,
		'parts', parts,
		'column_names', names,
		'first_outcome', (SELECT key FROM jsonb_each_text(a -> 'outcomes')
		                  ORDER BY key <> 'click', value::float8 <= 0, value::float8, key LIMIT 1),
		'has_unique_key', is_unique,
		'has_ordered_key', is_unique AND grows,
		'block_slots', greatest(4, least(255, (current_setting('block_size')::integer - 300)
		                                      / (size - 2 - aged + 22 + 4 * (aged / 3 + n_constraints)
		                                         + CASE WHEN grows THEN 16 ELSE 40 END))));
END
$$;

-- Create a recommender from checked arguments: schema, item vectors, factors and prior.  The trial of a backtest uses
-- the views and functions of the recommender "borrowed".
CREATE FUNCTION _dlints_make_recommender(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	repeated text;
BEGIN
	PERFORM @extschema@._dlints_create_schema(a ->> 'name');
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_recommender_tables(), a);
	PERFORM @extschema@._dlints_bind_keys(a);
	PERFORM @extschema@._dlints_bind_clicks(a);
	IF a ? 'borrowed' THEN
		PERFORM @extschema@._dlints_borrow_bindings(a);
	ELSE
		PERFORM @extschema@._dlints_bind_items(a);
		PERFORM @extschema@._dlints_bind_rules(a, '{candidates,bonus,cap_group}'::text[]);
		PERFORM @extschema@._dlints_bind_costs(a);
	END IF;
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_recommender_views(), a);
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_recommender_wrappers(), a);
	PERFORM @extschema@._dlints_revoke_functions(a ->> 'name');
	PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', a ->> 'name'), true);
	PERFORM @extschema@._dlints_write_settings(a);
	PERFORM @extschema@._dlints_note_read_tables('{items,clicks,candidates,bonus,cap_group,constraints}'::text[]);
	repeated := @extschema@._dlints_repeated_key();
	IF repeated IS NOT NULL AND NOT a ? 'borrowed' THEN
		RAISE 'several items have the key "%"', repeated
			USING ERRCODE = 'unique_violation', HINT = 'Create a view that returns each key once.';
	END IF;
	PERFORM @extschema@._dlints_write_constraints();
	PERFORM @extschema@._dlints_check_clicks();
	PERFORM @extschema@._dlints_maintain_partitions();
	INSERT INTO similarity (weights, scale)
	SELECT w, @extschema@._dlints_expand_block_weights(w, s.feature_blocks)
	FROM   setting s,
	       LATERAL (SELECT array_fill(1::float8, ARRAY[cardinality(s.feature_blocks) + 2]) || 0::float8 AS w) t;
	INSERT INTO model (name, learns, state)
	SELECT m.name, m.learns, CASE m.name WHEN 'control'
	           THEN @extschema@.dlints_set(s.empty_model, policy => 'greedy'::text) ELSE s.empty_model END
	FROM   setting s, LATERAL (VALUES
	           ('personal', true),
	           ('later', (SELECT count(*) > 1 FROM jsonb_object_keys(s.outcomes))),
	           ('control', false)) m (name, learns);
	PERFORM @extschema@._dlints_check_rules();
	PERFORM @extschema@._dlints_check_costs();
	PERFORM @extschema@._dlints_refresh_vectors();
	ANALYZE item_vector;
	PERFORM @extschema@._dlints_find_latest_clicks();
	PERFORM @extschema@._dlints_write_latest_clicks();
	PERFORM @extschema@._dlints_notice_clicks();
	PERFORM @extschema@._dlints_find_repeats();
	PERFORM @extschema@._dlints_fit_prior(true);    -- this must be last, because it drops the tables of the latest clicks
END
$$;
