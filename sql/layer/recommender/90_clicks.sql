-- A query that fails, fails now.  Person and item are easily swapped, and nobody would see it.
DO $body$
BEGIN
    PERFORM max(c.at) FROM (SELECT at FROM {s}.click LIMIT 1000) c;
    IF EXISTS (SELECT FROM {s}.click) AND EXISTS (SELECT FROM {s}.item) AND NOT EXISTS (
        SELECT FROM {s}.click c JOIN {s}.item i ON i.item {same_item} c.item) THEN
        RAISE 'no click is of an item of %', {relation} USING ERRCODE = 'invalid_parameter_value';
    END IF;
EXCEPTION WHEN data_exception OR invalid_parameter_value THEN
    RAISE 'in the argument "clicks": %', SQLERRM
        USING ERRCODE = SQLSTATE, HINT = 'It is a query of person, item and time, in this order.';
END
$body$;
