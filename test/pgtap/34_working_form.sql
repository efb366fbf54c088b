-- dlints_evidence keeps a model in its working form as the state.  Each observation counts once, however PostgreSQL
-- passes, copies, splits or flattens the state, and whatever error occurs.
\ir include/helpers.sql

SELECT plan(39 + 55);

CREATE TEMP TABLE log AS
SELECT i, i % 7 AS g, features(i, 5)::real[] AS x, number(i, 9) AS r, seen_at(i) AS t,
    weight(i) AS w
FROM generate_series(1, 1000) AS i;
CREATE TEMP TABLE empty AS
SELECT dlints_new(5) AS m, dlints_new(5, half_life => '5 days', memories => 2) AS by_time;

-- result of single updates
CREATE FUNCTION direct(m dlints, keys bigint[], with_time boolean) RETURNS dlints
LANGUAGE plpgsql AS $$
DECLARE
	o log;
BEGIN
	FOR o IN SELECT log.* FROM log JOIN unnest(keys) AS k ON k = log.i ORDER BY i LOOP
		SELECT CASE WHEN with_time THEN dlints_update(m, o.x, o.r, '{}', o.t, o.w)
		            ELSE dlints_update(m, o.x, o.r) END INTO m;
	END LOOP;
	RETURN m;
END
$$;
CREATE FUNCTION same(evidence dlints, keys bigint[]) RETURNS boolean LANGUAGE sql AS
$$ SELECT model_difference(evidence, direct(m, keys, false)) <= 1e-10 FROM empty $$;
CREATE FUNCTION same_by_time(evidence dlints, keys bigint[]) RETURNS boolean LANGUAGE sql AS $$
SELECT CASE WHEN evidence IS NULL THEN keys IS NULL
            ELSE model_difference(evidence, direct(by_time, keys, true)) <= 1e-10 END FROM empty
$$;

-- ---------- windows ----------

-- running and sliding frames (the latter begin again at each row), and the whole partition
CREATE TEMP TABLE framed AS
SELECT i, dlints_evidence(m, x, r) OVER running AS running,
    dlints_evidence(m, x, r) OVER sliding AS sliding,
    dlints_evidence(m, x, r) OVER () AS everything,
    array_agg(i) OVER running AS running_keys, array_agg(i) OVER sliding AS sliding_keys
FROM log, empty WHERE i <= 300
WINDOW running AS (ORDER BY i), sliding AS (ORDER BY i ROWS BETWEEN 9 PRECEDING AND CURRENT ROW);
SELECT ok(same(running, running_keys), format('a running window at row %s', i))
FROM framed WHERE i IN (1, 8, 128, 129, 300);
SELECT ok(bool_and(same(sliding, sliding_keys)), 'dlints_evidence works over sliding windows') FROM framed
  WHERE i % 29 = 0;
SELECT ok(count(DISTINCT dlints_send(everything)) = 1
    AND same(min(everything::text)::dlints, array_agg(i)),
    'a window over all gives each row the same') FROM framed;

