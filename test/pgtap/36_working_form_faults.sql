-- The working form where something goes wrong, or comes in a way that
-- 34_working_form.sql does not have: what was learned is there, and once.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(14);

CREATE TEMP TABLE log AS
SELECT i, i % 7 AS g, context(i, 5)::real[] AS x, number(i, 9) AS r, '2024-01-01'::timestamptz + (i * 7919 % 1000) * interval '1 hour' AS t, 1 + i % 3 AS w FROM generate_series(1, 300) AS i;
CREATE TEMP TABLE empty AS SELECT dlints_new(5) AS m, dlints_new(5, half_life => '5 days', memories => 2) AS by_time;

-- what one after the other gives, each update by itself
CREATE FUNCTION direct(keys bigint[], m dlints) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	k bigint;
BEGIN
	FOREACH k IN ARRAY coalesce(keys, '{}') LOOP
		SELECT dlints_update(m, x, r, t, w) INTO m FROM log WHERE i = k;
	END LOOP;
	RETURN m;
END
$$;
CREATE FUNCTION same(evidence dlints, keys bigint[]) RETURNS boolean LANGUAGE sql AS
$$ SELECT CASE WHEN evidence IS NULL THEN keys IS NULL ELSE model_difference(evidence, direct(keys, m)) <= 1e-10 END FROM empty $$;
CREATE FUNCTION same_by_time(evidence dlints, keys bigint[]) RETURNS boolean LANGUAGE sql AS
$$ SELECT CASE WHEN evidence IS NULL THEN keys IS NULL ELSE model_difference(evidence, direct(keys, by_time)) <= 1e-10 END FROM empty $$;

-- A cancellation that comes while a model is read, and is caught: it is read
-- again, with observations that waited, and with none but nothing found yet.
-- Both functions are to be called, not folded.
SET LOCAL plan_cache_mode = force_generic_plan;
CREATE FUNCTION cancelled(e dlints) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
	PERFORM pg_cancel_backend(pg_backend_pid()) AND dlints_hash(e) IS NULL;
	RETURN 'no';
EXCEPTION WHEN query_canceled THEN
	RETURN 'yes';
END
$$;
SELECT ok(cancelled(e) = 'yes' AND same_bytes(e, whole), format('a reader that is cancelled, after %s observations', n)) FROM
	(VALUES (100), (128), (200)) AS v (n),
	LATERAL (SELECT dlints_evidence(m, x, r, t, w ORDER BY i) AS e FROM log, empty WHERE i <= n OFFSET 0) AS s,
	LATERAL (SELECT dlints_evidence(m, x, r, t, w ORDER BY i) AS whole FROM log, empty WHERE i <= n OFFSET 0) AS o;

