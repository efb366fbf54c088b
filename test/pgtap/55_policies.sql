-- The policies ucb and greedy against the functions that look into a model.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(23);

CREATE TEMP TABLE candidate AS
SELECT i AS item, context(1000 + i, 12) AS context FROM generate_series(1, 60) AS i;

-- trained models of every kind: projected or not, forgetting or not
CREATE TEMP TABLE model AS
SELECT name, dlints_update(state, (SELECT array_agg(context(i, 12) ORDER BY i) FROM generate_series(1, 40) AS i),
                                  (SELECT array_agg(number(i, 77) ORDER BY i) FROM generate_series(1, 40) AS i)) AS state
FROM (VALUES ('projected, discount 0.9', dlints_new(12, 5, 0.9, exploration => 0.7, seed => 4)),
             ('projected, discount 1', dlints_new(12, 5, 1, exploration => 0.7, seed => 4)),
             ('plain, discount 0.9', dlints_new(12, discount => 0.9, exploration => 0.7)),
             ('plain, discount 1', dlints_new(12, discount => 1, exploration => 0.7))) AS m (name, state);

-- The right order, from expected reward and width. Scores of the 60 contexts
-- are far enough apart for rounding not to matter.
CREATE FUNCTION expected_order(m dlints, width float8) RETURNS integer[] LANGUAGE sql AS
$$ SELECT array_agg(item ORDER BY dlints_predict(m, context) + width * dlints_stddev(m, context) DESC) FROM candidate $$;

SELECT is((SELECT dlints_recommend(dlints_set(state, policy => 'greedy'), item, context, 60) FROM candidate),
          expected_order(state, 0), 'greedy ranks by expected reward: ' || name) FROM model ORDER BY name;
SELECT is((SELECT dlints_recommend(dlints_set(state, policy => 'ucb'), item, context, 60) FROM candidate),
          expected_order(state, 0.7), 'ucb ranks by expected reward plus exploration times width: ' || name) FROM model ORDER BY name;
SELECT isnt(expected_order(state, 0.7), expected_order(state, 0), 'the width matters: ' || name) FROM model ORDER BY name;

SELECT is((SELECT dlints_recommend(dlints_set(state, 1, 0, 'ucb'), item, context, 60) FROM candidate),
          expected_order(state, 0), 'ucb without exploration is greedy')
FROM model WHERE name = 'projected, discount 0.9';
SELECT is((SELECT dlints_recommend(dlints_set(state, policy => 'ucb'), item, context::real[], 60) FROM candidate),
          expected_order(state, 0.7), 'ucb with real[] contexts')
FROM model WHERE name = 'projected, discount 0.9';
SELECT is((SELECT dlints_recommend(dlints_set(state, policy => 'ucb'), item, context) FROM candidate),
          (expected_order(state, 0.7))[1], 'ucb, the best one')
FROM model WHERE name = 'projected, discount 0.9';
SELECT is((SELECT dlints_recommend(dlints_set(state, policy => 'ucb'), item, context) FROM candidate WHERE false),
          NULL::integer, 'ucb without candidates')
FROM model WHERE name = 'projected, discount 0.9';

-- one call, several models and policies at once, their rows interleaved
CREATE TEMP TABLE variant AS
SELECT name || ', ' || policy AS name, dlints_set(state, policy => policy) AS state,
       expected_order(state, CASE policy WHEN 'ucb' THEN 0.7 ELSE 0 END) AS expected
FROM model, unnest(ARRAY['ucb', 'greedy']) AS policy;
SET LOCAL enable_sort = off;
SELECT is(count(*), 8::bigint, 'groups with models and policies of their own')
FROM (SELECT name, dlints_recommend(v.state, item, context, 60) AS items FROM candidate, variant AS v GROUP BY name) AS r
JOIN variant USING (name) WHERE items = expected;

SELECT is(dlints_draw(dlints_set(state, policy => 'ucb'), 5), dlints_draw(state, 5), 'a draw is the same whatever the policy')
FROM model WHERE name = 'projected, discount 0.9';
SELECT is(dlints_draw_weights(dlints_set(state, policy => 'greedy'), 5), dlints_draw_weights(state, 5), 'and so are its weights')
FROM model WHERE name = 'projected, discount 0.9';
SELECT results_eq($$SELECT (dlints_info(dlints_new(3, policy => p))).policy FROM unnest(ARRAY['thompson', 'ucb', 'greedy']) AS p$$,
                  ARRAY['thompson', 'ucb', 'greedy'], 'info names the policy');
SELECT is(count(*), 3::bigint, 'a policy survives the text form')
FROM unnest(ARRAY['thompson', 'ucb', 'greedy']) AS p, dlints_new(3, policy => p) AS m WHERE m = m::text::dlints;
SELECT is((dlints_new(2, policy => 'ucb') || dlints_new(2, policy => 'greedy')), dlints_new(2, policy => 'ucb'), 'the left side''s policy');
SELECT throws_ok($$SELECT dlints_new(3, policy => 'epsilon')$$, '22023', 'unknown policy "epsilon"', 'an unknown policy');

SELECT * FROM finish();
ROLLBACK;
