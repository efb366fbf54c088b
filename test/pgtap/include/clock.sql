-- A now() that tests can move.  It replaces PostgreSQL's now() until the test's transaction is rolled back, since
-- the extension calls it by its qualified name.
CREATE SCHEMA sim;
SET LOCAL search_path = sim, pg_catalog, public;
ALTER FUNCTION pg_catalog.now() RENAME TO server_now;
CREATE FUNCTION pg_catalog.now() RETURNS timestamptz STABLE LANGUAGE sql
  AS $$ SELECT pg_catalog.current_setting('sim.now')::timestamptz $$;
SET LOCAL sim.now = '2026-03-20 12:00+00';
CREATE FUNCTION later(by interval) RETURNS void LANGUAGE sql
  AS $$ SELECT set_config('sim.now', (now() + by)::text, true) $$;
