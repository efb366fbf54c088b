-- Rankers: how one is made --------------------------------------------------

CREATE FUNCTION dlints_ranker_sane(
	name text, wait interval, default_reward double precision, repeated text,
	apprentice boolean, epsilon double precision, half_life interval, keep interval
) RETURNS void
	LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
	PERFORM dlints_recommender_require(name <> '' AND octet_length(name) < 64,
		'the name of a ranker has 1 to 63 bytes', 'It becomes the name of a schema.');
	PERFORM dlints_recommender_require(wait >= '0', 'wait must be an interval of at least 0',
		'It is how long after an event its reward is waited for.');
	PERFORM dlints_recommender_require(abs(default_reward) <= 1e50,
		'default_reward must be a finite number', 'It is what an event is worth for which no reward comes.');
	PERFORM dlints_recommender_require(repeated IN ('first', 'last', 'sum'),
		'repeated must be first, last or sum', 'It says which reward counts if several are told for an event.');
	PERFORM dlints_recommender_require(apprentice IS NOT NULL, 'apprentice must be true or false',
		'An apprentice leaves the choice to the caller until go_live is called.');
	PERFORM dlints_recommender_require(epsilon BETWEEN 0 AND 1, 'epsilon must be between 0 and 1',
		'It is the share of events that is left to chance.');
	PERFORM dlints_recommender_require(half_life > '0', 'half_life must be an interval above 0',
		'Only models that forget by time can correct.');
	PERFORM dlints_recommender_require(keep > '0', 'keep must be an interval above 0',
		'It is how long decisions are kept.');
END
$$;
COMMENT ON FUNCTION dlints_ranker_sane(
	text, interval, double precision, text, boolean, double precision, interval, interval)
	IS 'an error if an argument of a ranker is out of range';

CREATE FUNCTION dlints_scaffold_ranker(
	name text,
	wait interval DEFAULT '10 minutes',
	default_reward double precision DEFAULT 0,
	repeated text DEFAULT 'first',
	apprentice boolean DEFAULT false,
	epsilon double precision DEFAULT 0.02,
	half_life interval DEFAULT '30 days',
	keep interval DEFAULT '1 year'
) RETURNS SETOF text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	callers text := current_setting('search_path');
	p record;
	words jsonb;
BEGIN
	PERFORM set_config('search_path', concat_ws(', ', nullif(callers, ''),
		(SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'dlints')), true);
	PERFORM dlints_ranker_sane(name, wait, default_reward, repeated, apprentice, epsilon, half_life, keep);
	p := dlints_recommender_path();
	words := jsonb_build_object(
		's', quote_ident(name),
		'salt', quote_literal(name),
		'sequence', quote_literal(quote_ident(name) || '.decision_number'),
		'partitioned', $w$('decision', 'id')$w$,
		'dim', 192,
		'wait', quote_literal(wait),
		'default_reward', default_reward::text,
		'live', CASE WHEN apprentice THEN '0' ELSE '1' END,
		'epsilon', epsilon::text,
		'half_life', quote_literal(half_life),
		'keep', quote_literal(keep),
		'again', CASE repeated
			WHEN 'first' THEN 'NOTHING'
			WHEN 'last' THEN 'UPDATE SET value = excluded.value WHERE r.value <> excluded.value'
			ELSE 'UPDATE SET value = r.value + excluded.value' END,
		'again_said', CASE repeated
			WHEN 'first' THEN 'of several the first one counts'
			WHEN 'last' THEN 'of several the last one counts'
			ELSE 'several are added up, so that none is to be told twice' END,
		'dlints', p.dlints,
		'path', p.path,
		'arguments', quote_literal(jsonb_build_object(
			'name', name, 'wait', wait, 'default_reward', default_reward, 'repeated', repeated,
			'apprentice', apprentice, 'epsilon', epsilon, 'half_life', half_life, 'keep', keep)));
	RETURN QUERY SELECT dlints_ranker_tables(words);
	RETURN QUERY SELECT dlints_recommender_log(words);
	RETURN QUERY SELECT dlints_ranker_ranking(words);
	RETURN QUERY SELECT dlints_ranker_learning(words);
	RETURN QUERY SELECT dlints_ranker_report(words);
	RETURN NEXT dlints_recommender_fill('SELECT {s}.set_months()', words);
	PERFORM set_config('search_path', callers, true);
END
$$;
COMMENT ON FUNCTION dlints_scaffold_ranker(
	text, interval, double precision, text, boolean, double precision, interval, interval)
	IS 'the statements that make a ranker, one a row, for \gexec or a migration';

CREATE FUNCTION dlints_create_ranker(
	name text,
	wait interval DEFAULT '10 minutes',
	default_reward double precision DEFAULT 0,
	repeated text DEFAULT 'first',
	apprentice boolean DEFAULT false,
	epsilon double precision DEFAULT 0.02,
	half_life interval DEFAULT '30 days',
	keep interval DEFAULT '1 year'
) RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	callers text := current_setting('search_path');
	statement text;
BEGIN
	PERFORM set_config('search_path', concat_ws(', ', nullif(callers, ''),
		(SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'dlints')), true);
	IF to_regnamespace(quote_ident(name)) IS NOT NULL THEN
		RAISE 'schema "%" exists already', name USING ERRCODE = 'duplicate_schema',
			HINT = 'A ranker is a schema of its own. DROP SCHEMA ... CASCADE removes one.';
	END IF;
	FOR statement IN SELECT dlints_scaffold_ranker(name, wait, default_reward, repeated, apprentice,
		epsilon, half_life, keep)
	LOOP
		EXECUTE statement;
	END LOOP;
	PERFORM set_config('search_path', callers, true);
	RETURN format('%1$I.rank(event, context, actions) ranks, %1$I.reward(event, value) tells how good the'
	              ' first one was, %1$I.run() is for cron, %1$I.report() says whether it works.', name);
END
$$;
COMMENT ON FUNCTION dlints_create_ranker(
	text, interval, double precision, text, boolean, double precision, interval, interval)
	IS 'make a ranker: a schema of the caller''s own with tables and functions that rank actions given with each request';
