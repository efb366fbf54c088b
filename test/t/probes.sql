-- Queries on a model from hostile input, each of which must return true or raise a proper error.  $1 is the model,
-- $2 features and $3 a profile of its lengths (any length if the model has no profiles), real[].  Every function of
-- the extension must be called here; 020_mutated_values.pl checks this.
CREATE FUNCTION finite(VARIADIC float8[]) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
	SELECT bool_and(v > '-Infinity' AND v < 'Infinity') FROM unnest($1) v $$;
-- the model has finite numbers, and equals its text form
CREATE FUNCTION sound(dlints) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
	SELECT dlints_send($1) = dlints_send($1::text::dlints)
	   AND dlints_send($1) = dlints_send($1::jsonb::dlints)
	   AND $1 = $1::text::dlints
	   AND $1::text !~ 'NaN|Inf' $$;
-- the model concatenated with itself, and retracted if possible: invalid numbers may be refused
CREATE FUNCTION taken_back(m dlints) RETURNS dlints LANGUAGE plpgsql AS $$
	BEGIN
		IF (SELECT half_life IS NULL AND (memories > 1 OR discount < 1) FROM dlints_info(m)) THEN
			RETURN m;
		END IF;
		RETURN (m || dlints_set(m, ridge => 3)) - m;
	EXCEPTION WHEN invalid_parameter_value THEN
		IF SQLERRM <> 'cannot retract evidence that the model does not contain' THEN
			RAISE;
		END IF;
		RETURN m;
	END $$;
-- the model, or a model of its sizes that needs no times
CREATE FUNCTION by_count(dlints) RETURNS dlints IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN half_life IS NULL THEN $1
		ELSE dlints_new(dim, reduced_dim, interactions, discount => 1,
		intercept => intercept) END
	FROM dlints_info($1) $$;
-- type modifier of a column for the model
CREATE FUNCTION sizes(dlints) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT concat_ws(',', dim, reduced_dim, interactions, CASE WHEN intercept THEN 'intercept' END)
	FROM dlints_info($1) $$;

