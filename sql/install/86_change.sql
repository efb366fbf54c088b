-- Change what is there ------------------------------------------------------------

-- What a recommender or a ranker was made with.  What could have been renamed since is read from
-- what was bound to it.
CREATE FUNCTION _dlints_known(wanted text, name text, OUT kind text, OUT arguments jsonb, OUT version text)
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema oid := (SELECT oid FROM pg_namespace WHERE nspname = name);
BEGIN
	IF EXISTS (SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'version'
	           WHERE c.relnamespace = schema AND c.relname = 'setting' AND c.relkind = 'r') THEN
		EXECUTE format('SELECT kind, arguments, version FROM %I.setting', name) INTO kind, arguments, version;
		IF kind IS NULL THEN
			RAISE 'the tables of "%" have no rows', name USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'A dump of definitions alone has none: restore their data, too, or create another one.';
		END IF;
	END IF;
	IF kind IS NULL OR kind <> wanted THEN
		RAISE 'there is no % "%"', coalesce(wanted, 'recommender or ranker'), name
			USING ERRCODE = 'undefined_object', HINT = CASE WHEN kind IS NULL THEN 'The view dlints_recommenders lists them.'
			ELSE format('It is a %s.', kind) END;
	END IF;
	IF kind = 'recommender' THEN
		-- the view of keys reads one column of one relation
		SELECT arguments || jsonb_build_object('items', a.attrelid::oid, 'item_key', a.attname) INTO arguments
		FROM   pg_class v JOIN pg_rewrite r ON r.ev_class = v.oid
		       JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
		           AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid AND d.refobjsubid > 0
		       JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
		WHERE  v.relnamespace = schema AND v.relname = 'item';
		IF NOT FOUND THEN
			RAISE 'what recommender "%" recommends was dropped', name USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Its log and models are kept. Create another recommender.';
		END IF;
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

-- Were functions of a recommender's texts dropped, with CASCADE, and so all that calls them?  An error if
-- one of these texts is not given again.
CREATE FUNCTION _dlints_check_dropped(kind text, name text, given jsonb) RETURNS boolean
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	gone text[] := ARRAY(
		SELECT t.argument
		FROM   (VALUES ('clicks', 'click'), ('candidates', 'allowed'), ('bonus', 'bonus'), ('cap_group', 'cap_group'),
		               ('promises', 'promised_text')) t (argument, object)
		WHERE  kind = 'recommender' AND to_regclass(format('%I.%I', name, t.object)) IS NULL
		AND    NOT EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		                   WHERE n.nspname = name AND p.proname = t.object));
	missing text := (SELECT string_agg(format('"%s"', g), ', ') FROM unnest(gone) g WHERE NOT coalesce(given ? g, false));
BEGIN
	IF missing IS NOT NULL THEN
		RAISE 'what recommender "%" reads was dropped', name USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = format('The text of %s went with it.', missing),
			HINT = 'Give it in a change, such as dlints_alter_recommender(..., ''{"candidates": "i.in_stock"}'').';
	END IF;
	RETURN gone <> '{}';
END
$$;
COMMENT ON FUNCTION _dlints_check_dropped(text, text, jsonb)
	IS 'were functions of texts dropped? an error if one of these is not given again';

-- One who changes a recommender or a ranker at a time, and that is its owner: what others find in the
-- schema may be anything, and what they make would be theirs.
CREATE FUNCTION _dlints_lock(name text) RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema pg_namespace;
	tables name[];
