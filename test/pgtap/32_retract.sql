-- Observations that a model was trained on can be retracted exactly; others are refused.
\ir include/helpers.sql

-- users with feedback
CREATE TEMP TABLE log AS
SELECT i AS id, i % 6 AS user_id, features(i, 4) AS x, reward(i) + 100 AS r, seen_at(i) AS at,
    weight(i) AS weight
FROM generate_series(1, 90) AS i;
CREATE TEMP TABLE model (name, empty) AS VALUES
    ('by time', dlints_new(4, half_life => '5 days', intercept => false)),
    ('three by time', dlints_new(4, half_life => '1 day', memories => 3)),
    ('nothing forgotten', dlints_new(4, discount => 1)),
    ('projected', dlints_new(4, 3, discount => 1, intercept => false, noise => 2)),
    ('matched', dlints_new(4, half_life => '5 days', memories => 2, interactions => 'matched'));

-- feedback of some users
CREATE FUNCTION said(m dlints, users integer[]) RETURNS dlints LANGUAGE sql AS $$
SELECT dlints_evidence(m, x, r, profile(id, i.profile_dim), at, weight ORDER BY id)
FROM log, dlints_info(m) AS i WHERE user_id = ANY (users)
$$;
CREATE TEMP TABLE known AS
SELECT name, empty, said(empty, '{0,1,2,3,4,5}') AS everyone, said(empty, '{0,1,3,4,5}') AS others,
    said(empty, '{2}') AS two
FROM model;
-- Evidence at a given time, since the newest observation may have been retracted.  Rounding errors are relative to
-- the previous, larger sums.
CREATE FUNCTION far(a dlints, b dlints, whole dlints) RETURNS float8 LANGUAGE sql AS $$
SELECT evidence_difference(dlints_at(a, at), dlints_at(b, at), dlints_at(whole, at))
FROM (SELECT timestamptz '2026-06-01' AS at) AS t
$$;

SELECT plan(71 + 61);

SELECT cmp_ok(far(have, want, everyone), '<=', 1e-12::float8, format('%s: %s', name, what))
FROM known, LATERAL (VALUES
    ('a user''s feedback', everyone - two, others),
    ('dlints_retract', dlints_retract(everyone, two), others),
    ('one after the other', everyone - said(empty, '{0,1}') - said(empty, '{3,4,5}'), two),
    ('learned again', everyone - two || two, everyone),
    ('twice as much', 2 * everyone - 2 * two, 2 * others)) AS v (what, have, want)
ORDER BY name, what;
SELECT ok(same_bytes(everyone - everyone, empty) AND same_bytes(everyone - others - two, empty)
    AND same_bytes(everyone - empty, everyone) AND same_bytes(empty - empty, empty),
    format('%s: all of it, and nothing', name)) FROM known ORDER BY name;
-- a correction in one statement: an impression without a reward gets one
SELECT cmp_ok(far(corrected, want, want), '<=', 1e-12::float8, format('%s: a correction', name))
FROM known,
    LATERAL (SELECT dlints_update(everyone - dlints_update(empty, x, r, '{}', at, weight), x, 1,
        '{}', at, weight)
             FROM log WHERE id = 17) AS c (corrected),
    LATERAL (SELECT dlints_evidence(empty, x, CASE id WHEN 17 THEN 1 ELSE r END, '{}',
        at, weight ORDER BY id)
             FROM log) AS w (want)
WHERE name IN ('by time', 'three by time', 'nothing forgotten') ORDER BY name;

