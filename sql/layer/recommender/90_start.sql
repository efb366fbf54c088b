-- Person and item are easily swapped, and nobody would see it.
DO $body$
BEGIN
    IF EXISTS (SELECT FROM {s}.click) AND EXISTS (SELECT FROM {s}.item) AND NOT EXISTS (
        SELECT FROM {s}.click c JOIN {s}.item i ON i.item {same_item} c.item) THEN
        RAISE 'no click is of an item of %', {relation}
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'clicks is a query of person, item and time, in this order.';
    END IF;
END
$body$;

SELECT {s}.set_months();

INSERT INTO {s}.likeness (weights, scale)
SELECT w, {s}.spread(w) FROM (SELECT array_fill(1::float8, ARRAY[{blocks} + 1])) t (w);

INSERT INTO {s}.model VALUES
    ('personal', true, {s}.empty()),
    ('later', {many}, {s}.empty()),
    ('control', false, {dlints}.dlints_set({s}.empty(), policy => 'greedy'));

SELECT {s}.refresh();

SELECT {s}.refit();

ANALYZE {s}.item_vector;

SELECT {s}.set_beginning();

-- Texts of rules that fail, fail now.
SELECT max(bonus), max(cap_group) FROM {s}.candidate(NULL, '{}');
