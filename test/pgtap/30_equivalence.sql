-- A batch, an ordered aggregate, single updates and concatenated histories are
-- the same learning, to a relative 1e-10.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE shape AS
SELECT s.*, g.discount, dlints_new(n, d, discount, 0.7, seed => 5) AS empty
FROM (VALUES ('n 120, d 24', 120, 24), ('n 7', 7, NULL), ('n 300, d 60', 300, 60)) AS s (name, n, d),
     (VALUES (1.0::float8), (0.99), (0.5)) AS g (discount);

CREATE TEMP TABLE observation AS
SELECT n, i, context(i, n) AS x, number(i, 100000) AS r
FROM (SELECT DISTINCT n FROM shape) AS s, generate_series(1, 257) AS i;

CREATE FUNCTION learn_singly(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT * FROM observation WHERE n = (dlints_info(m)).context_dim AND i BETWEEN first AND last ORDER BY i LOOP
		m := dlints_update(m, o.x, o.r);
	END LOOP;
	RETURN m;
END
$$;

CREATE FUNCTION learn_reduced(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT * FROM observation WHERE n = (dlints_info(m)).context_dim AND i BETWEEN first AND last ORDER BY i LOOP
		m := dlints_update_reduced(m, dlints_project(m, o.x), o.r);
	END LOOP;
	RETURN m;
END
$$;

CREATE FUNCTION learn_batch(m dlints, first integer, last integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_update(m, array_agg(x ORDER BY i), array_agg(r ORDER BY i)) FROM observation
   WHERE n = (dlints_info(m)).context_dim AND i BETWEEN first AND last $$;

CREATE FUNCTION evidence(m dlints, first integer, last integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_evidence(m, x, r ORDER BY i) FROM observation
   WHERE n = (dlints_info(m)).context_dim AND i BETWEEN first AND last $$;

CREATE TEMP TABLE singly AS SELECT s.*, learn_singly(empty, 1, 200) AS model FROM shape AS s;

SELECT plan(9 * 7 + 18 + 3 + 12 + 4 + 5 + 19 + 6);

-- all 200 observations, each way
SELECT cmp_ok(model_difference(model, learn_batch(empty, 1, 200)), '<=', 1e-10::float8,
              format('%s, discount %s: batch = one by one', name, discount)) FROM singly ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, evidence(empty, 1, 200)), '<=', 1e-10::float8,
              format('%s, discount %s: evidence = one by one', name, discount)) FROM singly ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, learn_reduced(empty, 1, 200)), '<=', 1e-10::float8,
              format('%s, discount %s: reduced contexts = contexts', name, discount)) FROM singly ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, learn_singly(empty, 1, 77) || evidence(empty, 78, 200)), '<=', 1e-10::float8,
              format('%s, discount %s: m || e = learning e after m', name, discount)) FROM singly ORDER BY name, discount;
SELECT cmp_ok(model_difference((evidence(empty, 1, 10) || evidence(empty, 11, 90)) || evidence(empty, 91, 200),
                               evidence(empty, 1, 10) || (evidence(empty, 11, 90) || evidence(empty, 91, 200))), '<=', 1e-10::float8,
              format('%s, discount %s: || is associative', name, discount)) FROM singly ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, (SELECT dlints_concat_agg(evidence(empty, p * 20 + 1, p * 20 + 20) ORDER BY p)
                                       FROM generate_series(0, 9) AS p)), '<=', 1e-10::float8,
              format('%s, discount %s: dlints_concat_agg in order', name, discount)) FROM singly ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, learn_batch(learn_batch(empty, 1, 70), 71, 200)), '<=', 1e-10::float8,
              format('%s, discount %s: batch after batch', name, discount)) FROM singly ORDER BY name, discount;

-- order: a fading history read backwards is another one
SELECT is(evidence_difference(evidence(empty, 101, 200) || evidence(empty, 1, 100), model) > 1e-3, discount < 1,
          format('%s, discount %s: || takes order to heart', name, discount)) FROM singly ORDER BY name, discount;
SELECT is(evidence_difference((SELECT dlints_evidence(empty, x, r ORDER BY i DESC) FROM observation AS o WHERE o.n = s.n AND o.i <= 200), model) > 1e-3, discount < 1,
          format('%s, discount %s: dlints_evidence takes order to heart', name, discount)) FROM singly AS s ORDER BY name, discount;

