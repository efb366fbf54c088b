-- Make and change a ranker -----------------------------------------------------------

-- Apply a change of settings to constraints and models.  Since names of constraints and the user are no features, the
-- models are trained again when a constraint is added or removed, or the user has another key.
CREATE FUNCTION _dlints_apply_ranker_change(change jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	has_other_features boolean := change ?| '{half_life,vectors,user_key}' OR ARRAY(
			SELECT p.name FROM constraint_price p ORDER BY p.name)
		<> ARRAY(SELECT k.k FROM setting s, jsonb_object_keys(s.constraints) k ORDER BY k.k);
BEGIN
	IF change ? 'constraints' THEN
		PERFORM @extschema@._dlints_write_constraints();
	END IF;
	IF has_other_features THEN
		UPDATE model SET state = s.empty_model FROM setting s;
	END IF;
	IF has_other_features OR change ? 'default_reward' THEN
		PERFORM @extschema@._dlints_rebuild_models();
	END IF;
END
$$;

CREATE FUNCTION _dlints_make_ranker(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
BEGIN
	PERFORM @extschema@._dlints_create_schema(a ->> 'name');
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_ranker_tables(), a);
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_ranker_views(), a);
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_ranker_wrappers(), a);
	EXECUTE format('REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA %I FROM PUBLIC', a ->> 'name');
	PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', a ->> 'name'), true);
	PERFORM @extschema@._dlints_write_settings(a || jsonb_build_object(
		'empty_model', @extschema@.dlints_new(192, half_life => (a ->> 'half_life')::interval)::text));
	UPDATE setting SET live_share = 0 WHERE apprentice;     -- decides no events until go_live() is called
	PERFORM @extschema@._dlints_write_constraints();
	PERFORM @extschema@._dlints_maintain_partitions();
	INSERT INTO model (name, learns, state)
	SELECT n.name, true, s.empty_model FROM setting s, unnest('{reward,imitation}'::text[]) n (name);
END
$$;
