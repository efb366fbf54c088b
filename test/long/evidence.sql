-- Train through SQL on the history of long_run, which trained through the core.  The core's evidence is in :core_b,
-- :core_g and :core_h (equal to :core_g if there is no H).  Errors are relative to the largest number of each.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
\pset fieldsep '   '

CREATE FUNCTION pg_temp.numbers(jsonb) RETURNS float8[]
LANGUAGE sql AS $$
    SELECT array_agg(number::float8 ORDER BY place)
    FROM   jsonb_path_query($1, 'strict $.**{last}') WITH ORDINALITY AS n(number, place)
$$;

-- NaN if the lengths differ
CREATE FUNCTION pg_temp.difference(jsonb, float8[]) RETURNS float8
LANGUAGE sql AS $$
    SELECT max(abs(ours - core)) / max(abs(core)) +
           CASE WHEN count(ours) = count(*) AND count(core) = count(*) THEN 0 ELSE 'NaN'::float8 END
    FROM   unnest(pg_temp.numbers($1), $2) AS n(ours, core)
$$;

WITH learned AS MATERIALIZED (
    SELECT dlints_evidence(dlints_new(8, discount => :discount, intercept => false),
                           ARRAY(SELECT i * k % 11 - 5 FROM generate_series(4, 11) AS k)::real[],
                           i % 5 ORDER BY i) AS m
    FROM   generate_series(1, :count) AS i)
SELECT m::jsonb->>'updates' AS updates, m::jsonb#>'{evidence,0}' AS m FROM learned
\gset

SELECT :updates = :count AND b <= 1e-12 AND g <= 1e-12 AND h <= 1e-12 AS kept,
       format('%-22s %5s %5s %8s %7s %7s %7s   1e-12', 'through SQL', round(:discount, 2), '',
           :updates,
              to_char(b, '9EEEE'), to_char(g, '9EEEE'), to_char(h, '9EEEE')) AS line
FROM  (SELECT pg_temp.difference(:'m'::jsonb->'b', :'core_b') AS b,
              pg_temp.difference(:'m'::jsonb->'G', :'core_g') AS g,
              pg_temp.difference(CASE jsonb_typeof(:'m'::jsonb->'H')
                  WHEN 'array' THEN :'m'::jsonb->'H' ELSE :'m'::jsonb->'G' END,
                                 :'core_h') AS h) AS d
\gset
\if :kept
\echo :line ' kept'
\else
\echo :line ' BROKEN'
SELECT 1 / 0 AS broken;
\endif