-- "profile": is a profile passed?  NULL if there is none to pass.  A model without profiles must refuse any with
-- 22023; for a matched model a missing profile is zeros.
CREATE TABLE probe (name text, query text, profile boolean);
INSERT INTO probe VALUES
	('text, jsonb', 'sound($1)'),
	('from_jsonb', 'dlints_from_jsonb(dlints_to_jsonb($1)) = $1'),
	('out', 'dlints_out($1)::text::dlints = $1'),
	('in', 'dlints_in($1::text::cstring, 0, -1) = $1'),
	('eq', 'dlints_eq($1, $1) AND NOT dlints_ne($1, $1)'),
	('hash', 'dlints_hash($1) = dlints_hash($1::text::dlints)'),
	('typmod',
	 'dlints($1, dlints_typmod_in(concat(''{'', sizes($1), ''}'')::cstring[]), false) = $1'),
	('typmod_out',
	 'dlints_typmod_out(dlints_typmod_in(concat(''{'', sizes($1),
		''}'')::cstring[]))::text = concat(''('', sizes($1), '')'')'),
	('new',
	 'sound((SELECT dlints_new(i.dim, i.reduced_dim, i.interactions, i.half_life, i.discount,
		i.memories, i.ridge, i.exploration, i.noise, i.policy, i.intercept,
		 i.seed, i.projection_scale) FROM dlints_info($1) i))'),
	('set', 'sound(dlints_set($1, ridge => 2, exploration => 3, noise => 1, policy => ''ucb''))'),
	('with_prior', 'sound(dlints_with_prior($1, $1, 0.5))'),
	('set noise', 'sound(dlints_set($1, noise => 0))'),
	('scale', 'sound(0.5 * $1) AND dlints_scale(2, $1) = 2 * $1'),
	('at',
	 'sound(dlints_at($1, coalesce((SELECT newest
		FROM dlints_info($1)), now()) + interval ''1 hour''))'),
	('retract', 'dlints_retract($1, NULL) = $1 AND sound(taken_back($1))'),
	('vector',
	 '(SELECT $2::numeric[]::dlints_vector::text = $2::float8[]::dlints_vector::text
		AND dlints_vector_in(dlints_vector_out($2::float8[]))::text = $2::text
		FROM dlints_info($1))'),
	('draw', 'finite(VARIADIC dlints_draw($1))'),
	('mean', 'finite(VARIADIC dlints_mean($1))'),
	('covariance', 'finite(VARIADIC dlints_covariance($1))'),
	('info',
	 '(SELECT finite(coalesce(i.discount, 1), i.lambda, i.exploration, coalesce(i.projection_scale,
		0), i.sigma,
		i.effective_sample_size, coalesce(i.mean_reward, 0)) FROM dlints_info($1) i)'),
	('accepts', 'dlints_accepts($1, $2, at => now())'),
	('accepts a profile',
	 '(SELECT dlints_accepts($1, $2, 1, $3, now(), 2) = (interactions IS NOT NULL)
		FROM dlints_info($1))'),
	('concat', 'sound($1 || $1) AND sound(dlints_concat($1, dlints_set($1, ridge => 3)))'),
	('concat_agg', 'sound((SELECT dlints_concat_agg($1) FROM generate_series(1, 3)))'),
	('prices',
	 '(SELECT finite(VARIADIC ARRAY(SELECT unnest(p)))
		FROM (SELECT dlints_prices(ARRAY[m, 1], ARRAY[[m, 2]], 1, ''{0}'') AS p FROM unnest(dlints_mean($1)) m) v)'),
	('ndcg', '(SELECT finite(dlints_ndcg(abs(m), m, 3)) FROM unnest(dlints_mean($1) || 1::float8) m)'),
	('tie_keys', 'finite(VARIADIC dlints_tie_keys(ARRAY[1, 2], hashtext($1::text)))'),
	('bounds', '(SELECT finite(low, high) FROM dlints_info($1) i,
		dlints_bounds(0, 0, greatest(i.updates, 1)))'),
	('encode',
	 '(SELECT finite(VARIADIC dlints_encode(9, ''policy'', i.policy, ''n'', i.dim))
		AND finite(VARIADIC dlints_encode(9, to_jsonb(i.policy))) FROM dlints_info($1) i)'),
	('fourier', '(SELECT finite(VARIADIC dlints_fourier($2[:8], 3, 1)) FROM dlints_info($1))'),
	('pack', '(SELECT finite(VARIADIC dlints_unpack(dlints_pack($2), 1))
		AND finite(VARIADIC dlints_unpack(dlints_pack(ARRAY[$2, $2], 8), 2))
		AND finite(VARIADIC dlints_contrast(dlints_pack(ARRAY[$2, $2]), 2, ''{1,3}''))
		AND dlints_dot($2::float8[], dlints_vector(dlints_pack($2))) >= 0 FROM dlints_info($1))'),
	('profile',
	 '(SELECT finite(VARIADIC dlints_profile(x) || dlints_profile(x,
		0.5) || dlints_profile(x::float8[]) || dlints_profile(x::float8[], -2))
		FROM dlints_info($1), LATERAL (SELECT $2) v (x))'),
	('profile in parts', '(SELECT finite(VARIADIC dlints_profile_finalfn(dlints_profile_combinefn(
		dlints_profile_transfn(dlints_profile_transfn(NULL, $2), $2, 2),
		dlints_profile_transfn(dlints_profile_transfn(NULL, $2::float8[]), $2::float8[], 2))))
		FROM dlints_info($1))'),
	('factors',
	 '(SELECT bool_and(finite(VARIADIC features)) FROM dlints_factors(''SELECT i, i % 2
		FROM generate_series(1, 3) i'', 2, ''SELECT 1, ARRAY[2, 3]'', (SELECT seed
		FROM dlints_info($1)))
		AS f (item integer, features float8[]))'),
	('neighbours',
	 '(SELECT bool_and(finite(VARIADIC weights)) FROM dlints_neighbours(''SELECT 1, i
		FROM generate_series(1, 3) i'', (SELECT 1 + updates % 3 FROM dlints_info($1)))
		AS f (item integer, neighbours integer[], weights float8[]))'),
	('policy_value',
	 '(SELECT (v).observations = count AND finite((v).ips)
		FROM (SELECT dlints_policy_value(m, 1, 0.5), count(*)
		FROM unnest(dlints_mean($1)) m) s (v, count))'),
	('policy_value with a model',
	 '(SELECT (v).observations = count AND finite((v).dr)
		FROM (SELECT dlints_policy_value(1, 1, 0.5, m, m), count(*)
		FROM unnest(dlints_mean($1)) m) s (v, count))');

-- calls with features and profiles of both types: %1$s features, %2$s the argument after the task, %3$s that of a
-- batch, %4$s for aggregates, which require one
INSERT INTO probe
SELECT min(q.name || f.name), format(q.query, f.features, coalesce(', ' || f.profile, ''),
		coalesce(', ARRAY[' || f.profile || ', ' || f.profile || ']', ''),
		coalesce(f.profile, '''{}''')),
	f.profile IS NOT NULL AND q.query ~ '%[234]'
