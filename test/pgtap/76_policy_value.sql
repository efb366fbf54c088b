-- What another policy would have earned, against its definition in plain SQL.
\ir include/helpers.sql

-- 30 logs of 2 to 90 decisions: reward, probability logged, that of the target, what a
-- model predicts and expects
CREATE TEMP TABLE log AS
SELECT c, i, number(i, c) * 3 + c - 15 AS r, 0.05 + 0.95 * abs(number(i, c + 100)) AS p,
       CASE WHEN i % 4 = 3 THEN 0 ELSE abs(number(i, c + 200)) END AS t,
       number(i, c + 300) + c - 15 AS q, number(i, c + 400) + c - 15 AS e
FROM generate_series(1, 30) AS c, generate_series(1, 3 * c) AS i;
DELETE FROM log WHERE c = 1 AND i = 3;
-- in decimal arithmetic
CREATE FUNCTION by_definition(source regclass) RETURNS SETOF float8[] LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE format(
		'WITH l AS (
			SELECT c, r::numeric, t::numeric / p::numeric AS w, q::numeric, e::numeric FROM %s),
		 m AS (
			SELECT *, sum(w * r) OVER a / nullif(sum(w) OVER a, 0) AS s, e + w * (r - q) AS dr
			FROM l WINDOW a AS (PARTITION BY c))
		 SELECT ARRAY[
			count(*), avg(r), stddev_samp(r) / sqrt(count(*)),
			avg(w * r), stddev_samp(w * r) / sqrt(count(*)),
			sum(w * r) / nullif(sum(w), 0),
			sqrt(sum((w * (r - s)) ^ 2) / nullif(count(*) - 1, 0) / count(*)) / avg(w),
			avg(dr), stddev_samp(dr) / sqrt(count(*)),
			avg(w), stddev_samp(w) / sqrt(count(*)),
			sum(w) ^ 2 / nullif(sum(w ^ 2), 0), max(w)]::float8[]
		 FROM m GROUP BY c ORDER BY c', source);
END
$$;
CREATE FUNCTION numbers(v dlints_policy_estimate) RETURNS float8[] LANGUAGE sql AS
$$
SELECT ARRAY[(v).observations, (v).mean_reward, (v).mean_reward_stderr, (v).ips, (v).ips_stderr,
             (v).snips, (v).snips_stderr, (v).dr, (v).dr_stderr, (v).mean_weight,
             (v).mean_weight_stderr, (v).effective_sample_size, (v).max_weight]
$$;
CREATE TEMP TABLE defined AS SELECT row_number() OVER () AS c, d FROM by_definition('log') AS d;

SELECT plan(4 + 6 + 5 + 3 + 4 + 15);

SELECT is(count(*), 30::bigint, 'the test has 30 logs') FROM defined;
SELECT cmp_ok(max(element_difference(numbers(v), d)), '<', 1e-11::float8, 'dlints_policy_value follows its definition')
FROM defined JOIN (SELECT c, dlints_policy_value(r, p, t, q, e) AS v FROM log GROUP BY c) AS l
     USING (c);
SELECT cmp_ok(max(element_difference(numbers(v), d[:7] || '{NULL, NULL}' || d[10:])),
              '<', 1e-11::float8, 'dlints_policy_value without predictions has all estimates except dr')
FROM defined JOIN (SELECT c, dlints_policy_value(r, p, t) AS v FROM log GROUP BY c) AS l USING (c);
SELECT is((dlints_policy_value(CASE WHEN i <> 1 THEN r END, CASE WHEN i <> 2 THEN p END,
                               CASE WHEN i <> 3 THEN t END, CASE WHEN i <> 4 THEN q END,
                               CASE WHEN i <> 5 THEN e END)).observations,
          5::bigint, 'rows with a NULL are skipped') FROM log WHERE c = 5 AND i <= 10;

-- exact values: observations, mean reward, ips, snips, dr each with its standard error, the
-- weights' mean with its own, effective sample size, largest weight
SELECT is(numbers(value), expected::float8[], what)
FROM (SELECT dlints_policy_value(r, p, t, q, e) FILTER (WHERE false) AS none,
             dlints_policy_value(NULL, p, t) AS nulls FROM log) AS a,
     (SELECT dlints_policy_value(3, 0.5, 0.25) AS one,
             dlints_policy_value(3, 0.5, 0.25, 1, 10) AS modelled) AS b,
     (SELECT dlints_policy_value(i, 0.5, 0) AS never, dlints_policy_value(i, 0.5, 0.5) AS same
      FROM unnest('{1, 3}'::float8[]) AS i) AS c,
     LATERAL (VALUES
	('no row', none, '{0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}'),
	('no row without a NULL', nulls,
	 '{0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}'),
	('one row', one, '{1,3,NULL,1.5,NULL,3,NULL,NULL,NULL,0.5,NULL,1,0.5}'),
	('one row with a model', modelled, '{1,3,NULL,1.5,NULL,3,NULL,11,NULL,0.5,NULL,1,0.5}'),
	('a policy that would have done none of it', never,
	 '{2,2,1,0,0,NULL,NULL,NULL,NULL,0,0,0,0}'),
	('the policy of the log', same, '{2,2,1,2,1,2,1,NULL,NULL,1,0,2,1}'))
	AS v (what, value, expected);

-- rewards of 1e9 and a little: their spread, and that of what is relative to them, is that
-- of the little
CREATE TEMP TABLE shifted AS
SELECT s, dlints_policy_value(s + round(r::numeric, 3)::float8, p, t,
                              s + round(q::numeric, 3)::float8,
                              s + round(e::numeric, 3)::float8) AS v
