-- What came of an item that was shown.  Any order will do, also before the decision; what
-- is told twice counts once, and another value replaces the first one.  Told with a person, it
-- is taken for decisions of that person only.
CREATE OR REPLACE FUNCTION {s}.reward(
    decision bigint, item {item_type}, outcome text DEFAULT {first}, value float8 DEFAULT NULL,
    person {person_type} DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    worth float8 := CASE outcome {worths} END;
    most  float8 := CASE outcome {most_values} END;
BEGIN
    IF worth IS NULL THEN
        RAISE 'unknown outcome "%"', outcome
            USING ERRCODE = 'invalid_parameter_value', HINT = 'The outcomes are ' || {outcome_names} || '.';
    ELSIF decision IS NULL OR item IS NULL THEN
        RAISE 'a reward is of a decision and of an item that it showed'
            USING ERRCODE = 'null_value_not_allowed';
    ELSIF value IN ('NaN', 'Infinity', '-Infinity') THEN
        RAISE 'the value of a reward must be finite'
            USING ERRCODE = 'numeric_value_out_of_range';
    ELSIF abs(value) > most THEN
        RAISE 'the value of "%" must be between -% and %', outcome, most, most
            USING ERRCODE = 'numeric_value_out_of_range',
            HINT = format('That is %s times what it is worth; "value_limit" says how many times.', {value_limit});
    ELSIF decision NOT BETWEEN 0 AND {s}.first_decision(
          greatest(now(), clock_timestamp()) + interval '1 minute') THEN
        RAISE 'there is no decision %', decision USING ERRCODE = 'invalid_parameter_value';
    ELSIF person IS NOT NULL AND EXISTS (
        SELECT FROM {s}.decision d
        WHERE  d.id = reward.decision AND (d.person {same_person} reward.person) IS NOT TRUE) THEN
        RAISE 'decision % is not of this person', decision USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO {s}.reward AS r (decision, item, outcome, value)
    VALUES (reward.decision, reward.item, reward.outcome, coalesce(reward.value, worth))
    ON CONFLICT (decision, item, outcome) DO UPDATE SET value = excluded.value
    WHERE r.value <> excluded.value;
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.reward FROM PUBLIC;
