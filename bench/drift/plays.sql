-- One row for each context that may be offered.
CREATE TEMP TABLE item (
	id      integer PRIMARY KEY,
	context real[] NOT NULL
);

-- One row for each visit: who comes, which items are offered, what each of them
-- would earn, and what it earns on average.
CREATE TEMP TABLE visit (
	number   integer PRIMARY KEY,
	shared   real[] NOT NULL,   -- empty without one
	offered  integer[] NOT NULL,
	expected float8[] NOT NULL,
	reward   float8[] NOT NULL
);

-- Play all visits. One draw serves the "box" items of a visit; what they earn is
-- learned after "batch" visits. Returns the expected reward of each visit, what
-- was shown, and the memory in use.
CREATE FUNCTION pg_temp.play(
	empty dlints, box integer, batch integer, seed bigint,
	OUT earned float8[], OUT shown integer[], OUT memory integer[]
) AS $$
DECLARE
	state   dlints := empty;
	v       visit;
	weights float8[];
	places  integer[];
	items   integer[];
	visits  integer[];
	rewards float8[];
BEGIN
	FOR v IN SELECT * FROM visit ORDER BY number LOOP
		IF v.shared = '{}' THEN
			weights := dlints_draw_weights(state, seed + v.number);
		ELSE
			weights := dlints_draw_weights(state, v.shared, seed + v.number);
		END IF;
		places := (
			SELECT dlints_top(o.place::integer, dlints_dot(weights, i.context), box)
			FROM   unnest(v.offered) WITH ORDINALITY AS o (id, place)
			JOIN   item AS i USING (id));

		earned[v.number] := 0;
		FOR k IN 1 .. box LOOP
			earned[v.number] := earned[v.number] + v.expected[places[k]];
			shown := shown || v.offered[places[k]];
			items := items || v.offered[places[k]];
			visits := visits || v.number;
			rewards := rewards || v.reward[places[k]];
		END LOOP;
		CONTINUE WHEN v.number % batch <> 0;

		IF cardinality(items) > 1 THEN
			IF v.shared = '{}' THEN
				state := state || (
					SELECT dlints_evidence(empty, i.context, l.reward ORDER BY l.place)
					FROM   unnest(items, rewards) WITH ORDINALITY AS l (id, reward, place)
					JOIN   item AS i USING (id));
			ELSE
				state := state || (
					SELECT dlints_evidence(empty, i.context, w.shared, l.reward ORDER BY l.place)
					FROM   unnest(items, visits, rewards) WITH ORDINALITY AS l (id, number, reward, place)
					JOIN   item AS i USING (id)
					JOIN   visit AS w USING (number));
			END IF;
		ELSIF v.shared = '{}' THEN
			state := dlints_update(
				state, (SELECT context FROM item WHERE id = items[1]), rewards[1]);
		ELSE
			state := dlints_update(
				state, (SELECT context FROM item WHERE id = items[1]), v.shared, rewards[1]);
		END IF;
		items := NULL;
		visits := NULL;
		rewards := NULL;
		memory := memory || (SELECT i.memory FROM dlints_info(state) AS i);
	END LOOP;
END
$$ LANGUAGE plpgsql;
