-- dlints_evidence keeps a model in its working form as the state, and since
-- PostgreSQL 18 a variable of PL/pgSQL holds one: however PostgreSQL passes,
-- copies, splits or flattens it, the model is the same.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(93);

CREATE TEMP TABLE log AS
SELECT i, i % 7 AS g, context(i, 5)::real[] AS x, number(i, 9) AS r FROM generate_series(1, 1000) AS i;
CREATE TEMP TABLE empty AS SELECT dlints_new(5) AS m;

-- what one after the other gives, without the aggregate, and from flat to flat
CREATE FUNCTION direct(keys bigint[]) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	state dlints := (SELECT m FROM empty);
	o record;
BEGIN
	FOR o IN SELECT x, r FROM log JOIN unnest(keys) AS k ON k = log.i ORDER BY log.i LOOP
		SELECT dlints_update(state, o.x, o.r) INTO state;
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

-- a call that sees now one state and now another knows which is which
CREATE TEMP TABLE two AS SELECT dlints_evidence(m, x, r) FILTER (WHERE i <= 300) AS a, dlints_evidence(m, x, r) FILTER (WHERE i > 300) AS b FROM log, empty;
SELECT is((SELECT array_agg(dlints_predict(CASE WHEN i % 4 < 3 THEN s.a ELSE s.b END, x) ORDER BY i) FROM log WHERE i <= 40),
          (SELECT array_agg(dlints_predict(CASE WHEN i % 4 < 3 THEN two.a ELSE two.b END, x) ORDER BY i) FROM log WHERE i <= 40), 'states in turns')
FROM (SELECT dlints_evidence(m, x, r) FILTER (WHERE i <= 300) AS a, dlints_evidence(m, x, r) FILTER (WHERE i > 300) AS b FROM log, empty) AS s, two;

SELECT ok(bool_and(p = q), 'a state that goes on between the rows that look at it')
FROM (SELECT (SELECT sum(dlints_predict(w.running, x)) FROM log WHERE i <= 4) AS p, (SELECT sum(dlints_predict(f.running, x)) FROM log, framed AS f WHERE log.i <= 4 AND f.i = w.i) AS q
      FROM (SELECT i, dlints_evidence(m, x, r) OVER (ORDER BY i) AS running FROM log, empty WHERE i <= 30) AS w) AS s;

-- ---------- variables ----------

-- one after the other in place, and each as if it were a statement of its own;
-- whoever looks on the way, every so many rows, changes nothing
CREATE FUNCTION in_place(state dlints, n integer, look integer DEFAULT 1000) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	f record := dlints_info(state);
	seen text;
BEGIN
	FOR i IN 1..n LOOP
		IF f.shared_dim > 0 THEN
			state := dlints_update(state, context(i, f.context_dim), shared(i, f.shared_dim), reward(i));
		ELSE
			state := dlints_update(state, context(i, f.context_dim)::real[], reward(i), now() + sin(i) * interval '1 day', 1 + i % 3);
		END IF;
		CONTINUE WHEN i % look <> 0;
		seen := CASE i / look % 5 WHEN 0 THEN state::text WHEN 1 THEN dlints_mean(state)::text WHEN 2 THEN dlints_info(state)::text
		        WHEN 3 THEN (state = state)::text ELSE dlints_draw(state, 1)::text END;
	END LOOP;
	RETURN state;
