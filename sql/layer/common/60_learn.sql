-- What these decisions taught each model, as the models know it.  Each reads them for itself: what is
-- read is wide, and would be sorted by model.
CREATE OR REPLACE FUNCTION {s}.taught(decisions bigint[])
RETURNS TABLE (name text, evidence {dlints}.dlints) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.name, e.evidence
    FROM   {s}.model p,
           LATERAL (SELECT {dlints}.dlints_evidence(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                    l.profile::{vector}, l.at, l.looked_at) AS evidence
                    FROM  (SELECT * FROM {s}.learned l
                           WHERE  l.model = p.name AND l.decision = ANY (decisions) OFFSET 0) l
                    WHERE  {dlints}.dlints_accepts(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                   l.profile::{vector}, l.at, l.looked_at)) e
    WHERE  e.evidence IS NOT NULL;
END;

-- ... and without it
CREATE OR REPLACE FUNCTION {s}.take_back(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.model m SET state = {dlints}.dlints_retract(m.state, t.evidence)
    FROM   {s}.taught(decisions) t
    WHERE  m.name = t.name;
END;

-- What they taught stays for good, and nobody can say any more whose it was.
CREATE OR REPLACE FUNCTION {s}.put_away(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    INSERT INTO {s}.archive AS a (name, state) SELECT t.name, t.evidence FROM {s}.taught(decisions) t
    ON CONFLICT (name) DO UPDATE SET state = {dlints}.dlints_concat(a.state, excluded.state);
END;

-- Takes in what is older than the wait, with what came of it.  What comes later is a correction:
-- what was learned is taken back, and what is right is learned, as of the moment of the decision.
-- Sessions that learn at once wait for each other at the models' rows; what a statement reads after
-- the wait is what the other one has left.  Who tells just now is not waited for, which would be a
-- deadlock with a client that tells of several: that comes late.  What cannot be learned, or not be corrected, is set
-- aside, so that it holds up nothing else.
CREATE OR REPLACE FUNCTION {s}.learn(wait interval DEFAULT {wait}) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off SET enable_seqscan = off AS $body$
DECLARE
    learned bigint := 0;
    batch   bigint[];
    one     bigint;
    n       bigint;
BEGIN
    -- what is assigned by SELECT INTO is planned at each call: months may go meanwhile
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    LOOP
        SELECT t.batch INTO batch FROM {s}.take_due(wait) t (batch);
        EXIT WHEN batch = '{}';
        BEGIN
            PERFORM {s}.take_in(batch);
        EXCEPTION WHEN data_exception THEN
            FOREACH one IN ARRAY batch LOOP
                BEGIN
                    PERFORM {s}.take_in(ARRAY[one]);
                EXCEPTION WHEN data_exception THEN
                    INSERT INTO {s}.set_aside (decision, known, problem)
                    VALUES (one, false, SQLERRM) ON CONFLICT DO NOTHING;
                END;
            END LOOP;
        END;
        learned := learned + cardinality(batch);
    END LOOP;
    LOOP
        SELECT t.batch INTO batch FROM {s}.take_late() t (batch);
        EXIT WHEN batch = '{}';
        BEGIN
            SELECT c.n INTO n FROM {s}.correct(batch) c (n);
            learned := learned + n;
        EXCEPTION WHEN data_exception THEN
            FOREACH one IN ARRAY batch LOOP
                BEGIN
                    SELECT c.n INTO n FROM {s}.correct(ARRAY[one]) c (n);
                    learned := learned + n;
                EXCEPTION WHEN data_exception THEN
                    INSERT INTO {s}.set_aside (decision, known, problem)
                    VALUES (one, true, SQLERRM) ON CONFLICT DO NOTHING;
                END;
            END LOOP;
        END;
        EXIT WHEN cardinality(batch) < 1000 OR n = 0;   -- or all of them are being told again
    END LOOP;
    RETURN learned;
END
$body$;

-- The models anew: the beginning, what is archived, and what the log says that was learned
CREATE OR REPLACE FUNCTION {s}.build() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.model m
    SET    state = {dlints}.dlints_concat({dlints}.dlints_concat(
                       {dlints}.dlints_scale(0::float8, m.state), a.state), e.evidence)
    FROM   {s}.model p LEFT JOIN {s}.archive a ON a.name = p.name,
           LATERAL (SELECT {dlints}.dlints_evidence(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                    l.profile::{vector}, l.at, l.looked_at) AS evidence
                    FROM  (SELECT * FROM {s}.learned l WHERE l.model = p.name OFFSET 0) l
                    WHERE  {dlints}.dlints_accepts(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                   l.profile::{vector}, l.at, l.looked_at)) e
    WHERE  m.name = p.name AND m.learns;
END;

-- The same, and with what was set aside before as it is told now
CREATE OR REPLACE FUNCTION {s}.rebuild() RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    PERFORM {s}.believe_told(ARRAY(SELECT a.decision FROM {s}.set_aside a));
    DELETE FROM {s}.set_aside;
    PERFORM {s}.build();
    {then_begin};
    RETURN (SELECT updates FROM {s}.models WHERE name = {first_model});
END
$body$;

-- A person is erased, of a recommender a session as well: the models forget what they learned from these, to
-- rounding as if they had never seen it, and the log loses the rows.  What is archived is nobody's any more.
CREATE OR REPLACE FUNCTION {s}.erase({erased}) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    erased  bigint[];
    rebuild boolean := false;
BEGIN
    {erase_first}
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    erased := ARRAY(SELECT d.id FROM {s}.decision d WHERE {is_theirs});
    BEGIN
        PERFORM {s}.take_back(erased);
    EXCEPTION WHEN data_exception THEN
        rebuild := true;                -- the log says what was never learned
    END;
    PERFORM {s}.delete_log(erased);
    DELETE FROM {s}.due WHERE decision = ANY (erased);
    DELETE FROM {s}.set_aside WHERE decision = ANY (erased);
    {erase_more}
    IF rebuild THEN
        PERFORM {s}.rebuild();
    END IF;
    IF EXISTS (SELECT FROM {s}.archive) THEN
        RAISE NOTICE 'what was learned from decisions that are no longer kept is archived, and stays'
            USING HINT = 'Nobody can say whose it was. "archive": false discards it.';
    END IF;
    RETURN cardinality(erased);
END
$body$;
