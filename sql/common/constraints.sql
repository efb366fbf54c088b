-- Constraints and their dual prices ------------------------------------------------
--
-- A constraint bounds the average cost of choices.  Its dual price, in rewards per unit of cost, is subtracted from
-- scores.  Prices are found by replaying recent decisions with draws of the present model, so that there is no
-- step size to choose.  A surplus or a deficit moves the target cost that the prices are found for.

-- Write the table "constraint_price" by setting.constraints.  A constraint whose definition is unchanged keeps its
-- price and its counts; one with another target keeps its price.
CREATE FUNCTION _dlints_write_constraints() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	-- a session that computes prices locks this row, too
	PERFORM FROM job WHERE name = 'prices' FOR UPDATE;
	DELETE FROM constraint_price p WHERE NOT (SELECT s.constraints ? p.name FROM setting s);
	INSERT INTO constraint_price AS p (name, sign, target, hard, of, outcome, solved)
	SELECT c.key, CASE WHEN c.value ? 'max' THEN 1 ELSE -1 END,
	       coalesce(c.value ->> 'max', c.value ->> 'min')::float8, coalesce((c.value ->> 'hard')::boolean, false),
	       c.value ->> 'of', c.value ->> 'outcome', n.last_value
	FROM   setting s, jsonb_each(s.constraints) c, decision_number n
	ON CONFLICT (name) DO UPDATE SET sign = excluded.sign, target = excluded.target, hard = excluded.hard,
		of = excluded.of, outcome = excluded.outcome, rate = NULL, lag = NULL,
		price = CASE WHEN p.sign = excluded.sign THEN p.price ELSE 0 END,
		since = now(), decisions = 0, surplus = 0
	WHERE (p.sign, p.target, p.hard, p.of, p.outcome)
	      IS DISTINCT FROM (excluded.sign, excluded.target, excluded.hard, excluded.of, excluded.outcome);
END
$$;
COMMENT ON FUNCTION _dlints_write_constraints() IS 'write the constraints of the settings to their table';