END
$$;
CREATE FUNCTION out_of_place(state dlints, n integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	f record := dlints_info(state);
BEGIN
	FOR i IN 1..n LOOP
		IF f.shared_dim > 0 THEN
			SELECT dlints_update(state, context(i, f.context_dim), shared(i, f.shared_dim), reward(i)) INTO state;
		ELSE
			SELECT dlints_update(state, context(i, f.context_dim)::real[], reward(i), now() + sin(i) * interval '1 day', 1 + i % 3) INTO state;
		END IF;
	END LOOP;
	RETURN state;
END
$$;
-- the memory in use and the noise, too, are found at the same updates
CREATE FUNCTION chosen(m dlints) RETURNS text LANGUAGE sql AS
$$ SELECT format('%s of %s, memory %s, sigma %s', j ->> 'chosen', j ->> 'updates', j ->> 'memory', round((j ->> 'sigma')::numeric, 8)) FROM (SELECT m::jsonb) AS t (j) $$;

SELECT ok(model_difference(in_place(empty, 131), out_of_place(empty, 131)) <= 1e-10, format('in place: %s', name)) FROM kind WHERE discount = 0.9;
CREATE TEMP TABLE learner AS SELECT * FROM (VALUES
	('three memories', dlints_new(30)), ('by time', dlints_new(25, half_life => '2 days')), ('projected', dlints_new(40, 27)),
	('small', dlints_new(3)), ('no forgetting', dlints_new(26, discount => 1, noise => 2))) AS v (name, m);
SELECT ok(model_difference(p, q) <= 1e-10 AND chosen(p) = chosen(q), format('%s observations in place, looked at after each %s: %s; %s', n, look, name, chosen(p)))
FROM learner, (VALUES (1, 1), (2, 1), (129, 1000), (300, 1000), (300, 7), (300, 1), (517, 100)) AS v (n, look), LATERAL (SELECT in_place(m, n, look), out_of_place(m, n) OFFSET 0) AS w (p, q);

-- that this is in place can be seen since PostgreSQL 18
CREATE FUNCTION working_models() RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
	IF current_setting('server_version_num')::integer < 180000 THEN
		RETURN 0;
	END IF;
	RETURN (SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dlints working model');
END
$$;
CREATE FUNCTION expected_models(n integer) RETURNS bigint LANGUAGE sql AS
$$ SELECT CASE WHEN current_setting('server_version_num')::integer >= 180000 THEN n ELSE 0 END $$;
CREATE FUNCTION models_of(state dlints, failing boolean DEFAULT false) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
	FOR i IN 1..4 LOOP
		IF failing THEN
			BEGIN
				state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], i);
				state := dlints_update(state, ARRAY[i, 1, 2, 3], i);
			EXCEPTION WHEN data_exception THEN
			END;
		ELSE
			state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], i);
			state := dlints_update_reduced(state, ARRAY[i, 1, 2, 3, 4, 1], i);
			state := dlints_update_batch(state, ARRAY[[i, 1, 2, 3, 4]], ARRAY[i]);
		END IF;
	END LOOP;
	ASSERT (dlints_info(state)).updates = CASE WHEN failing THEN 4 ELSE 12 END;
	RETURN working_models();
END
$$;
SELECT is(models_of(m), expected_models(1), 'one model in place') FROM empty;
SELECT is(models_of(m, true), expected_models(1), 'where errors are caught, too') FROM empty;
SELECT is(working_models(), 0::bigint, 'and none is left');

-- all forms in turns, in one variable
CREATE FUNCTION in_turns(state dlints, flat boolean) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	x real[];
BEGIN
	FOR i IN 1..100 LOOP
		x := context(i, 5)::real[];
		IF flat THEN
			SELECT CASE WHEN i % 9 < 4 THEN dlints_update(state, x, i) WHEN i % 9 < 7 THEN dlints_update_reduced(state, x || 1::real, i)
			       ELSE dlints_update_batch(state, (SELECT array_agg(context(g, 5)) FROM generate_series(1, i * 2) AS g), (SELECT array_agg(g) FROM generate_series(1, i * 2) AS g)) END INTO state;
		ELSIF i % 9 < 4 THEN
			state := dlints_update(state, x, i);
		ELSIF i % 9 < 7 THEN
			state := dlints_update_reduced(state, x || 1::real, i);
		ELSE
			DECLARE
				xs float8[] := (SELECT array_agg(context(g, 5)) FROM generate_series(1, i * 2) AS g);
				rs float8[] := (SELECT array_agg(g) FROM generate_series(1, i * 2) AS g);
			BEGIN
				state := dlints_update_batch(state, xs, rs);
			END;
		END IF;
	END LOOP;
	RETURN state;
