-- What applications call --------------------------------------------------------
--
-- A template: thin, typed functions in the recommender's schema, each of which calls one function of the
-- extension.  They run as their owner; dlints_grant() lets a role call those that a page needs.  {item_arg} and
-- {user_arg} are the types of keys as arguments: bigint for all integer types, so that a literal of any of
-- them resolves.

CREATE FUNCTION _dlints_recommender_wrappers() RETURNS text LANGUAGE sql IMMUTABLE
RETURN $wrappers$
CREATE FUNCTION recommend(user_id {user_arg}, k integer DEFAULT 10, recent {item_arg}[] DEFAULT '{}',
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_recommend('setting'::regclass, user_id::{user_type}, k, recent::{item_type}[], context, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION more_like(item {item_arg}, k integer DEFAULT 10, user_id {user_arg} DEFAULT NULL,
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_more_like('setting'::regclass, $1::{item_type}, k, user_id::{user_type}, context, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION next(decision bigint, k integer DEFAULT 10, user_id {user_arg} DEFAULT NULL, session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_next('setting'::regclass, $1, k, user_id::{user_type}, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION trending(k integer DEFAULT 10, user_id {user_arg} DEFAULT NULL, context jsonb DEFAULT '{}',
    session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_trending('setting'::regclass, k, user_id::{user_type}, context, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION reward(decision bigint, item {item_arg}, outcome text DEFAULT NULL, value float8 DEFAULT NULL,
    user_id {user_arg} DEFAULT NULL)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT @extschema@._dlints_recommender_reward('setting'::regclass, decision, item::{item_type}, outcome, value,
                                                  user_id::{user_type});
END;

CREATE FUNCTION explain(decision bigint)
RETURNS TABLE (item {item_type}, "position" integer, part text, contribution float8, stddev float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT e.item, e."position", e.part, e.contribution, e.stddev
    FROM   @extschema@._dlints_explain('setting'::regclass, decision, NULL::{item_type}) e;
END;

CREATE FUNCTION profile(user_id {user_arg}, recent {item_arg}[] DEFAULT '{}', context jsonb DEFAULT '{}',
    session text DEFAULT NULL)
RETURNS real[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_profile('setting'::regclass, user_id::{user_type}, recent::{item_type}[], context, session);

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

CREATE FUNCTION report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT r.measure, r.value, r.error, r.meaning
    FROM   @extschema@._dlints_recommender_report('setting'::regclass, since) r;
END;

CREATE FUNCTION backtest(users integer DEFAULT 300)
RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT b.policy, b.hit_rate, b.hit_rate_stderr, b.ndcg, b.ndcg_stderr, b.verdict
    FROM   @extschema@._dlints_backtest('setting'::regclass, users) b;
END;

CREATE FUNCTION position_bias(since timestamptz DEFAULT now() - interval '90 days')
RETURNS TABLE ("position" integer, shown bigint, clicked bigint, examination float8, stderr float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT b."position", b.shown, b.clicked, b.examination, b.stderr
    FROM   @extschema@._dlints_position_bias('setting'::regclass, since) b;
END;

CREATE FUNCTION erase(user_id {user_arg}, session text DEFAULT NULL) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_recommender_erase('setting'::regclass, user_id::{user_type}, session);

CREATE FUNCTION rebuild() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_rebuild('setting'::regclass);

CREATE FUNCTION refresh() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_refresh('setting'::regclass);

CREATE FUNCTION refit() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_refit('setting'::regclass);

CREATE FUNCTION warm_start() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_warm_start('setting'::regclass);
$wrappers$;
COMMENT ON FUNCTION _dlints_recommender_wrappers() IS 'template: functions of a recommender for applications';