-- retraction in a table; a user without feedback has NULL evidence, which retracts nothing
CREATE TEMP TABLE place AS
SELECT name, everyone AS state, everyone, others FROM known WHERE name = 'three by time';
UPDATE place AS p
SET state = state - (SELECT dlints_evidence(p.state, x, r, '{}', at, weight) FROM log WHERE user_id = 2);
SELECT each_holds($$
    far(state, others, everyone) <= 1e-12
    difference(dlints_mean(state), dlints_mean(o)) < 1e-9
    (dlints_info(state)).memory = (dlints_info(o)).memory
    abs((dlints_info(state)).sigma / (dlints_info(o)).sigma - 1) < 1e-9
    same_bytes(state - (SELECT dlints_evidence(state, x, r, '{}', at, weight) FROM log
                        WHERE user_id = 42), state)
    $$, 'FROM place, dlints_at(others, (dlints_info(everyone)).newest) AS o');
SELECT each_holds($$
    same_bytes(everyone - NULL, everyone)
    same_bytes(dlints_retract(everyone, NULL), everyone)
    (NULL - everyone) IS NULL
    (NULL::dlints - NULL::dlints) IS NULL
    $$, $$FROM known WHERE name IN ('by time', 'nothing forgotten')$$);
-- parameters are those of the model
SELECT ok(i.ridge = 5 AND i.policy = 'ucb' AND i.exploration = 3
    AND i.noise IS NOT DISTINCT FROM n.noise, format('%s: ridge, policy and exploration stay', name))
FROM known, dlints_info(everyone) AS n,
    dlints_info(dlints_set(everyone, 5, 3, NULL, 'ucb') - dlints_set(two, 7, 1, 0.5, 'greedy')) AS i
WHERE name IN ('by time', 'nothing forgotten', 'matched') ORDER BY name;
SELECT ok(i.ridge = 5 AND i.updates = 0 AND i.newest IS NULL, 'settings stay if all evidence is retracted')
FROM known, dlints_info(dlints_set(everyone, ridge => 5) - everyone) AS i WHERE name = 'by time';
-- operations in between make no difference
SELECT cmp_ok(far(have, others, others), '<=', 1e-12::float8, what) FROM known, LATERAL (VALUES
    ('aged in between', dlints_at(everyone, '2026-05-01') - two),
    ('evidence aged, too', dlints_at(everyone, '2026-05-01') - dlints_at(two, '2026-04-15')),
    ('learned in between', (two || others) - two)) AS v (what, have) WHERE name = 'three by time';

-- evidence that the model cannot contain is refused, and the model does not change
CREATE TEMP VIEW say AS
SELECT t, one,
    dlints_update_batch(t, xs, rs, '{}', '{2026-01-01,2026-01-02,2026-01-03}'::timestamptz[]) AS m,
    dlints_update_batch(one, xs, rs) AS n
FROM (SELECT '{{1,0},{0,1},{1,1}}'::real[] AS xs, '{1,2,3}'::float8[] AS rs) AS o,
    dlints_new(2, half_life => '1 day', intercept => false) AS t,
    dlints_new(2, discount => 1, intercept => false) AS one;
SELECT each_is('22023: cannot retract evidence that the model does not contain '
    '(The remaining sums cannot result from observations.)', $$
    m - (m || m)
    m - dlints_update(t, ARRAY[1, 0], 1, at => '2026-01-04')
    m - dlints_update(t, ARRAY[0.125, 0], 0.125, '{}', '2026-01-03 00:00:01', 0.001)
    m - dlints_update(t, ARRAY[9, 0], 1, at => '2026-01-02')
    n - dlints_update(one, ARRAY[3, 0], 1)
    n - dlints_update(one, ARRAY[1, -1], 0) -- the sums of each coordinate are possible, but not the matrix
    n - dlints_update(one, ARRAY[1, 0], 1, weight => 5)
    n - dlints_update(one, ARRAY[0, 0], 10)
    one - dlints_update(one, ARRAY[0, 0], 0)
    n - 0.001 * (n || n) -- more observations than the model has, or as many with a remainder
    m - 0.001 * (m || m)
    n - 0.5 * n
    m - 0.5 * m
    n - dlints_update_batch(one, ARRAY[[1, 0], [0, 1], [0, 1]], ARRAY[1, 2, 3]) -- as many,
        but others
    $$, E'\nFROM say');