END
$$;
SELECT ok(model_difference(in_turns(m, false), in_turns(m, true)) <= 1e-10, 'updates, reduced ones and batches, shorter and longer than a block') FROM empty;

-- an error leaves the variable as it was: at once, and whatever waits.  A function
-- for each, since after its first error in a transaction an expression of PL/pgSQL
-- is a statement like any other.
SELECT format($function$CREATE FUNCTION after_errors_%s(state dlints, n integer) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	x real[] := '{1, 2, 3, 4, 5}';
	found text := '';
	before dlints;
BEGIN
	FOR i IN 1..n LOOP
		state := dlints_update(state, x, i);
	END LOOP;
	before := state;
	FOR kind IN 1..9 LOOP
		BEGIN
			CASE kind
				WHEN 1 THEN state := dlints_update(state, '{1, 2}'::real[], 1);
				WHEN 2 THEN state := dlints_update(state, '{1, 2, NaN, 4, 5}'::real[], 1);
				WHEN 3 THEN state := dlints_update(state, x, 'infinity');
				WHEN 4 THEN state := dlints_update(state, x, x, 1);
				WHEN 5 THEN state := dlints_update(state, x, 1, weight => -1);
				WHEN 6 THEN state := dlints_update(state, x, 1 / (dlints_info(state)).context_dim / 0);
				WHEN 7 THEN state := dlints_update_reduced(state, x || 2::real, 1);
				WHEN 8 THEN state := dlints_update_batch(state, ARRAY[x::float8[], '{1, 2, 3, 4, 1e60}'], '{1, 2}');
				WHEN 9 THEN state := dlints_update_batch(state, ARRAY[x, x], '{1, 2}', weights => '{1, 0}');
			END CASE;
			found := found || ' none';
		EXCEPTION WHEN data_exception THEN
			found := found || ' ' || SQLSTATE;
		END;
		IF NOT same_bytes(state, before) THEN
			RETURN 'changed by error ' || kind;
		END IF;
	END LOOP;
	state := dlints_update(state, x, n + 1);
	RETURN found || CASE WHEN (dlints_info(state)).updates = n + 1 THEN '' ELSE ' and lost' END;
END
$$ $function$, n) FROM (VALUES (0), (1), (5), (128), (130)) AS v (n) \gexec
SELECT is(found, ' 22000 22003 22003 22023 22023 22012 22023 22003 22023', format('errors after %s observations', n)) FROM empty,
	LATERAL (VALUES (0, after_errors_0(m, 0)), (1, after_errors_1(m, 1)), (5, after_errors_5(m, 5)), (128, after_errors_128(m, 128)), (130, after_errors_130(m, 130))) AS v (n, found);

-- what overflows does so in the statement that learns it: only models from elsewhere can
CREATE FUNCTION overflows() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	j jsonb := jsonb_set(dlints_update(dlints_new(2, memories => 1), '{1, 2}', 1)::jsonb, '{evidence,0,weight_sum}', '1e300');
	state dlints := jsonb_set(jsonb_set(j, '{evidence,0,reward_sum}', '1e305'), '{evidence,0,reward_square_sum}', '1e308');
	found text := '';
BEGIN
	FOR i IN 1..5 LOOP
		BEGIN
			state := dlints_update(state, '{1, 2}', i * 1e49);
			found := found || ' ' || (dlints_info(state)).updates;
		EXCEPTION WHEN numeric_value_out_of_range THEN
			found := found || ' ' || SQLSTATE;
		END;
	END LOOP;
	RETURN found || ' ' || (dlints_info(state)).updates;
END
$$;
CREATE FUNCTION overflows_flat() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	j jsonb := jsonb_set(dlints_update(dlints_new(2, memories => 1), '{1, 2}', 1)::jsonb, '{evidence,0,weight_sum}', '1e300');
	state dlints := jsonb_set(jsonb_set(j, '{evidence,0,reward_sum}', '1e305'), '{evidence,0,reward_square_sum}', '1e308');
	found text := '';
