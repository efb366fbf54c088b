-- A batch, an ordered aggregate, single updates and concatenated histories are
-- the same learning, to a relative 1e-10.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- the large one is for products of blocks
CREATE TEMP TABLE trained AS
SELECT name, discount, empty, singly(empty, 1, 200) AS model
FROM (SELECT name, discount, empty FROM kind UNION ALL SELECT 'n 120, d 24, discount 0.99', 0.99, one_memory(120, 24)) AS k;

SELECT plan(29 * 9 + 12 + 3 + 4 + 19);

SELECT cmp_ok(model_difference(model, other), '<=', 1e-10::float8, format('%s: %s', name, way))
FROM trained, LATERAL (VALUES
  ('batch', batch(empty, 1, 200)), ('batch after batch', batch(batch(empty, 1, 70), 71, 200)), ('evidence', evidence(empty, 1, 200)), ('reduced contexts', reduced(empty, 1, 200)),
  ('evidence after updates', singly(empty, 1, 77) || evidence(empty, 78, 200)),
  ('|| is associative', evidence(empty, 1, 10) || (evidence(empty, 11, 90) || evidence(empty, 91, 200))),
  ('dlints_concat_agg', (SELECT dlints_concat_agg(evidence(empty, p * 20 + 1, p * 20 + 20) ORDER BY p) FROM generate_series(0, 9) AS p))) AS v (way, other)
ORDER BY name, way;

-- a fading history read backwards is another one
SELECT is(evidence_difference(evidence(empty, 101, 200) || evidence(empty, 1, 100), model) > 1e-3, discount < 1, format('%s: || takes order to heart', name)) FROM trained ORDER BY name;

-- evidence leaves the model's own out, however much of it there is
SELECT ok(same_bytes(evidence(model, 1, 90), evidence(empty, 1, 90)), format('%s: evidence does not depend on what the model knows', name)) FROM trained ORDER BY name;

-- borders of blocks of 64
SELECT cmp_ok(model_difference(singly(empty, 1, rows), way), '<=', 1e-10::float8, format('%s rows: %s', rows, what))
FROM trained, (VALUES (1), (63), (64), (127), (128), (129)) AS b (rows), LATERAL (VALUES ('batch', batch(empty, 1, rows)), ('evidence', evidence(empty, 1, rows))) AS w (what, way)
WHERE name LIKE 'n 120%' ORDER BY rows, what;

-- counts, exact where they are sums of numbers that are
SELECT results_eq($$SELECT i.updates, i.effective_sample_size, i.mean_reward FROM dlints_info(dlints_update_batch(one_memory(1, NULL, 0.5), ARRAY[[1], [2], [3], [4]], ARRAY[1, 0, 2, 4])) AS i$$,
                  $$VALUES (4::bigint, 1.875::float8, (0.125 + 1 + 4)::float8 / 1.875)$$, 'weights and mean reward at discount 1/2');
SELECT results_eq($$SELECT i.updates, i.effective_sample_size, i.mean_reward FROM dlints_info((SELECT dlints_evidence(one_memory(1, NULL, 1), ARRAY[1]::real[], v % 4) FROM generate_series(1, 1000) AS v)) AS i$$,
                  $$VALUES (1000::bigint, 1000::float8, 1.5::float8)$$, 'weights and mean reward without discount');
