-- Functions for applications -----------------------------------------------------
--
-- A template of typed functions in the recommender's schema.  Each calls one function of the extension, and runs as
-- its owner; dlints_grant() lets a role call the functions that a web page needs.

CREATE FUNCTION _dlints_recommender_wrappers() RETURNS text LANGUAGE sql IMMUTABLE
RETURN @extschema@._dlints_common_wrappers() OPERATOR(pg_catalog.||) $wrappers$
CREATE FUNCTION recommend(user_id {user_arg}, k integer DEFAULT 10, recent {item_arg}[] DEFAULT '{}',
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_recommend('setting'::regclass, {user_key}, k, {recent_keys}, context, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION more_like(item {item_arg}, k integer DEFAULT 10, user_id {user_arg} DEFAULT NULL,
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_more_like('setting'::regclass, {first_item_key}, k, {user_key}, context, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION next(decision bigint, k integer DEFAULT 10, user_id {user_arg} DEFAULT NULL, session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_next('setting'::regclass, $1, k, {user_key}, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION trending(k integer DEFAULT 10, user_id {user_arg} DEFAULT NULL, context jsonb DEFAULT '{}',
    session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT r.decision, r.item, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_trending('setting'::regclass, k, {user_key}, context, session)
               r (decision bigint, item {item_type}, "position" integer, probability float8, expected float8);
END;

CREATE FUNCTION reward(decision bigint, item {item_arg}, outcome text DEFAULT NULL, value float8 DEFAULT NULL,
    user_id {user_arg} DEFAULT NULL)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT @extschema@._dlints_recommender_reward('setting'::regclass, decision, {item_key}, outcome, value,
                                                  {user_key});
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
RETURN @extschema@._dlints_profile('setting'::regclass, {user_key}, {recent_keys}, context, session);

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
RETURN @extschema@._dlints_recommender_erase('setting'::regclass, {user_key}, session);

CREATE FUNCTION refresh() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_upkeep('setting'::regclass, 'refresh'::text);

CREATE FUNCTION refit() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_upkeep('setting'::regclass, 'refit'::text);

CREATE FUNCTION warm_start() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_upkeep('setting'::regclass, 'warm_start'::text);

COMMENT ON FUNCTION recommend IS 'choose, log and return up to k items for a user, best first, with the probability of '
    'each choice and the expected reward; "recent" are items clicked in this session; user_id may be null';
COMMENT ON FUNCTION more_like IS 'choose, log and return items similar to an item, in the form of recommend()';
COMMENT ON FUNCTION next IS 'choose, log and return the next page of a list, without items of earlier pages; 22023 if '
    'there is no such decision, 42501 if it belongs to another user or session';
COMMENT ON FUNCTION trending IS 'choose, log and return items that are clicked more than usual, in the form of '
    'recommend()';
COMMENT ON FUNCTION reward IS 'report an outcome of an impression, by default a click; the last value of each outcome '
    'counts; 42501 if user_id is given and the decision belongs to another user';
COMMENT ON FUNCTION explain
	IS 'contribution of each column to the expected rewards of a list, with standard errors, by '
    'the current models';
COMMENT ON FUNCTION profile IS 'profile that recommend() would use for a user';
COMMENT ON FUNCTION learn IS 'train the models on decisions older than the window, by default the attribution window, '
    'and apply late rewards; returns the number of decisions';
COMMENT ON FUNCTION report IS 'rewards per list of each treatment with standard errors, constraints, and problems';
COMMENT ON FUNCTION backtest IS 'hide the last clicks of users, and compare lists computed from the other clicks with '
    'simple alternatives';
COMMENT ON FUNCTION position_bias IS 'examination probability of each position, relative to the first, with standard '
    'errors, from random lists';
COMMENT ON FUNCTION erase
	IS 'erase a user, a session, or both from the log and the models; returns the number of decisions';
COMMENT ON FUNCTION refresh
	IS 'compute the vectors of new and changed items, popularity and trends; returns the number of vectors';
COMMENT ON FUNCTION refit IS 'fit the latent factors to the clicks again; returns the number of items';
COMMENT ON FUNCTION warm_start IS 'derive the prior from the click log again; returns the number of clicks';
$wrappers$;
