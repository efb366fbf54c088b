-- Functions to create and compare models

-- numbers without a short decimal form
CREATE FUNCTION numbers(count integer, seed integer) RETURNS real[] IMMUTABLE LANGUAGE sql AS $$
	SELECT ARRAY(SELECT sin(seed * i)::real FROM generate_series(1, count) i ORDER BY i) $$;

-- time of observation i
CREATE FUNCTION seen(i integer) RETURNS timestamptz IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT timestamptz '2026-01-01 00:00:00+00' + i * interval '1 hour' $$;

-- model with a number of observations
CREATE FUNCTION learned(new dlints, rows integer) RETURNS dlints IMMUTABLE LANGUAGE sql AS $$
	SELECT new || (
		SELECT dlints_evidence(new, numbers(dim, i), cos(i), numbers(profile_dim, i + 1), seen(i) ORDER BY i)
		FROM generate_series(1, rows) i)
	FROM dlints_info(new) $$;

-- largest difference of a sum, relative to its largest number; rewards are in b
CREATE FUNCTION distance(a dlints, b dlints) RETURNS float8 LANGUAGE sql AS $$
	SELECT max(d) FROM (
		SELECT max(abs(x::float8 - y::float8)) / max(abs(y::float8)) AS d
		FROM unnest('{updates, weight_total, reward_square_total, evidence[*].weight_sum,
		             evidence[*].weight_square_sum, evidence[*].b, evidence[*].G,
		             evidence[*].H, prior.b, prior.G}'::text[]) part,
		     format('$.%s.**{last} ? (@ <> null)', part) path,
		     ROWS FROM (jsonb_path_query(a::jsonb, path::jsonpath),
		                jsonb_path_query(b::jsonb, path::jsonpath)) AS p(x, y)
		GROUP BY part) s $$;