SELECT is((dlints_update_batch(one_memory(1, NULL, 0.5), ARRAY[[1], [2], [3]], ARRAY[1, 2, 3])::jsonb #>> '{evidence,0,reward_square_sum}')::float8, (0.25 + 2 + 9)::float8, 'squared rewards are weighted once');

-- parameters are the left side's, evidence survives a change of them
CREATE TEMP TABLE few AS SELECT singly(empty, 1, 5) AS m, empty AS e, context(1, 7) AS x FROM kind WHERE name = 'plain, discount 0.9';
SELECT results_eq($$SELECT i.ridge, i.exploration, i.noise, i.sigma, i.policy, i.updates FROM few, dlints_info(dlints_set(m, 3, 0.5, 2, 'ucb') || dlints_set(m, 4, 0.25, 5, 'greedy')) AS i$$,
                  $$VALUES (3::float8, 0.5::float8, 2::float8, 2::float8, 'ucb', 10::bigint)$$, 'ridge, exploration, noise and policy of || are the left side''s');
SELECT cmp_ok(difference(dlints_mean(dlints_set(m, ridge => 9)), flat(solve(symmetric_matrix(memory_in_use(m) -> 'G', 9), column_of(numbers(memory_in_use(m) -> 'b'))))),
              '<=', 1e-12::float8, 'another ridge: the posterior of the same evidence under it') FROM few;
SELECT ok(same_bytes(dlints_set(dlints_set(m, 9, 2, 0, 'ucb'), (dlints_info(m)).ridge, (dlints_info(m)).exploration, 1, 'thompson'), m), 'a change of parameters can be taken back') FROM few;
SELECT ok(same_bytes(dlints_set(m), m) AND dlints_set(NULL, 1) IS NULL, 'nothing to set changes nothing') FROM few;

-- NULL: no observation is no change, and not a NULL model
SELECT ok(same_bytes(other, m), format('no change: %s', what)) FROM few, LATERAL (VALUES
  ('update, context', dlints_update(m, NULL::real[], 1)), ('update, double precision context', dlints_update(m, NULL::float8[], 1)), ('update, untyped context', dlints_update(m, NULL, 1)),
  ('update, reward', dlints_update(m, x, NULL)), ('update, shared context', dlints_update(m, x, NULL, 1)), ('batch, contexts', dlints_update_batch(m, NULL, ARRAY[1])),
  ('batch, rewards', dlints_update_batch(m, ARRAY[x], NULL)), ('batch, shared contexts', dlints_update_batch(m, ARRAY[x], NULL, ARRAY[1])), ('batch, empty', dlints_update_batch(m, '{}', '{}')),
  ('update_reduced, context', dlints_update_reduced(m, NULL, 1)), ('update_reduced, reward', dlints_update_reduced(m, x, NULL)), ('|| NULL', m || NULL), ('NULL ||', NULL || m),
  ('concat_agg', (SELECT dlints_concat_agg(v ORDER BY o) FROM (VALUES (1, NULL), (2, m), (3, NULL)) AS x (o, v)))) AS v (what, other) ORDER BY what;
SELECT ok(dlints_update(NULL, x, 1) IS NULL AND dlints_update(NULL, x, x, 1) IS NULL AND dlints_update_batch(NULL, ARRAY[x], ARRAY[1]) IS NULL
          AND dlints_update_reduced(NULL, x, 1) IS NULL AND (NULL::dlints || NULL::dlints) IS NULL, 'a NULL model stays NULL') FROM few;
SELECT ok((SELECT dlints_concat_agg(m) FROM few WHERE false) IS NULL AND (SELECT dlints_concat_agg(NULL::dlints) FROM few) IS NULL, 'concat_agg of nothing');
SELECT ok((SELECT dlints_evidence(m, x, 1) FROM few WHERE false) IS NULL AND (SELECT dlints_evidence(m, x, NULL) FROM few) IS NULL, 'evidence of nothing');
SELECT ok(same_bytes((SELECT dlints_evidence(m, x, r ORDER BY o) FROM (VALUES (1, context(1, 7), NULL::float8), (2, context(2, 7), 0.5), (3, NULL, 1), (4, context(4, 7), 0.25)) AS v (o, x, r)),
                     dlints_update_batch(e, ARRAY[context(2, 7), context(4, 7)], ARRAY[0.5, 0.25])), 'evidence skips NULL') FROM few;
SELECT is((SELECT (dlints_info(dlints_evidence(one_memory(2, 1, shared_dim => 1), ARRAY[1, o]::real[], u, 1))).updates FROM (VALUES (1, '{1}'::real[]), (2, NULL), (3, '{2}')) AS v (o, u)), 2::bigint, 'and rows without a shared context');
SELECT * FROM finish();
ROLLBACK;
