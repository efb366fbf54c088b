-- Maintenance of a recommender: item vectors, popularity, trend, factors ------------

-- Describe the objects that were dropped with CASCADE because they read the user's tables, and the remedy; NULL
-- if none is missing.  Texts can be passed again; the items' table and its columns cannot.
CREATE FUNCTION _dlints_missing_objects() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	missing text := (
		SELECT string_agg(format('"%s"', o.name), ', ' ORDER BY o.n)
		FROM   setting s, LATERAL (VALUES
			(1, 'item', true), (2, 'encoded_item', true), (3, 'encode_document', true), (4, 'click', true),
			(5, 'allowed', true), (6, 'bonus', s.bonus IS NOT NULL), (7, 'cap_group', s.cap_group IS NOT NULL),
			(8, 'cost_text', s.constraints <> '{}')) o (n, name, is_expected)
		WHERE  o.is_expected
		AND    to_regclass(format('%I.%I', own, o.name)) IS NULL
		AND    NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = own::text::regnamespace AND p.proname = o.name));
BEGIN
	RETURN CASE WHEN missing IS NULL THEN NULL ELSE
		'dropped together with the tables or columns that they read: ' || missing
		|| CASE missing WHEN '"cost_text"' THEN '. Item vectors and costs are no longer refreshed'
		                ELSE '. The recommender returns no lists' END
		|| CASE WHEN missing ~ '"(item|encoded_item|encode_document)"'
		   THEN '. Its log and models remain; create another recommender.'
		   ELSE '. Pass the arguments that define them to dlints_alter_recommender() again.' END END;
END
$$;
COMMENT ON FUNCTION _dlints_missing_objects()
	IS 'objects of a recommender that were dropped together with what they read, and the remedy; NULL: none';

-- Raise an error if objects that a recommender reads were dropped.
CREATE FUNCTION _dlints_check_objects() RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	problem text := @extschema@._dlints_missing_objects();
BEGIN
	IF problem IS NOT NULL THEN
		RAISE 'objects of recommender "%" were %', own, split_part(problem, '. ', 1)
			USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = substring(problem FROM '\. (.*)$');
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_check_objects() IS 'raise an error if objects that a recommender reads were dropped';
