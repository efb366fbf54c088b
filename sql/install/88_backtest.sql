-- A recommender tried on its log, before there is one -----------------------------

-- A schema that nobody else has
CREATE FUNCTION _dlints_trial_name() RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	RETURN 'dlints_backtest_' || left(md5(gen_random_uuid()::text), 16);
END
$$;
COMMENT ON FUNCTION _dlints_trial_name() IS 'a schema that nobody else has';

-- The statements of a recommender to which the end of its log is unknown, and of what is compared
CREATE FUNCTION _dlints_trial(trial text, given jsonb, people integer, path name[], objects text[]) RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_arguments('recommender'::pg_catalog.text, _dlints_completed('recommender'::pg_catalog.text,
	           given OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(
	               'name', trial, 'people', people, 'outcomes', '{"click": 1}'::pg_catalog.jsonb,
	               'control', 0, 'epsilon', 0, 'candidates', 'true', 'archive', false))) good,
	       LATERAL _dlints_resolve(good, '{clicks}'::pg_catalog.text[], path) r,
	       LATERAL _dlints_measured(r) a,
	       pg_catalog.unnest(objects OPERATOR(pg_catalog.||) '{"/[3-8][0-9]_",/96_,/90_,/97_}'::pg_catalog.text[])
	           WITH ORDINALITY p (parts, n),
	       LATERAL _dlints_filled('recommender'::pg_catalog.text, p.parts, a, true)
	           WITH ORDINALITY f (s, m)
	ORDER  BY p.n, f.m;
END;
COMMENT ON FUNCTION _dlints_trial(text, jsonb, integer, name[], text[])
	IS 'the statements that try a recommender on its log';

-- Executes these, which make such a schema, tells what came of it, and leaves nothing behind.  Estimates of its
-- many small statements are so high that each would be compiled.
CREATE FUNCTION _dlints_tried(trial text, statements text[],
	OUT policy text, OUT hit_rate float8, OUT hit_rate_stderr float8,
	OUT ndcg float8, OUT ndcg_stderr float8, OUT verdict text) RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
DECLARE
	statement text;
	result jsonb;
	done boolean := false;
BEGIN
	BEGIN
		FOREACH statement IN ARRAY statements LOOP
			EXECUTE statement;
		END LOOP;
		EXECUTE format('SELECT jsonb_agg(to_jsonb(r)) FROM %I.comparison r', trial) INTO result;
		done := true;
		RAISE EXCEPTION USING ERRCODE = 'DL001';	-- undoes all of this
	EXCEPTION WHEN SQLSTATE 'DL001' THEN
		IF NOT done THEN	-- somebody else's
			RAISE;
		END IF;
	END;
	RETURN QUERY SELECT r.* FROM jsonb_to_recordset(result) r (
		policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text);
END
$$;
COMMENT ON FUNCTION _dlints_tried(text, text[])
	IS 'what comes of the statements of a trial, which leaves nothing behind';

CREATE FUNCTION dlints_backtest(items regclass, columns text[], clicks text, item_key name DEFAULT NULL,
	person_type regtype DEFAULT NULL, factors integer DEFAULT 64, people integer DEFAULT 300)
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8,
	               verdict text)
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT t.policy, t.hit_rate, t.hit_rate_stderr, t.ndcg, t.ndcg_stderr, t.verdict
	FROM   _dlints_trial_name() n, LATERAL _dlints_tried(n, ARRAY(
		SELECT s FROM _dlints_trial(n, pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
			'items', items::pg_catalog.oid, 'columns', columns, 'clicks', clicks, 'item_key', item_key,
			'person_type', person_type::pg_catalog.oid, 'factors', factors)), people,
			pg_catalog.current_schemas(false), '{"/[12][0-9]_"}'::pg_catalog.text[]) s)) t;
END;
COMMENT ON FUNCTION dlints_backtest(regclass, text[], text, name, regtype, integer, integer)
	IS 'hide the end of a click log, and compare what is recommended of the rest: most popular, popular in the same columns, clicked by the same people, a recommender';

-- The same of a recommender that there is; what was clicked on its lists counts as its log does
CREATE FUNCTION _dlints_backtest(name text, clicks text, people integer)
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8,
	               verdict text)
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT t.policy, t.hit_rate, t.hit_rate_stderr, t.ndcg, t.ndcg_stderr, t.verdict
	FROM   _dlints_trial_name() n, LATERAL _dlints_tried(n, ARRAY(
		SELECT s
		FROM   _dlints_known('recommender'::pg_catalog.text, name) k,
		       LATERAL _dlints_trial(n, k.arguments
		           OPERATOR(pg_catalog.-) '{bonus,cap_group,cap,diversity,places,promises,bound}'::pg_catalog.text[]
		           OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('clicks', clicks, 'tried', name), people,
		           '{}'::pg_catalog.name[], '{"/(1[0-9]|2[0-57-9])_|/26_(item|encode_document)$",/95_}'::pg_catalog.text[]) s)) t;
END;
COMMENT ON FUNCTION _dlints_backtest(text, text, integer) IS 'a recommender is tried on its log';
