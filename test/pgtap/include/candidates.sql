-- One model of each kind and policy, with few and with many numbers, so that each way of computing scores is used
CREATE FUNCTION trained(m dlints, n integer, s integer) RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	at timestamptz := '2026-01-01';
BEGIN
	FOR i IN 1..30 LOOP
		at := at + interval '1 hour';
		m := dlints_update(m, features(i, n), number(i, 1), profile(i, s), at);
	END LOOP;
	RETURN dlints_set(m, exploration => 1);
END
$$;
CREATE TEMP TABLE subject AS
SELECT name, n, s, trained(empty, n, s) AS model
FROM (VALUES
	('plain', 5, 0, dlints_new(5, ridge => 1)),
	('plain, long', 150, 0, dlints_new(150, discount => 0.99, ridge => 1)),
	('projected', 30, 0, dlints_new(30, 4, ridge => 1)),
	('no intercept', 4, 0, one_memory(4)),
	('matched, short', 3, 3, dlints_new(3, interactions => 'matched', ridge => 1)),
	('matched, long', 20, 20, dlints_new(20, interactions => 'matched', ridge => 1)),
	('matched', 4, 4, dlints_new(4, interactions => 'matched', ridge => 1)),
	('matched, projected', 12, 12, dlints_new(12, 4, interactions => 'matched', ridge => 1)),
	('by time', 6, 0, dlints_new(6, half_life => '10 days', ridge => 1)),
	('ucb', 6, 0, dlints_new(6, policy => 'ucb', ridge => 1)),
	('ucb, matched', 8, 8, dlints_new(8, interactions => 'matched', policy => 'ucb', ridge => 1)),
	('greedy', 6, 0, dlints_new(6, policy => 'greedy', ridge => 1)),
	('greedy, matched', 3, 3, dlints_new(3, interactions => 'matched', policy => 'greedy', ridge => 1)))
	AS v (name, n, s, empty);

-- 70 candidates, 7 of them NULL: more than a strip
CREATE TEMP TABLE candidate AS
SELECT name, i, CASE WHEN i % 10 <> 0 THEN features(i, n)::real[] END AS x,
       profile(3, s)::real[] AS u, number(i, 5) / 10 AS bonus, nullif(i % 4, 0)::text AS brand
FROM subject, generate_series(1, 70) AS i;