-- evidence leaves the model's own out, however much of it there is
SELECT ok(same_bytes(evidence(model, 1, 90), evidence(empty, 1, 90)), format('discount %s: evidence does not depend on what the model knows', discount))
FROM singly WHERE n = 7 ORDER BY discount;

-- block borders
SELECT cmp_ok(model_difference(learn_singly(empty, 1, rows), way), '<=', 1e-10::float8, format('%s rows: %s', rows, what))
FROM shape, (VALUES (1), (64), (127), (128), (129), (257)) AS b (rows),
     LATERAL (VALUES ('batch', learn_batch(empty, 1, rows)), ('evidence', evidence(empty, 1, rows))) AS w (what, way)
WHERE n = 120 AND discount = 0.99 ORDER BY rows, what;

-- real[] and double precision[] that hold the same numbers
SELECT ok(same_bytes(dlints_update(empty, x::real[], r), dlints_update(empty, x::real[]::float8[], r)), 'update: real[] = double precision[]')
FROM shape JOIN observation USING (n) WHERE n = 120 AND discount = 0.99 AND i = 1;
SELECT ok(same_bytes(dlints_update(empty, (SELECT array_agg(x::real[] ORDER BY i) FROM observation AS o WHERE o.n = 120), r),
                     dlints_update(empty, (SELECT array_agg(x::real[]::float8[] ORDER BY i) FROM observation AS o WHERE o.n = 120), r)), 'batch: real[] = double precision[]')
FROM shape, (SELECT array_agg(r ORDER BY i) FROM observation WHERE n = 120) AS a (r) WHERE n = 120 AND discount = 0.99;
SELECT ok(same_bytes(dlints_evidence(empty, x::real[], r ORDER BY i), dlints_evidence(empty, x::real[]::float8[], r ORDER BY i)), 'evidence: real[] = double precision[]')
FROM shape JOIN observation USING (n) WHERE n = 120 AND discount = 0.99;
SELECT ok(same_bytes(dlints_update_reduced(empty, x::real[], r), dlints_update_reduced(empty, x::real[]::float8[], r)), 'update_reduced: real[] = double precision[]')
FROM shape JOIN observation USING (n) WHERE n = 7 AND discount = 0.99 AND i = 1;

-- counts, exact where they are sums of numbers that are
SELECT results_eq($$SELECT i.updates, i.effective_sample_size, i.mean_reward
                    FROM dlints_info(dlints_update(dlints_new(1, NULL, 0.5), ARRAY[[1], [2], [3], [4]]::float8[], ARRAY[1, 0, 2, 4]::float8[])) AS i$$,
                  $$VALUES (4::bigint, 1.875::float8, (0.125 + 1 + 4)::float8 / 1.875)$$, 'weights and mean reward at discount 1/2');
SELECT results_eq($$SELECT i.updates, i.effective_sample_size, i.mean_reward
                    FROM dlints_info((SELECT dlints_evidence(dlints_new(1, NULL, 1), ARRAY[1]::real[], v % 4) FROM generate_series(1, 1000) AS v)) AS i$$,
                  $$VALUES (1000::bigint, 1000::float8, 1.5::float8)$$, 'weights and mean reward without discount');
SELECT results_eq($$SELECT i.updates, i.effective_sample_size, i.mean_reward FROM dlints_info(dlints_new(3)) AS i$$,
                  $$VALUES (0::bigint, 0::float8, NULL::float8)$$, 'and of a new model');
SELECT is((dlints_info(l || r)).updates, 5::bigint, '|| adds the updates') FROM
  (SELECT dlints_update(e, ARRAY[[1], [2]]::float8[], ARRAY[1, 1]::float8[]), dlints_update(e, ARRAY[[1], [2], [3]]::float8[], ARRAY[0, 0, 1]::float8[])
   FROM (SELECT dlints_new(1, NULL, 0.5)) AS n (e)) AS h (l, r);
SELECT is((dlints_update(dlints_new(1, NULL, 0.5), ARRAY[[1], [2], [3]]::float8[], ARRAY[1, 2, 3]::float8[])::jsonb ->> 'reward_square_sum')::float8,
          (0.25 + 2 + 9)::float8, 'squared rewards are weighted once');

