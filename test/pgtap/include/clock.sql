-- A schema whose now() is the test's to move.
CREATE SCHEMA sim;
SET LOCAL search_path = sim, pg_catalog, public;
SET LOCAL client_min_messages = warning;
CREATE FUNCTION sim.now() RETURNS timestamptz STABLE LANGUAGE sql
  AS $$ SELECT current_setting('sim.now')::timestamptz $$;
SET LOCAL sim.now = '2026-03-20 12:00+00';
CREATE FUNCTION later(by interval) RETURNS void LANGUAGE sql
  AS $$ SELECT set_config('sim.now', (sim.now() + by)::text, true) $$;
