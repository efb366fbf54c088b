-- Questions to a model that came from hostile input, each to be answered with
-- true or a clean error.  $1 is the model, $2 a context of its length, real[].
-- Every function of the extension is to be named here; 020_mutated_values.pl
-- finds out if one is not.
CREATE FUNCTION finite(VARIADIC float8[]) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
	SELECT bool_and(v > '-Infinity' AND v < 'Infinity') FROM unnest($1) v $$;
-- a model whose numbers are finite, and which is what its text says
CREATE FUNCTION sound(dlints) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
	SELECT dlints_send($1) = dlints_send($1::text::dlints)
	   AND dlints_send($1) = dlints_send($1::jsonb::dlints)
	   AND $1 = $1::text::dlints
	   AND $1::text !~ 'NaN|Inf' $$;

CREATE TABLE probe (name text, query text);
INSERT INTO probe VALUES
	('text, jsonb', 'sound($1)'),
	('from_jsonb', 'dlints_from_jsonb(dlints_to_jsonb($1)) = $1'),
	('out', 'dlints_out($1)::text::dlints = $1'),
	('in', 'dlints_in($1::text::cstring, 0, -1) = $1'),
	('eq', 'dlints_eq($1, $1) AND NOT dlints_ne($1, $1)'),
	('hash', 'dlints_hash($1) = dlints_hash($1::text::dlints)'),
	('hash_extended', 'dlints_hash_extended($1, 7) = dlints_hash_extended($1::text::dlints, 7)'),
	('typmod', '(SELECT dlints($1, dlints_typmod_in(concat(''{'', concat_ws('','', i.context_dim, i.reduced_dim), ''}'')::cstring[]), false) = $1 FROM dlints_info($1) i)'),
	('typmod_out', '(SELECT dlints_typmod_out(dlints_typmod_in(concat(''{'', concat_ws('','', i.context_dim, i.reduced_dim), ''}'')::cstring[]))::text = concat(''('', concat_ws('','', i.context_dim, i.reduced_dim), '')'') FROM dlints_info($1) i)'),
	('new', 'sound((SELECT dlints_new(i.context_dim, i.reduced_dim, i.discount, i.ridge, i.exploration, i.seed, i.projection_scale, i.policy) FROM dlints_info($1) i))'),
	('set', 'sound(dlints_set($1, ridge => 2, exploration => 3, policy => ''ucb''))'),
	('draw', 'finite(VARIADIC dlints_draw($1))'),
	('draw_weights', 'finite(VARIADIC dlints_draw_weights($1, 1))'),
	('dot', 'finite(dlints_dot(dlints_weights($1), $2), dlints_dot(dlints_weights($1), $2::float8[]))'),
	('mean', 'finite(VARIADIC dlints_mean($1))'),
	('weights', 'finite(VARIADIC dlints_weights($1))'),
	('covariance', 'finite(VARIADIC dlints_covariance($1))'),
	('project', 'finite(VARIADIC dlints_project($1, $2) || dlints_project($1, $2::float8[]))'),
	('predict', 'finite(dlints_predict($1, $2), dlints_predict($1, $2::float8[]))'),
	('stddev', 'finite(dlints_stddev($1, $2), dlints_stddev($1, $2::float8[]))'),
	('info', '(SELECT finite(i.discount, i.ridge, i.exploration, coalesce(i.projection_scale, 0),
		i.effective_sample_size, coalesce(i.mean_reward, 0)) FROM dlints_info($1) i)'),
	('coefficients', '(SELECT bool_and(finite(mean, stddev)) FROM dlints_coefficients($1))'),
	('update', 'sound(dlints_update($1, $2, 1)) AND sound(dlints_update($1, $2::float8[], 1))'),
	('update_batch', 'sound(dlints_update($1, ARRAY[$2, $2], ARRAY[1, 2]))'),
	('update_reduced', 'sound(dlints_update_reduced($1, dlints_mean($1), 1))'),
	('evidence', 'sound((SELECT dlints_evidence($1, $2, i) FROM generate_series(1, 2) i))'),
	('concat', 'sound($1 || $1) AND sound(dlints_concat($1, dlints_update($1, $2, 1)))'),
	('concat_agg', 'sound((SELECT dlints_concat_agg($1) FROM generate_series(1, 3)))'),
	('recommend', '(SELECT dlints_recommend($1, i, $2) FROM generate_series(1, 2) i) = 1'),
	('recommend by ucb', '(SELECT dlints_recommend(dlints_set($1, policy => ''ucb''), i, $2::float8[]) FROM generate_series(1, 2) i) = 1'),
	('recommend k', '(SELECT dlints_recommend($1, i, $2, 2) FROM generate_series(1, 3) i) = ARRAY[1, 2]'),
	('top', '(SELECT dlints_argmax(i, m) = (dlints_top(i, m, 2))[1] FROM unnest(dlints_mean($1)) WITH ORDINALITY u (m, i))'),
	('ndcg', '(SELECT finite(dlints_ndcg(abs(m), m, 3)) FROM unnest(dlints_mean($1) || 1::float8) m)');
