-- Lists and rewards of a recommender ----------------------------------------------
--
-- Functions in the recommender's schema call C functions with the argument "setting".  "any" stands for the
-- recommender's type of items, arrays of items, or users.

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

-- Does an error for one item concern only this item?  Raises an error if dropped objects may be the cause.
CREATE FUNCTION _dlints_concerns_one_item(code text) RETURNS boolean
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF @extschema@._dlints_is_object_error(code) THEN
		PERFORM @extschema@._dlints_check_objects();
	END IF;
	RETURN @extschema@._dlints_is_row_error(code);
END
$$;

-- Evaluate all SQL expressions of a recommender for all items, to raise their errors.  Errors due to data name the
-- argument.
CREATE FUNCTION _dlints_check_expressions(user_id anyelement, context jsonb) RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	argument text := 'candidates';
BEGIN
	PERFORM @extschema@._dlints_repeated_key();     -- raises the error of the view of items, if any
	BEGIN
		PERFORM count(*) FROM allowed(user_id, context);
		argument := 'bonus';
		IF (SELECT s.bonus IS NOT NULL FROM setting s) THEN
			PERFORM max(b.bonus) FROM allowed(user_id, context) a, LATERAL bonus(a.item, user_id, context) b;
		END IF;
		argument := 'cap_group';
		IF (SELECT s.cap_group IS NOT NULL FROM setting s) THEN
			PERFORM max(g.cap_group) FROM allowed(user_id, context) a, LATERAL cap_group(a.item, user_id, context) g;
		END IF;
	EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
		IF @extschema@._dlints_is_row_error(SQLSTATE) AND NOT @extschema@._dlints_is_object_error(SQLSTATE) THEN
			RAISE 'in the argument "%": %', argument, SQLERRM USING ERRCODE = SQLSTATE,
				HINT = 'The expression is evaluated for each item, with user_id and context, which may be NULL.';
		END IF;
		RAISE;
	END;
END
$$;

CREATE FUNCTION _dlints_allowed_items(user_id "any", context jsonb, witness anyelement) RETURNS SETOF anyelement
	AS 'MODULE_PATHNAME', 'dlints_allowed_items' LANGUAGE C STABLE ROWS 10000;

CREATE FUNCTION _dlints_try_rules(user_id "any", context jsonb, OUT n_candidates bigint, OUT n_failing bigint,
	OUT example text, OUT problem text)
	AS 'MODULE_PATHNAME', 'dlints_try_rules' LANGUAGE C STABLE;

CREATE FUNCTION _dlints_cluster_recall(profile real[], seed bigint) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'dlints_cluster_recall' LANGUAGE C VOLATILE STRICT;

-- Compute features from the object "like" of a request's context; NULL without valid columns.  Invalid columns raise
-- warnings only, so that the request returns a list.
CREATE FUNCTION _dlints_liked_features(liked jsonb) RETURNS real[]
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	valid jsonb := '{}';
	part record;
BEGIN
	IF liked = 'null' THEN
		RETURN NULL;
	ELSIF jsonb_typeof(liked) <> 'object' OR pg_column_size(liked) > 512 * 1024 THEN
		RAISE WARNING '"like" is ignored: it must be an object of at most % bytes', 512 * 1024
			USING ERRCODE = 'invalid_parameter_value';
		RETURN NULL;
	END IF;
	FOR part IN
		SELECT left(l.key, 100) AS name, jsonb_build_object(l.key, l.value) AS liked,
		       l.key = ANY (s.column_names) AS is_column,
		       l.key = ANY (s.parts) AND NOT starts_with(l.key, '(') AS is_date
		FROM   setting s, jsonb_each(_dlints_liked_features.liked) l WHERE l.value <> 'null'
	LOOP
		IF part.is_column THEN
			BEGIN
				IF 0::real = ALL (encode_document(part.liked)) THEN
					RAISE WARNING 'value for column "%" in "like" has no features', part.name
						USING ERRCODE = 'invalid_parameter_value';
				ELSE
					valid := valid || part.liked;
				END IF;
			EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
				IF NOT @extschema@._dlints_concerns_one_item(SQLSTATE) THEN
					RAISE;
				END IF;
				RAISE WARNING 'invalid value for column "%" in "like": %', part.name, SQLERRM USING ERRCODE = SQLSTATE;
			END;
		ELSIF part.is_date THEN
			RAISE WARNING 'column "%" cannot be in "like"', part.name
				USING ERRCODE = 'feature_not_supported', DETAIL = 'A column of dates is encoded by the age of an item.';
		ELSE
			RAISE WARNING 'column "%" in "like" does not exist', part.name USING ERRCODE = 'undefined_column';
		END IF;
	END LOOP;
	RETURN (SELECT array_fill(0::real, ARRAY[s.factors]) || encode_document(valid) FROM setting s WHERE valid <> '{}');
END
$$;

-- Return the contributions to the expected reward of each item of a list under the current models, the largest first.
-- The part "(item)" is the effect of the item when the list was chosen.
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
