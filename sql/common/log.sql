-- The log of decisions and rewards ------------------------------------------------
--
-- A partition of the log holds a calendar month (UTC).  Models retract expired decisions before their partition is
-- dropped.

-- Return the lowest decision number of a time between 2020 and 2088.  A second has 4,194,304 numbers.
CREATE FUNCTION _dlints_first_decision(at timestamptz) RETURNS bigint
	LANGUAGE sql STABLE PARALLEL SAFE
RETURN (pg_catalog.floor(least(greatest(pg_catalog.date_part('epoch'::pg_catalog.text, at), 1577836800::float8),
                               3725320447::float8))::bigint - 1577836800::bigint) << 22;

-- Retract decisions older than the retention time from the models, at most "max_decisions".  Returns their number.
-- Corrections and rebuilds require that the log has exactly the decisions in the models.
CREATE FUNCTION _dlints_retract_expired(max_decisions integer DEFAULT 20000) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	expires bigint := (SELECT @extschema@._dlints_first_decision(now() - s.retention) FROM setting s);
	retracted bigint := 0;
	batch bigint[];
BEGIN
	IF NOT EXISTS (SELECT FROM decision d
	               WHERE  d.id >= (SELECT s.trained_from FROM setting s) AND d.id < expires) THEN
		RETURN 0;
	END IF;
	PERFORM FROM model ORDER BY name FOR UPDATE;
	WHILE retracted < max_decisions LOOP
		batch := ARRAY(SELECT d.id FROM decision d
		               WHERE  d.id >= (SELECT s.trained_from FROM setting s) AND d.id < expires
		               ORDER  BY d.id LIMIT least(1000, max_decisions - retracted));
		EXIT WHEN cardinality(batch) = 0;
		BEGIN
			PERFORM @extschema@._dlints_retract(batch);
			UPDATE setting SET trained_from = batch[cardinality(batch)] + 1;
		EXCEPTION WHEN data_exception THEN
			-- if retraction fails, train the models again on the remaining log
			UPDATE setting SET trained_from = batch[cardinality(batch)] + 1;
			PERFORM @extschema@._dlints_rebuild_models();
		END;
		DELETE FROM pending WHERE decision = ANY (batch);
		DELETE FROM quarantine WHERE decision = ANY (batch);
		retracted := retracted + cardinality(batch);
	END LOOP;
	RETURN retracted;
END
$$;

-- Create the partition of a month, and move its rows from the default partition.  Another session may have created the
-- partition while this session waited for the lock.
CREATE FUNCTION _dlints_add_partition(parent text, key text, month timestamp) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	part text := parent || to_char(month, '_YYYY_MM');
	low bigint := @extschema@._dlints_first_decision(month AT TIME ZONE 'UTC');
	high bigint := @extschema@._dlints_first_decision((month + interval '1 month') AT TIME ZONE 'UTC');
BEGIN
	IF to_regclass(format('%I.%I', own, part)) IS NOT NULL THEN
		RETURN;
	END IF;
	LOCK TABLE ONLY decision IN SHARE UPDATE EXCLUSIVE MODE;
	IF to_regclass(format('%I.%I', own, part)) IS NOT NULL THEN
		RETURN;
	END IF;
	EXECUTE format('CREATE TABLE %I.%I (LIKE %1$I.%3$I INCLUDING ALL)', own, part, parent || '_rest');
	-- no row may arrive between the move of rows and the attachment of the partition
	EXECUTE format('LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE', own, parent || '_rest');
	EXECUTE format('WITH moved AS (DELETE FROM %1$I.%2$I WHERE %3$I >= %4$s AND %3$I < %5$s RETURNING *)'
	               ' INSERT INTO %1$I.%6$I SELECT * FROM moved', own, parent || '_rest', key, low, high, part);
	EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I FOR VALUES FROM (%4$s) TO (%5$s)',
	               own, parent, part, low, high);
END
$$;

-- Drop partitions whose decisions are all before "first", and delete earlier decisions from the default partitions.
CREATE FUNCTION _dlints_drop_partitions(first bigint) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	log record;
	part text;
BEGIN
	FOR log IN
		SELECT t.parent, t.key FROM (VALUES ('decision', 'id'), ('reward', 'decision')) t (parent, key)
		WHERE  to_regclass(format('%I.%I', own, t.parent || '_rest')) IS NOT NULL
	LOOP
		FOR part IN
			SELECT c.relname
			FROM   pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
			WHERE  i.inhparent = to_regclass(format('%I.%I', own, log.parent))
			AND    c.relname ~ '_[0-9]{4}_[0-9]{2}$'
			AND    @extschema@._dlints_first_decision(
			           (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC') <= first
		LOOP
			EXECUTE format('DROP TABLE IF EXISTS %I.%I', own, part);
		END LOOP;
		EXECUTE format('DELETE FROM %I.%I WHERE %I < %s', own, log.parent || '_rest', log.key, first);
	END LOOP;
END
$$;

-- Retract expired decisions, create partitions for this month and the next three, and drop expired partitions.
-- Decisions that the models still contain stay in the log.  Waits less than a second for locks, because a long
-- transaction that uses the log could in turn wait for this function.
CREATE FUNCTION _dlints_maintain_partitions() RETURNS void
	LANGUAGE plpgsql VOLATILE SET lock_timeout = '900ms' AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	first bigint;
BEGIN
	PERFORM @extschema@._dlints_retract_expired(20000);
	BEGIN
		PERFORM @extschema@._dlints_add_partition(t.parent, t.key, m)
		FROM   generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
		                       now() AT TIME ZONE 'UTC' + interval '3 months', '1 month') m,
		      (VALUES ('decision', 'id'), ('reward', 'decision')) t (parent, key)
		WHERE  to_regclass(format('%I.%I', own, t.parent || '_rest')) IS NOT NULL;
		-- no query may have the log open while partitions are dropped
		SELECT least(@extschema@._dlints_first_decision(now() - s.retention),
		             (SELECT min(d.id) FROM decision d WHERE d.id >= s.trained_from))
		INTO   first FROM setting s;
		PERFORM @extschema@._dlints_drop_partitions(first);
	EXCEPTION WHEN lock_not_available THEN
		RAISE NOTICE 'partitions of "%" are not maintained now, since the log is in use', own
			USING HINT = 'The next call of run() maintains them.';
	END;
EXCEPTION WHEN lock_not_available THEN
	RAISE NOTICE 'expired decisions of "%" are not retracted now, since the models are in use', own
		USING HINT = 'The next call of run() retracts them.';
END
$$;
