-- Doubt survives: what was taken back, or has faded, leaves a model neither sure of what it
-- does not know nor refusing what it learned.  test/python/doubt.py looks at random cases.
\ir include/helpers.sql

CREATE FUNCTION noon(hours float8) RETURNS timestamptz IMMUTABLE LANGUAGE sql AS
$$ SELECT timestamptz '2026-01-01 12:00+00' + hours * interval '1 hour' $$;
-- observations without any reward but the one of such a number
CREATE FUNCTION clicks(m dlints, first integer, last integer, click integer)
RETURNS dlints LANGUAGE sql AS
$$
SELECT dlints_evidence(m, features(i, dim)::real[], (i = click)::integer, '{}', noon(i / 60.0)
                       ORDER BY i)
FROM dlints_info(m), generate_series(first, last) AS i
$$;
-- do models have the same in use, the same noise, and expect the same?
CREATE FUNCTION alike(a dlints, b dlints) RETURNS boolean LANGUAGE sql AS
$$
SELECT i.memory = o.memory AND abs(i.sigma - o.sigma) <= 1e-6 AND i.lambda = o.lambda
    AND bool_and(abs(dlints_predict(a, x) - dlints_predict(b, x)) <= 1e-6)
FROM dlints_info(a) AS i, dlints_info(b) AS o, generate_series(1, 20) AS c,
    LATERAL (SELECT features(c, i.dim) OFFSET 0) AS l (x)
GROUP BY i.memory, o.memory, i.sigma, o.sigma, i.lambda, o.lambda
$$;

SELECT plan(70);

-- the only click among twenty: what it leaves is rounding, before and after 100 more zeros
CREATE TEMP TABLE once AS
SELECT name, click, m - clicks(e, click, click, click) AS took,
    dlints_at(clicks(e, 1, click - 1, 0) || clicks(e, click + 1, 20, 0), noon(20 / 60.0)) AS never,
    clicks(e, 21, 120, 0) AS more
FROM (VALUES ('one memory', dlints_new(2, half_life => '1 hour')),
             ('three', dlints_new(2, half_life => '1 hour', memories => 3)),
             ('nothing forgotten', dlints_new(2, discount => 1)),
             ('no intercept', dlints_new(2, half_life => '1 hour', intercept => false)))
        AS v (name, e),
    unnest('{1,7,20}'::integer[]) AS click, clicks(e, 1, 20, click) AS m;
SELECT ok((dlints_info(took)).sigma = 1 AND (dlints_info(took || more)).sigma = 1
    AND alike(took, never) AND alike(took || more, never || more),
    format('%s: click %s taken back', name, click)) FROM once ORDER BY name, click;

-- a memory that has emptied in a quiet time is not put in use
CREATE TEMP TABLE quiet AS
SELECT hours, m || late - late AS took, dlints_at(m, noon(hours)) AS never
FROM dlints_new(4, half_life => '1 hour', memories => 3) AS e, LATERAL (
         SELECT dlints_evidence(e, features(i, 4)::real[],
                    (number(i, 600) < (features(i, 4))[1] - 0.5)::integer, '{}', noon(i / 60.0 - 5)
                    ORDER BY i) AS m
         FROM generate_series(1, 300) AS i) AS l,
    unnest('{1,20,35,36,38,40,50,60,80,1000}'::float8[]) AS hours,
    dlints_update(e, features(1000, 4), 1, at => noon(hours)) AS late;
SELECT ok(alike(took, never) AND (hours < 35 OR (dlints_info(took)).memory = 3),
    format('taken back after %s quiet hours', hours)) FROM quiet ORDER BY hours;

-- two observations: each may be taken back, first or last, whatever time has passed
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

-- in a drought of one memory the noise is that of all that was ever seen: it falls with the
-- root of the number of observations, and never all at once
CREATE TEMP TABLE drought AS
SELECT name, n, (dlints_info(m || clicks(e, 21, 20 + n, 0))).sigma AS sigma
FROM (VALUES ('by count', dlints_new(3, discount => 0.99)),
             ('by time', dlints_new(3, half_life => '1 hour'))) AS v (name, e),
    clicks(e, 1, 20, 1) AS m, unnest('{100,1000,2500,3000,5000,10000}'::integer[]) AS n;
SELECT ok(bool_and(sigma * sqrt(n) BETWEEN 0.05 AND 1), format('%s: a drought', name))
FROM drought GROUP BY name ORDER BY name;

-- evidence that no history leaves, and of which there would be no posterior, does not come in
CREATE TEMP TABLE impossible AS
SELECT name, j, jsonb_set(j, path, '1e6') AS bad, place
FROM (VALUES
    ('G', dlints_new(2, discount => 1, intercept => false), '{evidence,0,G,1,0}'::text[], 5 + 2),
    ('H', dlints_new(2, discount => 0.9, intercept => false), '{evidence,0,H,1,0}', 5 + 5),
    ('the longest of three', dlints_new(1), '{evidence,2,G,1,0}', 9 + 9 + 5 + 2))
        AS v (name, e, path, place),
    dlints_info(e), LATERAL (
        SELECT dlints_update(dlints_update(e, features(1, dim), 1), features(2, dim),
            0)::jsonb) AS l (j);
SELECT is(split_part(outcome(format('SELECT %L::text::dlints', bad)), ' (', 1),
    '22P02: invalid input syntax for type dlints', format('text: %s', name))
FROM impossible ORDER BY name;
SELECT is(split_part(outcome(format('SELECT %L::jsonb::dlints', bad)), ' (', 1),
    '22P02: invalid input syntax for type dlints', format('jsonb: %s', name))
FROM impossible ORDER BY name;
-- (the numbers begin behind 163 bytes of the header)
SELECT is(split_part(outcome(format('SELECT receive(%L)',
        overlay(dlints_send(j::dlints) PLACING float8send(1e6) FROM 164 + 8 * place))), ' (', 1),
    '22P03: invalid dlints in external value', format('binary: %s', name))
FROM impossible ORDER BY name;
-- two of which each is as near to none as roundings may bring it have none together
SELECT is(outcome(format('SELECT %L::dlints || %L::dlints', model, model)),
    '22003: dlints evidence out of range (The evidence has no posterior with this ridge and prior.)',
    'together they are no history')
FROM (SELECT jsonb_set(dlints_update(
          dlints_new(2, discount => 1 - 1e-9, ridge => 1, intercept => false),
          '{1,1}'::float8[], 1)::jsonb, '{evidence,0,H,1,0}', '1.7') AS model) AS m;
SELECT * FROM finish();
ROLLBACK;