FROM log, unnest('{0, 1000000000}'::float8[]) AS s WHERE c = 30 GROUP BY s;
SELECT cmp_ok(abs(error), '<', 1e-6::float8, 'rewards of 1e9: ' || what)
FROM (SELECT a.v AS a, b.v AS b FROM shifted AS a, shifted AS b WHERE a.s = 0 AND b.s > 0) AS s,
     LATERAL (VALUES
	('error of their mean', (a).mean_reward_stderr / (b).mean_reward_stderr - 1),
	('error of snips', (a).snips_stderr / (b).snips_stderr - 1),
	('error of dr', (a).dr_stderr / (b).dr_stderr - 1),
	('snips', (a).snips + 1e9 - (b).snips)) AS v (what, error);
SELECT is((dlints_policy_value(1e9 + 0.125, 0.1 + i / 1000.0, 0.5)).snips_stderr, 0::float8,
          'rewards that are all the same') FROM generate_series(1, 100) AS i;

-- one decision that outweighs a thousand others
CREATE TEMP TABLE heavy AS
SELECT 1 AS c, number(i, 7) AS r, CASE WHEN i = 500 THEN 1e-12 ELSE 0.5 END AS p, 1::float8 AS t,
       number(i, 8) AS q, number(i, 9) AS e
FROM generate_series(1, 1000) AS i;
SELECT cmp_ok(element_difference(n[:6] || n[8:], d[:6] || d[8:])
              + element_difference(n[7:7], d[7:7]) * 1e-6, '<', 1e-11::float8,
              'a weight of 1e12; what its reward is from snips has few digits')
FROM (SELECT dlints_policy_value(r, p, t, q, e) AS v FROM heavy) AS l,
     numbers(v) AS n, by_definition('heavy') AS d;
SELECT is(round((dlints_policy_value(r, p, t, q, e)).effective_sample_size::numeric, 6),
          1::numeric, 'one effective sample') FROM heavy;
SELECT is((dlints_policy_value(1, 1, t)).effective_sample_size, 2::float8,
          'weights whose squares are next to nothing')
FROM unnest('{1e-150, 1e-150}'::float8[]) AS t;

-- over a growing frame: the final function runs many times, and leaves the state as it is
SELECT cmp_ok(max(element_difference(numbers(v), numbers(w))), '<', 1e-14::float8,
              'dlints_policy_value works as a window function')
FROM (SELECT i, dlints_policy_value(r, p, t, q, e) OVER (ORDER BY i) AS v
      FROM log WHERE c = 9) AS l,
     LATERAL (SELECT dlints_policy_value(r, p, t, q, e) AS w
              FROM log AS o WHERE c = 9 AND o.i <= l.i) AS a;
-- aggregates of dlints' functions whose state somebody made up
CREATE FUNCTION made_up(initial text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format('CREATE AGGREGATE made_up(float8, float8, float8) (
		SFUNC = dlints_policy_value_transfn, STYPE = float8[], INITCOND = %L)', initial);
	PERFORM made_up(1, 1, 1);
END
$$;
SELECT throws_ok(format('SELECT made_up(%L)', initial), '22023', message, what) FROM (VALUES
	('{1, 2}', 'unexpected state of dlints_policy_value', 'a state of another length'),
	('{1, 2, 0, 1, 0, 2, 0, 2, 1, 2, 0, 1, 0, 0}', 'states of dlints_policy_value have different lengths',
	 'the state of the other form'),
	('{1, 2, 0, 1, 0, 2, 0, 2, 1, 2, 0, NULL}', 'unexpected state of dlints_policy_value',
	 'a state with a NULL')) AS v (initial, message, what);

SELECT throws_ok(format('SELECT dlints_policy_value(%s)', arguments), code, message, arguments)
FROM (VALUES
	('1, 0, 0.5', '22023', 'logged must be a probability, greater than 0 and at most 1'),
	('1, -0.1, 0.5', '22023', 'logged must be a probability, greater than 0 and at most 1'),
	('1, 1.5, 0.5', '22023', 'logged must be a probability, greater than 0 and at most 1'),
	('1, ''NaN'', 0.5', '22023', 'logged must be a probability, greater than 0 and at most 1'),
	('1, 0.5, -0.5', '22023', 'target must be a probability, from 0 to 1'),
	('1, 0.5, 1.5', '22023', 'target must be a probability, from 0 to 1'),
	('1, 0.5, ''NaN''', '22023', 'target must be a probability, from 0 to 1'),
	('''NaN'', 0.5, 0.5', '22003', 'NaN not allowed in reward'),
	('''-Infinity'', 0.5, 0.5, 1, 1', '22003', 'infinity not allowed in reward'),
	('1, 0.5, 0.5, ''NaN'', 1', '22003', 'NaN not allowed in predicted'),
	('1, 0.5, 0.5, 1, ''Infinity''', '22003', 'infinity not allowed in expected'),
	('1, 1e-310, 1', '22003', 'dlints result out of range')) AS v (arguments, code, message);
SELECT throws_ok('SELECT dlints_policy_value(i * 1e160, 1, 1) FROM generate_series(1, 2) AS i',
                 '22003', 'dlints result out of range', 'squares that overflow');
SELECT throws_ok('SELECT dlints_policy_value_transfn(NULL, 1, 1, 1)', '42809',
                 'aggregate support function called in non-aggregate context',
                 'a call of a support function');
CREATE AGGREGATE pg_temp.merged(double precision[]) (SFUNC = dlints_policy_value_combinefn,
	STYPE = double precision[], FINALFUNC = dlints_policy_value_finalfn);
SELECT throws_ok($$SELECT pg_temp.merged('{NaN,1,1,1,1,1,1,1,1,1,1,1}')$$, '22023',
                 'unexpected state of dlints_policy_value', 'a state of no number of decisions');

SELECT * FROM finish();
ROLLBACK;
