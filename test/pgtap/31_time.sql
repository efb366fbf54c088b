-- Forgetting by time: concatenated parts, late observations, ages, errors.  30_equivalence.sql tests arbitrary
-- orders and parts.
\ir include/helpers.sql

SELECT plan(46);

-- a || b = b || a, bit by bit
SELECT ok(same_bytes(a || b, b || a), 'a || b = b || a, first rewards of 1 and -1')
FROM dlints_new(1, half_life => '1 day') AS m,
    dlints_update(m, ARRAY[1], 1, at => '2026-01-01') AS a,
    dlints_update(m, ARRAY[2], -1, at => '2026-01-02') AS b;
SELECT ok(same_bytes(a || b, b || a), 'a || b = b || a, where not every update makes a choice')
FROM dlints_new(24, half_life => '1 day', memories => 3, intercept => false) AS m,
    batch(m, 1, 200) AS a, dlints_update(m, features(0, 24), 1, at => '2026-01-05') AS b;

-- by hand: a half-life of an hour, observations of 1 at 12, 11 and 10 o'clock
CREATE TEMP VIEW hand AS
SELECT e, m, dlints_at(m, '2026-01-01 14:00+00') AS older,
    dlints_update(e, ARRAY[1], 1, at => '2026-01-01 09:00+00') AS late
FROM dlints_new(1, half_life => '1 hour', memories => 1, intercept => false, ridge => 1, noise => 1) AS e,
    dlints_update_batch(e, ARRAY[[1], [1], [1]], ARRAY[4, 2, 8], '{}',
        '{2026-01-01 12:00+00,2026-01-01 10:00+00,2026-01-01 11:00+00}'::timestamptz[]) AS m;
