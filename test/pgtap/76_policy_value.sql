-- What another policy would have earned, against its definition in plain SQL.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- 30 logs of 2 to 90 decisions: reward, probability logged, that of the target, what a model predicts and expects
CREATE TEMP TABLE log AS
SELECT c, i, number(i, c) * 3 + c - 15 AS r, 0.05 + 0.95 * abs(number(i, c + 100)) AS p, CASE WHEN i % 4 = 3 THEN 0 ELSE abs(number(i, c + 200)) END AS t, number(i, c + 300) + c - 15 AS q, number(i, c + 400) + c - 15 AS e
FROM generate_series(1, 30) AS c, generate_series(1, 3 * c) AS i;
DELETE FROM log WHERE c = 1 AND i = 3;
-- in decimal arithmetic
CREATE FUNCTION by_definition(text) RETURNS SETOF float8[] LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE format($q$
		WITH l AS (SELECT c, r::numeric AS r, t::numeric / p::numeric AS w, q::numeric AS q, e::numeric AS e FROM %s),
		m AS (SELECT l.*, sum(w * r) OVER a / nullif(sum(w) OVER a, 0) AS s FROM l WINDOW a AS (PARTITION BY c))
		SELECT ARRAY[count(*), avg(r), stddev_samp(r) / sqrt(count(*)), avg(w * r), stddev_samp(w * r) / sqrt(count(*)), sum(w * r) / nullif(sum(w), 0), sqrt(sum((w * (r - s)) ^ 2) / nullif(count(*) - 1, 0) / count(*)) / avg(w),
		             avg(e + w * (r - q)), stddev_samp(e + w * (r - q)) / sqrt(count(*)), avg(w), stddev_samp(w) / sqrt(count(*)), sum(w) ^ 2 / nullif(sum(w ^ 2), 0), max(w)]::float8[]
		FROM m GROUP BY c ORDER BY c$q$, $1);
END
$$;
CREATE FUNCTION numbers(v dlints_value) RETURNS float8[] LANGUAGE sql AS
$$ SELECT ARRAY[(v).observations, (v).mean_reward, (v).mean_reward_stderr, (v).ips, (v).ips_stderr, (v).snips, (v).snips_stderr, (v).dr, (v).dr_stderr, (v).mean_weight, (v).mean_weight_stderr, (v).effective_sample_size, (v).max_weight] $$;
CREATE TEMP TABLE defined AS SELECT row_number() OVER () AS c, d FROM by_definition('log') AS d;

SELECT plan(4 + 6 + 5 + 3 + 4 + 15);

SELECT is(count(*), 30::bigint, '30 logs') FROM defined;
SELECT cmp_ok(max(element_difference(numbers(v), d)), '<', 1e-11::float8, 'as defined') FROM defined JOIN (SELECT c, dlints_policy_value(r, p, t, q, e) AS v FROM log GROUP BY c) AS l USING (c);
SELECT cmp_ok(max(element_difference(numbers(v), d[:7] || '{NULL, NULL}' || d[10:])), '<', 1e-11::float8, 'without a model all but dr') FROM defined JOIN (SELECT c, dlints_policy_value(r, p, t) AS v FROM log GROUP BY c) AS l USING (c);
SELECT is((v).observations, 5::bigint, 'rows with a NULL are skipped')
FROM (SELECT dlints_policy_value(CASE WHEN i <> 1 THEN r END, CASE WHEN i <> 2 THEN p END, CASE WHEN i <> 3 THEN t END, CASE WHEN i <> 4 THEN q END, CASE WHEN i <> 5 THEN e END) AS v FROM log WHERE c = 5 AND i <= 10) AS l;

