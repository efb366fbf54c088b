-- A batch, an ordered aggregate, single updates and concatenated histories train equal models, to a relative 1e-10.
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT name, forgets, weighted AS w, empty, singly(empty, 1, 80, weighted) AS m
FROM learner
WHERE forgets IN ('nothing', 'by count, weighted', 'three memories', 'two by time, weighted');

SELECT plan(186);

SELECT is(string_agg(format('%s: %s', way, d), ', ') FILTER (WHERE (d <= 1e-10) IS NOT TRUE), NULL, name)
FROM trained, LATERAL (VALUES
    ('batch', batch(empty, 1, 80, w)),
    ('batch after batch', batch(batch(empty, 1, 33, w), 34, 80, w)),
    ('evidence', evidence(empty, 1, 80, w)),
    ('evidence after updates', singly(empty, 1, 27, w) || evidence(empty, 28, 80, w)),
    ('|| is associative', evidence(empty, 1, 10, w) || (batch(empty, 11, 50, w) || evidence(empty, 51, 80, w))),
    ('dlints_concat_agg', (SELECT dlints_concat_agg(evidence(empty, p, p + 19, w) ORDER BY p)
                           FROM generate_series(1, 61, 20) AS p)),
    ('text, jsonb, binary, and on', evidence(empty, 1, 45, w)::text::dlints::jsonb::dlints
                                    || receive(dlints_send(evidence(empty, 46, 80, w)))),
    ('weighed and put right', 0.25 * (4 * m))) AS v (way, other), model_difference(m, other) AS d
GROUP BY name ORDER BY name;

-- forgetting by time, in any order; bit by bit for two parts
SELECT is(string_agg(format('%s: %s', way, d), ', ') FILTER (WHERE (d <= 1e-10) IS NOT TRUE),
    NULL, format('%s: order', name))
FROM trained, LATERAL (VALUES
    ('any order', evidence(empty, 1, 80, w, 'i % 7, i')),
    ('parts', (SELECT dlints_concat_agg(evidence(empty, p, p + 3, w) ORDER BY p % 7, p)
               FROM generate_series(1, 77, 4) AS p)),
    ('taken back', (evidence(empty, 21, 80, w) || m) - evidence(empty, 21, 80, w, '-i')),
    ('to the bit', (SELECT CASE WHEN same_bytes(a || b, b || a) THEN m END
                    FROM batch(empty, 1, 40, w) AS a, batch(empty, 41, 80, w) AS b)))
    AS v (way, other), model_difference(m, other) AS d
WHERE forgets LIKE '%by time%' GROUP BY name ORDER BY name;
-- with a discount, the reverse order trains another model
SELECT is(evidence_difference(evidence(empty, 41, 80, w) || evidence(empty, 1, 40, w), m) > 1e-3,
    forgets ~ 'count|memories', format('%s: || takes order to heart', name))
FROM trained ORDER BY name;
-- dlints_evidence does not include the model's own evidence
SELECT ok(same_bytes(evidence(m, 1, 60, w), evidence(empty, 1, 60, w)),
    format('%s: evidence does not depend on what the model knows', name))
        FROM trained ORDER BY name;

-- histories around multiples of the block size, 64
SELECT cmp_ok(model_difference(singly(m, 1, rows), way), '<=', 1e-10::float8, format('%s rows: %s', rows, what))
FROM one_memory(120, 24) AS m, (VALUES (1), (63), (64), (127), (128), (129)) AS b (rows),
    LATERAL (VALUES ('batch', batch(m, 1, rows)), ('evidence', evidence(m, 1, rows))) AS w (what, way)
ORDER BY rows, what;

-- counts, exact for sums of exact numbers
CREATE TEMP VIEW counted AS
SELECT dlints_update_batch(one_memory(1, NULL, 0.5), ARRAY[[1], [2], [3], [4]], ARRAY[1, 0, 2, 4]) AS halved,
    (SELECT dlints_evidence(one_memory(1, NULL, 1), ARRAY[1]::real[], v % 4)
     FROM generate_series(1, 1000) AS v) AS summed;