SELECT each_holds($$
    (dlints_info(m)).effective_sample_size = 1 + 1 / 2.0 + 1 / 4.0
    (dlints_info(m)).mean_reward = (4 + 8 / 2.0 + 2 / 4.0) / 1.75
    abs((memory_in_use(m) #> '{H,0,0}')::float8 / 1.3125 - 1) < 1e-15
    dlints_predict(m, ARRAY[1]) = 8.5 / 2.75
    (dlints_info(older)).effective_sample_size = 1.75 / 4
    (dlints_info(older)).mean_reward = 8.5 / 1.75
    abs((memory_in_use(older) #> '{H,0,0}')::float8 / (1.3125 / 16) - 1) < 1e-15
    abs(dlints_predict(older, ARRAY[1]) - (8.5 / 4) / (1.75 / 4 + 1)) < 1e-15
    same_bytes(dlints_at(dlints_at(m, '2026-01-01 13:00+00'), '2026-01-01 14:00+00'), older)
    same_bytes(dlints_at(m, '2026-01-01 12:00+00'), m)
    (dlints_info(older)).newest = '2026-01-01 14:00+00'
    (dlints_info(older)).updates = 3
    same_bytes(older || late, dlints_at(m || late, '2026-01-01 14:00+00'))
    (dlints_info(m || late)).newest = '2026-01-01 12:00+00'
    $$, 'FROM hand');

-- errors
CREATE TEMP VIEW say AS
SELECT dlints_new(1, half_life => '1 hour', memories => 2) AS t,
    dlints_new(1, discount => 0.5) AS c;
SELECT each_is('22004: an observation for a model that forgets by time must have a time', $$
    dlints_update(t, ARRAY[1], 1)
    dlints_update(t, ARRAY[1], 1, at => NULL)
    dlints_update_batch(t, ARRAY[[1]], ARRAY[1])
    (SELECT dlints_evidence(t, ARRAY[1]::real[], 1))
    (SELECT dlints_evidence(t, ARRAY[1]::real[], 1, '{}', NULL, 2))
    $$, 'FROM say');
SELECT each_is('22008: the time of an observation must be finite', $$
    dlints_update(t, ARRAY[1], 1, at => 'infinity')
    dlints_update(t, ARRAY[1], 1, at => '-infinity')
    dlints_update_batch(t, ARRAY[[1], [2]], ARRAY[1, 2], ats => ARRAY[now(), 'infinity'])
    $$, 'FROM say');
SELECT each_is('22004: array must not contain nulls '
    '(A null was found in the array of times; the model is dlints(1,intercept).)',
    'dlints_update_batch(t, ARRAY[[1], [2]], ARRAY[1, 2], ats => ARRAY[now(), NULL])', 'FROM say');
SELECT each_is('22000: expected as many times as rows of features (Rows of features: 2, times: 1.)',
    'dlints_update_batch(t, ARRAY[[1], [2]], ARRAY[1, 2], ats => ARRAY[now()])', 'FROM say');
SELECT each_is(
  format('22023: a model cannot be aged to a time before its newest observation (The newest observation is of %s.)',
         timestamptz '2026-01-02 00:00+00'),
    $$dlints_at(dlints_update(t, ARRAY[1], 1, at => '2026-01-02 00:00+00'), '2026-01-01')$$, 'FROM say');

-- models that forget by count ignore times, and so do dlints_at and untrained models of that kind; an observation
-- without a time is skipped if it has a NULL
SELECT each_holds($$
    same_bytes(dlints_update(c, ARRAY[1], 1, at => '2026-01-01'), dlints_update(c, ARRAY[1], 1))
    same_bytes(dlints_update(c, ARRAY[1], 1, at => 'infinity'), dlints_update(c, ARRAY[1], 1))
    same_bytes(dlints_update_batch(c, ARRAY[[1], [2]], ARRAY[1, 2], '{}',
        '{2027-01-01,2026-01-01}'::timestamptz[]),
        dlints_update_batch(c, ARRAY[[1], [2]], ARRAY[1, 2]))
    same_bytes((SELECT dlints_evidence(c, ARRAY[i]::real[], 1, '{}', now(), 1)
                FROM generate_series(1, 1) AS i),
        dlints_update(c, ARRAY[1], 1))
    same_bytes(dlints_at(dlints_update(c, ARRAY[1], 1), '2026-01-01'),
        dlints_update(c, ARRAY[1], 1))
    same_bytes(dlints_at(t, '2026-01-01'), t)
    same_bytes(dlints_update(t, ARRAY[1], NULL), t)
    (SELECT same_bytes(t || m, m) FROM dlints_update(t, ARRAY[1], 1, at => '2026-01-01') AS m)
    (SELECT same_bytes(m || t, m) FROM dlints_update(t, ARRAY[1], 1, at => '2026-01-01') AS m)
    $$, 'FROM say');

-- over the whole range of timestamps, an old observation has no weight in a memory that forgets
SELECT ok(e #>> '{0,weight_sum}' = '1' AND e #>> '{1,weight_sum}' = '2' AND e #> '{0,b}' = '[2, 1]'
    AND e #> '{0,G}' = '[[4], [2, 1]]' AND same_bytes(m::text::dlints, m)
        AND dlints_mean(m) IS NOT NULL, what)
FROM say, (SELECT timestamptz '4713-01-02 00:00+00 BC', timestamptz '294276-12-31 00:00+00') AS ends (old, new),
    LATERAL (VALUES
        ('old, then new', dlints_update(dlints_update(t, ARRAY[1], 5, at => old), ARRAY[2], 1, at => new)),
        ('new, then old', dlints_update(dlints_update(t, ARRAY[2], 1, at => new), ARRAY[1], 5, at => old)),
        ('at once', dlints_update_batch(t, ARRAY[[2], [1]], ARRAY[1, 5], '{}', ARRAY[new, old]))) AS v (what, m),
    LATERAL (SELECT m::jsonb -> 'evidence') AS f (e);
-- everything is forgotten, and a new observation is trained
SELECT each_holds($$
    (SELECT updates = 1 AND effective_sample_size = 0 AND mean_reward IS NULL FROM dlints_info(m))
    dlints_mean(m) = '{0}' AND same_bytes(m::text::dlints, m)
    (dlints_info(m || later)).effective_sample_size = 1
    abs(dlints_predict(m || later, ARRAY[1]) - 1) < 1e-15
    $$, $$FROM dlints_new(1, half_life => '0.001 seconds', memories => 1, ridge => 1,
             intercept => false) AS e,
        dlints_at(dlints_update(e, ARRAY[2], 1, at => '2026-01-01'), '2126-01-01') AS m,
        dlints_update(e, ARRAY[1], 2, at => '2126-01-02') AS later$$);

-- microseconds matter, time zones do not; times before 2000
SELECT each_holds($$
    NOT same_bytes(dlints_update(t, ARRAY[1], 1, at => '2026-01-01 00:00:00.000001+00'),
        dlints_update(t, ARRAY[1], 1, at => '2026-01-01 00:00:00+00'))
    same_bytes(dlints_update(t, ARRAY[1], 1, at => '2026-01-01 05:30:00+05:30'),
        dlints_update(t, ARRAY[1], 1, at => '2026-01-01 00:00:00+00'))
    (dlints_info(dlints_update(t, ARRAY[1], 1, at => '1969-07-20 20:17:40.25+00'))).newest
        = '1969-07-20 20:17:40.25+00'
    $$, 'FROM say');
SELECT * FROM finish();
ROLLBACK;
