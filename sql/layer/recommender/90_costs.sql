-- So does what is promised, before it is read for good.
DO $body$
BEGIN
    PERFORM max(c.costs[1]) FROM {s}.item_cost c;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
    RAISE 'in the argument "promises": %', SQLERRM
        USING ERRCODE = SQLSTATE, HINT = 'It is asked of each item.';
END
$body$;
