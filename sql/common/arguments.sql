-- Arguments of recommenders and rankers ------------------------------------------
--
-- These functions check the arguments of dlints_create_...() and dlints_alter_...() before any object is created.
-- They only read catalogs.

-- Raise an error unless scalar arguments have JSON values of their types (interval, integer, float8, boolean).
CREATE FUNCTION _dlints_check_types(a jsonb) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	argument record;
BEGIN
	FOR argument IN
		SELECT key, t.type, value #>> '{}' AS value,
		       t.type IN ('interval', 'text') AND jsonb_typeof(value) <> 'string'
		       OR value = 'null' AND key IN ('items', 'item_type', 'user_type') AS is_other_json
		FROM   jsonb_each(a), LATERAL (SELECT CASE
		           WHEN key IN ('attribution_window', 'retention', 'half_life') THEN 'interval'
		           WHEN key IN ('cap', 'factors', 'users') THEN 'integer'
		           WHEN key = 'apprentice' OR key = 'repeats' AND value #>> '{}' IN ('true', 'false') THEN 'boolean'
		           WHEN key = 'repeats' THEN 'interval'
		           WHEN key IN ('control', 'epsilon', 'exposure', 'value_limit', 'default_reward', 'diversity')
		           THEN 'double precision'
		           WHEN key IN ('items', 'item_key', 'item_type', 'user_type', 'clicks', 'candidates', 'bonus',
		                        'cap_group', 'repeated', 'user_key') THEN 'text' END AS type) t
		WHERE  t.type IS NOT NULL AND (value <> 'null' OR key IN ('items', 'item_type', 'user_type'))
	LOOP
		BEGIN
			IF argument.is_other_json THEN
				RAISE invalid_parameter_value;
			END IF;
			EXECUTE format('SELECT %L::%s', argument.value, argument.type);
		EXCEPTION WHEN data_exception THEN
			RAISE 'argument "%" must be %', argument.key, CASE argument.type
				WHEN 'interval' THEN CASE argument.key WHEN 'repeats' THEN 'true, false or ' ELSE '' END
					|| 'an interval such as "2 days"' WHEN 'integer' THEN 'an integer'
				WHEN 'boolean' THEN 'true or false' WHEN 'text' THEN 'a string' ELSE 'a number' END
				USING ERRCODE = 'invalid_parameter_value',
				DETAIL = format('The value is %s.', coalesce(argument.value, 'null'));
		END;
	END LOOP;
END
$$;

-- Raise an error if a constraint is malformed.
CREATE FUNCTION _dlints_check_constraints(kind text, a jsonb) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	bad record;
BEGIN
	FOR bad IN
		SELECT p.key, p.value, v.problem
		FROM   jsonb_each(coalesce(a -> 'constraints', '{}')) p,
		       LATERAL (SELECT CASE WHEN jsonb_typeof(p.value) = 'object' THEN p.value ELSE '{}' END AS c) o,
		       LATERAL (SELECT coalesce(o.c -> 'max', o.c -> 'min') AS target) t,
		       LATERAL (SELECT CASE
			WHEN p.key = '' OR octet_length(p.key) > 63 OR p.key IN ('id', 'price', 'features')
			THEN 'has an invalid name'
			WHEN jsonb_typeof(p.value) <> 'object' OR o.c ? 'max' = o.c ? 'min'
			THEN 'must have either "max" or "min"'
			WHEN kind = 'ranker' AND o.c - '{max,min,hard}'::text[] <> '{}'
			THEN 'can only have "max" or "min", and "hard"'
			WHEN kind = 'recommender' AND o.c ? 'hard'
			THEN 'cannot be hard: only constraints of rankers can'
			WHEN kind = 'recommender' AND o.c - '{max,min,of,outcome}'::text[] <> '{}'
			THEN 'can only have "of" or "outcome", and "max" or "min"'
			WHEN kind = 'recommender' AND o.c ? 'of' = o.c ? 'outcome'
			THEN 'must have either "of", an expression of i, or "outcome"'
			WHEN kind = 'recommender' AND o.c ? 'of' AND jsonb_typeof(o.c -> 'of') <> 'string'
			THEN 'must have an expression of i in "of"'
			WHEN kind = 'recommender' AND o.c ? 'outcome' AND NOT coalesce(a -> 'outcomes' ? (o.c ->> 'outcome'), false)
			THEN 'names no outcome of "outcomes"'
			WHEN jsonb_typeof(t.target) <> 'number'
			THEN 'must have a number in "max" or "min"'
			WHEN NOT t.target::numeric BETWEEN 1e-50 AND 1e50
			THEN 'must have a target above 0, at most 1e50'
			WHEN o.c ? 'outcome' AND NOT t.target::float8 BETWEEN 1e-9 AND 1
			THEN 'must have a rate from 1e-9 to 1 as its target'
			WHEN jsonb_typeof(coalesce(o.c -> 'hard', 'false')) <> 'boolean' OR o.c ? 'min' AND o.c ? 'hard'
			THEN 'can have "hard": true only with "max"' END AS problem) v
		WHERE  v.problem IS NOT NULL
	LOOP
		RAISE 'constraint "%" %', bad.key, bad.problem
			USING ERRCODE = 'invalid_parameter_value', DETAIL = format('The constraint is %s.', bad.value),
			HINT = CASE kind WHEN 'ranker' THEN 'For example {"usd": {"max": 0.002}}.'
			ELSE 'For example {"own": {"of": "i.own_brand", "max": 0.3}}.' END;
	END LOOP;