BEGIN
	FOR i IN 1..5 LOOP
		BEGIN
			SELECT dlints_update(state, '{1, 2}', i * 1e49) INTO STRICT state;
			found := found || ' ' || (dlints_info(state)).updates;
		EXCEPTION WHEN numeric_value_out_of_range THEN
			found := found || ' ' || SQLSTATE;
		END;
	END LOOP;
	RETURN found || ' ' || (dlints_info(state)).updates;
END
$$;
SELECT is(overflows(), overflows_flat(), 'sums at the end of double precision');
CREATE FUNCTION counted_out() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	state dlints := jsonb_set(dlints_update(dlints_new(2), '{1, 2}', 1)::jsonb, '{updates}', (9223372036854775807 - 5)::text::jsonb);
	found text := '';
BEGIN
	FOR i IN 1..8 LOOP
		BEGIN
			state := dlints_update(state, '{1, 2}', i);
		EXCEPTION WHEN numeric_value_out_of_range THEN
			found := found || i;
		END;
	END LOOP;
	RETURN found || ': ' || (dlints_info(state)).updates;
END
$$;
SELECT is(counted_out(), '678: 9223372036854775807', 'more updates than can be counted');

-- copies stay as they were: variables, parameters of all kinds, records, arrays
CREATE FUNCTION learn_in(state dlints, n integer) RETURNS void LANGUAGE plpgsql AS
$$ BEGIN FOR i IN 1..n LOOP state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], i); END LOOP; END $$;
CREATE FUNCTION learn_inout(INOUT state dlints, n integer) LANGUAGE plpgsql AS
$$ BEGIN FOR i IN 1..n LOOP state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], i); END LOOP; END $$;
CREATE FUNCTION learn_out(m dlints, n integer, OUT state dlints, OUT other dlints) LANGUAGE plpgsql AS
$$ BEGIN state := m; FOR i IN 1..n LOOP state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], i); other := coalesce(other, state); END LOOP; END $$;
CREATE PROCEDURE learn_call(INOUT state dlints, n integer) LANGUAGE plpgsql AS
$$ BEGIN FOR i IN 1..n LOOP state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], i); END LOOP; END $$;
CREATE FUNCTION learn_sql(state dlints, x real[], r double precision) RETURNS dlints VOLATILE LANGUAGE sql AS
$$ SELECT dlints_update($1, $2, $3) $$;
CREATE TYPE pair AS (a dlints, b dlints);
CREATE FUNCTION updates(m dlints) RETURNS bigint LANGUAGE sql AS $$ SELECT (dlints_info(m)).updates $$;
CREATE FUNCTION copies(m dlints) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	x real[] := '{1, 2, 3, 4, 5}';
	a dlints := m;
	b dlints;
	c dlints;
	d dlints;
	models dlints[] := '{}';
	p pair;
	r record;
	result text;
BEGIN
	FOR i IN 1..20 LOOP
		a := dlints_update(a, x, i);
		IF i = 7 THEN
			b := a;
			models := models || a || b;
			p.a := a;
			SELECT a AS one, b AS two INTO r;
		END IF;
	END LOOP;
	c := b;
	FOR i IN 1..3 LOOP
		b := dlints_update(b, x, i);
		models[2] := dlints_update(models[2], x, i);
		p.b := dlints_update(p.a, x, i);
		p.a := dlints_update(p.a, x, i);
		r.two := dlints_update(r.two, x, i);
		d := dlints_update(a, x, i);
	END LOOP;
	PERFORM learn_in(a, 5);
	result := format('a %s, b %s, c %s, d %s, array %s %s, pair %s %s, record %s %s', updates(a), updates(b), updates(c), updates(d), updates(models[1]), updates(models[2]),
		updates(p.a), updates(p.b), updates(r.one), updates(r.two));
	b := learn_inout(a, 5);
	SELECT * INTO c, d FROM learn_out(a, 3);
	result := result || format('; inout %s, out %s %s, a %s', updates(b), updates(c), updates(d), updates(a));
	CALL learn_call(a, 2);
	a := learn_inout(a, 2);
	a := dlints_update(learn_inout(dlints_update(a, x, 1), 1), x, 2);
	a := learn_sql(a, x, 1);
	a := dlints_update(learn_sql(a, x, 1), x, 3);
	a := dlints_concat(a, c);
	a := dlints_update(a, x, 4);
	a := a;
	a := CASE WHEN updates(a) > 0 THEN dlints_update(a, x, 5) ELSE a END;
	RETURN result || format('; a %s, and c %s', updates(a), updates(c));
