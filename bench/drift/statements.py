"""The SQL of a play; {name} is a part of a statement."""

TABLES = """
-- one row for each item that may be offered
CREATE TEMP TABLE item (
    id integer PRIMARY KEY, features real[] NOT NULL);
-- one row for each visit: after which one its rewards are known, who comes,
-- which items are offered, what each of them earns on average, and what it earns
CREATE TEMP TABLE visit (
    number   integer PRIMARY KEY,
    due      integer NOT NULL,
    profile  real[] NOT NULL,   -- empty without one
    offered  integer[] NOT NULL,
    expected float8[] NOT NULL,
    reward   float8[] NOT NULL);
CREATE INDEX ON visit (due)"""

# Play all visits. One draw serves the "box" items of a visit; after "batch"
# visits is learned what has become known. Returns the expected reward of each
# visit, what was shown, and the memory in use.
PLAY = """
CREATE OR REPLACE FUNCTION pg_temp.play(
    empty dlints, box integer, batch integer, seed bigint,
    OUT earned float8[], OUT shown integer[], OUT memory integer[]
) AS $$
DECLARE
    state   dlints := empty;
    v       visit;
    weights float8[];
    places  integer[];
    chosen  integer[];      -- the places of all visits
BEGIN
    FOR v IN SELECT * FROM visit ORDER BY number LOOP
        weights := dlints_draw_weights(state, v.profile, seed + v.number);
        places := array(
            SELECT o.place::integer
            FROM   unnest(v.offered) WITH ORDINALITY AS o (id, place)
            JOIN   item AS i USING (id)
            ORDER  BY dlints_dot(weights, i.features) DESC
            LIMIT  box);

        earned[v.number] := 0;
        FOR k IN 1 .. box LOOP
            earned[v.number] := earned[v.number] + v.expected[places[k]];
            shown := shown || v.offered[places[k]];
            chosen := chosen || places[k];
        END LOOP;
        CONTINUE WHEN v.number % batch <> 0;

        {lesson};
        memory := memory || (SELECT i.memory FROM dlints_info(state) AS i);
    END LOOP;
END
$$ LANGUAGE plpgsql"""
# Of one observation, and of those that have become known
ONE = """
        state := dlints_update(
            state, (SELECT i.features FROM item i WHERE i.id = v.offered[places[1]]),
            v.reward[places[1]], v.profile)"""
MANY = """
        state := state || (
            SELECT dlints_evidence(empty, i.features, w.reward[c.place], w.profile,
                                   'epoch'::timestamptz + w.number * interval '1 min'
                                   ORDER BY w.due, w.number, k)
            FROM   visit w
                   CROSS JOIN generate_series(1, box) AS k
                   CROSS JOIN LATERAL (SELECT chosen[(w.number - 1) * box + k]) AS c (place)
                   JOIN item i ON i.id = w.offered[c.place]
            WHERE  w.due > v.number - batch AND w.due <= v.number)"""

RUN = """
SELECT earned, shown, memory
FROM   pg_temp.play(dlints_new(%(dim)s, seed => %(seed)s{named}),
                    %(box)s, %(batch)s, %(draws)s)"""
