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
