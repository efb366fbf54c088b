-- Features and costs of actions ----------------------------------------------------------

CREATE FUNCTION _dlints_encode_actions(
	context jsonb, actions jsonb, vectors jsonb, numbers jsonb, constraint_names text[])
	RETURNS TABLE (n integer, id text, price float8, features real[])
	AS 'MODULE_PATHNAME', 'dlints_encode_actions' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

CREATE FUNCTION _dlints_read_vector(value jsonb, length integer) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'dlints_read_vector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _dlints_announced_cost(action jsonb, constraint_name text) RETURNS float8
	AS 'MODULE_PATHNAME', 'dlints_announced_cost' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Return the id of an action.  Equal numbers, such as 1 and 1.0, are one id, as in ActionId() in C.
CREATE FUNCTION _dlints_action_id(action jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(coalesce(action -> 'id'::text, action)) WHEN 'number'::text
       THEN trim_scale((coalesce(action ->> 'id'::text, action #>> '{}'::text[]))::numeric)::text
       ELSE coalesce(action ->> 'id'::text, action #>> '{}'::text[]) END;

-- Return the expected cost of an action: the announced cost times the ratio of reported to announced costs.  Without
-- an announced cost, the mean reported cost is returned, or 0.
CREATE FUNCTION _dlints_expected_cost(announced float8, ratio float8, reported float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(greatest(coalesce(nullif(announced, 0::float8) * coalesce(ratio, 1::float8), reported, 0::float8),
                      -1e50::float8), 1e50::float8);

-- Compute features, as an object of names and numbers, from the vectors in a context.  Each vector has the weight of
-- two names, and more than 64 numbers are projected to 64.  Vectors that are missing, or have another length, have no
-- features.
CREATE FUNCTION _dlints_vector_numbers(context jsonb, vectors jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT coalesce(jsonb_object_agg(format('%s %s', v.key, x.n), (x.value * sqrt(2::float8))::numeric), '{}')
FROM  (SELECT d.key, @extschema@.dlints_profile(@extschema@._dlints_read_vector(context -> d.key, d.length::integer)
                                                ::@extschema@.dlints_vector) AS numbers
       FROM   jsonb_each_text(vectors) d (key, length) GROUP BY d.key) v,
       LATERAL unnest(CASE WHEN cardinality(v.numbers) > 64 THEN @extschema@.dlints_project(
                          @extschema@.dlints_new(cardinality(v.numbers), 64, intercept => false),
                          v.numbers::@extschema@.dlints_vector)::real[]
                      ELSE v.numbers::real[] END) WITH ORDINALITY x (value, n)
$$;

-- Return the ids, prices and features of actions.  Long vectors of the context are projected first.
CREATE FUNCTION _dlints_ranker_actions(context jsonb, actions jsonb, vectors jsonb, constraint_names text[])
	RETURNS TABLE (n integer, id text, price float8, features real[])
	LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
	SELECT a.n, a.id, a.price, a.features
	FROM   _dlints_encode_actions(context, actions, vectors,
	           CASE vectors WHEN '{}'::pg_catalog.jsonb THEN vectors ELSE _dlints_vector_numbers(context, vectors) END,
	           constraint_names) a;
END;

-- Return the training examples of a decision: the reward of the chosen action and, for a decision of the baseline,
-- examples that imitate its choice.
CREATE FUNCTION _dlints_ranker_examples(context jsonb, actions jsonb, chosen integer, treatment text, reward float8,
	vectors jsonb, constraint_names text[]) RETURNS TABLE (model text, features real[], reward float8)
	LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
	SELECT 'reward'::pg_catalog.text, a.features, _dlints_ranker_examples.reward
	FROM   _dlints_ranker_actions(context, pg_catalog.jsonb_build_array(actions -> (chosen - 1)), vectors,
	                              constraint_names) a
	WHERE  _dlints_ranker_examples.reward IS NOT NULL
	UNION ALL
	SELECT 'imitation'::pg_catalog.text, a.features, CASE a.n WHEN 1 THEN 1::float8 ELSE 0::float8 END
	FROM   _dlints_ranker_actions(context, actions, vectors, constraint_names) a
	WHERE  treatment = 'baseline'::pg_catalog.text;
END;