BEGIN
	SELECT n.* INTO schema FROM pg_namespace n WHERE n.nspname = name;
	tables := ARRAY(SELECT relname FROM pg_class WHERE relnamespace = schema.oid AND relkind = 'r'
	                AND relname IN ('setting', 'model', 'job', 'item_vector', 'beginning'));
	IF 'setting' <> ALL (tables) THEN
		RETURN name;	-- which others say
	END IF;
	-- To read a table, even to plan that, may run its owner's code.
	IF EXISTS (SELECT schema.nspowner UNION SELECT relowner FROM pg_class
	           WHERE relnamespace = schema.oid AND relkind IN ('r', 'p', 'v')
	           EXCEPT SELECT oid FROM pg_roles WHERE rolname = current_user) THEN
		-- to become the owner of the schema does not help whoever is that already
		RAISE 'must be the owner of schema "%", and of all in it', name USING ERRCODE = 'insufficient_privilege',
			HINT = CASE WHEN pg_get_userbyid(schema.nspowner) <> current_user
			       THEN format('SET ROLE %I.', pg_get_userbyid(schema.nspowner))
			       ELSE 'ALTER SCHEMA ... OWNER TO leaves what is in it to its owner, and REASSIGN OWNED hands over all.'
			       END;
	ELSIF NOT tables @> '{setting,model,job}' THEN
		RETURN name;
	END IF;
	-- in the order in which run() and all that it calls do
	EXECUTE format('SELECT FROM %I.job WHERE name IN (''refresh'', ''refit'') ORDER BY name DESC FOR UPDATE', name);
	IF tables @> '{item_vector,beginning}' THEN
		EXECUTE format('LOCK TABLE %1$I.item_vector, %1$I.beginning IN SHARE ROW EXCLUSIVE MODE', name);
	END IF;
	EXECUTE format('SELECT FROM %I.model ORDER BY name FOR UPDATE', name);
	EXECUTE format('SELECT FROM %I.setting FOR UPDATE', name);
	RETURN name;
END
$$;
COMMENT ON FUNCTION _dlints_lock(text) IS 'a recommender or a ranker is changed by one at a time, its owner';

