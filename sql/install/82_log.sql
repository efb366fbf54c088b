-- The log of recommenders and rankers -------------------------------------
--
-- Decisions are numbered by their time, so that a number says in which month,
-- and so in which partition, it is.

CREATE FUNCTION dlints_recommender_log(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- The number of the first decision of a moment from 2020 to 2088: the time, and room for
-- 4,194,304 a second.  It fits into the numbers of JSON.
CREATE OR REPLACE FUNCTION {s}.first_decision(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $body$
SELECT (floor(least(greatest(date_part('epoch', at), 1577836800), 3725320447))::bigint
        - 1577836800) << 22
$body$
$t$,
$t$
-- Partitions for this month and three more, and those dropped that are older than is kept.  If
-- nobody calls this, decisions go to the partitions named "rest", and come from there later.
-- A transaction that uses the log for long is not waited for, since both could then wait for
-- each other: the next call does it.
CREATE OR REPLACE FUNCTION {s}.set_months() RETURNS void
LANGUAGE plpgsql SET search_path = {path} SET lock_timeout = '900ms' AS $body$
DECLARE
    month  timestamp;
    parent text;
    key    text;
    name   text;
    low    bigint;
    high   bigint;
BEGIN
    FOR month, parent, key IN
        SELECT m, p.*
        FROM   generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                               now() AT TIME ZONE 'UTC' + interval '3 months', '1 month') m,
               (VALUES {partitioned}) p
    LOOP
        name := parent || to_char(month, '_YYYY_MM');
        CONTINUE WHEN to_regclass(format('%I.%I', {salt}, name)) IS NOT NULL;
        -- another session may be at it
        LOCK TABLE ONLY {s}.decision IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(format('%I.%I', {salt}, name)) IS NOT NULL;
        low := {s}.first_decision(month AT TIME ZONE 'UTC');
        high := {s}.first_decision((month + interval '1 month') AT TIME ZONE 'UTC');
        EXECUTE format('CREATE TABLE %I.%I (LIKE %1$I.%3$I INCLUDING ALL)',
                       {salt}, name, parent || '_rest');
        -- nothing comes in between what is moved and the partition that takes it
        EXECUTE format('LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE', {salt}, parent || '_rest');
        EXECUTE format('WITH moved AS (
                            DELETE FROM %1$I.%2$I WHERE %3$I >= %4$s AND %3$I < %5$s RETURNING *)
                        INSERT INTO %1$I.%6$I SELECT * FROM moved',
                       {salt}, parent || '_rest', key, low, high, name);
        EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I
                        FOR VALUES FROM (%4$s) TO (%5$s)',
                       {salt}, parent, name, low, high);
    END LOOP;
    low := {s}.first_decision(now() - interval {keep});
    FOR parent, key IN VALUES {partitioned} LOOP
        FOR name IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE  i.inhparent = to_regclass(format('%I.%I', {salt}, parent))
            AND    c.relname ~ '_\d{4}_\d\d$'
            AND    to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
                   < now() AT TIME ZONE 'UTC' - interval {keep}
        LOOP
            EXECUTE format('DROP TABLE IF EXISTS %I.%I', {salt}, name);
        END LOOP;
        EXECUTE format('DELETE FROM %I.%I WHERE %I < %s', {salt}, parent || '_rest', key, low);
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    RAISE NOTICE 'the log is in use: its months are set by the next call';
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_recommender_log(jsonb)
	IS 'the statements that number decisions, and keep their months';