SELECT each_holds($$
    (SELECT (updates, effective_sample_size, mean_reward)
        = (4, 1.875, (0.125 + 1 + 4) / 1.875::float8)
        FROM dlints_info(halved))
    (SELECT (updates, effective_sample_size, mean_reward) = (1000, 1000, 1.5)
     FROM dlints_info(summed))
    (memory_in_use(halved) -> 'reward_square_sum')::float8 = 0.125 + 2 + 16
    $$, 'FROM counted');

-- parameters are those of the left side, and evidence does not depend on them
CREATE TEMP TABLE few AS
SELECT singly(empty, 1, 5) AS m, empty AS e, features(1, 7) AS x
FROM kind WHERE name = 'plain, discount 0.9';
SELECT each_holds($$
    (SELECT (ridge, exploration, noise, sigma, policy, updates) = (3, 0.5, 2, 2, 'ucb', 10)
        FROM dlints_info(dlints_set(m, 3, 0.5, 2, 'ucb') || dlints_set(m, 4, 0.25, 5, 'greedy')))
    (SELECT difference(times(z_matrix(r), dlints_mean(r)), numbers(memory_in_use(m) -> 'b'))
        <= 1e-12
        FROM dlints_set(m, ridge => 9) AS r)
    same_bytes(dlints_set(dlints_set(m, 9, 2, 0, 'ucb'), 0.7, 0.3, 1, 'thompson'), m)
    same_bytes(dlints_set(m), m)
    dlints_set(NULL, 1) IS NULL
    $$, 'FROM few');

-- NULL observations change nothing, and a NULL model gives NULL
SELECT each_holds(format('same_bytes(%s, m)', call), 'FROM few') FROM lines($$
    dlints_update(m, NULL::real[], 1)
    dlints_update(m, NULL::float8[], 1)
    dlints_update(m, NULL, 1)
    dlints_update(m, x, NULL)
    dlints_update(m, x, 1, NULL)
    dlints_update_batch(m, NULL, ARRAY[1])
    dlints_update_batch(m, ARRAY[x], NULL)
    dlints_update_batch(m, ARRAY[x], ARRAY[1], NULL)
    dlints_update_batch(m, '{}', '{}')
    m || NULL
    NULL || m
    (SELECT dlints_concat_agg(v ORDER BY o) FROM (VALUES (1, NULL), (2, m), (3, NULL)) AS x (o, v))
    $$) AS call;
SELECT each_holds($$
    dlints_update(NULL, x, 1) IS NULL
    dlints_update(NULL, x, 1, x) IS NULL
    dlints_update_batch(NULL, ARRAY[x], ARRAY[1]) IS NULL
    (NULL::dlints || NULL::dlints) IS NULL
    (SELECT dlints_concat_agg(m) FROM few WHERE false) IS NULL
    (SELECT dlints_concat_agg(NULL::dlints) FROM few) IS NULL
    (SELECT dlints_evidence(m, x, 1) FROM few WHERE false) IS NULL
    (SELECT dlints_evidence(m, x, NULL) FROM few) IS NULL
    0 * m = e
    $$, 'FROM few');
SELECT ok(same_bytes(dlints_evidence(e, CASE WHEN i <> 2 THEN features(i, 7) END,
                                     CASE WHEN i <> 3 THEN i END ORDER BY i),
                     dlints_update_batch(min(e::text)::dlints, ARRAY[features(1, 7),
                         features(4, 7)], ARRAY[1, 4])), 'evidence skips NULL')
FROM few, generate_series(1, 4) AS i;
SELECT is((dlints_info(dlints_evidence(m, x, 1, CASE WHEN i <> 2 THEN x END))).updates, 2::bigint,
    'evidence skips rows without a profile')
FROM one_memory(2, interactions => 'matched') AS m, generate_series(1, 3) AS i,
    LATERAL (SELECT ARRAY[1, i]::real[] AS x) AS c;

SELECT * FROM finish();
ROLLBACK;
