-- Change what is there ------------------------------------------------------------

-- What a recommender or a ranker was made with.  What could have been renamed since is read from
-- what was bound to it.
CREATE FUNCTION _dlints_known(wanted text, name text, OUT kind text, OUT arguments jsonb)
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema oid := (SELECT oid FROM pg_namespace WHERE nspname = name);
BEGIN
	IF EXISTS (SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'version'
	           WHERE c.relnamespace = schema AND c.relname = 'setting' AND c.relkind = 'r') THEN
		EXECUTE format('SELECT kind, arguments FROM %I.setting', name) INTO kind, arguments;
	END IF;
	IF kind IS NULL OR kind <> wanted THEN
		RAISE 'there is no % "%"', coalesce(wanted, 'recommender or ranker'), name
			USING ERRCODE = 'undefined_object';
	END IF;
	IF kind = 'recommender' THEN
		-- the view of keys reads one column of one relation
		SELECT arguments || jsonb_build_object('items', a.attrelid::oid, 'item_key', a.attname) INTO arguments
		FROM   pg_class v JOIN pg_rewrite r ON r.ev_class = v.oid
		       JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
		           AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid AND d.refobjsubid > 0
		       JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
		WHERE  v.relnamespace = schema AND v.relname = 'item';
		arguments := arguments || jsonb_build_object(
			'name', name,
			'person_type', (SELECT a.atttypid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
			                WHERE c.relnamespace = schema AND c.relname = 'decision' AND a.attname = 'person'));
	ELSE
		arguments := arguments || jsonb_build_object('name', name);
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_known(text, text) IS 'what a recommender or a ranker was made with';

-- One who changes a recommender or a ranker at a time; the models are locked first, as who learns does.
CREATE FUNCTION _dlints_lock(name text) RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = name
	           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'version'
	           WHERE c.relname = 'setting' AND c.relkind = 'r') THEN
		EXECUTE format('SELECT FROM %I.model ORDER BY name FOR UPDATE', name);
		EXECUTE format('SELECT FROM %I.setting FOR UPDATE', name);
	END IF;
	RETURN name;
END
$$;
COMMENT ON FUNCTION _dlints_lock(text) IS 'a recommender or a ranker is changed by one at a time';