SELECT each_is('22023: cannot retract observations from a model that forgets by count '
    '(The weight of an observation depends on the number of later observations.)', $$
    m - m
    dlints_update(m, ARRAY[1, 2], 3) - dlints_update(m, ARRAY[1, 2], 3)
    dlints_update(one, ARRAY[1, 2], 3) - dlints_update(one, ARRAY[1, 2], 3)
    $$, 'FROM dlints_new(2) AS m, dlints_new(2, discount => 0.99) AS one');
SELECT each_is('22023: cannot combine dlints models with different dim (The left model has dim 2, the right one 3.)',
    'dlints_new(2, discount => 1) - dlints_new(3, discount => 1)');
SELECT is(hint_of('SELECT dlints_new(2) - dlints_new(2)'),
    'Use a model that forgets by time (half_life) or does not forget (discount => 1).',
      'the hint names the kinds of models that can retract');
CREATE TEMP TABLE before AS SELECT * FROM place;
SELECT throws_ok('UPDATE place SET state = state - 2 * state', '22023',
    'cannot retract evidence that the model does not contain', 'twice what there is');
SELECT ok(same_bytes(place.state, before.state), 'is refused and changes nothing')
FROM place, before;

-- a thousand retractions and additions: no drift
CREATE FUNCTION back_and_forth(m dlints, empty dlints) RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	e dlints;
BEGIN
	FOR i IN 1..1000 LOOP
		e := dlints_update(empty, features(i + 9000, 4), reward(i), '{}',
			'2026-03-10 00:00+00'::timestamptz + i * interval '1 minute');
		m := m || e;
		m := m - e;
	END LOOP;
	RETURN m;
END
$$;
SELECT cmp_ok(far(back_and_forth(everyone, empty), everyone, everyone), '<=', 1e-12::float8,
    'a thousand retractions and repetitions leave the evidence unchanged')
FROM known WHERE name = 'three by time';

-- After a retraction or decay, a model is neither certain about directions without observations, nor does it refuse
-- the retraction of its observations.

CREATE FUNCTION noon(hours float8) RETURNS timestamptz IMMUTABLE LANGUAGE sql AS
$$ SELECT timestamptz '2026-01-01 12:00+00' + hours * interval '1 hour' $$;
-- observations with reward 0, except one
CREATE FUNCTION clicks(m dlints, first integer, last integer, click integer)
RETURNS dlints LANGUAGE sql AS $$
SELECT dlints_evidence(m, features(i, dim)::real[], (i = click)::integer, '{}', noon(i / 60.0) ORDER BY i)
FROM dlints_info(m), generate_series(first, last) AS i
$$;
-- do models have the same memory in use, noise and predictions?
CREATE FUNCTION alike(a dlints, b dlints) RETURNS boolean LANGUAGE sql AS $$
SELECT i.memory = o.memory AND abs(i.sigma - o.sigma) <= 1e-6 AND i.lambda = o.lambda
    AND bool_and(abs(dlints_predict(a, x) - dlints_predict(b, x)) <= 1e-6)
FROM dlints_info(a) AS i, dlints_info(b) AS o, generate_series(1, 20) AS c,
    LATERAL (SELECT features(c, i.dim) OFFSET 0) AS l (x)
GROUP BY i.memory, o.memory, i.sigma, o.sigma, i.lambda, o.lambda
$$;

-- the only click among twenty: its retraction leaves rounding errors, before and after 100 more zeros
CREATE TEMP TABLE once AS
SELECT name, click, m - clicks(e, click, click, click) AS took,
    dlints_at(clicks(e, 1, click - 1, 0) || clicks(e, click + 1, 20, 0), noon(20 / 60.0)) AS never,
    clicks(e, 21, 120, 0) AS more
