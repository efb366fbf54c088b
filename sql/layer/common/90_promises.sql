-- What is promised from now on.  Prices of what stays are as they were; what is promised otherwise is counted
-- from now on.  Who finds prices has this row, too.
SELECT FROM {s}.job WHERE name = 'prices' FOR UPDATE;

DELETE FROM {s}.promise p
WHERE  p.name <> ALL (ARRAY(SELECT w.name FROM ({promises}) w (name, sign, target, hard, of, outcome)));

INSERT INTO {s}.promise AS p (name, sign, target, hard, of, outcome, solved)
SELECT w.name, w.sign, w.target, w.hard, w.of, w.outcome, (SELECT n.last_value FROM {s}.decision_number n)
FROM   ({promises}) w (name, sign, target, hard, of, outcome)
ON CONFLICT (name) DO UPDATE SET sign = excluded.sign, target = excluded.target, hard = excluded.hard, of = excluded.of,
    outcome = excluded.outcome, rate = NULL, lag = NULL,
    price = CASE WHEN p.sign = excluded.sign THEN p.price ELSE 0 END, since = now(), decisions = 0, ahead = 0
WHERE (p.sign, p.target, p.hard, p.of, p.outcome)
      IS DISTINCT FROM (excluded.sign, excluded.target, excluded.hard, excluded.of, excluded.outcome);
