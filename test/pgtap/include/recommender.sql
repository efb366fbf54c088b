\ir models.sql

-- Jobs, and a log of users who viewed them, on a clock called now()
CREATE TABLE job (
    id integer PRIMARY KEY, title text NOT NULL, field text NOT NULL, city_id integer NOT NULL,
      salary numeric,
    skills text[] NOT NULL, details jsonb NOT NULL, remote boolean NOT NULL,
      posted timestamptz NOT NULL,
    open boolean NOT NULL, same text NOT NULL);
INSERT INTO job
SELECT i, format('work number %s for people with patience, word%s', i, i % 9), 'field ' || i % 5,
  i % 7,
       1000 + i * 37 % 900, ARRAY['skill ' || i % 5, 'skill ' || i % 3],
         jsonb_build_object('level', i % 4),
       i % 2 = 0, now() - i % 90 * interval '1 day', i % 10 <> 0, 'same'
FROM generate_series(1, 200) i;
-- 3,800 more jobs, enough for a shortlist
CREATE FUNCTION insert_many_jobs() RETURNS void LANGUAGE sql AS $$
INSERT INTO job
SELECT i, 'number ' || i, 'field ' || i % 5, i % 7, 1000 + i * 37 % 900, '{}', '{}', i % 2 = 0,
       now() - i % 90 * interval '1 day', i % 10 <> 0, 'same'
FROM   generate_series(201, 4000) i $$;
CREATE FUNCTION wants(user_id bigint) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'field ' || user_id % 5 $$;
CREATE TABLE visit (who bigint NOT NULL, job integer NOT NULL, at timestamptz NOT NULL);
INSERT INTO visit
SELECT p, id, now() - (hashint8extended(p * 1000 + id, 1) & 1023) * interval '20 minutes'
FROM   generate_series(1, 60) p, job
WHERE  (hashint8extended(p * 1000 + id, 2) & 1023) < CASE WHEN field = wants(p) THEN 200 ELSE 20 END;

-- The result of a query under the search_path that functions of the extension run under, in the schema of a
-- recommender or ranker
CREATE FUNCTION inside(schema name, query text) RETURNS text LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    result text;
BEGIN
    PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', schema), true);
    EXECUTE query INTO result;
    RETURN result;
END $$;

-- Lowest decision number of a time
CREATE FUNCTION first_decision(at timestamptz) RETURNS bigint LANGUAGE sql AS $$
SELECT (floor(extract(epoch FROM at))::bigint - 1577836800) << 22 $$;

-- Make run() treat jobs as due
CREATE FUNCTION make_due(schema name, VARIADIC jobs text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE %I.job SET done_at = ''-infinity'' WHERE name = ANY ($1)', schema) USING jobs;
END $$;
