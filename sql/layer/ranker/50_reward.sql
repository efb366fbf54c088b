-- How good what was chosen for an event turned out to be.  Any order will do, also before the
-- event is ranked; {again_said}.
CREATE OR REPLACE FUNCTION {s}.reward(event text, value float8) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
BEGIN
    IF event IS NULL OR value IS NULL THEN
        RAISE 'a reward is a number for an event' USING ERRCODE = 'null_value_not_allowed';
    ELSIF value IN ('NaN', 'Infinity', '-Infinity') THEN
        RAISE 'the value of a reward must be finite' USING ERRCODE = 'numeric_value_out_of_range';
    ELSIF abs(value) > {value_limit} THEN
        RAISE 'the value of a reward must be between -% and %', {value_limit}, {value_limit}
            USING ERRCODE = 'numeric_value_out_of_range', HINT = 'The ranker''s value_limit says so.';
    END IF;
    INSERT INTO {s}.reward AS r (event, value) VALUES (reward.event, reward.value)
    ON CONFLICT (event) DO {again};
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.reward FROM PUBLIC;

-- A deferred event was shown after all: from now on its reward is waited for.  False if there
-- is none such.
CREATE OR REPLACE FUNCTION {s}.activate(event text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
BEGIN
    WITH shown AS (
        UPDATE {s}.decision d SET active = true
        WHERE  d.event = activate.event AND NOT d.active RETURNING d.id)
    INSERT INTO {s}.due (decision, since) SELECT id, now() FROM shown;
    RETURN FOUND;
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.activate FROM PUBLIC;