-- other frames, among them empty ones and those with EXCLUDE
CREATE FUNCTION frames_are_right(frame text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	is_right boolean;
BEGIN
	EXECUTE format('
		SELECT bool_and(same_by_time(e, keys))
		FROM (SELECT i, dlints_evidence(by_time, x, r, ''{}'', t, w) OVER f AS e,
			array_agg(i) OVER f AS keys
		      FROM log, empty WHERE i <= 150 WINDOW f AS (PARTITION BY w ORDER BY g %s)) AS s
		WHERE i %% 11 = 0', frame) INTO is_right;
	RETURN is_right;
END
$$;
SELECT ok(frames_are_right(frame), frame) FROM lines($$
    ROWS BETWEEN 3 FOLLOWING AND 20 FOLLOWING
    RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW
    GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP
    GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING EXCLUDE TIES
    $$) AS frame;

-- a moving aggregate of users: forward by the transition function, back by dlints_retract
CREATE FUNCTION take_back(state dlints, m dlints, x dlints_vector, r float8, u dlints_vector, t timestamptz, w float8)
RETURNS dlints LANGUAGE sql AS $$ SELECT dlints_retract(state, dlints_update(m, x, r, u, t, w)) $$;
CREATE AGGREGATE moving_evidence(dlints, dlints_vector, float8, dlints_vector, timestamptz, float8) (
    SFUNC = dlints_evidence_transfn, STYPE = dlints,
    MSFUNC = dlints_evidence_transfn, MINVFUNC = take_back, MSTYPE = dlints);
SELECT ok(bool_and(model_difference(dlints_at(moved, newest),
    dlints_at(direct(by_time, keys, true), newest)) <= 1e-8), 'dlints_evidence works as a moving aggregate')
FROM (SELECT i, by_time, moving_evidence(by_time, x, r, '{}', t, w) OVER f AS moved,
    array_agg(i) OVER f AS keys
      FROM log, empty WHERE i <= 150
      WINDOW f AS (ORDER BY i ROWS BETWEEN 140 PRECEDING AND CURRENT ROW)) AS s,
    (SELECT max(t) AS newest FROM log) AS n
WHERE i % 25 = 0;

-- a cursor that stops and continues
DECLARE halfway CURSOR FOR
SELECT i, dlints_evidence(m, x, r) OVER (ORDER BY i) AS e, array_agg(i) OVER (ORDER BY i) AS keys
FROM log, empty;
MOVE 200 FROM halfway;
CREATE FUNCTION next_is_right(cursor refcursor) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	o record;
BEGIN
	FETCH cursor INTO o;
	RETURN same(o.e, o.keys);
END
$$;
SELECT ok(next_is_right('halfway'), 'dlints_evidence works with a cursor');
CLOSE halfway;

-- ---------- groups ----------

-- two aggregates with a common state, and a nested one
SELECT ok(same_bytes(dlints_evidence(m, x, r), dlints_evidence(m, x, r))
    AND same_bytes(dlints_evidence(m, x, r), dlints_evidence(m, x, r)::text::dlints),
    'aggregates that share a state') FROM log, empty;
SELECT ok(same_bytes(m || e, e) AND same_bytes(e || m, m || e), 'a result is a model like any other')
FROM (SELECT dlints_evidence(m, x, r) AS e FROM log, empty) AS s, empty;

-- sorted, hashed, spilled to disk, several groupings at once
CREATE TEMP TABLE expected AS
SELECT g, dlints_evidence(m, x, r ORDER BY i) AS e, array_agg(i) AS keys FROM log, empty GROUP BY g;
SELECT ok(bool_and(same(e, keys)), 'evidence of sorted groups equals batches') FROM expected;
SET LOCAL enable_sort = off;
SELECT ok(bool_and(same_bytes(h.e, e.e)), 'evidence of hashed groups equals batches')
FROM (SELECT g, dlints_evidence(m, x, r) AS e FROM log, empty GROUP BY g) AS h
    JOIN expected AS e USING (g);
CREATE TEMP VIEW many AS SELECT i / 4 AS g, dlints_evidence(m, x, r) AS e
FROM log, empty GROUP BY 1;
CREATE TEMP TABLE in_memory AS TABLE many;
SET LOCAL work_mem = '64kB';
SELECT ok(bool_and(same_bytes(s.e, m.e)), 'evidence of groups that spill to disk equals batches')
FROM in_memory AS m JOIN many AS s USING (g);
RESET work_mem;
SET LOCAL enable_sort = on;
SELECT ok(bool_and(same_bytes(s.e, e.e)), 'evidence of grouping sets equals batches')
FROM (SELECT g, dlints_evidence(m, x, r ORDER BY i) AS e FROM log, empty
      GROUP BY GROUPING SETS ((g), ())) AS s JOIN expected AS e USING (g);
SELECT ok(same_bytes(f.e, e.e), 'a filter, and rows that do not count')
FROM expected AS e,
    (SELECT dlints_evidence(m, x, CASE WHEN g = 3 THEN r END ORDER BY i)
        FILTER (WHERE i % 2 < 2) AS e
     FROM log, empty) AS f
WHERE e.g = 3;
SELECT is(dlints_evidence(m, x, NULL), NULL, 'evidence of no observation is NULL') FROM log, empty;

-- user-defined aggregates with the support functions: an initial flat state, || in between, results of another
-- aggregate as input, a combine function
SELECT format('CREATE AGGREGATE learn_on(dlints, dlints_vector, float8) '
    '(SFUNC = dlints_evidence_transfn, STYPE = dlints, INITCOND = %L)', m::text) FROM empty \gexec
SELECT ok(same(learn_on(m, x, r ORDER BY i), array_agg(i)), 'a state that begins flat')
FROM log, empty;
CREATE FUNCTION learn_twice(state dlints, m dlints, x real[], r float8) RETURNS dlints
LANGUAGE sql AS $$ SELECT dlints_concat(coalesce(state, m), dlints_update(m, x, r)) $$;
CREATE AGGREGATE learn_by_concat(dlints, real[], float8) (SFUNC = learn_twice, STYPE = dlints);
SELECT ok(same(learn_by_concat(m, x, r ORDER BY i), array_agg(i)), 'a state that || makes')
FROM log, empty WHERE i <= 150;
CREATE AGGREGATE concat_evidence(dlints) (
    SFUNC = dlints_concat, STYPE = dlints, COMBINEFUNC = dlints_concat, PARALLEL = SAFE);
SELECT ok(same((SELECT concat_evidence(e ORDER BY g)
                FROM (SELECT i / 100 AS g, dlints_evidence(m, x, r ORDER BY i) AS e
                      FROM log, empty GROUP BY 1) AS s), array_agg(i)),
    'results of one aggregate that another takes') FROM log;
-- two in one query, one of which has returned its state while the other continues; with partial results of workers
CREATE AGGREGATE evidence_in_parts(dlints, dlints_vector, float8, dlints_vector, timestamptz, float8) (
    SFUNC = dlints_evidence_transfn, STYPE = dlints, COMBINEFUNC = dlints_concat,
        PARALLEL = SAFE);
CREATE TABLE visible_log AS SELECT log.*, by_time FROM log, empty;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE VIEW parallel_groups AS
SELECT evidence_in_parts(by_time, x, r, '{}', t, w) AS a,
    dlints_evidence(by_time, x, r, '{}', t, w) AS b,
    array_agg(i ORDER BY i) AS keys
FROM visible_log WHERE i <= 300 GROUP BY g;
SELECT ok(bool_and(same_by_time(a, keys) AND model_difference(a, b) <= 1e-10),
  'evidence of groups from workers equals evidence of one process')
FROM parallel_groups;

-- into a domain, a row, an array, a generated column, through a trigger, and back
CREATE DOMAIN grown AS dlints CHECK ((dlints_info(VALUE)).updates > 0);
CREATE TYPE pg_temp.pair AS (n integer, e dlints);
CREATE TEMP TABLE kept (keys bigint[], e grown, p pg_temp.pair, a dlints[],
    updates bigint GENERATED ALWAYS AS ((dlints_info(e)).updates) STORED);
CREATE FUNCTION append_one() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN NEW.e := dlints_update(NEW.e, x, r) FROM log WHERE i = 1; RETURN NEW; END $$;
CREATE TRIGGER append_one BEFORE INSERT ON kept FOR EACH ROW EXECUTE FUNCTION append_one();
INSERT INTO kept (keys, e, p, a)
SELECT keys, e, ROW(1, e)::pg_temp.pair, ARRAY[e, e || e]
FROM (SELECT array_agg(i ORDER BY i) AS keys, dlints_evidence(m, x, r ORDER BY i) AS e FROM log, empty GROUP BY g) AS s;
SELECT each_holds($$
    same_bytes(e, direct((p).e, '{1}', false)) AND updates = cardinality(keys) + 1
    same((p).e, keys) AND same(a[1], keys)
    same_bytes(a[2], a[1] || a[1])
    $$, 'FROM kept');

-- rows of a group with the model stored in line: the model before or after training, but not another model
SELECT ok(same(dlints_evidence(CASE WHEN i % 3 = 0 THEN dlints_update(m, x, r) ELSE m || NULL END,
                               x, r ORDER BY i), array_agg(i)), 'a model that learns meanwhile')
FROM log, empty;
SELECT throws_ok('SELECT dlints_evidence(dlints_new(5, discount => 0.9 + i * 0.01), x, r) FROM log',
    '22023', NULL, 'dlints_evidence rejects a second model of the same size');
SELECT throws_ok('SELECT dlints_evidence_transfn(NULL, m, x, r) FROM log, empty', '42809', NULL,
    'support functions reject calls outside of aggregates');

-- ---------- readers ----------

-- a call site with changing states distinguishes them
CREATE TEMP VIEW states AS
SELECT dlints_evidence(m, x, r) FILTER (WHERE i <= 300) AS a,
    dlints_evidence(m, x, r) FILTER (WHERE i > 300) AS b
FROM log, empty;
CREATE TEMP TABLE two AS TABLE states;
SELECT is((SELECT array_agg(dlints_predict(CASE WHEN i % 4 < 3 THEN s.a ELSE s.b END, x) ORDER BY i)
           FROM log WHERE i <= 40),
          (SELECT array_agg(dlints_predict(CASE WHEN i % 4 < 3 THEN two.a ELSE two.b END, x)
           ORDER BY i) FROM log WHERE i <= 40),
    'states in turns') FROM states AS s, two;
SELECT ok(max(abs((SELECT sum(dlints_predict(w.running, x)) FROM log WHERE i <= 4)
                  - (SELECT sum(dlints_predict(f.running, x)) FROM log, framed AS f
                     WHERE log.i <= 4 AND f.i = w.i))) < 1e-12, 'a state that goes on between the rows that look at it')
FROM (SELECT i, dlints_evidence(m, x, r) OVER (ORDER BY i) AS running FROM log, empty WHERE i <= 30) AS w;

-- ---------- errors ----------

-- after an error in the middle of a block nothing remains, in a subtransaction too
CREATE FUNCTION in_spite_of_errors() RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	state dlints;
BEGIN
	FOR attempt IN 1..5 LOOP
		BEGIN
			SELECT dlints_evidence(m, CASE WHEN i = 100 * attempt
				AND attempt < 5 THEN '{1}' ELSE x END,
				r ORDER BY i) INTO state FROM log, empty;
		EXCEPTION WHEN data_exception THEN
			state := NULL;
		END;
	END LOOP;
	RETURN state;
END
$$;
SELECT ok(same(in_spite_of_errors(), array_agg(i)), 'errors before') FROM log;
-- a cancellation while a state is read is caught; then the state is read again, with pending observations and
-- without
SET LOCAL plan_cache_mode = force_generic_plan;
CREATE FUNCTION cancelled(e dlints) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_cancel_backend(pg_backend_pid()) AND dlints_hash(e) IS NULL;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END
$$;
SELECT ok(cancelled(e) AND same(e, keys), format('a reader that is cancelled, after %s observations', n))
FROM (VALUES (100), (128), (200)) AS v (n),
    LATERAL (SELECT dlints_evidence(m, x, r ORDER BY i) AS e, array_agg(i) AS keys
             FROM log, empty WHERE i <= n OFFSET 0) AS s;
-- a cursor that outlives its subtransaction
SAVEPOINT before;
DECLARE groups CURSOR FOR
SELECT array_agg(i ORDER BY i) AS keys, dlints_evidence(m, x, r ORDER BY i) AS e
FROM log, empty GROUP BY g;
MOVE 2 FROM groups;
SAVEPOINT after;
SELECT throws_ok('SELECT dlints_evidence(m, x[1:i], r ORDER BY i DESC) FROM log, empty',
    '22000', NULL, 'a wrong length raises an error while a cursor is open');
ROLLBACK TO after;
SELECT ok(next_is_right('groups'), 'a cursor continues after an error of another statement');

-- Observations and histories with weights other than 1

-- a history with an integer weight counts that many times, except that updates count once and H and N2 have the
-- square of the weight
CREATE TEMP TABLE learned AS
SELECT shape, forgets, empty, batch(empty, 1, 60, true) AS m FROM learner
WHERE forgets ~ 'weighted|three';
CREATE FUNCTION off_scale(e jsonb, by float8, m jsonb, part text) RETURNS float8 LANGUAGE sql AS
$$ SELECT difference(cells(e -> part), plus(cells(m -> part), by - 1, cells(m -> part))) $$;
SELECT cmp_ok(
    max(greatest(off_scale(p, 0.3, q, 'b'), off_scale(p, 0.3, q, 'G'),
        off_scale(p, 0.3 * 0.3, q, 'H'), off_scale(p, 0.3 * 0.3, q, 'weight_square_sum'),
                 off_scale(p, 0.3, q, 'weight_sum'), off_scale(p, 0.3, q, 'reward_sum'),
                 off_scale(p, 0.3, q, 'reward_square_sum'),
                 CASE WHEN (i.updates, i.newest) IS NOT DISTINCT FROM (o.updates, o.newest) THEN 0
                      ELSE 'infinity'::float8 END)),
    '<=', 1e-14::float8, format('%s: 0.3 * model', shape))
FROM learned, dlints_scale(0.3, m) AS w, dlints_info(w) AS i, dlints_info(m) AS o,
    LATERAL ROWS FROM (jsonb_array_elements(w::jsonb -> 'evidence'),
                       jsonb_array_elements(m::jsonb -> 'evidence')) AS e (p, q)
GROUP BY shape ORDER BY shape;
SELECT each_holds($$
    same_bytes(1 * m, m)
    same_bytes(0.5 * (4 * m), 2 * m)
    same_bytes(dlints_scale(2, m), 2 * m)
    same_bytes(2 * (m || m), 2 * m || 2 * m)
    same_bytes(3 * empty, empty)
    same_bytes(NULL * m, m)
    same_bytes(0 * m, empty)
    same_bytes(0 * empty, empty)
    same_bytes(2.0 * m, 2::integer * m)
    2 * NULL::dlints IS NULL
    $$, 'FROM learned');

-- 0.1 * everyone || mine equals training with weights of 0.1 for the observations of others
CREATE TEMP TABLE tenth AS
SELECT m, batch(m, 1, 100, true) AS everyone, batch(m, 101, 140, true) AS mine,
    (SELECT dlints_evidence(m, features(i, 4), reward(i), '{}', seen_at(i),
                            weight(i) * CASE WHEN i <= 100 THEN 0.1 ELSE 1 END ORDER BY i)
     FROM generate_series(1, 140) AS i) AS want
FROM (VALUES (dlints_new(4)), (dlints_new(4, half_life => '3 days', memories => 2))) AS v (m);
SELECT cmp_ok(max(model_difference(0.1 * everyone || mine, want)), '<=', 1e-10::float8, '0.1 * everyone || mine')
FROM tenth;

-- without forgetting, a weight is a number of observations, although the update counts once; weights correct for
-- sampled non-clicks
CREATE TEMP TABLE often AS
SELECT batch(m, 1, 140, true) AS w,
    (SELECT dlints_evidence(m, features(i, 4), reward(i))
     FROM generate_series(1, 140) AS i, generate_series(1, weight(i)::integer)) AS n
FROM dlints_new(4, discount => 1, noise => 1) AS m;
SELECT each_holds($$
    difference(dlints_mean(w), dlints_mean(n)) <= 1e-12
    difference(dlints_covariance(w), dlints_covariance(n)) <= 1e-12
    memory_difference(memory_in_use(w), memory_in_use(n)) <= 1e-12
    abs((dlints_info(w)).mean_reward / (dlints_info(n)).mean_reward - 1) <= 1e-12
    (dlints_info(w)).updates = 140
    (dlints_info(n)).updates = (SELECT sum(weight(i)) FROM generate_series(1, 140) AS i)
    $$, 'FROM often');
-- by hand: H has the square of the weight
SELECT is(memory_in_use(m),
    jsonb_build_object('weight_sum', v[1], 'weight_square_sum', NULL, 'reward_sum', v[2],
        'reward_square_sum', v[3], 'b', v[4:4], 'G', ARRAY[v[5:5]], 'H', ARRAY[v[6:6]]), what)
FROM dlints_new(1, discount => 0.5, intercept => false) AS e, LATERAL (VALUES
    ('a weight', dlints_update(e, ARRAY[3], 2, weight => 4), '{4,8,16,24,36,144}'::integer[]),
    ('after another', dlints_update(dlints_update(e, ARRAY[3], 2, weight => 4), ARRAY[1], 2), '{3,6,12,14,19,37}'),
    ('a model', 4 * dlints_update(e, ARRAY[3], 2), '{4,8,16,24,36,144}')) AS v (what, m, v);
-- a NULL weight is 1
SELECT each_holds($$
    same_bytes(dlints_update(e, ARRAY[3], 5, '{}', NULL, NULL), m)
    same_bytes(dlints_update_batch(e, ARRAY[[3]], ARRAY[5], weights => NULL), m)
    same_bytes(dlints_update(e, ARRAY[3], 5, weight => 1), m)
    same_bytes((SELECT dlints_evidence(e, ARRAY[3]::real[], r, '{}', NULL, NULL)
                FROM generate_series(5, 5) AS r), m)
    $$, 'FROM dlints_new(1, discount => 1) AS e, dlints_update(e, ARRAY[3], 5) AS m');

-- bounds
CREATE TEMP VIEW say AS SELECT e, dlints_update(e, ARRAY[1], 1) AS m FROM dlints_new(1) AS e;
SELECT is(outcome(format('SELECT %s FROM say', replace(call, 'W', weight))),
    format('22023: weight must be %s (The value is %s.)', CASE WHEN call ~ '[*]' THEN 'between 0 and 1e10'
           ELSE 'greater than 0 and at most 1e+10' END, said),
    format('%s, W = %s', call, said))
FROM (VALUES
    ('dlints_update(e, ARRAY[1], 1, weight => W)', '0', '0'),
    ('dlints_update(e, ARRAY[1], 1, weight => W)', '-1', '-1'),
    ('dlints_update(e, ARRAY[1], 1, weight => W)', $$'NaN'$$, 'NaN'),
    ('dlints_update(e, ARRAY[1], 1, weight => W)', '1.1e10', '11000000000'),
    ('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => ARRAY[1, W])', '0', '0'),
    ($$(SELECT dlints_evidence(e, ARRAY[1]::real[], 1, '{}', NULL, W))$$, $$'-Infinity'$$, '-Infinity'),
    ('W * m', '-1', '-1'),
    ('W * m', $$'Infinity'$$, 'Infinity'),
    ('W * e', '1.1e10', '11000000000')) AS v (call, weight, said);
SELECT each_is(result, format('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => %s)', weights),
    'FROM say')
FROM (VALUES
    ('ARRAY[1]', '22000: expected as many weights as rows of features '
        '(Rows of features: 2, weights: 1.)'),
    ('ARRAY[1, NULL]', '22004: array must not contain nulls '
        '(A null was found in the array of weights.)'),
    ('ARRAY[[1, 2]]', '2202E: array must be one-dimensional '
        '(The number of dimensions of the array of weights is 2.)')) AS v (weights, result);
SELECT each_is('42883: operator does not exist: dlints * numeric', 'm * 2.0', 'FROM say');
SELECT ok(same_bytes(m::text::dlints, m) AND dlints_mean(m) IS NOT NULL
    AND i.effective_sample_size = n
    AND i.updates = 1, what)
FROM (VALUES
    ('the largest', dlints_update(dlints_new(1), ARRAY[1], 1, weight => 1e10), 1e10::float8),
    ('one whose H is nothing', dlints_update(dlints_new(1), ARRAY[1], 1, weight => 1e-200), 1e-200),
    ('one that is nothing', 1e-200 * (1e-200 * dlints_update(dlints_new(1), ARRAY[1], 1)), 0))
    AS v (what, m, n), dlints_info(m) AS i;

-- In H, whose weights are squared, rounding errors exceed the ridge long before those of G.  The mean depends on G
-- only: after an observation with a large weight, all functions agree on the remaining evidence.
CREATE TEMP TABLE heavy AS
SELECT m, ARRAY[1, -1] AS x
FROM dlints_update_batch(dlints_new(2, discount => 0.9, ridge => 1, intercept => false),
    ARRAY[[1, 1], [1, 0]], ARRAY[1, 5], weights => ARRAY[1e9, 1]) AS m;
SELECT each_holds($$
    dlints_predict(m, x) BETWEEN 2.999 AND 3.001
    (SELECT score FROM dlints_decide(dlints_set(m, policy => 'ucb', exploration => 0), '{1}'::integer[],
      ARRAY[x])) BETWEEN 2.999 AND 3.001
    (SELECT score FROM dlints_decide(dlints_set(m, policy => 'greedy'), '{1}'::integer[],
      ARRAY[x])) BETWEEN 2.999 AND 3.001
    (SELECT dlints_progressive(m, x, NULL) OVER ()) BETWEEN 2.999 AND 3.001
    $$, 'FROM heavy');

SELECT * FROM finish();
ROLLBACK;
