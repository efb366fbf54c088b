-- Is this an array of so many numbers?
CREATE OR REPLACE FUNCTION {s}.is_vector(given jsonb, length integer) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN CASE WHEN jsonb_typeof(given) = 'array' AND jsonb_array_length(given) = length
            THEN NOT jsonb_path_exists(given, 'strict $[*] ? (@.type() != "number" || @ > 1e50 || @ < -1e50)')
            ELSE false END;

-- The vectors of a context as numbers to be encoded.  Each has length 1 and then the weight of two
-- names; one of more than 64 numbers is projected to as many.  What is missing counts as zeros.  So
-- does what is no such vector: rank() refuses it.
CREATE OR REPLACE FUNCTION {s}.vectors(context jsonb) RETURNS TABLE (numbers jsonb) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT jsonb_object_agg(v.key || ' ' || x.n, (x.value * sqrt(2::float8))::numeric)
    FROM  (SELECT d.key, {dlints}.dlints_profile(u.numbers::{vector}) AS numbers
           FROM   jsonb_each_text({vectors}) d (key, length),
                  LATERAL (SELECT array_agg(round(e.value::numeric, 60)::float8 ORDER BY e.n) AS numbers
                           FROM   jsonb_array_elements_text(
                                      CASE WHEN {s}.is_vector(context -> d.key, d.length::integer)
                                           THEN context -> d.key END) WITH ORDINALITY e (value, n)) u
           GROUP  BY d.key) v,
           LATERAL unnest(CASE WHEN cardinality(v.numbers) > 64 THEN {dlints}.dlints_project(
                              {dlints}.dlints_new(cardinality(v.numbers), 64, intercept => false),
                              v.numbers::{vector})::real[]
                          ELSE v.numbers END) WITH ORDINALITY x (value, n);
END;

-- An error if a vector of a context is none.  An array of numbers that is not declared is read as words;
-- that is said once in a session, which a setting remembers.
CREATE OR REPLACE FUNCTION {s}.check_context(context jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    many CONSTANT jsonpath := 'strict $.* ? (@.type() == "array" && @.size() > 8'
                              ' && !exists(@[*] ? (@.type() != "number")))';
    declared CONSTANT jsonb := {vectors};
    others jsonb;
    key    text;
    length integer;
    given  jsonb;
BEGIN
    IF jsonb_typeof(context) <> 'object' THEN
        RAISE 'a context must be an object' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', left(context::text, 200));
    END IF;
    FOR key, length IN SELECT * FROM jsonb_each_text(declared) LOOP
        given := context -> key;
        IF jsonb_typeof(given) <> 'null' AND NOT {s}.is_vector(given, length) THEN
            RAISE '"%" of a context must be an array of % numbers up to 1e50', key, length
                USING ERRCODE = 'invalid_parameter_value',
                DETAIL = CASE jsonb_typeof(given)
                    WHEN 'array' THEN format('It has %s elements: %s', jsonb_array_length(given),
                                             left(given::text, 200))
                    ELSE format('It is %s.', left(given::text, 200)) END,
                HINT = 'It was declared as a vector when the ranker was made.';
        END IF;
    END LOOP;
    others := context - ARRAY(SELECT jsonb_object_keys(declared));
    IF jsonb_path_exists(others, many) AND current_setting({told}, true) IS DISTINCT FROM 'on' THEN
        SELECT e.key, jsonb_array_length(e.value) INTO key, length
        FROM   jsonb_each(others) e WHERE jsonb_path_exists(jsonb_build_object('', e.value), many) LIMIT 1;
        RAISE NOTICE 'the % numbers of "%" in the context are read as words, in any order', length, key
            USING HINT = format('With vectors => %L they are a vector: dlints_alter_ranker declares it.',
                                declared || jsonb_build_object(key, length));
        PERFORM set_config({told}, 'on', false);
    END IF;
END
$body$;