FROM (VALUES
	('draw_weights', 'finite(VARIADIC dlints_draw_weights($1%2$s, seed => 1))'),
	('draw_weights of several', 'finite(VARIADIC ARRAY(SELECT unnest(dlints_draw_weights($1, %4$s, 1, 3))))'),
	('dot', 'finite(dlints_dot(dlints_weights($1%2$s), %1$s))'),
	('weights', 'finite(VARIADIC dlints_weights($1%2$s))'),
	('project', 'finite(VARIADIC dlints_project($1, %1$s%2$s))'),
	('predict', 'finite(dlints_predict($1, %1$s%2$s))'),
	('stddev', 'finite(dlints_stddev($1, %1$s%2$s))'),
	('explain', '(SELECT bool_and(finite(contribution, stddev)) FROM dlints_explain($1, %1$s%2$s))'),
	('update', 'sound(dlints_update($1, %1$s, 1%2$s, at => now()))'),
	('update_batch',
	 'sound(dlints_update_batch($1, ARRAY[%1$s, %1$s], ARRAY[1, 2]%3$s,
		ats => ARRAY[now(), now()]))'),
	('evidence', 'sound((SELECT dlints_evidence(by_count($1), %1$s, i%2$s) FROM generate_series(1, 2) i))'),
	('evidence at', 'sound((SELECT dlints_evidence($1, %1$s, i, %4$s, now()) FROM generate_series(1, 2) i))'),
	('evidence weighed', 'sound((SELECT dlints_evidence($1, %1$s, i, %4$s, now(), i) FROM generate_series(1, 2) i))'),
	('progressive',
	 '(SELECT finite(VARIADIC array_agg(p))
		FROM (SELECT dlints_progressive($1, %1$s, i%2$s, at => now()) OVER (ORDER BY i)
		FROM generate_series(1, 3) i) s (p))'),
	('recommend', '(SELECT dlints_recommend($1, i, %1$s) FROM generate_series(1, 2) i) IN (1, 2)'),
	('recommend k',
	 '(SELECT dlints_recommend($1, i, %1$s, 2%2$s)
		FROM generate_series(1, 3) i) <@ ARRAY[1, 2, 3]'),
	('recommend by ucb',
	 '(SELECT dlints_recommend(dlints_set($1, policy => ''ucb''), i, %1$s, 1%2$s)
		FROM generate_series(1, 2) i) <@ ARRAY[1, 2]'),
	('decide',
	 '(SELECT bool_and(finite(score, probability)) AND count(rank) = 2
		FROM dlints_decide($1, ''{1,2,3}''::integer[], ARRAY[%1$s, %1$s, %1$s], 2%2$s, draws => 20))'),
	('decide, all items',
	 '(SELECT bool_and(finite(score, probability)) AND count(rank) = 2
		AND abs(sum(probability) - 2) < 1e-9
		FROM dlints_decide($1, ''{1,2,3}''::integer[], ARRAY[%1$s, %1$s, %1$s], 2%2$s, draws => 20, all_items => true))'),
	('recommend arms',
	 '(SELECT dlints_recommend_arms(dlints_set($1, exploration => i), i, %1$s, 2%2$s)
		FROM generate_series(1, 3) i) <@ ARRAY[1, 2, 3]'),
	('decide by ucb',
	 '(SELECT bool_and(finite(score, probability)) AND count(rank) = 1
		FROM dlints_decide(dlints_set($1, policy => ''ucb''), ''{1,2}''::integer[],
		ARRAY[%1$s, %1$s], 1%2$s, epsilon => 0.5, draws => 2))'),
	('decide with a cap',
	 '(SELECT bool_and(finite(score, probability)) AND count(rank) = 1
		FROM dlints_decide($1, ''{1,2}''::integer[], ARRAY[%1$s, %1$s], 2%2$s, draws => 2,
		bonus => ''{1,2}'', cap_group => ''{a,a}'', cap => 1))'),
	('decide with diversity',
	 '(SELECT bool_and(finite(score, probability)) AND count(rank) = 2
		FROM dlints_decide($1, ''{1,2,3}''::integer[], ARRAY[%1$s, %1$s, %1$s], 2%2$s, draws => 10,
		similar_by => ''{{1,0},{1,1},{0,1}}'', diversity => 0.5))'),
	('winner',
	 '(SELECT bool_and(finite(earns, chance_best, could_gain)) AND abs(sum(chance_best) - 1) < 1e-9
		FROM dlints_winner(''{a,b}'', ARRAY[$1, $1], %1$s%2$s))'))
	q (name, query),
(VALUES
	('', '$2', NULL),
	(', double precision', '$2::float8[]', NULL),
	(', profile', '$2', '$3'),
	(', double precision profile', '$2', '$3::float8[]'),
	(', double precision, profile', '$2::float8[]', '$3'),
	(', both double precision', '$2::float8[]', '$3::float8[]')) f (name, features, profile)
GROUP BY 2, 3;
