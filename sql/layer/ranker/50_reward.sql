-- How good what was chosen for an event turned out to be.  Any order will do, also before the
-- event is ranked; {again_said}.  "costs" are what it really cost, of what is promised: the last that is
-- told counts, and a reward need not be told with it.
CREATE OR REPLACE FUNCTION {s}.reward(event text, value float8, costs jsonb DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    cost record;
BEGIN
    FOR cost IN SELECT key, value FROM jsonb_each(CASE jsonb_typeof(costs) WHEN 'object' THEN costs END) LOOP
        IF cost.key <> ALL ({promised}) THEN
            RAISE 'there is no promise "%"', left(cost.key, 100) USING ERRCODE = 'invalid_parameter_value';
        ELSIF jsonb_typeof(cost.value) <> 'number'
              OR abs((cost.value #>> '{}')::numeric) NOT BETWEEN 1e-50 AND 1e50 AND cost.value <> '0' THEN
            RAISE 'a cost must be 0, or a number from 1e-50 to 1e50'
                USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', left(cost.value::text, 100));
        END IF;
    END LOOP;
    IF jsonb_typeof(costs) NOT IN ('object', 'null') THEN
        RAISE 'costs must be an object of promises and what an event cost of each'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'For example {"usd": 0.002}.';
    ELSIF event IS NULL OR value IS NULL AND coalesce(costs, '{}') IN ('{}', 'null') THEN
        RAISE 'a reward is a number for an event' USING ERRCODE = 'null_value_not_allowed';
    ELSIF value IN ('NaN', 'Infinity', '-Infinity') THEN
        RAISE 'the value of a reward must be finite' USING ERRCODE = 'numeric_value_out_of_range';
    ELSIF abs(value) > {value_limit} THEN
        RAISE 'the value of a reward must be between -% and %', {value_limit}, {value_limit}
            USING ERRCODE = 'numeric_value_out_of_range', HINT = 'The ranker''s value_limit says so.';
    END IF;
    IF value IS NOT NULL THEN
        INSERT INTO {s}.reward AS r (event, value) VALUES (reward.event, reward.value)
        ON CONFLICT (event) DO {again};
    END IF;
    IF coalesce(costs, '{}') NOT IN ('{}', 'null') THEN
        INSERT INTO {s}.paid AS p (event, costs) VALUES (reward.event, reward.costs)
        ON CONFLICT (event) DO UPDATE SET costs = p.costs || excluded.costs WHERE NOT p.costs @> excluded.costs;
    END IF;
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
