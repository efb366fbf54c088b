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
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
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
CREATE FUNCTION _dlints_filled(kind text, parts text, a jsonb, is_local boolean)
	RETURNS SETOF text
	LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_common_words(kind, a, is_local) common,
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
COMMENT ON FUNCTION _dlints_filled(text, text, jsonb, boolean)
	IS 'the statements of these parts of a recommender or a ranker';

-- The statements that make a recommender or a ranker
CREATE FUNCTION _dlints_made(kind text, given jsonb, path name[], is_local boolean)
	RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_arguments(kind, pg_catalog.jsonb_strip_nulls(given)) good,
	       LATERAL (SELECT CASE kind WHEN 'ranker'::pg_catalog.text THEN good
	           ELSE _dlints_measured(_dlints_resolve(
	               good, '{clicks,candidates,bonus,cap_group,promises}'::pg_catalog.text[], path)) END AS a) r,
	       LATERAL _dlints_filled(kind, '/([1-8][0-9]|90|99)_'::pg_catalog.text, r.a, is_local) s;
END;
COMMENT ON FUNCTION _dlints_made(text, jsonb, name[], boolean)
	IS 'the statements that make a recommender or a ranker';

-- The arguments that a recommender and a ranker are made with, and their defaults
CREATE FUNCTION _dlints_parameters(OUT kind text, OUT n integer, OUT name text, OUT type text,
		OUT is_optional boolean, OUT value text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
	VALUES
	('recommender'::pg_catalog.text, 1, 'name'::pg_catalog.text, 'text'::pg_catalog.text, false, NULL::pg_catalog.text),
	('recommender', 2, 'items', 'regclass', false, NULL),
	('recommender', 3, 'columns', 'text[]', false, NULL),
	('recommender', 4, 'clicks', 'text', true, NULL),
	('recommender', 5, 'candidates', 'text', true, 'true'),
	('recommender', 6, 'outcomes', 'jsonb', true, '{"click": 1}'),
	('recommender', 7, 'item_key', 'name', true, NULL),
	('recommender', 8, 'person_type', 'regtype', true, NULL),
	('recommender', 9, 'bonus', 'text', true, NULL),
	('recommender', 10, 'cap_group', 'text', true, NULL),
	('recommender', 11, 'cap', 'integer', true, NULL),
	('recommender', 12, 'factors', 'integer', true, '64'),
	('recommender', 13, 'half_life', 'interval', true, '7 days'),
	('recommender', 14, 'wait', 'interval', true, '30 minutes'),
	('recommender', 15, 'control', 'double precision', true, '0.1'),
	('recommender', 16, 'epsilon', 'double precision', true, '0.02'),
	('recommender', 17, 'keep', 'interval', true, '1 year'),
	('recommender', 18, 'places', 'double precision[]', true, NULL),
	('recommender', 19, 'archive', 'boolean', true, 'false'),
	('recommender', 20, 'value_limit', 'double precision', true, '1000'),
	('recommender', 21, 'exposure', 'double precision', true, '0.6'),
	('recommender', 22, 'diversity', 'double precision', true, '0'),
	('recommender', 23, 'promises', 'jsonb', true, '{}'),
	('ranker', 1, 'name', 'text', false, NULL),
	('ranker', 2, 'wait', 'interval', true, '10 minutes'),
	('ranker', 3, 'default_reward', 'double precision', true, '0'),
	('ranker', 4, 'repeated', 'text', true, 'first'),
	('ranker', 5, 'apprentice', 'boolean', true, 'false'),
	('ranker', 6, 'epsilon', 'double precision', true, '0.02'),
	('ranker', 7, 'half_life', 'interval', true, '30 days'),
	('ranker', 8, 'keep', 'interval', true, '1 year'),
	('ranker', 9, 'archive', 'boolean', true, 'false'),
	('ranker', 10, 'value_limit', 'double precision', true, '1000'),
	('ranker', 11, 'person_key', 'text', true, 'person'),
	('ranker', 12, 'vectors', 'jsonb', true, '{}'),
	('ranker', 13, 'promises', 'jsonb', true, '{}');
END;
COMMENT ON FUNCTION _dlints_parameters() IS 'the arguments of recommenders and rankers, with their defaults';

-- Arguments, with defaults for those that a version before this one did not know
CREATE FUNCTION _dlints_completed(kind text, a jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
	SELECT pg_catalog.jsonb_object_agg(p.name, CASE p.type
	           WHEN 'jsonb'::pg_catalog.text THEN p.value::pg_catalog.jsonb
	           WHEN 'boolean'::pg_catalog.text THEN p.value::pg_catalog.jsonb
	           ELSE pg_catalog.to_jsonb(p.value) END) OPERATOR(pg_catalog.||) a
	FROM   _dlints_parameters() p
	WHERE  p.kind OPERATOR(pg_catalog.=) _dlints_completed.kind AND p.value IS NOT NULL;
END;
COMMENT ON FUNCTION _dlints_completed(text, jsonb)
	IS 'arguments of a recommender or a ranker, with defaults where there are none';

-- Of each kind two functions with one list of arguments.  What a caller's search_path decides is
-- asked here, before another one is set.
DO $do$
DECLARE
	made record;
BEGIN
	FOR made IN
		WITH list AS (
			SELECT a.kind,
			       pg_catalog.string_agg(pg_catalog.concat(a.name, ' pg_catalog.', CASE a.type
			           WHEN 'integer'::pg_catalog.text THEN 'int4' WHEN 'boolean'::pg_catalog.text THEN 'bool'
			           WHEN 'double precision'::pg_catalog.text THEN 'float8'
			           WHEN 'double precision[]'::pg_catalog.text THEN 'float8[]'
			           ELSE a.type END, CASE WHEN a.is_optional
			           THEN pg_catalog.concat(' DEFAULT ', CASE a.type
			               WHEN 'integer'::pg_catalog.text THEN coalesce(a.value, 'NULL')
			               WHEN 'boolean'::pg_catalog.text THEN a.value
			               WHEN 'double precision'::pg_catalog.text THEN a.value
			               ELSE pg_catalog.quote_nullable(a.value) END) END),
			           ', '::pg_catalog.text ORDER BY a.n) AS declared,
			       pg_catalog.string_agg(pg_catalog.concat('''', a.name, ''', ', CASE a.name
			           WHEN 'name'::pg_catalog.text THEN '%2$s'
			           WHEN 'items'::pg_catalog.text THEN 'items::pg_catalog.oid'
			           WHEN 'person_type'::pg_catalog.text THEN 'person_type::pg_catalog.oid'
			           WHEN 'factors'::pg_catalog.text THEN 'coalesce(factors, 64)' ELSE a.name END),
			           ', '::pg_catalog.text ORDER BY a.n) AS given
			FROM   _dlints_parameters() a GROUP BY a.kind)
		SELECT l.kind, l.declared, pg_catalog.format(
		           '_dlints_made(%L::pg_catalog.text, pg_catalog.jsonb_build_object(%s), pg_catalog.current_schemas(false), %%1$s)',
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
