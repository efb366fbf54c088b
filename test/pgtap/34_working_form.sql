-- dlints_evidence keeps a model in its working form as the state: however
-- PostgreSQL passes, copies, splits or flattens it, the evidence is the same.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(25);

CREATE TEMP TABLE log AS
SELECT i, i % 7 AS g, context(i, 5)::real[] AS x, number(i, 9) AS r FROM generate_series(1, 1000) AS i;
CREATE TEMP TABLE empty AS SELECT dlints_new(5) AS m;

-- what one after the other gives, without the aggregate
CREATE FUNCTION direct(keys bigint[]) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	state dlints := (SELECT m FROM empty);
	o record;
BEGIN
	FOR o IN SELECT x, r FROM log JOIN unnest(keys) AS k ON k = log.i ORDER BY log.i LOOP
		state := dlints_update(state, o.x, o.r);
	END LOOP;
	RETURN state;
END
$$;
CREATE FUNCTION same(evidence dlints, keys bigint[]) RETURNS boolean LANGUAGE sql AS
$$ SELECT model_difference(evidence, direct(keys)) <= 1e-10 $$;

-- windows: running, sliding (which begins anew at each row), and over all
CREATE TEMP TABLE framed AS
SELECT i, dlints_evidence(m, x, r) OVER running AS running, dlints_evidence(m, x, r) OVER sliding AS sliding, dlints_evidence(m, x, r) OVER () AS everything,
       array_agg(i) OVER running AS running_keys, array_agg(i) OVER sliding AS sliding_keys
FROM log, empty WHERE i <= 300
WINDOW running AS (ORDER BY i), sliding AS (ORDER BY i ROWS BETWEEN 9 PRECEDING AND CURRENT ROW);
SELECT ok(same(running, running_keys), format('a running window at row %s', i)) FROM framed WHERE i IN (1, 8, 128, 129, 300);
SELECT ok(bool_and(same(sliding, sliding_keys)), 'sliding windows') FROM framed WHERE i % 29 = 0;
SELECT is((SELECT count(*) FROM (SELECT everything FROM framed GROUP BY 1) AS s), 1::bigint, 'a window over all gives each row the same');
SELECT ok(same(everything, (SELECT array_agg(i) FROM log WHERE i <= 300)), 'and the right one') FROM framed LIMIT 1;

-- a state that is read while it goes on: two aggregates share it, an outer one sees it
SELECT ok(same_bytes(a, b) AND same_bytes(a, c), 'aggregates that share a state') FROM
	(SELECT dlints_evidence(m, x, r) AS a, dlints_evidence(m, x, r) AS b, (dlints_evidence(m, x, r)::text)::dlints AS c FROM log, empty) AS s;
SELECT ok(same_bytes(m || e, e) AND same_bytes(e || m, m || e), 'a result is a model like any other') FROM
	(SELECT dlints_evidence(m, x, r) AS e FROM log, empty) AS s, empty;

-- groups: sorted, hashed, spilled to disk, several groupings at once
CREATE TEMP TABLE expected AS SELECT g, dlints_evidence(m, x, r ORDER BY i) AS e, array_agg(i) AS keys FROM log, empty GROUP BY g;
SELECT ok(bool_and(same(e, keys)), 'sorted groups') FROM expected;
SET LOCAL enable_sort = off;
SELECT ok(bool_and(same_bytes(h.e, e.e)), 'hashed groups')
FROM (SELECT g, dlints_evidence(m, x, r) AS e FROM log, empty GROUP BY g) AS h JOIN expected AS e USING (g);
CREATE TEMP TABLE many AS
SELECT i / 4 AS g, dlints_evidence(m, x, r) AS e FROM log, empty GROUP BY 1;
SET LOCAL work_mem = '64kB';
SELECT ok(bool_and(same_bytes(s.e, m.e)), 'groups that spill') FROM many AS m JOIN
	(SELECT i / 4 AS g, dlints_evidence(m, x, r) AS e FROM log, empty GROUP BY 1) AS s USING (g);
RESET work_mem;
SET LOCAL enable_sort = on;
SELECT ok(bool_and(same_bytes(s.e, e.e)), 'grouping sets') FROM
	(SELECT g, dlints_evidence(m, x, r ORDER BY i) AS e FROM log, empty GROUP BY GROUPING SETS ((g), ())) AS s JOIN expected AS e USING (g);
SELECT ok(same_bytes(f.e, e.e), 'a filter, and rows that do not count') FROM expected AS e,
	(SELECT dlints_evidence(m, x, CASE WHEN g = 3 THEN r END ORDER BY i) FILTER (WHERE i % 2 < 2) AS e FROM log, empty) AS f WHERE e.g = 3;
