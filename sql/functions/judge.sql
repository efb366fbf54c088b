-- Evaluate rankings, policies and models ----------------------------------------

CREATE FUNCTION dlints_ndcg_transfn(
	internal, double precision, double precision, bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION dlints_ndcg_finalfn(internal) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE dlints_ndcg(relevance double precision, score double precision, k bigint) (
	SFUNC = dlints_ndcg_transfn,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = dlints_ndcg_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_ndcg(double precision, double precision, bigint)
	IS 'computes NDCG@k of the ranking by score: the sum of relevance / log2(rank + 1), divided by that of the '
	   'ideal ranking';

CREATE TYPE dlints_policy_estimate AS (
	observations bigint,
	mean_reward double precision,
	mean_reward_stderr double precision,
	ips double precision,
	ips_stderr double precision,
	snips double precision,
	snips_stderr double precision,
	dr double precision,
	dr_stderr double precision,
	mean_weight double precision,
	mean_weight_stderr double precision,
	effective_sample_size double precision,
	max_weight double precision
);
COMMENT ON TYPE dlints_policy_estimate
	IS 'off-policy estimates of a policy''s mean reward, with standard errors and weight diagnostics';

CREATE FUNCTION dlints_policy_value_transfn(
	double precision[], double precision, double precision, double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION dlints_policy_value_transfn(
	double precision[], double precision, double precision, double precision, double precision,
	double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION dlints_policy_value_combinefn(
	double precision[], double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION dlints_policy_value_finalfn(double precision[]) RETURNS dlints_policy_estimate
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE dlints_policy_value(
	reward double precision, logged double precision, target double precision) (
	SFUNC = dlints_policy_value_transfn,
	STYPE = double precision[],
	FINALFUNC = dlints_policy_value_finalfn,
	COMBINEFUNC = dlints_policy_value_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_policy_value(double precision, double precision, double precision)
	IS 'estimates a policy''s mean reward from the log of another policy; arguments are the reward, '
		'the logged probability, and the probability under the evaluated policy';

CREATE AGGREGATE dlints_policy_value(
	reward double precision, logged double precision, target double precision,
	predicted double precision, expected double precision) (
	SFUNC = dlints_policy_value_transfn,
	STYPE = double precision[],
	FINALFUNC = dlints_policy_value_finalfn,
	COMBINEFUNC = dlints_policy_value_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_policy_value(
	double precision, double precision, double precision, double precision, double precision)
	IS 'estimates a policy''s mean reward, also doubly robust: predicted is the model''s prediction for the '
	   'logged decision, '
		'expected is its prediction for the evaluated policy';

CREATE FUNCTION dlints_progressive(
	model dlints,
	features dlints_vector,
	reward double precision,
	profile dlints_vector DEFAULT '{}',
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_progressive(
	dlints, dlints_vector, double precision, dlints_vector, timestamp with time zone,
	double precision)
	IS 'predicts the reward of each row with the model trained on all rows before it';

CREATE FUNCTION dlints_bounds(
	mean double precision,
	stderr double precision,
	observations bigint,
	lowest double precision DEFAULT 0,
	highest double precision DEFAULT 1,
	confidence double precision DEFAULT 0.95,
	OUT low double precision,
	OUT high double precision
) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_bounds(
	double precision, double precision, bigint, double precision, double precision, double precision)
	IS 'computes a confidence sequence for an expectation, valid if it is computed repeatedly; observations lie '
	   'between lowest and highest';

-- Estimates from 10,000 random samples how often each of several normal variables is the largest, and the mean
-- difference to the largest.  A fixed seed makes the result reproducible.
CREATE FUNCTION _dlints_best(means double precision[], errors double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'dlints_best' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

-- Compares arms.  "low" and "high" are confidence bounds of the mean reward minus the price, valid at any time.
-- "chance_best" is the probability that an arm is the best.  "could_gain" is the expected loss of always choosing the
-- arm.  Both assume normal posteriors with means "expected" and standard deviations "errors".  To allow for repeated
-- looks at the results, "errors" count as if there were half as many observations.
CREATE FUNCTION _dlints_compare_arms(
	means double precision[], stderrs double precision[], observations bigint[], lowest double precision,
	highest double precision, prices double precision[], expected double precision[], errors double precision[])
	RETURNS TABLE (n bigint, low double precision, high double precision, chance_best double precision,
	               could_gain double precision, verdict text)
	LANGUAGE sql STABLE
BEGIN ATOMIC
	WITH arm AS MATERIALIZED (
		SELECT a.n, c.arms,
		       CASE a.observations WHEN 0::bigint THEN nullif(lowest, highest) ELSE b.low END - a.price AS low,
		       CASE a.observations WHEN 0::bigint THEN nullif(highest, lowest) ELSE b.high END - a.price AS high
		FROM   ROWS FROM (pg_catalog.unnest(means), pg_catalog.unnest(stderrs),
		                  pg_catalog.unnest(_dlints_compare_arms.observations), pg_catalog.unnest(prices))
		           WITH ORDINALITY a (mean, stderr, observations, price, n)
		       CROSS JOIN (SELECT pg_catalog.cardinality(_dlints_compare_arms.expected)::double precision AS arms) c,
		       LATERAL dlints_bounds(a.mean, a.stderr, a.observations, lowest, nullif(highest, lowest),
		                             1::double precision - 0.05::double precision / c.arms) b),
	drawn AS MATERIALIZED (
		SELECT _dlints_best(_dlints_compare_arms.expected,
		                    pg_catalog.array_agg(sqrt(2::double precision) * e.error ORDER BY e.n)) AS best
		FROM   pg_catalog.unnest(_dlints_compare_arms.errors) WITH ORDINALITY e (error, n)),
	compared AS MATERIALIZED (      -- narrow rows, without the matrix, for the window function below
		SELECT a.n, a.arms, a.low, a.high, d.best[1][a.n] AS chance_best, d.best[2][a.n] AS could_gain
		FROM   arm a CROSS JOIN drawn d)
	SELECT c.n, c.low, c.high, c.chance_best, c.could_gain,
	       CASE WHEN c.low > max(c.high) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
	                                           EXCLUDE CURRENT ROW) THEN 'proven'::pg_catalog.text
	            WHEN c.chance_best >= 0.99::double precision
	                 AND c.arms > 1::double precision THEN 'likely'::pg_catalog.text
	            ELSE 'open'::pg_catalog.text END
	FROM   compared c;
END;

-- Raises an error unless "highest" is greater than "lowest", both are small enough for the computations, and there are
-- not too many arms.
CREATE FUNCTION _dlints_check_comparison(arms integer, lowest float8, highest float8) RETURNS void
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF NOT (abs(lowest) <= 1e50 AND abs(highest) <= 1e50) THEN
		RAISE 'arguments "lowest" and "highest" must be between -1e50 and 1e50'
			USING ERRCODE = 'numeric_value_out_of_range';
	ELSIF lowest >= highest - 1e-50 THEN
		RAISE 'argument "highest" must be greater than "lowest"' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('"lowest" is %s, and "highest" is %s.', lowest, highest);
	ELSIF arms > 1000 THEN
		RAISE 'cannot compare more than 1000 actions' USING ERRCODE = 'program_limit_exceeded',
			DETAIL = format('There are %s actions.', arms), HINT = 'Pass the actions to compare.';
	END IF;
END
$$;

-- Returns one row per arm, with its model.  Raises an error unless the arrays have the same length, and the names of
-- arms differ.
CREATE FUNCTION _dlints_arms(arms text[], models dlints[], lowest float8, highest float8)
	RETURNS TABLE (action text, model dlints, n bigint)
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF cardinality(arms) <> cardinality(models) THEN
		RAISE 'there must be as many arms as models' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('There are %s arms and %s models.', cardinality(arms), cardinality(models));
	END IF;
	PERFORM @extschema@._dlints_check_comparison(cardinality(arms), lowest, highest);
	IF (SELECT count(a) <> count(DISTINCT a) FROM unnest(arms) a) THEN
		RAISE 'argument "arms" must name each arm once' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN QUERY SELECT * FROM ROWS FROM (unnest(arms), unnest(models)) WITH ORDINALITY;
END
$$;

-- Compares arms with separate models.  The variance of an arm's rewards is at least the variance of all rewards.  The
-- expected reward is shrunken to the common mean by one observation.  Numbers of at most 1e-50 count as 0, to avoid
-- underflow.
CREATE FUNCTION dlints_winner(
	arms text[],
	models dlints[],
	features dlints_vector DEFAULT '{1}',
	profile dlints_vector DEFAULT '{}',
	lowest double precision DEFAULT 0,
	highest double precision DEFAULT 1
) RETURNS TABLE (
	action text, events double precision, earns double precision, low double precision, high double precision,
	chance_best double precision, could_gain double precision, verdict text
) LANGUAGE sql STABLE
BEGIN ATOMIC
	WITH arm AS MATERIALIZED (
		SELECT a.n, a.action, r.events, r.mean_reward, r.earns, r.sigma ^ 2::double precision AS variance,
		       (r.sigma / least(greatest(p.stddev, r.sigma * 1e-7::double precision), r.sigma * 1e50::double precision))
		       ^ 2::double precision AS counts
		FROM   _dlints_arms(arms, models, lowest, highest) a, LATERAL dlints_info(a.model) i,
		       LATERAL (SELECT dlints_predict(a.model, features, profile) AS earns,
		                       dlints_stddev(a.model, features, profile) AS stddev) p,
		       LATERAL (SELECT greatest(i.sigma, 1e-50::double precision) AS sigma,
		                       CASE WHEN i.effective_sample_size > 1e-50::double precision
		                            THEN i.effective_sample_size ELSE 0::double precision END AS events,
		                       CASE WHEN abs(i.mean_reward) > 1e-50::double precision
		                            THEN i.mean_reward ELSE 0::double precision END AS mean_reward,
		                       CASE WHEN abs(p.earns) > 1e-50::double precision
		                            THEN p.earns ELSE 0::double precision END AS earns) r
		WHERE  a.action IS NOT NULL AND a.model IS NOT NULL),
	mean AS (
		SELECT sum(a.events) AS n, (lowest + highest) / 2::double precision AS middle, coalesce(
		           sum(a.events * a.mean_reward) / nullif(sum(a.events), 0::double precision), avg(a.earns)) AS mean
		FROM   arm a),
	total AS (
		SELECT max((m.n * m.mean + m.middle) / (m.n + 1::double precision)) AS mean,
		       (sum(a.events * (a.variance + (a.mean_reward - m.mean) ^ 2::double precision))
		        + max(m.n / (m.n + 1::double precision) * (m.mean - m.middle) ^ 2::double precision))
		       / max(m.n + 1::double precision) AS variance
		FROM   arm a CROSS JOIN mean m),
	belief AS MATERIALIZED (
		SELECT pg_catalog.row_number() OVER (ORDER BY a.n) AS place, a.action, a.events, a.earns, c.mean, c.n,
		       sqrt(least(a.variance, (c.mean - lowest) * (highest - c.mean))
		            / greatest(c.n - 1::double precision, 1::double precision)) AS stderr,
		       (a.counts * a.earns + t.mean) / (a.counts + 1::double precision) AS expected,
		       sqrt(greatest(a.variance, t.variance) / (a.counts + 1::double precision)) AS error
		FROM   arm a CROSS JOIN total t,
		       LATERAL (SELECT least(greatest(a.earns, lowest), highest) AS mean,
		                       greatest(floor(a.counts), 1::double precision) AS n) c),
	compared AS (
		SELECT c.*
		FROM  (SELECT pg_catalog.array_agg(b.mean ORDER BY b.place) AS means,
		              pg_catalog.array_agg(b.stderr ORDER BY b.place) AS stderrs,
		              pg_catalog.array_agg(b.n::bigint ORDER BY b.place) AS observations,
		              pg_catalog.array_agg(0::double precision ORDER BY b.place) AS prices,
		              pg_catalog.array_agg(b.expected ORDER BY b.place) AS expected,
		              pg_catalog.array_agg(b.error ORDER BY b.place) AS errors FROM belief b) a,
		       LATERAL _dlints_compare_arms(a.means, a.stderrs, a.observations, lowest, highest, a.prices, a.expected,
		                                    a.errors) c)
	SELECT b.action, b.events, b.earns, c.low, c.high, c.chance_best, c.could_gain, c.verdict
	FROM   belief b JOIN compared c ON c.n = b.place
	ORDER  BY c.chance_best DESC, b.earns DESC, b.place;
END;
COMMENT ON FUNCTION dlints_winner(
	text[], dlints[], dlints_vector, dlints_vector, double precision, double precision)
	IS 'compares arms that have a model each: expected reward, confidence bounds and the probability of being the best';
