-- Views and functions for applications that recommenders and rankers share ---------------
--
-- Both templates of wrappers begin with these.

CREATE FUNCTION _dlints_common_wrappers() RETURNS text LANGUAGE sql IMMUTABLE
RETURN $wrappers$
CREATE VIEW models AS
SELECT m.name, m.learns, i.updates, i.newest, i.memory, i.memories, i.effective_sample_size,
       i.prior_sample_size, i.mean_reward, i.sigma, i.bytes, i.hint
FROM   model m, @extschema@.dlints_info(m.state) i;

CREATE FUNCTION learn("window" interval DEFAULT NULL) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_learn('setting'::regclass, "window");

CREATE FUNCTION run_part(part text) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_run_part('setting'::regclass, part);

CREATE PROCEDURE run(recommender regclass DEFAULT 'setting'::regclass)
LANGUAGE plpgsql AS $body$
BEGIN
    CALL @extschema@._dlints_run(recommender);
END
$body$;

CREATE FUNCTION rebuild() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_rebuild('setting'::regclass);

CREATE FUNCTION report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT r.measure, r.value, r.error, r.meaning FROM @extschema@._dlints_report('setting'::regclass, since) r;
END;

COMMENT ON VIEW models IS 'models with their counts, without their parameters';
COMMENT ON FUNCTION run_part IS 'do a part of the maintenance that is due; called by run()';
COMMENT ON PROCEDURE run IS 'do the maintenance that is due, for cron: every minute, or every few minutes';
COMMENT ON FUNCTION rebuild IS 'train the models again on the log; returns the number of observations';
$wrappers$;