-- NULL: no observation is no change, and not a NULL model
CREATE TEMP TABLE few AS SELECT learn_singly(empty, 1, 5) AS m, empty AS e FROM shape WHERE n = 7 AND discount = 0.99;
SELECT ok(same_bytes(dlints_update(m, NULL::real[], 1), m), 'update: NULL context') FROM few;
SELECT ok(same_bytes(dlints_update(m, NULL::float8[], 1), m), 'update: NULL double precision context') FROM few;
SELECT ok(same_bytes(dlints_update(m, context(1, 7), NULL::float8), m), 'update: NULL reward') FROM few;
SELECT ok(same_bytes(dlints_update(m, NULL::real[], ARRAY[1]::float8[]), m), 'batch: NULL contexts') FROM few;
SELECT ok(same_bytes(dlints_update(m, ARRAY[context(1, 7)], NULL::float8[]), m), 'batch: NULL rewards') FROM few;
SELECT ok(same_bytes(dlints_update(m, '{}'::real[], '{}'::float8[]), m), 'batch: empty') FROM few;
SELECT ok(same_bytes(dlints_update_reduced(m, NULL::real[], 1), m), 'update_reduced: NULL context') FROM few;
SELECT ok(same_bytes(dlints_update_reduced(m, context(1, 7), NULL), m), 'update_reduced: NULL reward') FROM few;
SELECT ok(dlints_update(NULL, context(1, 7), 1::float8) IS NULL AND dlints_update(NULL, ARRAY[context(1, 7)], ARRAY[1]::float8[]) IS NULL
          AND dlints_update_reduced(NULL, context(1, 7), 1) IS NULL, 'a NULL model stays NULL');
SELECT ok(same_bytes(m || NULL, m), 'm || NULL') FROM few;
SELECT ok(same_bytes(NULL || m, m), 'NULL || m') FROM few;
SELECT ok((NULL::dlints || NULL::dlints) IS NULL, 'NULL || NULL');
SELECT ok(same_bytes(m || e, m), 'm || a model that has seen nothing') FROM few;
SELECT ok(same_bytes((SELECT dlints_concat_agg(v ORDER BY o) FROM (VALUES (1, NULL), (2, m), (3, NULL)) AS x (o, v)), m), 'concat_agg skips NULL') FROM few;
SELECT ok((SELECT dlints_concat_agg(m) FROM few WHERE false) IS NULL, 'concat_agg of nothing');
SELECT ok((SELECT dlints_concat_agg(NULL::dlints) FROM few) IS NULL, 'concat_agg of NULL');
SELECT ok((SELECT dlints_evidence(m, context(1, 7), 1) FROM few WHERE false) IS NULL, 'evidence of nothing');
SELECT ok((SELECT dlints_evidence(m, context(1, 7), NULL) FROM few) IS NULL, 'evidence of NULL rewards');
SELECT ok(same_bytes((SELECT dlints_evidence(m, x, r ORDER BY o) FROM (VALUES (1, context(1, 7), NULL::float8), (2, context(2, 7), 0.5),
                                                                       (3, NULL, 1), (4, context(4, 7), 0.25)) AS v (o, x, r)),
                     dlints_update(e, ARRAY[context(2, 7), context(4, 7)], ARRAY[0.5, 0.25]::float8[])), 'evidence skips NULL') FROM few;

-- parameters are the left side's, evidence survives a change of them
SELECT results_eq($$SELECT i.ridge, i.exploration, i.updates FROM few, dlints_info(dlints_set(m, 3, 0.5) || dlints_set(m, 4, 0.25)) AS i$$,
                  $$VALUES (3::float8, 0.5::float8, 10::bigint)$$, 'ridge and exploration of || are the left side''s');
SELECT cmp_ok(difference(dlints_mean(dlints_set(m, ridge => 9)), flat(solve(symmetric_matrix(m::jsonb -> 'G', 9), column_of(numbers(m::jsonb -> 'b'))))),
              '<=', 1e-12::float8, 'another ridge: the posterior of the same evidence under it') FROM few;
SELECT is(evidence_difference(dlints_set(m, 9, 2, 'thompson'), m), 0::float8, 'dlints_set keeps the evidence') FROM few;
SELECT ok(same_bytes(dlints_set(dlints_set(m, 9, 2), (dlints_info(m)).ridge, (dlints_info(m)).exploration), m), 'and its change can be taken back') FROM few;
SELECT ok(same_bytes(dlints_set(m), m) AND dlints_set(NULL, 1) IS NULL, 'nothing to set changes nothing') FROM few;
SELECT ok(dlints_new(3, 2, 0.99, 1, 0.1, 0, NULL, 'thompson')::text = dlints_new(3, 2)::text, 'the defaults');

SELECT * FROM finish();
ROLLBACK;
