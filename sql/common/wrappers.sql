-- Functions for applications that recommenders and rankers share -----------------------
--
-- Both templates of wrappers begin with these functions.

CREATE FUNCTION _dlints_common_wrappers() RETURNS text LANGUAGE sql IMMUTABLE
RETURN $wrappers$
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

COMMENT ON FUNCTION run_part IS 'do a part of the maintenance that is due; called by run()';
COMMENT ON PROCEDURE run IS 'do the maintenance that is due, for cron: every minute, or every few minutes';
COMMENT ON FUNCTION rebuild IS 'train the models again on the log; returns the number of observations';
$wrappers$;
COMMENT ON FUNCTION _dlints_common_wrappers() IS 'template: functions of recommenders and rankers for applications';