END
$$;

-- Return the arguments without NULLs.  Raises an error if an argument is out of range.
CREATE FUNCTION _dlints_check_arguments(kind text, a jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	bad record;
BEGIN
	PERFORM @extschema@._dlints_check_types(a - '{items,item_type,user_type}'::text[]);	-- these are Oids
	FOR bad IN
		SELECT * FROM (VALUES
		('name', a ->> 'name' <> '' AND octet_length(a ->> 'name') < 64,
			'name must have 1 to 63 bytes', 'It becomes the name of a schema.'),
		('items', a ->> 'items' IS NOT NULL,
			'argument "items" must not be null', 'Name the table or view whose rows are to be recommended.'),
		('columns', a -> 'columns' IS NULL
			OR (SELECT count(*) = count(DISTINCT c) FILTER (WHERE jsonb_typeof(c) = 'string')
			FROM jsonb_array_elements(coalesce(nullif(a -> 'columns', 'null'), '[]')) c),
			'argument "columns" must be an array of names, and name each column once',
			'Each column has features of its own.'),
		('columns', a ->> 'clicks' IS NOT NULL
			OR jsonb_array_length(coalesce(nullif(a -> 'columns', 'null'), '[]')) > 0,
			'a recommender needs "columns" or "clicks"', 'columns => ARRAY[...] names columns of the items.'),
		('control', (a ->> 'control')::float8 BETWEEN 0 AND 1,
			'control must be between 0 and 1', 'It is the share of users who get the most popular items.'),
		('attribution_window', (a ->> 'attribution_window')::interval BETWEEN '0' AND '100 years',
			'attribution_window must be between 0 and 100 years',
			'It is how long after a decision the models wait for its rewards.'),
		('default_reward', coalesce(abs((a ->> 'default_reward')::float8) <= 1e50, true),
			'default_reward must be between -1e50 and 1e50',
			'It is the reward of an event for which none is reported; NULL leaves such events out of training.'),
		('repeated', a ->> 'repeated' IN ('first', 'last', 'sum'),
			'repeated must be "first", "last" or "sum"',
			'It says which reward counts if several are reported for an event.'),
		('user_key', a ->> 'user_key' <> '',
			'user_key must not be empty', 'It is the key of a context that holds the user, for erase().'),
		('vectors', jsonb_typeof(a -> 'vectors') = 'object' AND NOT EXISTS (
			SELECT FROM jsonb_each(CASE jsonb_typeof(a -> 'vectors') WHEN 'object' THEN a -> 'vectors' END)
			WHERE  key IN ('', a ->> 'user_key') OR jsonb_typeof(value) <> 'number'
			OR     CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric NOT BETWEEN 1 AND 16384
			       OR value::numeric <> trunc(value::numeric) END),
			'vectors must be an object of context keys and lengths from 1 to 16384',
			'For example {"embedding": 25}. The key in "user_key" cannot be a vector.'),
		('apprentice', a ->> 'apprentice' IS NOT NULL,
			'apprentice must be true or false',
			'An apprentice leaves the choice to the caller until go_live() is called.'),
		('repeats', CASE WHEN jsonb_typeof(a -> 'repeats') = 'string' AND a ->> 'repeats' NOT IN ('true', 'false')
			THEN (a ->> 'repeats')::interval BETWEEN '0' AND '100 years' ELSE true END,
			'repeats must be true, false or an interval of at most 100 years',
			'Lists leave out items that the user clicked within the interval.'),
		('epsilon', (a ->> 'epsilon')::float8 BETWEEN 0 AND 1,
			'epsilon must be between 0 and 1', 'epsilon is the share of random lists, or of random choices of a ranker.'),
		('exposure', (a ->> 'exposure')::float8 BETWEEN 0 AND 1,
			'exposure must be between 0 and 1',
			'Impressions of an item are assumed to be proportional to its clicks to this power.'),
		('factors', (a ->> 'factors')::integer BETWEEN 0 AND 128,
			'factors must be between 0 and 128', 'It is the number of latent factors of an item.'),
		('half_life', (a ->> 'half_life')::interval BETWEEN '1 second' AND '100 years',
			'half_life must be between 1 second and 100 years',
			'Training examples lose half of their weight in that time.'),
		('retention', (a ->> 'retention')::interval BETWEEN '1 day' AND '100 years',
			'retention must be between 1 day and 100 years', 'It is how long decisions are kept.'),
		('retention', coalesce((a ->> 'retention')::interval > (a ->> 'attribution_window')::interval, true),
			'retention must be longer than attribution_window', 'Models are trained on decisions that are in the log.'),
		('constraints', jsonb_typeof(a -> 'constraints') = 'object' AND (
			SELECT count(*)
			FROM   jsonb_each(CASE jsonb_typeof(a -> 'constraints') WHEN 'object' THEN a -> 'constraints' END)) <= 8,
			'constraints must be an object of at most 8 constraints by name',
			CASE kind WHEN 'ranker' THEN 'For example {"usd": {"max": 0.002}}.'
			ELSE 'For example {"own": {"of": "i.own_brand", "max": 0.3}}.' END),
		('value_limit', (a ->> 'value_limit')::float8 BETWEEN 1 AND 1e9,
			'value_limit must be between 1 and 1e9',
			CASE kind WHEN 'ranker' THEN 'It is the largest reward.'
			ELSE 'The value of a reward is at most this many times the value of its outcome.' END),
		('users', NOT a ? 'users' OR a ->> 'clicks' IS NOT NULL,
			'a backtest needs "clicks"',
			'A backtest hides some clicks, and searches for them in lists made from the other clicks.'),
		('users', NOT a ? 'users' OR (a ->> 'users')::integer BETWEEN 2 AND 10000,
			'users must be between 2 and 10000', 'Users are drawn at random from those who clicked.'),
		('cap', (a ->> 'cap' IS NULL) = (a ->> 'cap_group' IS NULL) AND coalesce((a ->> 'cap')::integer, 1) > 0,
			'cap and cap_group must be given together, and cap must be at least 1',
			'A list has at most "cap" items of each "cap_group".'),
		('diversity', coalesce((a ->> 'diversity')::float8, 0) BETWEEN 0 AND 1,
			'diversity must be between 0 and 1',
			'It is the share of its score that an item loses if an equal item precedes it in the list.'),
		('examination', coalesce(a -> 'examination', 'null') = 'null' OR jsonb_typeof(a -> 'examination') = 'array'
			AND a -> 'examination' <> '[]'
			AND NOT jsonb_path_exists(a -> 'examination',
				'strict $[*] ? (@.type() != "number" || @ < 0.01 || @ > 1)', silent => true),
			'examination must be an array of numbers from 0.01 to 1',
			'Element p is the probability that a user examines position p, relative to the first position.'),
		('outcomes', jsonb_typeof(a -> 'outcomes') = 'object' AND a -> 'outcomes' <> '{}' AND NOT EXISTS (
			SELECT FROM jsonb_each(CASE jsonb_typeof(a -> 'outcomes') WHEN 'object' THEN a -> 'outcomes' END)
			WHERE jsonb_typeof(value) <> 'number' OR octet_length(key) NOT BETWEEN 1 AND 63
			OR    value <> '0' AND abs((value #>> '{}')::numeric) NOT BETWEEN 1e-9 AND 1e9),
			'outcomes must be an object of names (1 to 63 bytes) and values: 0, or 1e-9 to 1e9 in size',
			'For example {"click": 1, "purchase": 5}.'),
		('outcomes', EXISTS (
			SELECT FROM jsonb_each(CASE jsonb_typeof(a -> 'outcomes') WHEN 'object' THEN a -> 'outcomes' END)
			WHERE jsonb_typeof(value) = 'number' AND value <> '0'),
			'at least one outcome must have a value other than 0',
			'For example {"click": 1, "purchase": 5}.')) v (argument, is_good, problem, hint)
		WHERE  is_good IS NOT TRUE AND argument = ANY (CASE kind WHEN 'ranker'
			THEN '{name,attribution_window,default_reward,repeated,apprentice,epsilon,half_life,retention,value_limit,'
				'user_key,vectors,constraints}'::text[]
			ELSE '{name,items,columns,control,epsilon,factors,half_life,attribution_window,retention,value_limit,'
				'cap,diversity,repeats,examination,outcomes,exposure,users,constraints}' END)
	LOOP
		RAISE '%', bad.problem USING ERRCODE = 'invalid_parameter_value', HINT = bad.hint;
	END LOOP;
	PERFORM @extschema@._dlints_check_constraints(kind, a);
	RETURN a;
END
$$;