SELECT is(dlints_policy_value(r, p, t, q, e), ROW(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::dlints_value, 'no row') FROM log WHERE c = 0;
SELECT is(dlints_policy_value(NULL, p, t), ROW(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::dlints_value, 'no row without a NULL') FROM log;
SELECT is(dlints_policy_value(3, 0.5, 0.25), ROW(1, 3, NULL, 1.5, NULL, 3, NULL, NULL, NULL, 0.5, NULL, 1, 0.5)::dlints_value, 'one row');
SELECT is(dlints_policy_value(3, 0.5, 0.25, 1, 10), ROW(1, 3, NULL, 1.5, NULL, 3, NULL, 11, NULL, 0.5, NULL, 1, 0.5)::dlints_value, 'one row with a model');
SELECT is(dlints_policy_value(i, 0.5, 0), ROW(2, 2, 1, 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0)::dlints_value, 'a policy that would have done none of it') FROM unnest('{1, 3}'::float8[]) AS i;
SELECT is(dlints_policy_value(i, 0.5, 0.5), ROW(2, 2, 1, 2, 1, 2, 1, NULL, NULL, 1, 0, 2, 1)::dlints_value, 'the policy of the log') FROM unnest('{1, 3}'::float8[]) AS i;

-- rewards of 1e9 and a little: their spread, and that of what is relative to them, is that of the little
CREATE TEMP TABLE shifted AS SELECT dlints_policy_value(s + round(r::numeric, 3)::float8, p, t, s + round(q::numeric, 3)::float8, s + round(e::numeric, 3)::float8) AS v, s FROM log, unnest('{0, 1000000000}'::float8[]) AS s WHERE c = 30 GROUP BY s;
SELECT cmp_ok(abs((a.v).mean_reward_stderr / (b.v).mean_reward_stderr - 1), '<', 1e-6::float8, 'rewards of 1e9: error of their mean') FROM shifted AS a, shifted AS b WHERE a.s = 0 AND b.s > 0;
SELECT cmp_ok(abs((a.v).snips_stderr / (b.v).snips_stderr - 1), '<', 1e-6::float8, 'error of snips') FROM shifted AS a, shifted AS b WHERE a.s = 0 AND b.s > 0;
SELECT cmp_ok(abs((a.v).dr_stderr / (b.v).dr_stderr - 1), '<', 1e-6::float8, 'error of dr') FROM shifted AS a, shifted AS b WHERE a.s = 0 AND b.s > 0;
SELECT cmp_ok(abs((a.v).snips + 1e9 - (b.v).snips), '<', 1e-6::float8, 'snips') FROM shifted AS a, shifted AS b WHERE a.s = 0 AND b.s > 0;
SELECT is((dlints_policy_value(1e9 + 0.125, 0.1 + i / 1000.0, 0.5)).snips_stderr, 0::float8, 'rewards that are all the same') FROM generate_series(1, 100) AS i;

-- one decision that outweighs a thousand others
CREATE TEMP TABLE heavy AS SELECT 1 AS c, number(i, 7) AS r, CASE WHEN i = 500 THEN 1e-12 ELSE 0.5 END AS p, 1::float8 AS t, number(i, 8) AS q, number(i, 9) AS e FROM generate_series(1, 1000) AS i;
SELECT cmp_ok(element_difference(n[:6] || n[8:], d[:6] || d[8:]) + element_difference(n[7:7], d[7:7]) * 1e-6, '<', 1e-11::float8, 'a weight of 1e12; what its reward is from snips has few digits')
FROM (SELECT dlints_policy_value(r, p, t, q, e) AS v FROM heavy) AS l, numbers(v) AS n, by_definition('heavy') AS d;
SELECT is(round((dlints_policy_value(r, p, t, q, e)).effective_sample_size::numeric, 6), 1::numeric, 'one effective sample') FROM heavy;
SELECT is((dlints_policy_value(1, 1, t)).effective_sample_size, 2::float8, 'weights whose squares are next to nothing') FROM unnest('{1e-150, 1e-150}'::float8[]) AS t;

-- over a growing frame: the final function runs many times, and leaves the state as it is
SELECT cmp_ok(max(element_difference(numbers(v), numbers(w))), '<', 1e-14::float8, 'as a window function')
FROM (SELECT i, dlints_policy_value(r, p, t, q, e) OVER (ORDER BY i) AS v FROM log WHERE c = 9) AS l, LATERAL (SELECT dlints_policy_value(r, p, t, q, e) AS w FROM log AS o WHERE c = 9 AND o.i <= l.i) AS a;
-- an aggregate of dlints' functions whose state somebody made up
CREATE AGGREGATE made_up(float8, float8, float8) (SFUNC = dlints_policy_value_transfn, STYPE = float8[], FINALFUNC = dlints_policy_value_finalfn, INITCOND = '{1, 2}');
SELECT throws_ok($$SELECT made_up(1, 1, 1)$$, '22023', 'unexpected state of dlints_policy_value', 'a state of another length');
CREATE AGGREGATE made_up_longer(float8, float8, float8) (SFUNC = dlints_policy_value_transfn, STYPE = float8[], INITCOND = '{1, 2, 0, 1, 0, 2, 0, 2, 1, 2, 0, 1, 0, 0}');
SELECT throws_ok($$SELECT made_up_longer(1, 1, 1)$$, '22023', 'states of dlints_policy_value differ', 'the state of the other form');
CREATE AGGREGATE made_up_null(float8, float8, float8) (SFUNC = dlints_policy_value_transfn, STYPE = float8[], INITCOND = '{1, 2, 0, 1, 0, 2, 0, 2, 1, 2, 0, NULL}');
SELECT throws_ok($$SELECT made_up_null(1, 1, 1)$$, '22023', 'unexpected state of dlints_policy_value', 'a state with a NULL');

SELECT throws_ok($$SELECT dlints_policy_value(1, 0, 0.5)$$, '22023', 'logged must be a probability, greater than 0 and at most 1', 'logged 0');
SELECT throws_ok($$SELECT dlints_policy_value(1, -0.1, 0.5)$$, '22023', 'logged must be a probability, greater than 0 and at most 1', 'logged below 0');
SELECT throws_ok($$SELECT dlints_policy_value(1, 1.5, 0.5)$$, '22023', 'logged must be a probability, greater than 0 and at most 1', 'logged above 1');
SELECT throws_ok($$SELECT dlints_policy_value(1, 'NaN', 0.5)$$, '22023', 'logged must be a probability, greater than 0 and at most 1', 'logged NaN');
SELECT throws_ok($$SELECT dlints_policy_value(1, 0.5, -0.5)$$, '22023', 'target must be a probability, from 0 to 1', 'target below 0');
SELECT throws_ok($$SELECT dlints_policy_value(1, 0.5, 1.5)$$, '22023', 'target must be a probability, from 0 to 1', 'target above 1');
SELECT throws_ok($$SELECT dlints_policy_value(1, 0.5, 'NaN')$$, '22023', 'target must be a probability, from 0 to 1', 'target NaN');
SELECT throws_ok($$SELECT dlints_policy_value('NaN', 0.5, 0.5)$$, '22003', 'NaN not allowed in reward', 'reward NaN');
SELECT throws_ok($$SELECT dlints_policy_value('-Infinity', 0.5, 0.5, 1, 1)$$, '22003', 'infinity not allowed in reward', 'reward infinite');
SELECT throws_ok($$SELECT dlints_policy_value(1, 0.5, 0.5, 'NaN', 1)$$, '22003', 'NaN not allowed in predicted', 'predicted NaN');
SELECT throws_ok($$SELECT dlints_policy_value(1, 0.5, 0.5, 1, 'Infinity')$$, '22003', 'infinity not allowed in expected', 'expected infinite');
SELECT throws_ok($$SELECT dlints_policy_value(1, 1e-310, 1)$$, '22003', 'dlints result out of range', 'a weight that overflows');
SELECT throws_ok($$SELECT dlints_policy_value(i * 1e160, 1, 1) FROM generate_series(1, 2) AS i$$, '22003', 'dlints result out of range', 'squares that overflow');
SELECT throws_ok($$SELECT dlints_policy_value_transfn(NULL, 1, 1, 1)$$, '42809', 'aggregate support function called in non-aggregate context', 'a call of a support function');
CREATE AGGREGATE pg_temp.merged(double precision[]) (SFUNC = dlints_policy_value_combinefn, STYPE = double precision[], FINALFUNC = dlints_policy_value_finalfn);
SELECT throws_ok($$SELECT pg_temp.merged('{NaN,1,1,1,1,1,1,1,1,1,1,1}')$$, '22023', 'unexpected state of dlints_policy_value', 'a state of no number of decisions');

SELECT * FROM finish();
ROLLBACK;
