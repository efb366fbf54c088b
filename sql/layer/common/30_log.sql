-- The number of the first decision of a moment from 2020 to 2088: the time, and room for
-- 4,194,304 a second.  It fits into the numbers of JSON.
CREATE OR REPLACE FUNCTION {s}.first_decision(at timestamptz) RETURNS bigint
LANGUAGE sql STABLE
RETURN (floor(least(greatest(date_part('epoch', at), 1577836800), 3725320447))::bigint
        - 1577836800) << 22;

-- The number of a decision of now, in order of time to a 128th of a second, and within that the
-- next one under the secret: shuffled by a Feistel network of four rounds over 14 bits, so that no
-- number comes twice and none tells the next one.  A transaction that goes on for long, which may
-- number many more of its one moment, takes numbers of a kind of their own.
CREATE OR REPLACE FUNCTION {s}.new_decision() RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    secret bigint := (SELECT s.secret FROM {s}.setting s);
    number bigint;
    base   bigint;
    high   bigint;
    low    bigint;
    was    bigint;
BEGIN
    IF current_setting('transaction_read_only') = 'on' THEN
        RAISE 'a decision cannot be logged in a read-only transaction' USING ERRCODE = 'read_only_sql_transaction',
            HINT = 'What is shown is logged at once: ask the primary, in a transaction that may write.';
    END IF;
    number := nextval({sequence});
    base := {s}.first_decision(now())
            + CASE WHEN clock_timestamp() < now() + interval '50 milliseconds'
                   THEN (date_part('microseconds', now())::bigint % 1000000 * 128 / 1000000) << 15
                   ELSE ((number >> 14) & 127) << 15 | 16384 END;
    high := (number >> 7) & 127;
    low := number & 127;
    FOR round IN 1 .. 4 LOOP
        was := low;
        low := high # (hashint8extended(base + low, secret # round) & 127);
        high := was;
    END LOOP;
    RETURN base + (high << 7) + low;
END
$body$;

-- Takes back what decisions taught that are older than is kept, a portion at each call.  The
-- models then know what the log holds, and can be corrected, erased from and rebuilt exactly.
CREATE OR REPLACE FUNCTION {s}.forget(most integer DEFAULT 20000) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off SET enable_seqscan = off AS $body$
DECLARE
    until     bigint := {s}.first_decision(now() - {keep}::interval);
    forgotten bigint := 0;
    batch     bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM {s}.decision d
                   WHERE  d.id >= (SELECT s.known_from FROM {s}.setting s) AND d.id < until) THEN
        RETURN 0;
    END IF;
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    LOOP
        batch := ARRAY(SELECT d.id FROM {s}.decision d
                       WHERE  d.id >= (SELECT s.known_from FROM {s}.setting s) AND d.id < until
                       ORDER  BY d.id LIMIT 1000);
        EXIT WHEN batch = '{}' OR forgotten >= most;
        IF {archive} THEN
            PERFORM {s}.put_away(batch);
        ELSE
            BEGIN
                PERFORM {s}.take_back(batch);
            EXCEPTION WHEN data_exception THEN
                -- rounding, or a log that says what was never learned: from what is left, then
                UPDATE {s}.setting SET known_from = batch[cardinality(batch)] + 1;
                PERFORM {s}.rebuild();
            END;
        END IF;
        UPDATE {s}.setting SET known_from = batch[cardinality(batch)] + 1;
        DELETE FROM {s}.due WHERE decision = ANY (batch);
        DELETE FROM {s}.set_aside WHERE decision = ANY (batch);
        forgotten := forgotten + cardinality(batch);
    END LOOP;
    RETURN forgotten;
END
$body$;

-- Partitions for this month and three more; those whose decisions are all older than is kept go,
-- once the models have forgotten them.  If nobody calls this, decisions go to the partitions named
-- "rest", and come from there later.  A transaction that uses the log for long is not waited for,
-- since both could then wait for each other: the next call does it.  Whoever calls it, they are the
-- owner's.
CREATE OR REPLACE FUNCTION {s}.set_months() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off
SET lock_timeout = '900ms' AS $body$
DECLARE
    month  timestamp;
    parent text;
    key    text;
    name   text;
    low    bigint;
    high   bigint;
BEGIN
    PERFORM {s}.forget();
    FOR month, parent, key IN
        SELECT m, p.*
        FROM   generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                               now() AT TIME ZONE 'UTC' + interval '3 months', '1 month') m,
               (VALUES {partitioned}) p
    LOOP
        name := parent || to_char(month, '_YYYY_MM');
        CONTINUE WHEN to_regclass(format('%I.%I', {name}, name)) IS NOT NULL;
        -- another session may be at it
        LOCK TABLE ONLY {s}.decision IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(format('%I.%I', {name}, name)) IS NOT NULL;
        low := {s}.first_decision(month AT TIME ZONE 'UTC');
        high := {s}.first_decision((month + interval '1 month') AT TIME ZONE 'UTC');
        EXECUTE format('CREATE TABLE %I.%I (LIKE %1$I.%3$I INCLUDING ALL)',
                       {name}, name, parent || '_rest');
        -- nothing comes in between what is moved and the partition that takes it
        EXECUTE format('LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE', {name}, parent || '_rest');
        EXECUTE format('WITH moved AS (
                            DELETE FROM %1$I.%2$I WHERE %3$I >= %4$s AND %3$I < %5$s RETURNING *)
                        INSERT INTO %1$I.%6$I SELECT * FROM moved',
                       {name}, parent || '_rest', key, low, high, name);
        EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I
                        FOR VALUES FROM (%4$s) TO (%5$s)',
                       {name}, parent, name, low, high);
    END LOOP;
    SELECT coalesce(min(d.id), {s}.first_decision(now() - {keep}::interval)) INTO low
    FROM   {s}.decision d               -- which the next call is to forget
    WHERE  d.id >= (SELECT s.known_from FROM {s}.setting s)
    AND    d.id < {s}.first_decision(now() - {keep}::interval);
    FOR parent, key IN VALUES {partitioned} LOOP
        FOR name IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE  i.inhparent = to_regclass(format('%I.%I', {name}, parent))
            AND    c.relname ~ '_[0-9]{4}_[0-9]{2}$'
            AND    {s}.first_decision((to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month')
                                      AT TIME ZONE 'UTC') <= low
        LOOP
            EXECUTE format('DROP TABLE IF EXISTS %I.%I', {name}, name);
        END LOOP;
        EXECUTE format('DELETE FROM %I.%I WHERE %I < %s', {name}, parent || '_rest', key, low);
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    RAISE NOTICE 'the log is in use: its months are set by the next call';
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.set_months FROM PUBLIC;
