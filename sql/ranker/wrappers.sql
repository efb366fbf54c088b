-- Functions for applications -----------------------------------------------------
--
-- A template of functions in the ranker's schema.  Each calls one function of the extension, and runs as its owner;
-- dlints_grant() lets a role call the functions that a web page needs.

CREATE FUNCTION _dlints_ranker_wrappers() RETURNS text LANGUAGE sql IMMUTABLE
RETURN @extschema@._dlints_common_wrappers() OPERATOR(pg_catalog.||) $wrappers$
CREATE FUNCTION rank(event text, context jsonb, actions jsonb, deferred boolean DEFAULT false)
RETURNS TABLE (event_id text, action text, "position" integer, probability float8, expected float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET plan_cache_mode = force_generic_plan
BEGIN ATOMIC
    SELECT r.event_id, r.action, r."position", r.probability, r.expected
    FROM   @extschema@._dlints_rank('setting'::regclass, event, context, actions, deferred) r;
END;

CREATE FUNCTION reward(event text, value float8, costs jsonb DEFAULT NULL) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT @extschema@._dlints_ranker_reward('setting'::regclass, event, value, costs);
END;

CREATE FUNCTION activate(event text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_activate('setting'::regclass, event);

CREATE FUNCTION winner(since timestamptz DEFAULT '-infinity', actions text[] DEFAULT NULL,
    lowest float8 DEFAULT NULL, highest float8 DEFAULT NULL)
RETURNS TABLE (action text, events bigint, earns float8, low float8, high float8,
    chance_best float8, could_gain float8, verdict text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT w.action, w.events, w.earns, w.low, w.high, w.chance_best, w.could_gain, w.verdict
    FROM   @extschema@._dlints_ranker_winner('setting'::regclass, since, actions, lowest, highest) w;
END;

CREATE FUNCTION erase(user_id text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN @extschema@._dlints_ranker_erase('setting'::regclass, user_id);

CREATE FUNCTION go_live(share float8 DEFAULT 1) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT @extschema@._dlints_go_live('setting'::regclass, share);
END;

COMMENT ON FUNCTION rank(text, jsonb, jsonb, boolean) IS 'rank actions for an event, log and return them with '
    'their probabilities, best first; an event '
    'that was ranked before has the same answer; a deferred event counts once it is activated';
COMMENT ON FUNCTION reward IS 'report the reward of an event, and its costs by name of the constraint';
COMMENT ON FUNCTION activate IS 'start the attribution window of a deferred event; false if there is none';
COMMENT ON FUNCTION learn IS 'train the models on decisions with a reward, or older than the window; returns their '
    'number';
COMMENT ON FUNCTION report IS 'rewards of the ranker and of the baseline, constraints, and problems';
COMMENT ON FUNCTION winner IS 'compare actions, each as if it were always chosen: mean reward, bounds that remain '
    'valid at each look, probability of being the best, and a verdict';
COMMENT ON FUNCTION erase IS 'erase a user from the log and the models; returns the number of decisions';
COMMENT ON FUNCTION go_live IS 'set the share of events that the ranker decides; the others keep the first action';
$wrappers$;