END
$$;
SELECT is(copies(m), 'a 20, b 10, c 7, d 21, array 7 10, pair 10 10, record 7 10; inout 25, out 23 21, a 20; a 55, and c 23', 'copies') FROM empty;

-- a model that learns what it says itself
CREATE FUNCTION learns_itself(state dlints, flat boolean) RETURNS dlints LANGUAGE plpgsql AS
$$
BEGIN
	FOR i IN 1..40 LOOP
		IF flat THEN
			SELECT dlints_update(state, dlints_weights(state), dlints_predict(state, context(i, 5)) + i) INTO state;
		ELSE
			state := dlints_update(state, dlints_weights(state), dlints_predict(state, context(i, 5)) + i);
		END IF;
	END LOOP;
	RETURN state;
END
$$;
SELECT ok(model_difference(learns_itself(m, false), learns_itself(m, true)) <= 1e-10, 'a model that learns what it says') FROM empty;

-- subtransactions that roll back take nothing of the variable with them, as with any other
CREATE FUNCTION rolls_back(state dlints) RETURNS dlints LANGUAGE plpgsql AS
$$
BEGIN
	FOR i IN 1..10 LOOP
		BEGIN
			state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], i);
			INSERT INTO log (i) VALUES (-i);
			RAISE EXCEPTION 'no';
		EXCEPTION WHEN raise_exception THEN
			state := dlints_update(state, ARRAY[i, 1, 2, 3, 4], -i);
		END;
	END LOOP;
	RETURN state;
END
$$;
SELECT is(updates(rolls_back(m)), 20::bigint, 'subtransactions that roll back') FROM empty;

-- types: with a modifier, a domain, NULL
CREATE DOMAIN careful AS dlints CHECK ((dlints_info(VALUE)).updates <= 3);
CREATE FUNCTION typed() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	x real[] := '{1, 2, 3, 4, 5}';
	fixed dlints(5) := dlints_new(5);
	few careful := dlints_new(5);
	nothing dlints;
	found text := '';
BEGIN
	FOR i IN 1..5 LOOP
		fixed := dlints_update(fixed, x, i);
		nothing := dlints_update(nothing, x, i);
		fixed := dlints_update(fixed, NULL::real[], i);
		BEGIN
			few := dlints_update(few, x, i);
		EXCEPTION WHEN check_violation THEN
			found := found || SQLSTATE || ' ';
		END;
	END LOOP;
	found := found || format('%s of %s in %s, %s, %s', updates(fixed), updates(few), working_models(), nothing IS NULL, dlints_predict(fixed, x) IS NOT NULL);
	BEGIN
		fixed := dlints_new(4);
	EXCEPTION WHEN data_exception THEN
		found := found || ' ' || SQLSTATE;
	END;
	RETURN found || ' ' || updates(fixed);
END
$$;
SELECT is(typed(), format('23514 23514 5 of 3 in %s, t, t 22000 5', expected_models(1)), 'types of variables');

-- tables: triggers, cursors, and what is stored in the end
CREATE TEMP TABLE kept_model (name text, state dlints);
CREATE FUNCTION learns_before() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
	FOR i IN 1..5 LOOP NEW.state := dlints_update(NEW.state, ARRAY[i, 1, 2, 3, 4], i); END LOOP;
	RETURN NEW;