-- frames of other kinds, among them empty ones and such that leave rows out
CREATE FUNCTION frames_are_right(frame text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	is_right boolean;
BEGIN
	EXECUTE format('SELECT bool_and(same_by_time(e, keys)) FROM
		(SELECT i, dlints_evidence(by_time, x, r, t, w) OVER f AS e, array_agg(i) OVER f AS keys FROM log, empty WHERE i <= 150 WINDOW f AS (PARTITION BY w ORDER BY g %s)) AS s WHERE i %% 11 = 0', frame) INTO is_right;
	RETURN is_right;
END
$$;
SELECT ok(frames_are_right(frame), frame) FROM (VALUES ('ROWS BETWEEN 3 FOLLOWING AND 20 FOLLOWING'), ('RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW'),
	('GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP'), ('GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING EXCLUDE TIES')) AS v (frame);

-- a moving aggregate of users: forward by the transition function, back by dlints_retract
CREATE FUNCTION take_back(state dlints, m dlints, x real[], r double precision, t timestamptz, w double precision) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_retract(state, dlints_update(m, x, r, t, w)) $$;
CREATE AGGREGATE moving_evidence(dlints, real[], double precision, timestamptz, double precision) (
	SFUNC = dlints_evidence_weight_transfn, STYPE = dlints, MSFUNC = dlints_evidence_weight_transfn, MINVFUNC = take_back, MSTYPE = dlints);
SELECT ok(bool_and(model_difference(dlints_at(moved, newest), dlints_at(direct(keys, empty.by_time), newest)) <= 1e-8), 'a moving aggregate')
FROM (SELECT i, moving_evidence(by_time, x, r, t, w) OVER f AS moved, array_agg(i) OVER f AS keys FROM log, empty WHERE i <= 150 WINDOW f AS (ORDER BY i ROWS BETWEEN 140 PRECEDING AND CURRENT ROW)) AS s,
	empty, LATERAL (SELECT max(t) AS newest FROM log) AS n WHERE i % 25 = 0;

-- two aggregates in one query, one of which hands its state on while the other goes on; with parts that workers made
CREATE AGGREGATE evidence_in_parts(dlints, real[], double precision, timestamptz, double precision) (
	SFUNC = dlints_evidence_weight_transfn, STYPE = dlints, COMBINEFUNC = dlints_concat, PARALLEL = SAFE);
CREATE TABLE shared_log AS TABLE log;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE TABLE shared_empty AS TABLE empty;
SELECT ok(bool_and(same_by_time(a, keys) AND model_difference(a, b) <= 1e-10), 'groups in parallel') FROM
	(SELECT evidence_in_parts(by_time, x, r, t, w) AS a, dlints_evidence(by_time, x, r, t, w) AS b, array_agg(i ORDER BY i) AS keys FROM shared_log, shared_empty GROUP BY g) AS s;

-- into a domain, a row, an array, a generated column, through a trigger, and back
CREATE DOMAIN grown AS dlints CHECK ((dlints_info(VALUE)).updates > 0);
CREATE TYPE pg_temp.pair AS (n integer, e dlints);
CREATE TEMP TABLE kept (keys bigint[], e grown, p pg_temp.pair, a dlints[], updates bigint GENERATED ALWAYS AS ((dlints_info(e)).updates) STORED);
CREATE FUNCTION append_one() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN NEW.e := dlints_update(NEW.e, x, r, t, w) FROM log WHERE i = 1; RETURN NEW; END $$;
CREATE TRIGGER append_one BEFORE INSERT ON kept FOR EACH ROW EXECUTE FUNCTION append_one();
INSERT INTO kept (keys, e, p, a) SELECT keys, e, ROW(1, e)::pg_temp.pair, ARRAY[e, e || e] FROM (SELECT array_agg(i ORDER BY i) AS keys, dlints_evidence(m, x, r, t, w ORDER BY i) AS e FROM log, empty GROUP BY g) AS s;
SELECT ok(bool_and(same(e, keys || 1::bigint) AND same((p).e, keys) AND same(a[1], keys) AND same(a[2], keys || keys) AND updates = cardinality(keys) + 1), 'domains, rows, arrays, generated columns and triggers') FROM kept;

-- a variable that learns in a loop of errors, of which each copy stays what it was
CREATE FUNCTION learns_in_spite_of_errors() RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	state dlints := (SELECT m FROM empty);
	copy dlints;
	learned bigint[] := '{}';
	copied bigint[] := '{}';
	o record;
BEGIN
	FOR o IN SELECT * FROM log ORDER BY i LOOP
		BEGIN
			state := dlints_update(state, o.x, o.r, o.t, o.w);
			learned := learned || o.i::bigint;
			IF o.i % 50 = 7 THEN
				copy := state;
				copied := learned;
			END IF;
			state := dlints_update(state, CASE WHEN o.i % 3 = 0 THEN '{1}' ELSE o.x END, o.r / (o.i % 2), o.t, o.w);
			learned := learned || o.i::bigint;
		EXCEPTION WHEN data_exception THEN
			NULL;
		END;
	END LOOP;
	RETURN same(copy, copied) AND (dlints_info(state)).updates = cardinality(learned);
END
$$;
SELECT ok(learns_in_spite_of_errors(), 'a variable in a loop of errors');

-- and one whose learning is cancelled at any moment
CREATE FUNCTION learns_though_cancelled() RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	state dlints := (SELECT m FROM empty);
	learned bigint[] := '{}';
	dummy boolean;
	o record;
BEGIN
	FOR o IN SELECT * FROM log ORDER BY i LOOP
		state := dlints_update(state, o.x, o.r, o.t, o.w);
		learned := learned || o.i::bigint;
		CONTINUE WHEN o.i % 5 > 0;
		BEGIN
			state := dlints_update(state, o.x, CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN o.r END, o.t, o.w);
			PERFORM 1;
		EXCEPTION WHEN query_canceled THEN
			NULL;
		END;
		IF (dlints_info(state)).updates > cardinality(learned) THEN
			learned := learned || o.i::bigint;
		END IF;
		BEGIN
			dummy := pg_cancel_backend(pg_backend_pid()) AND dlints_mean(state) IS NULL;
			PERFORM 1;
		EXCEPTION WHEN query_canceled THEN
			NULL;
		END;
	END LOOP;
	RETURN same(state, learned);
END
$$;
SELECT ok(learns_though_cancelled(), 'a variable whose learning is cancelled');

-- a cursor that outlives its subtransaction
SAVEPOINT before;
DECLARE groups CURSOR FOR SELECT array_agg(i ORDER BY i) AS keys, dlints_evidence(m, x, r, t, w ORDER BY i) AS e FROM log, empty GROUP BY g;
MOVE 2 FROM groups;
SAVEPOINT after;
SELECT throws_ok('SELECT dlints_evidence(m, x[1:i], r ORDER BY i DESC) FROM log, empty', '22000', NULL, 'an error elsewhere');
ROLLBACK TO after;
CREATE FUNCTION next_is_right(cursor refcursor) RETURNS boolean LANGUAGE plpgsql AS
$$ DECLARE o record; BEGIN FETCH cursor INTO o; RETURN same(o.e, o.keys); END $$;
SELECT ok(next_is_right('groups'), 'a cursor goes on after an error elsewhere');

SELECT * FROM finish();
ROLLBACK;
