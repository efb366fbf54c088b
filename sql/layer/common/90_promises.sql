-- What is promised from now on.  Prices of what stays are as they were.
DELETE FROM {s}.promise p WHERE p.name <> ALL (ARRAY(SELECT w.name FROM ({promises}) w (name, sign, target, hard)));

INSERT INTO {s}.promise AS p (name, sign, target, hard)
SELECT w.name, w.sign, w.target, w.hard FROM ({promises}) w (name, sign, target, hard)
ON CONFLICT (name) DO UPDATE SET sign = excluded.sign, target = excluded.target, hard = excluded.hard,
    price = CASE WHEN p.sign = excluded.sign THEN p.price ELSE 0 END;