-- The arguments after a change; the texts that are bound anew; and the parts that are made or done
CREATE FUNCTION _dlints_changed(kind text, was jsonb, change jsonb, OUT a jsonb, OUT texts text[], OUT parts text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	key text;
	changes text[] := CASE kind
		WHEN 'ranker' THEN '{wait,default_reward,repeated,epsilon,half_life,keep,archive,value_limit,person_key}'::text[]
		ELSE '{clicks,candidates,outcomes,bonus,cap_group,cap,half_life,wait,control,epsilon,keep,places,archive,'
			'value_limit}' END;
	resets boolean := change ?| '{half_life,outcomes}';
BEGIN
	FOR key IN SELECT jsonb_object_keys(change) LOOP
		IF key IN ('name', 'items', 'columns', 'item_key', 'person_type', 'factors') AND kind = 'recommender' THEN
			RAISE '% of a recommender cannot be changed', key USING ERRCODE = 'feature_not_supported',
				DETAIL = 'Its models know the numbers of a vector by their places.',
				HINT = 'Create another recommender beside it, and drop this one when that one has learned.';
		ELSIF key <> ALL (changes) THEN
			RAISE 'a % has no argument "%"', kind, key USING ERRCODE = 'invalid_parameter_value',
				HINT = 'What can be changed is ' || array_to_string(changes, ', ') || '.';
		END IF;
	END LOOP;
	IF resets AND (was ->> 'archive')::boolean AND change -> 'archive' IS DISTINCT FROM 'false' THEN
		RAISE 'a % with an archive cannot learn its log anew', kind USING ERRCODE = 'feature_not_supported',
			DETAIL = 'What is archived was learned under the half-life and the outcomes that it has.',
			HINT = 'With "archive": false in the same change the archive is discarded.';
	END IF;
	a := jsonb_strip_nulls(was || change);
	texts := ARRAY(SELECT unnest('{clicks,candidates,bonus,cap_group}'::text[])
	               INTERSECT SELECT jsonb_object_keys(change));
	-- functions; then the bound texts, the arguments, and what has to be computed anew
	parts := '/(29|[3-8][0-9]|91)_'
		|| CASE WHEN texts <> '{}' THEN '|/27_(' || array_to_string(texts, '|') || ')$' ELSE '' END
		|| CASE WHEN change -> 'archive' = 'false' AND (was ->> 'archive')::boolean
		        THEN '|/(92_archive|93_rebuild)$' ELSE '' END
		|| CASE WHEN resets THEN '|/92_models$' ELSE '' END
		|| CASE WHEN resets OR change ?| '{places,default_reward}' THEN '|/93_' ELSE '' END
		|| CASE WHEN change ? 'clicks' THEN '|/94_' ELSE '' END;
END
$$;
COMMENT ON FUNCTION _dlints_changed(text, jsonb, jsonb)
	IS 'the arguments of a recommender or a ranker after a change, and what has to be made anew';

-- The statements of a change
CREATE FUNCTION _dlints_change(wanted text, name text, change jsonb, path name[], callers_path text)
	RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_lock(name) locked,
	       LATERAL _dlints_known(wanted, locked) was,
	       LATERAL _dlints_changed(was.kind, was.arguments, change) c,
	       LATERAL _dlints_arguments(was.kind, c.a) good,
	       LATERAL (SELECT CASE was.kind WHEN 'ranker'::pg_catalog.text THEN good
	           ELSE _dlints_resolve(good, c.texts, path) END AS a) r,
	       LATERAL _dlints_filled(was.kind, c.parts, r.a, callers_path, true) s;
END;
COMMENT ON FUNCTION _dlints_change(text, text, jsonb, name[], text) IS 'the statements of a change';

CREATE FUNCTION dlints_alter_recommender(name text, change jsonb) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_execute(ARRAY(
		SELECT s FROM _dlints_change('recommender'::pg_catalog.text, name, change,
			pg_catalog.current_schemas(false), pg_catalog.current_setting('search_path'::pg_catalog.text)) s));
END;
COMMENT ON FUNCTION dlints_alter_recommender(text, jsonb)
	IS 'change arguments of a recommender: its tables stay, its functions are made anew';

CREATE FUNCTION dlints_alter_ranker(name text, change jsonb) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_execute(ARRAY(
		SELECT s FROM _dlints_change('ranker'::pg_catalog.text, name, change,
			pg_catalog.current_schemas(false), pg_catalog.current_setting('search_path'::pg_catalog.text)) s));
END;
COMMENT ON FUNCTION dlints_alter_ranker(text, jsonb)
	IS 'change arguments of a ranker: its tables stay, its functions are made anew';

-- Makes functions and views anew.  Those that cannot be replaced, since another version gave them
-- other columns or arguments, are dropped with all that are made here, and made again.
CREATE FUNCTION _dlints_replace(name text, statements text[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	statement text;
	made record;
	pages text[];
	page text;
	old record;
BEGIN
	-- who may call what a page calls
	pages := ARRAY(
		SELECT DISTINCT CASE g.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(g.grantee) END
		FROM   pg_proc p, aclexplode(p.proacl) g
		WHERE  p.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = name)
		AND    p.prosecdef AND g.privilege_type = 'EXECUTE' AND g.grantee <> p.proowner);
	BEGIN
		FOREACH statement IN ARRAY statements LOOP
			EXECUTE statement;
		END LOOP;
		IF EXISTS (SELECT FROM pg_proc p, unnest(statements) s
		           WHERE p.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = name)
		           AND   p.proname = (regexp_match(s, 'CREATE OR REPLACE FUNCTION (?:\w+|"[^"]+")\.(\w+)'))[1]
		           GROUP BY p.proname HAVING count(DISTINCT p.oid) > 1) THEN
			RAISE invalid_function_definition;
		END IF;
	EXCEPTION WHEN invalid_function_definition OR invalid_table_definition OR ambiguous_function
			OR undefined_function OR undefined_column THEN
		FOR made IN
			SELECT m[1] AS kind, m[2] AS object
			FROM   unnest(statements) WITH ORDINALITY u (s, n),
			       regexp_match(s, 'CREATE OR REPLACE (FUNCTION|VIEW) (?:\w+|"(?:[^"]|"")+")\.(\w+)') m
			WHERE  m IS NOT NULL ORDER BY n DESC
		LOOP
			FOR old IN
				SELECT p.oid::regprocedure::text AS object FROM pg_proc p
				WHERE  made.kind = 'FUNCTION' AND p.proname = made.object
				AND    p.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = name)
				UNION ALL
				SELECT c.oid::regclass::text FROM pg_class c
				WHERE  made.kind = 'VIEW' AND c.relname = made.object
				AND    c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = name)
			LOOP
				EXECUTE format('DROP %s %s', made.kind, old.object);
			END LOOP;
		END LOOP;
		FOREACH statement IN ARRAY statements LOOP
			EXECUTE statement;
		END LOOP;
		FOREACH page IN ARRAY pages LOOP
			FOR old IN SELECT p.oid::regprocedure::text AS object FROM pg_proc p
			           WHERE p.prosecdef AND p.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = name)
			LOOP
				EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', old.object, page);
			END LOOP;
		END LOOP;
	END;
	RETURN cardinality(statements);