-- The arguments after a change; the texts that are bound anew; the parts that may have changed; and
-- those that are to be done
CREATE FUNCTION _dlints_changed(kind text, was jsonb, version text, change jsonb,
		OUT a jsonb, OUT texts text[], OUT bound text, OUT made text, OUT done text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	key text;
	changes text[] := CASE kind
		WHEN 'ranker' THEN '{wait,default_reward,repeated,epsilon,half_life,keep,archive,value_limit,person_key,'
			'vectors,promises}'::text[]
		ELSE '{clicks,candidates,outcomes,bonus,cap_group,cap,diversity,half_life,wait,control,epsilon,keep,places,archive,'
			'value_limit,exposure,promises}' END;
	resets boolean;
	discards boolean;
BEGIN
	IF jsonb_typeof(change) IS DISTINCT FROM 'object' THEN
		RAISE 'a change is an object of arguments and what they become'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'For example {"wait": "1 hour"}.';
	ELSIF version IS DISTINCT FROM (SELECT extversion FROM pg_extension WHERE extname = 'dlints') THEN
		RAISE 'this % was written by dlints %', kind, version
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call dlints_renew first.';
	END IF;
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
	-- what is promised of an action is no feature
	resets := change ?| '{half_life,outcomes,vectors}' OR kind = 'ranker' AND jsonb_typeof(change -> 'promises') = 'object'
		AND ARRAY(SELECT jsonb_object_keys(was -> 'promises')) <> ARRAY(SELECT jsonb_object_keys(change -> 'promises'));
	discards := coalesce((was ->> 'archive')::boolean AND change -> 'archive' = 'false', false);
	IF resets AND (was ->> 'archive')::boolean AND NOT discards THEN
		RAISE 'a % with an archive cannot learn its log anew', kind USING ERRCODE = 'feature_not_supported',
			DETAIL = format('What is archived was learned under the half-life and the %s that it has.',
				CASE kind WHEN 'ranker' THEN 'vectors' ELSE 'outcomes' END),
			HINT = 'With "archive": false in the same change the archive is discarded.';
	END IF;
	a := jsonb_strip_nulls(was || change);
	texts := ARRAY(SELECT unnest('{clicks,candidates,bonus,cap_group,promises}'::text[])
	               INTERSECT SELECT jsonb_object_keys(change));
	bound := '/27_(' || array_to_string(texts, '|') || ')$';
	made := '/(29|[3-8][0-9])_';
	done := '/91_'
		|| CASE WHEN discards THEN '|/(92_archive|93_rebuild)$' ELSE '' END
		|| CASE WHEN resets THEN '|/92_models$' ELSE '' END
		|| CASE WHEN resets OR change ?| '{places,default_reward}' THEN '|/93_' ELSE '' END
		|| CASE WHEN change ?| '{clicks,exposure}' THEN '|/94_' ELSE '' END
		|| CASE WHEN change ? 'clicks' THEN '|/90_clicks$' ELSE '' END
		|| CASE WHEN change ?| '{candidates,bonus,cap_group}' THEN '|/90_texts$' ELSE '' END
		|| CASE WHEN change ? 'promises' THEN '|/90_(costs|promises)$|/98_costs$' ELSE '' END;
END
$$;
COMMENT ON FUNCTION _dlints_changed(text, jsonb, text, jsonb)
	IS 'the arguments of a recommender or a ranker after a change, and what has to be made anew';

-- The statements of a change, which renews what is broken: those that bind the texts; of those that make
-- something the ones that it changes, since a view that is replaced is locked; and what is to be done.
CREATE FUNCTION _dlints_change(wanted text, name text, change jsonb, path name[])
	RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	WITH asked AS MATERIALIZED (
		SELECT was.kind, c.texts, c.bound, CASE WHEN is_broken THEN '/(15|25|29|[3-8][0-9]|99)_' ELSE c.made END AS made,
		       c.done, _dlints_arguments(was.kind, c.a) AS good,
		       _dlints_completed(was.kind, was.arguments) AS before, is_broken
		FROM   _dlints_lock(name) locked,
		       LATERAL _dlints_known(wanted, locked) was,
		       LATERAL _dlints_check_dropped(was.kind, locked, change) is_broken,
		       LATERAL _dlints_changed(was.kind, _dlints_completed(was.kind, was.arguments), CASE WHEN is_broken
		           THEN (SELECT e.extversion FROM pg_catalog.pg_extension e
		                 WHERE e.extname OPERATOR(pg_catalog.=) 'dlints'::pg_catalog.name)
		           ELSE was.version END, change) c),
	argument AS MATERIALIZED (
		SELECT q.*, CASE q.kind WHEN 'ranker'::pg_catalog.text THEN q.good
		           ELSE _dlints_resolve(q.good, q.texts, path) END AS now,
		       CASE q.kind WHEN 'ranker'::pg_catalog.text THEN q.before
		           ELSE _dlints_resolve(q.before, '{}'::pg_catalog.text[], path) END AS old
		FROM   asked q)
	SELECT f.s
	FROM   argument a,
	       LATERAL (SELECT ARRAY(SELECT o FROM _dlints_filled(a.kind, a.made, a.old, true) o) AS s) old,
	       LATERAL (SELECT 0 AS part, n.s, n.n
	                FROM   _dlints_filled(a.kind, a.bound, a.now, true) WITH ORDINALITY n (s, n)
	                UNION ALL
	                SELECT 1, n.s, n.n
	                FROM   _dlints_filled(a.kind, a.made, a.now, true) WITH ORDINALITY n (s, n)
	                WHERE  a.is_broken OR n.s OPERATOR(pg_catalog.<>) ALL (old.s)
	                OR     pg_catalog.starts_with(n.s, 'SELECT pg_catalog.set_config'::pg_catalog.text)
	                UNION ALL
	                SELECT 2, n.s, n.n
	                FROM   _dlints_filled(a.kind, a.done, a.now, true) WITH ORDINALITY n (s, n)) f
	ORDER  BY f.part, f.n;
END;
COMMENT ON FUNCTION _dlints_change(text, text, jsonb, name[]) IS 'the statements of a change';

CREATE FUNCTION dlints_alter_ranker(name text, change jsonb) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_execute(ARRAY(
		SELECT s FROM _dlints_change('ranker'::pg_catalog.text, name, change,
			pg_catalog.current_schemas(false)) s));
END;
COMMENT ON FUNCTION dlints_alter_ranker(text, jsonb)
	IS 'change arguments of a ranker: its tables stay, its functions are made anew';

-- Makes functions and views anew.  Where one cannot be replaced, since another version gave it other
-- columns or arguments, it is dropped with all that come after it, and they are made again: what comes
-- before does not depend on it, and a user's view of that is left alone.  Who may do what with them stays.
CREATE FUNCTION _dlints_replace(name text, statements text[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
DECLARE
	schema oid := (SELECT oid FROM pg_namespace WHERE nspname = name);
	statement text;
	names text[];
	at integer;
	made record;
	old record;
	granted jsonb := (
		SELECT coalesce(jsonb_agg(to_jsonb(g)), '[]') FROM (
			SELECT 'FUNCTION' AS kind, p.proname AS object, a.grantee, a.privilege_type AS privilege, a.is_grantable
			FROM   pg_proc p, aclexplode(p.proacl) a WHERE p.pronamespace = schema AND a.grantee <> p.proowner
			UNION ALL
			SELECT 'TABLE', c.relname, a.grantee, a.privilege_type, a.is_grantable
			FROM   pg_class c, aclexplode(c.relacl) a
			WHERE  c.relnamespace = schema AND c.relkind = 'v' AND a.grantee <> c.relowner) g);
	known text[] := ARRAY(SELECT proname FROM pg_proc WHERE pronamespace = schema AND prosecdef);
	ours text[] := ARRAY(
		SELECT m[1] FROM unnest(statements) s,
		       regexp_match(s, 'CREATE OR REPLACE (?:FUNCTION|VIEW) (?:\w+|"(?:[^"]|"")+")\.(\w+)') m WHERE m IS NOT NULL);
BEGIN
	-- what was revoked when a function was made may have been granted since
	statements := ARRAY(SELECT s FROM unnest(statements) WITH ORDINALITY u (s, n)
	                    WHERE coalesce((regexp_match(s, '^REVOKE .*\.(\w+) FROM PUBLIC'))[1] <> ALL (known), true)
	                    ORDER BY n);
	-- Under a user's path, where a text is bound, nothing is computed: its function has no name here.
	names := ARRAY(
		SELECT CASE WHEN NOT coalesce(lag(s) OVER (ORDER BY n) LIKE 'SELECT pg_catalog.set_config(%'
		                              AND lag(s) OVER (ORDER BY n) NOT LIKE
		                                  'SELECT pg_catalog.set_config(''search_path'', ''pg_catalog, pg_temp'', %', false)
		       THEN (regexp_match(s, 'CREATE OR REPLACE FUNCTION (?:\w+|"(?:[^"]|"")+")\.(\w+)'))[1] END
		FROM   unnest(statements) WITH ORDINALITY u (s, n) ORDER BY n);
	BEGIN
		FOR i IN 1 .. cardinality(statements) LOOP
			at := i;
			EXECUTE statements[i];
			IF names[i] IS NOT NULL THEN
				IF (SELECT count(*) FROM pg_proc p WHERE p.pronamespace = schema AND p.proname = names[i]) > 1 THEN
					RAISE invalid_function_definition;	-- one called otherwise is now beside it
				END IF;
			END IF;
		END LOOP;
		RETURN cardinality(statements);
	EXCEPTION WHEN invalid_function_definition OR invalid_table_definition OR ambiguous_function
			OR undefined_function OR undefined_column THEN
		NULL;
	END;
	FOR made IN
		SELECT m[1] AS kind, m[2] AS object
		FROM   unnest(statements) WITH ORDINALITY u (s, n),
		       regexp_match(s, 'CREATE OR REPLACE (FUNCTION|VIEW) (?:\w+|"(?:[^"]|"")+")\.(\w+)') m
		WHERE  m IS NOT NULL AND n >= at ORDER BY n DESC
	LOOP
		FOR old IN
			SELECT p.oid::regprocedure::text AS object FROM pg_proc p
			WHERE  made.kind = 'FUNCTION' AND p.proname = made.object AND p.pronamespace = schema
			UNION ALL
			SELECT c.oid::regclass::text FROM pg_class c
			WHERE  made.kind = 'VIEW' AND c.relname = made.object AND c.relnamespace = schema
		LOOP
			EXECUTE format('DROP %s %s', made.kind, old.object);
		END LOOP;
	END LOOP;
	FOREACH statement IN ARRAY statements LOOP
		EXECUTE statement;
	END LOOP;
	FOR old IN
		SELECT 'FUNCTION' AS kind, oid::regprocedure::text AS name, proname AS object, false AS is_entrusted
		FROM   pg_proc
		WHERE  pronamespace = schema AND prosecdef AND proname = ANY (known) AND proname = ANY (ours)
		UNION
		SELECT g.kind, coalesce(p.oid::regprocedure::text, c.oid::regclass::text), g.object,
		       coalesce(p.prosecdef AND p.proname <> ALL (known), false)
		FROM   (SELECT DISTINCT kind, object FROM jsonb_to_recordset(granted) g (kind text, object text)) g
		       LEFT JOIN pg_proc p ON g.kind = 'FUNCTION' AND p.proname = g.object AND p.pronamespace = schema
		       LEFT JOIN pg_class c ON g.kind = 'TABLE' AND c.relname = g.object AND c.relnamespace = schema
	LOOP
		CONTINUE WHEN old.name IS NULL OR old.object <> ALL (ours);
		EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', old.kind, old.name);
		FOR made IN SELECT * FROM jsonb_to_recordset(granted)
		                g (kind text, object text, grantee oid, privilege text, is_grantable boolean)
		            WHERE g.kind = old.kind AND g.object = old.object
		            AND   NOT (old.is_entrusted AND g.grantee = 0)	-- with the owner's rights from now on
		LOOP
			EXECUTE format('GRANT %s ON %s %s TO %s%s', made.privilege, old.kind, old.name,
			               CASE made.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(made.grantee)) END,
			               CASE WHEN made.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
		END LOOP;
	END LOOP;
	RETURN cardinality(statements);
END
$$;
COMMENT ON FUNCTION _dlints_replace(text, text[]) IS 'makes functions and views of a schema anew';

-- What is broken may be of another version, and is made anew as dlints_renew does that.
CREATE FUNCTION dlints_alter_recommender(name text, change jsonb) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_replace(name, ARRAY(
		SELECT s FROM _dlints_change('recommender'::pg_catalog.text, name, change,
			pg_catalog.current_schemas(false)) s));
END;
COMMENT ON FUNCTION dlints_alter_recommender(text, jsonb)
	IS 'change arguments of a recommender: its tables stay, its functions are made anew';

CREATE FUNCTION dlints_renew(name text) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_replace(name, ARRAY(
		SELECT s
		FROM   _dlints_lock(name) locked,
		       LATERAL _dlints_known(NULL, locked) was,
		       LATERAL _dlints_check_dropped(was.kind, locked, '{}'::pg_catalog.jsonb),
		       LATERAL _dlints_arguments(was.kind, _dlints_completed(was.kind, was.arguments)) good,
		       LATERAL (SELECT CASE was.kind WHEN 'ranker'::pg_catalog.text THEN good
		           ELSE _dlints_resolve(good, '{}'::pg_catalog.text[], '{}'::pg_catalog.name[]) END AS a) r,
		       LATERAL _dlints_filled(was.kind, '/(15|25|29|[3-8][0-9]|91|99)_'::pg_catalog.text, r.a, true) s));
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
		RAISE 'there is no recommender or ranker "%"', name
			USING ERRCODE = 'undefined_object', HINT = 'The view dlints_recommenders lists them.';
	END IF;
	EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', name, role);
	FOR entry IN SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
	             WHERE n.nspname = name AND p.prosecdef
	             AND p.proname IN ('recommend', 'more_like', 'next', 'trending', 'reward', 'why', 'rank', 'activate') LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', entry, role);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dlints_grant(text, text)
	IS 'let a role call what a page calls of a recommender or a ranker, and nothing else';

-- Every recommender and ranker of this database.  What somebody else has made is looked at in the
-- catalogues alone: to read a table, even to plan that, may run its owner's code.
CREATE FUNCTION _dlints_schemas(OUT name text, OUT owner text, OUT kind text, OUT version text,
		OUT current boolean, OUT items bigint, OUT decisions bigint, OUT due bigint, OUT last_run timestamptz)
	RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off AS
$$
DECLARE
	schema record;
	written text[];
BEGIN
	FOR schema IN
		SELECT n.oid, n.nspname, n.nspowner, s.oid AS setting,
		       n.nspowner = me.oid AND NOT EXISTS (
		           SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relowner <> me.oid) AS is_mine
		FROM   pg_namespace n JOIN pg_roles me ON me.rolname = current_user
		       JOIN pg_class s ON s.relnamespace = n.oid AND s.relname = 'setting' AND s.relkind = 'r'
		WHERE  obj_description(s.oid, 'pg_class') ~ '^dlints \S+: (recommender|ranker)$'
		AND    has_schema_privilege(n.oid, 'USAGE')
		ORDER  BY n.nspname
	LOOP
		name := schema.nspname;
		owner := pg_get_userbyid(schema.nspowner);
		written := regexp_match(obj_description(schema.setting, 'pg_class'), '^dlints (\S+): (\w+)$');
		version := written[1];
		kind := written[2];
		current := version = (SELECT extversion FROM pg_extension WHERE extname = 'dlints');
		SELECT sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname = 'item_vector'),
		       sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname ~ '^decision_'),
		       sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname = 'due')
		INTO   items, decisions, due
		FROM   pg_class c WHERE c.relnamespace = schema.oid AND c.relkind = 'r';
		last_run := NULL;
		IF schema.is_mine THEN
			BEGIN
				EXECUTE format('SELECT max(done_at) FROM %I.job WHERE name = %L', name, 'run') INTO last_run;
			EXCEPTION WHEN OTHERS THEN
				NULL;	-- one that is broken hides no other
			END;
		END IF;
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION _dlints_schemas() IS 'recommenders and rankers of this database';

CREATE VIEW dlints_recommenders AS SELECT * FROM _dlints_schemas();
GRANT SELECT ON dlints_recommenders TO PUBLIC;
COMMENT ON VIEW dlints_recommenders
	IS 'recommenders and rankers of this database: whose they are, which dlints wrote them, about how many items and decisions they have, what is not learned yet, and of the caller''s own when run() was last called';

-- What an update script ends with
CREATE FUNCTION _dlints_say_outdated() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema record;
BEGIN
	FOR schema IN SELECT n.nspname, pg_get_userbyid(n.nspowner) AS owner
		FROM   pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'setting' AND c.relkind = 'r'
		WHERE  obj_description(c.oid, 'pg_class') ~ '^dlints \S+: (recommender|ranker)$'
		ORDER  BY 1
	LOOP
		-- a notice would not be shown while a script of an extension runs
		RAISE WARNING 'schema "%" was written by another version of dlints', schema.nspname
			USING HINT = format('SELECT dlints_renew(%L), as %I, writes its functions anew.', schema.nspname, schema.owner);
	END LOOP;
END
$$;
COMMENT ON FUNCTION _dlints_say_outdated() IS 'says which recommenders and rankers want to be renewed';
