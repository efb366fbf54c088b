SELECT {s}.set_months();

INSERT INTO {s}.model
SELECT name, true, {dlints}.dlints_new({dim}, half_life => {half_life})
FROM   unnest(ARRAY['reward', 'imitation']) name;