END
$$;
CREATE TRIGGER learns BEFORE INSERT ON kept_model FOR EACH ROW EXECUTE FUNCTION learns_before();
INSERT INTO kept_model SELECT 'home', m FROM empty;
CREATE FUNCTION through_tables() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	s dlints := (SELECT state FROM kept_model);
	before CURSOR (m dlints) FOR SELECT updates(m) AS u FROM generate_series(1, 2);
	one record;
	two record;
BEGIN
	FOR i IN 1..5 LOOP s := dlints_update(s, ARRAY[i, 1, 2, 3, 4], i); END LOOP;
	OPEN before(s);
	FETCH before INTO one;
	FOR i IN 1..5 LOOP s := dlints_update(s, ARRAY[i, 1, 2, 3, 4], i); END LOOP;
	FETCH before INTO two;
	UPDATE kept_model SET state = s;
	s := dlints_update(s, '{1, 2, 3, 4, 5}', 1);
	INSERT INTO kept_model VALUES ('other', s);
	RETURN format('cursor %s %s, stored %s, variable %s', one.u, two.u, (SELECT string_agg(name || ' ' || updates(state), ' ' ORDER BY name) FROM kept_model), updates(s));
END
$$;
SELECT is(through_tables(), 'cursor 10 10, stored home 15 other 21, variable 16', 'triggers, cursors and tables');

-- statements that take the variable see the model as it is, in each of their rows
CREATE FUNCTION taken() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	s dlints := (SELECT dlints_set(m, policy => 'greedy') FROM empty);
	t dlints;
	wrong text := '';
BEGIN
	FOR k IN 2..12 LOOP
		FOR i IN 1..k LOOP s := dlints_update(s, context(i * k, 5), number(i, k)); END LOOP;
		t := s::text::dlints;
		IF s <> t OR t <> s OR dlints_hash(s) <> dlints_hash(t) THEN
			wrong := wrong || ' equality';
		END IF;
		s := dlints_update(s, context(k, 5), 1);
		IF dlints_mean(s) <> dlints_mean(dlints_update(t, context(k, 5), 1)) THEN
			wrong := wrong || ' mean';
		END IF;
		t := s::text::dlints;
		IF dlints_covariance(s) <> dlints_covariance(t) OR dlints_draw(s, 3) <> dlints_draw(t, 3) OR dlints_weights(s) <> dlints_weights(t) OR dlints_info(s)::text <> dlints_info(t)::text THEN
			wrong := wrong || ' looks';
		END IF;
		SELECT wrong || coalesce(string_agg(' row ' || i, ''), '') INTO wrong FROM log
		WHERE i BETWEEN 1 AND 40 AND (dlints_predict(s, x) <> dlints_predict(t, x) OR dlints_stddev(s, x) <> dlints_stddev(t, x) OR dlints_project(s, x) <> dlints_project(t, x));
		IF (SELECT dlints_recommend(s, i, x) <> dlints_recommend(t, i, x) OR dlints_recommend(s, i, x, 3) <> dlints_recommend(t, i, x, 3) FROM log WHERE i BETWEEN 1 AND 40) THEN
			wrong := wrong || ' recommend';
		END IF;
		IF (SELECT count(DISTINCT best) FROM (SELECT dlints_recommend(CASE j % 3 WHEN 0 THEN s ELSE t END, i, x) AS best FROM log, generate_series(1, 5) AS j WHERE i BETWEEN 1 AND 40 GROUP BY i % 1) AS r) <> 1 THEN
			wrong := wrong || ' either';
		END IF;
		IF NOT same_bytes((SELECT dlints_evidence(s, x, r ORDER BY i) FROM log WHERE i BETWEEN 1 AND 40), (SELECT dlints_evidence(t, x, r ORDER BY i) FROM log WHERE i BETWEEN 1 AND 40)) THEN
			wrong := wrong || ' evidence';
		END IF;
	END LOOP;
	RETURN wrong;
END
$$;
SELECT is(taken(), '', 'all that looks at a variable');

SELECT * FROM finish();
ROLLBACK;