SELECT is(dlints_evidence(m, x, NULL), NULL, 'no observation, no evidence') FROM log, empty;

-- aggregates that users make of the support functions: a state that begins flat,
-- one that is combined, and one that goes through || in between
CREATE AGGREGATE learn_on(dlints, real[], double precision) (
	SFUNC = dlints_evidence_transfn, STYPE = dlints,
	INITCOND = '{"format": 1, "policy": "thompson", "intercept": true, "memories": 3, "memory": 3, "interactions": null, "context_dim": 5, "reduced_dim": null, "shared_dim": 0, "discount": 0.9166666666666666, "half_life": null, "ridge": 1, "exploration": 0.25, "noise": null, "projection_scale": null, "seed": 0, "updates": 0, "newest": null, "reference_reward": 0, "sigma": 1, "chosen": 0, "evidence": null}');
SELECT ok(same(learn_on(m, x, r ORDER BY i), array_agg(i)), 'a state that begins flat') FROM log, empty;

CREATE FUNCTION learn_twice(state dlints, m dlints, x real[], r double precision) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_concat(coalesce(state, m), dlints_update(m, x, r)) $$;
CREATE AGGREGATE learn_by_concat(dlints, real[], double precision) (SFUNC = learn_twice, STYPE = dlints);
SELECT ok(same(learn_by_concat(m, x, r ORDER BY i), array_agg(i)), 'a state that || makes') FROM log, empty WHERE i <= 150;

CREATE AGGREGATE concat_evidence(dlints) (SFUNC = dlints_concat, STYPE = dlints, COMBINEFUNC = dlints_concat, PARALLEL = SAFE);
SELECT ok(model_difference((SELECT concat_evidence(e ORDER BY g) FROM (SELECT i / 100 AS g, dlints_evidence(m, x, r ORDER BY i) AS e FROM log, empty GROUP BY 1) AS s),
	direct((SELECT array_agg(i) FROM log))) <= 1e-10, 'results of one aggregate that another takes');

-- a cursor stops half way and goes on; a result outlives its query
DECLARE halfway CURSOR FOR SELECT dlints_evidence(m, x, r) OVER (ORDER BY i) AS e, i FROM log, empty;
MOVE 200 FROM halfway;
CREATE FUNCTION next_is_right(cursor refcursor) RETURNS boolean LANGUAGE plpgsql AS
$$ DECLARE o record; BEGIN FETCH cursor INTO o; RETURN o.i = 201 AND same(o.e, (SELECT array_agg(k) FROM generate_series(1, o.i) AS k)); END $$;
SELECT ok(next_is_right('halfway'), 'a cursor');
CLOSE halfway;

-- an error in the middle of a block leaves nothing behind, in a subtransaction too
CREATE FUNCTION in_spite_of_errors() RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	state dlints;
BEGIN
	FOR attempt IN 1..5 LOOP
		BEGIN
			SELECT dlints_evidence(m, CASE WHEN i = 100 * attempt AND attempt < 5 THEN '{1}' ELSE x END, r ORDER BY i) INTO state FROM log, empty;
		EXCEPTION WHEN data_exception THEN
			state := NULL;
		END;
	END LOOP;
	RETURN state;
END
$$;
SELECT ok(same(in_spite_of_errors(), (SELECT array_agg(i) FROM log)), 'errors before');

-- a result that PL/pgSQL keeps is read, passed on and changed
CREATE FUNCTION kept() RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	state dlints := (SELECT dlints_evidence(m, x, r ORDER BY i) FROM log, empty WHERE i <= 500);
	other dlints := state;
BEGIN
	state := dlints_update(state, (SELECT x FROM log WHERE i = 501), (SELECT r FROM log WHERE i = 501));
	RETURN same(other, (SELECT array_agg(i) FROM log WHERE i <= 500)) AND same(state, (SELECT array_agg(i) FROM log WHERE i <= 501));
END
$$;
SELECT ok(kept(), 'a variable and its copy');

-- rows of one group bring the model in line: as it was made or trained, but not another
SELECT ok(same(dlints_evidence(CASE WHEN i % 3 = 0 THEN dlints_update(m, x, r) ELSE m || NULL END, x, r ORDER BY i), array_agg(i)), 'a model that learns meanwhile')
FROM log, empty;
SELECT throws_ok('SELECT dlints_evidence(dlints_new(5, discount => 0.9 + i * 0.01), x, r) FROM log WHERE i <= 2', '22023', NULL, 'another model of the same size');

-- only aggregates call the support functions
SELECT throws_ok('SELECT dlints_evidence_transfn(NULL, m, x, r) FROM log, empty', '42809', NULL, 'no state without an aggregate');

SELECT * FROM finish();
ROLLBACK;
