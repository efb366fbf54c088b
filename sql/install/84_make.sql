-- Create, scaffold, alter, renew -------------------------------------------------

-- A name, or an error if a schema has it already
CREATE FUNCTION _dlints_unused(kind text, name text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF EXISTS (SELECT FROM pg_namespace WHERE nspname = name) THEN
		RAISE 'schema "%" exists already', name USING ERRCODE = 'duplicate_schema',
			HINT = format('A %s is a schema of its own. DROP SCHEMA ... CASCADE removes it.', kind);
	END IF;
	RETURN name;
END
$$;
COMMENT ON FUNCTION _dlints_unused(text, text) IS 'a name, or an error if a schema has it already';

CREATE FUNCTION _dlints_execute(statements text[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	statement text;
BEGIN
	FOREACH statement IN ARRAY statements LOOP
		EXECUTE statement;
	END LOOP;
	RETURN cardinality(statements);
END
$$;
COMMENT ON FUNCTION _dlints_execute(text[]) IS 'executes statements, in this order';

-- Arguments of a recommender with what was measured of its columns, once for all
CREATE FUNCTION _dlints_measured(a jsonb) RETURNS jsonb
	LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT CASE WHEN a OPERATOR(pg_catalog.?) 'vectors'::pg_catalog.text THEN a
		ELSE a OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('vectors', _dlints_widths(ARRAY(
			SELECT l FROM pg_catalog.jsonb_array_elements_text(
				coalesce(a OPERATOR(pg_catalog.->) 'columns'::pg_catalog.text, '[]'::pg_catalog.jsonb))
				WITH ORDINALITY c (name, n),
				LATERAL _dlints_look((a OPERATOR(pg_catalog.->>) 'items'::pg_catalog.text)::pg_catalog.oid, c.name) l
			WHERE l IS NOT NULL ORDER BY c.n),
			(a OPERATOR(pg_catalog.->>) 'factors'::pg_catalog.text)::pg_catalog.int4)) END;
END;
COMMENT ON FUNCTION _dlints_measured(jsonb)
	IS 'arguments of a recommender with what was measured of its columns';

-- The statements of these parts, with the words that these arguments give
CREATE FUNCTION _dlints_filled(kind text, parts text, a jsonb, callers_path text, is_local boolean)
	RETURNS SETOF text
	LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_common_words(kind, a, callers_path, is_local) common,
	       LATERAL (SELECT common OPERATOR(pg_catalog.->>) 'dlints'::pg_catalog.text AS dlints) d,
	       LATERAL (SELECT CASE kind WHEN 'ranker'::pg_catalog.text THEN _dlints_ranker_words(a, d.dlints)
	           ELSE _dlints_recommender_words(a, ARRAY(
	               SELECT _dlints_column(c.c, (c.c OPERATOR(pg_catalog.->>) 'width'::pg_catalog.text)::pg_catalog.int4,
	                                     d.dlints)
	               FROM   pg_catalog.jsonb_array_elements(
	                          a OPERATOR(pg_catalog.->) 'vectors'::pg_catalog.text
	                          OPERATOR(pg_catalog.->) 'columns'::pg_catalog.text)
	                          WITH ORDINALITY c (c, n) ORDER BY c.n), d.dlints) END AS words) own,
	       LATERAL _dlints_statements(kind, parts, common OPERATOR(pg_catalog.||) own.words) s;
END;
COMMENT ON FUNCTION _dlints_filled(text, text, jsonb, text, boolean)
	IS 'the statements of these parts of a recommender or a ranker';

-- The statements that make a recommender or a ranker
CREATE FUNCTION _dlints_made(kind text, given jsonb, path name[], callers_path text, is_local boolean)
	RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_arguments(kind, pg_catalog.jsonb_strip_nulls(given)) good,
	       LATERAL (SELECT CASE kind WHEN 'ranker'::pg_catalog.text THEN good
	           ELSE _dlints_measured(_dlints_resolve(good, '{clicks,candidates,bonus,cap_group}'::pg_catalog.text[],
	                                                 path)) END AS a) r,
	       LATERAL _dlints_filled(kind, '/([1-8][0-9]|90)_'::pg_catalog.text, r.a, callers_path, is_local) s;
END;
COMMENT ON FUNCTION _dlints_made(text, jsonb, name[], text, boolean)
	IS 'the statements that make a recommender or a ranker';

-- Of each kind two functions with one list of arguments.  What a caller's search_path decides is
-- asked here, before another one is set.
DO $do$
DECLARE
	made record;
BEGIN
	FOR made IN
		WITH argument (kind, n, name, type, value) AS (VALUES
			('recommender', 1, 'name', 'text', NULL),
			('recommender', 2, 'items', 'regclass', NULL),
			('recommender', 3, 'columns', 'text[]', NULL),
			('recommender', 4, 'clicks', 'text', 'NULL'),
			('recommender', 5, 'candidates', 'text', '''true'''),
			('recommender', 6, 'outcomes', 'jsonb', '''{"click": 1}'''),
			('recommender', 7, 'item_key', 'name', 'NULL'),
			('recommender', 8, 'person_type', 'regtype', 'NULL'),
			('recommender', 9, 'bonus', 'text', 'NULL'),
			('recommender', 10, 'cap_group', 'text', 'NULL'),
			('recommender', 11, 'cap', 'integer', 'NULL'),
			('recommender', 12, 'factors', 'integer', '16'),
			('recommender', 13, 'half_life', 'interval', '''7 days'''),
			('recommender', 14, 'wait', 'interval', '''30 minutes'''),
			('recommender', 15, 'control', 'double precision', '0.1'),
			('recommender', 16, 'epsilon', 'double precision', '0.02'),
			('recommender', 17, 'keep', 'interval', '''1 year'''),
			('recommender', 18, 'places', 'double precision[]', 'NULL'),
			('recommender', 19, 'archive', 'boolean', 'false'),
			('recommender', 20, 'value_limit', 'double precision', '1000'),
			('ranker', 1, 'name', 'text', NULL),
			('ranker', 2, 'wait', 'interval', '''10 minutes'''),
			('ranker', 3, 'default_reward', 'double precision', '0'),
			('ranker', 4, 'repeated', 'text', '''first'''),
			('ranker', 5, 'apprentice', 'boolean', 'false'),
			('ranker', 6, 'epsilon', 'double precision', '0.02'),
			('ranker', 7, 'half_life', 'interval', '''30 days'''),
			('ranker', 8, 'keep', 'interval', '''1 year'''),
			('ranker', 9, 'archive', 'boolean', 'false'),
			('ranker', 10, 'value_limit', 'double precision', '1000'),
			('ranker', 11, 'person_key', 'text', '''person''')),
		list AS (
			SELECT a.kind,
			       pg_catalog.string_agg(pg_catalog.concat(a.name, ' pg_catalog.', CASE a.type
			           WHEN 'integer'::pg_catalog.text THEN 'int4' WHEN 'boolean'::pg_catalog.text THEN 'bool'
			           WHEN 'double precision'::pg_catalog.text THEN 'float8'
			           WHEN 'double precision[]'::pg_catalog.text THEN 'float8[]'
			           ELSE a.type END, CASE WHEN a.value IS NOT NULL THEN ' DEFAULT ' END, a.value),
			           ', '::pg_catalog.text ORDER BY a.n) AS declared,
			       pg_catalog.string_agg(pg_catalog.concat('''', a.name, ''', ', CASE a.name
			           WHEN 'name'::pg_catalog.text THEN '%2$s'
			           WHEN 'items'::pg_catalog.text THEN 'items::pg_catalog.oid'
			           WHEN 'person_type'::pg_catalog.text THEN 'person_type::pg_catalog.oid'
			           WHEN 'factors'::pg_catalog.text THEN 'coalesce(factors, 16)' ELSE a.name END),
			           ', '::pg_catalog.text ORDER BY a.n) AS given
			FROM   argument a GROUP BY a.kind)
		SELECT l.kind, l.declared, pg_catalog.format(
		           '_dlints_made(%L::pg_catalog.text, pg_catalog.jsonb_build_object(%s), pg_catalog.current_schemas(false), '
		           'pg_catalog.current_setting(''search_path''::pg_catalog.text), %%1$s)',
		           l.kind, l.given) AS call,
		       CASE l.kind WHEN 'ranker'::pg_catalog.text THEN 'dlints_scaffold_ranker' ELSE 'dlints_scaffold' END AS scaffold,
		       CASE l.kind WHEN 'ranker'::pg_catalog.text
		       THEN '%1$I.rank(event, context, actions) ranks, %1$I.reward(event, value) tells how good the'
		            ' first one was, %1$I.run() is for cron, %1$I.report() says whether it works.'
		       ELSE 'SELECT * FROM %1$I.recommend(person) recommends, %1$I.reward(decision, item) tells of a'
		            ' click, %1$I.run() is for cron, %1$I.report() says whether it works.' END AS said
		FROM   list l
	LOOP
		EXECUTE pg_catalog.format(
			'CREATE FUNCTION %I(%s) RETURNS SETOF pg_catalog.text LANGUAGE sql VOLATILE
			BEGIN ATOMIC
				SELECT s FROM %s s;
			END', made.scaffold, made.declared, pg_catalog.format(made.call, 'false', 'name'));
		EXECUTE pg_catalog.format(
			'COMMENT ON FUNCTION %I IS %L', made.scaffold,
			pg_catalog.format('the statements that make a %s, one a row, for \gexec or a migration', made.kind));
		EXECUTE pg_catalog.format(
			'CREATE FUNCTION %I(%s) RETURNS pg_catalog.text LANGUAGE sql VOLATILE
			BEGIN ATOMIC
				SELECT pg_catalog.format(%L, name) FROM _dlints_execute(ARRAY(SELECT s FROM %s s));
			END', pg_catalog.concat('dlints_create_', made.kind), made.declared, made.said,
			pg_catalog.format(made.call, 'true', pg_catalog.format('_dlints_unused(%L::pg_catalog.text, name)', made.kind)));
		EXECUTE pg_catalog.format(
			'COMMENT ON FUNCTION %I IS %L', pg_catalog.concat('dlints_create_', made.kind), CASE made.kind
			WHEN 'ranker'::pg_catalog.text THEN
				'make a ranker: a schema of the caller''s own with tables and functions that rank actions given with each request'
			ELSE 'make a recommender: a schema of the caller''s own with what recommends the rows of a table' END);
	END LOOP;
END
$do$;
