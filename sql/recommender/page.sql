-- Lists and rewards of a recommender ----------------------------------------------
--
-- C functions with an argument "setting" are called by the wrappers in the recommender's schema.  "any" stands for
-- the recommender's type of items, arrays of items, or users; other types raise an error.

CREATE FUNCTION _dlints_key_argument(value "any", name text, type anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'dlints_key_argument' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _dlints_recommend(setting regclass, user_id "any", k integer, recent anyarray, context jsonb,
                                  session text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dlints_recommend_list' LANGUAGE C VOLATILE;

CREATE FUNCTION _dlints_more_like(setting regclass, item "any", k integer, user_id "any", context jsonb, session text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dlints_more_like' LANGUAGE C VOLATILE;

CREATE FUNCTION _dlints_next(setting regclass, decision bigint, k integer, user_id "any", session text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dlints_next' LANGUAGE C VOLATILE;

CREATE FUNCTION _dlints_trending(setting regclass, k integer, user_id "any", context jsonb, session text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dlints_trending' LANGUAGE C VOLATILE;

CREATE FUNCTION _dlints_profile(setting regclass, user_id "any", recent anyarray, context jsonb, session text)
	RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_user_profile' LANGUAGE C STABLE;

CREATE FUNCTION _dlints_recommender_reward(setting regclass, decision bigint, item "any", outcome text, value float8,
                                           user_id "any")
	RETURNS void
	AS 'MODULE_PATHNAME', 'dlints_recommender_reward' LANGUAGE C VOLATILE;

CREATE FUNCTION _dlints_is_row_error(code text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dlints_is_row_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _dlints_is_object_error(code text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dlints_is_object_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _dlints_allowed_items(user_id "any", context jsonb, witness anyelement) RETURNS SETOF anyelement
	AS 'MODULE_PATHNAME', 'dlints_allowed_items' LANGUAGE C STABLE ROWS 10000;

CREATE FUNCTION _dlints_try_rules(user_id "any", context jsonb, OUT n_candidates bigint, OUT n_failing bigint,
	OUT example text, OUT problem text)
	AS 'MODULE_PATHNAME', 'dlints_try_rules' LANGUAGE C STABLE;

CREATE FUNCTION _dlints_cluster_recall(profile real[], seed bigint) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'dlints_cluster_recall' LANGUAGE C VOLATILE STRICT;

-- Return the contributions to the expected reward of each item of a list, under the current models: of each column,
-- the factors, the popularity and the neighbour score.  The part "(item)" is the effect of the item when the list
-- was chosen.  The largest contributions come first.
CREATE FUNCTION _dlints_explain(setting regclass, decision bigint, witness anyelement)
	RETURNS TABLE (item anyelement, "position" integer, part text, contribution float8, stddev float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	RETURN QUERY
	SELECT c.item, c."position", c.part, c.contribution, c.stddev
	FROM  (
	SELECT l.item, l."position", e.name AS part, sum(e.contribution) AS contribution, sqrt(sum(e.stddev ^ 2)) AS stddev
	FROM  (SELECT i.item, i."position", i.training_features, i.profile
	       FROM   impression_user i WHERE i.decision = $2 OFFSET 0) l
	       CROSS JOIN (
	           SELECT m.state, s.parts
	           FROM   setting s, model m, @extschema@.dlints_info(m.state) i
	           WHERE  m.name = 'personal' OR (m.name = 'later' AND i.mean_reward <> 0)) m
	       CROSS JOIN LATERAL @extschema@.dlints_explain(m.state, l.training_features::@extschema@.dlints_vector,
	                                                     l.profile::@extschema@.dlints_vector, m.parts)
	           WITH ORDINALITY e (name, contribution, stddev, n)
	GROUP  BY l.item, l."position", e.n, e.name
	UNION  ALL
	SELECT i.item, i."position", '(item)', i.effect::float8, NULL::float8
	FROM   impression i WHERE i.decision = $2 AND i.effect <> 0) c
	ORDER  BY c."position", abs(c.contribution) DESC;
END
$$;