END
$$;
COMMENT ON FUNCTION _dlints_replace(text, text[]) IS 'makes functions and views of a schema anew';

CREATE FUNCTION dlints_renew(name text) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_replace(name, ARRAY(
		SELECT s
		FROM   _dlints_lock(name) locked,
		       LATERAL _dlints_known(NULL, locked) was,
		       LATERAL (SELECT CASE was.kind WHEN 'ranker'::pg_catalog.text THEN was.arguments
		           ELSE _dlints_resolve(was.arguments, '{}'::pg_catalog.text[], '{}'::pg_catalog.name[]) END AS a) r,
		       LATERAL _dlints_filled(was.kind, '/(25|29|[3-8][0-9]|91)_'::pg_catalog.text, r.a,
		           pg_catalog.current_setting('search_path'::pg_catalog.text), true) s));
END;
COMMENT ON FUNCTION dlints_renew(text)
	IS 'write the functions of a recommender or a ranker anew, as this version of dlints has them, and migrate its tables';

-- What a page needs: to call, and nothing else
CREATE FUNCTION dlints_grant(name text, role text) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	entry regprocedure;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	               WHERE n.nspname = name AND c.relname = 'setting') THEN
		RAISE 'there is no recommender or ranker "%"', name USING ERRCODE = 'undefined_object';
	END IF;
	EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', name, role);
	FOR entry IN SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
	             WHERE n.nspname = name AND p.prosecdef
	             AND p.proname IN ('recommend', 'reward', 'why', 'rank', 'activate') LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', entry, role);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dlints_grant(text, text)
	IS 'let a role call what a page calls of a recommender or a ranker, and nothing else';

-- Every recommender and ranker of this database whose setting the caller may read
CREATE FUNCTION _dlints_schemas(OUT name text, OUT kind text, OUT version text, OUT current boolean,
		OUT items bigint, OUT decisions bigint, OUT due bigint, OUT last_run timestamptz)
	RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off AS
$$
BEGIN
	FOR name IN
		SELECT n.nspname
		FROM   pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'setting' AND c.relkind = 'r'
		       JOIN pg_class j ON j.relnamespace = n.oid AND j.relname = 'job' AND j.relkind = 'r'
		       JOIN pg_class d ON d.relnamespace = n.oid AND d.relname = 'decision' AND d.relkind = 'p'
		       JOIN pg_class q ON q.relnamespace = n.oid AND q.relname = 'due' AND q.relkind = 'r'
		WHERE  (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid
		        AND a.attname IN ('kind', 'version', 'arguments', 'known_from')) = 4
		AND    has_schema_privilege(n.oid, 'USAGE')
		AND    has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(j.oid, 'SELECT')
		AND    has_table_privilege(d.oid, 'SELECT') AND has_table_privilege(q.oid, 'SELECT')
		ORDER  BY 1
	LOOP
		EXECUTE format('SELECT s.kind, s.version, s.version = e.extversion,
			(SELECT count(*) FROM %1$I.decision), (SELECT count(*) FROM ONLY %1$I.due),
			(SELECT max(done_at) FROM ONLY %1$I.job WHERE name = ''run'')
			FROM ONLY %1$I.setting s, pg_extension e WHERE e.extname = ''dlints''', name)
		INTO kind, version, current, decisions, due, last_run;
		items := NULL;
		IF kind = 'recommender' AND (SELECT has_table_privilege(c.oid, 'SELECT')
		                             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		                             WHERE n.nspname = name AND c.relname = 'item_vector' AND c.relkind = 'r') THEN
			EXECUTE format('SELECT count(*) FROM ONLY %I.item_vector', name) INTO items;
		END IF;
		CONTINUE WHEN kind IS NULL;
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION _dlints_schemas() IS 'recommenders and rankers of this database';

CREATE VIEW dlints_recommenders AS SELECT * FROM _dlints_schemas();
GRANT SELECT ON dlints_recommenders TO PUBLIC;
COMMENT ON VIEW dlints_recommenders
	IS 'recommenders and rankers of this database: which dlints wrote them, how many items and decisions they have, what is not learned yet, when run() was last called';

-- What an update script ends with
CREATE FUNCTION _dlints_say_outdated() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema text;
BEGIN
	FOR schema IN SELECT n.nspname
		FROM   pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'setting' AND c.relkind = 'r'
		WHERE  (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid
		        AND a.attname IN ('kind', 'version', 'arguments', 'known_from')) = 4
		ORDER  BY 1
	LOOP
		RAISE NOTICE 'schema "%" was written by another version of dlints', schema
			USING HINT = format('SELECT dlints_renew(%L) writes its functions anew.', schema);
	END LOOP;
END
$$;
COMMENT ON FUNCTION _dlints_say_outdated() IS 'says which recommenders and rankers want to be renewed';