FROM (VALUES ('one memory', dlints_new(2, half_life => '1 hour')),
             ('three', dlints_new(2, half_life => '1 hour', memories => 3)),
             ('nothing forgotten', dlints_new(2, discount => 1)),
             ('no intercept', dlints_new(2, half_life => '1 hour', intercept => false))) AS v (name, e),
    unnest('{1,7,20}'::integer[]) AS click, clicks(e, 1, 20, click) AS m;
SELECT ok((dlints_info(took)).sigma = 1 AND (dlints_info(took || more)).sigma = 1
    AND alike(took, never) AND alike(took || more, never || more),
    format('%s: click %s taken back', name, click)) FROM once ORDER BY name, click;

-- a memory that became empty in a quiet time is not used
CREATE TEMP TABLE quiet AS
SELECT hours, m || late - late AS took, dlints_at(m, noon(hours)) AS never
FROM dlints_new(4, half_life => '1 hour', memories => 3) AS e, LATERAL (
         SELECT dlints_evidence(e, features(i, 4)::real[],
                    (number(i, 600) < (features(i, 4))[1] - 0.5)::integer, '{}', noon(i / 60.0 - 5) ORDER BY i) AS m
         FROM generate_series(1, 300) AS i) AS l,
    unnest('{1,20,35,36,38,40,50,60,80,1000}'::float8[]) AS hours,
    dlints_update(e, features(1000, 4), 1, at => noon(hours)) AS late;
SELECT ok(alike(took, never) AND (hours < 35 OR (dlints_info(took)).memory = 3),
    format('taken back after %s quiet hours', hours)) FROM quiet ORDER BY hours;

-- two observations: each may be retracted, first or last, after any time
CREATE TEMP TABLE two AS
SELECT d, hours, memories, intercept, a, b, a || b AS m
FROM (VALUES (10, true), (25, true), (11, false)) AS v (d, intercept),
    unnest('{1,3}'::integer[]) AS memories, unnest('{0,20,36,60,80,300}'::float8[]) AS hours,
    dlints_new(d, half_life => '1 hour', memories => memories, intercept => intercept) AS e,
    dlints_update(e, features(1, d), 1, at => noon(0)) AS a,
    dlints_update(e, features(2, d), 0, at => noon(hours)) AS b;
SELECT is(outcome(format('SELECT alike(m - a, b) AND alike(m - b, dlints_at(a, noon(hours)))
    AND (dlints_info(m - a - b)).updates + (dlints_info(m - b - a)).updates = 0
    FROM two WHERE (d, hours, memories) = (%s, %s, %s)', d, hours, memories)),
    'gives true', format('%s coordinates, %s memories, %s hours', d, memories, hours))
FROM two ORDER BY d, memories, hours;

-- while the shortest memory has no rewards, the noise is that of all rewards: it falls with the root of the number
-- of observations, and never suddenly
CREATE TEMP TABLE drought AS
SELECT name, n, (dlints_info(m || clicks(e, 21, 20 + n, 0))).sigma AS sigma
FROM (VALUES ('by count', dlints_new(3, discount => 0.99)),
             ('by time', dlints_new(3, half_life => '1 hour'))) AS v (name, e),
    clicks(e, 1, 20, 1) AS m, unnest('{100,1000,2500,3000,5000,10000}'::integer[]) AS n;
SELECT ok(bool_and(sigma * sqrt(n) BETWEEN 0.05 AND 1), format('%s: a drought', name))
FROM drought GROUP BY name ORDER BY name;

-- the sum of two models that are valid within rounding errors may be invalid
SELECT is(outcome(format('SELECT %L::dlints || %L::dlints', model, model)),
    '22003: dlints evidence out of range (The evidence has no posterior with this ridge and prior.)',
    'together they are no history')
FROM (SELECT jsonb_set(dlints_update(
          dlints_new(2, discount => 1 - 1e-9, ridge => 1, intercept => false),
          '{1,1}'::float8[], 1)::jsonb, '{evidence,0,H,1,0}', '1.7') AS model) AS m;

SELECT * FROM finish();
ROLLBACK;
