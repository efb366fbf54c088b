-- Centering of training examples within their list: when it is switched on, what it changes, and corrections.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql

SELECT plan(23);

SELECT dlints_create_recommender('board', 'job', '{field,salary}', clicks => 'SELECT who, job, at FROM visit',
  control => 0, epsilon => 1, examination => '{1,0.5}', outcomes => '{"click": 1, "apply": 5}') IS NOT NULL;
SELECT count(*) AS items FROM generate_series(1, 60) p, board.recommend(p, 6) \gset
SELECT count(*) AS items FROM generate_series(1, 3) p, board.recommend(p, 1) \gset
SELECT count(*) AS items FROM generate_series(1, 2) p, board.recommend(p, 2) \gset

-- Clicks on the one or four best items of each list; "many" says which lists have four.
CREATE FUNCTION click(many text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	clicks bigint;
BEGIN
	WITH shown AS (
		SELECT decision, item, rank() OVER (PARTITION BY decision ORDER BY suits DESC) AS n,
		       avg(suits) OVER (PARTITION BY decision) AS mean
		FROM  (SELECT l.*, dlints_dot(profile::float8[], features::dlints_vector) AS suits FROM board.impression_user l
		       WHERE  decision IN (SELECT id FROM board.decision WHERE cardinality(items) = 6)) l),
	middle AS (
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY mean) AS mean FROM shown)
	SELECT count(*) INTO clicks
	FROM  (SELECT board.reward(decision, item, value => CASE WHEN n = 1
	                                                    OR n <= 4 AND (s.mean > m.mean) = (many = 'good')
	                                                    THEN 1 ELSE 0 END)
	       FROM shown s, middle m OFFSET 0) r;
	RETURN clicks;
END $$;

SELECT click('poor') > 0 AS reported, board.learn('0') > 0 AS learned;
SELECT is(is_centered, false, 'centering is off at first') FROM board.setting;
CREATE TEMP TABLE at_first AS SELECT name, state FROM board.model WHERE learns;
SELECT cmp_ok(far(dlints_concat(dlints_scale(0, m.state), m.state), e.evidence), '<', 1e-9::float8,
  'models without centering are trained on the items'' features') FROM at_first m,
  LATERAL (SELECT dlints_concat(dlints_scale(0, m.state), dlints_evidence(m.state, l.features::dlints_vector,
             coalesce(r.value, 0) / least(1, 1.5 - 0.5 * least(l.position, 2)), l.profile::dlints_vector, l.at,
             least(1, 1.5 - 0.5 * least(l.position, 2)))) AS evidence
           FROM board.impression_user l LEFT JOIN board.reward r USING (decision, item)) e
WHERE m.name = 'personal';

-- ---------- switched on ----------

-- The slope by sums
CREATE TEMP VIEW plain AS
WITH list AS (
	SELECT avg(dlints_dot(profile::float8[], features::dlints_vector)) AS x, avg(coalesce(r.value, 0)) AS y
	FROM   board.impression_user l LEFT JOIN board.reward r USING (decision, item)
	WHERE  decision IN (SELECT id FROM board.decision WHERE cardinality(items) > 1) GROUP BY decision),
apart AS (SELECT x - avg(x) OVER () AS x, y - avg(y) OVER () AS y FROM list),
slope AS (SELECT sum(x * y) / sum(x * x) AS slope FROM apart)
SELECT s.slope / sqrt(sum((y - s.slope * x) ^ 2) / (62 - 2) / sum(x * x)) AS errors
FROM   apart, slope s GROUP BY s.slope;
CREATE FUNCTION calibration_z() RETURNS float8 LANGUAGE sql AS
$$ SELECT inside('board', 'SELECT public._dlints_calibration_z()')::float8 $$;
SELECT cmp_ok(calibration_z(), '<', -3::float8, 'lists that are clicked less than expected contradict the models');
SELECT cmp_ok(abs(calibration_z() - p.errors), '<', 1e-9::float8, 'calibration_z is the slope in standard errors')
  FROM plain p;
SAVEPOINT many;
INSERT INTO board.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities,
  expected, versions, features)
SELECT (SELECT max(id) FROM board.decision) + row_number() OVER (), at, seed, user_id, treatment, context, profile,
  items, probabilities, expected, versions, features
FROM   board.decision, generate_series(1, 40) WHERE cardinality(items) = 6 LIMIT 2000;
SELECT is(calibration_z(), NULL, 'calibration_z of the last 2,000 lists is NULL without clicks');
ROLLBACK TO many;
CREATE FUNCTION is_centered_after_run(VARIADIC due text[] DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM make_due('board', VARIADIC due);
	CALL board.run();
	RETURN (SELECT is_centered FROM board.setting);
END $$;
UPDATE board.job SET done_at = now() - interval '1 minute' WHERE name IN ('refresh', 'rebuild');
SELECT is(is_centered_after_run(), false, 'run() checks centering once an hour');
SAVEPOINT whole;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'out of order'; END $$;
CREATE TRIGGER fail BEFORE INSERT OR UPDATE OR DELETE ON board.trend FOR EACH STATEMENT EXECUTE FUNCTION fail();
SELECT is(is_centered_after_run('refresh', 'rebuild'), false, 'run() does not toggle centering if the refresh fails');
ROLLBACK TO whole;
SELECT is(is_centered_after_run('refresh', 'rebuild'), true, 'run() switches centering on after an hour');
SELECT is(done_at, now(), 'run() rebuilds the models after centering is switched on') FROM board.job
  WHERE name = 'rebuild';

-- ---------- centered examples ----------

CREATE TEMP VIEW centered AS
SELECT l.decision, l.item, l.position, l.at, l.profile, w.examination,
       (SELECT array_agg(f - sum / weight ORDER BY n)
        FROM   unnest(l.features) WITH ORDINALITY u (f, n)
               JOIN (SELECT n, sum(f * x.examination) AS sum, sum(x.examination) AS weight
                     FROM   board.impression_user o, unnest(o.features) WITH ORDINALITY u (f, n),
                            LATERAL (SELECT CASE o.position WHEN 1 THEN 1 ELSE 0.5 END AS examination) x
                     WHERE  o.decision = l.decision GROUP BY n) m USING (n))::real[] AS features,
                       l.features AS item_features
FROM   board.impression_user l, LATERAL (SELECT CASE l.position WHEN 1 THEN 1 ELSE 0.5 END AS examination) w;
SELECT ok(bool_and((SELECT max(abs(x - y)) < 1e-6 FROM unnest(l.features, c.features) u (x, y)))
          AND bool_and(l.item_features = c.item_features),
  'a training example is centered by the mean of its list, weighted by examination')
FROM   board.training_example l JOIN centered c USING (decision, item)
WHERE  l.model = 'personal' AND l.decision IN (SELECT id FROM board.decision WHERE cardinality(items) = 6);
SELECT is(count(*), 3::bigint, 'a list of one item is not centered') FROM board.training_example
WHERE  model = 'personal' AND features = item_features
AND    decision IN (SELECT id FROM board.decision WHERE cardinality(items) = 1);
SELECT cmp_ok(far(dlints_concat(dlints_scale(0, m.state), m.state), e.evidence), '<', 1e-6::float8,
  'the models are trained on the centered log') FROM board.model m,
  LATERAL (SELECT dlints_concat(dlints_scale(0, m.state), dlints_evidence(m.state,
             CASE WHEN cardinality(d.items) = 1 THEN c.item_features ELSE c.features END::dlints_vector,
             coalesce(r.value, 0) / c.examination, c.profile::dlints_vector, c.at, c.examination)) AS evidence
           FROM centered c JOIN board.decision d ON d.id = c.decision LEFT JOIN board.reward r USING (decision, item)) e
WHERE m.name = 'personal';
SELECT cmp_ok(far(m.state, f.state), '>', 0.01::float8, 'centering changes the model')
FROM   board.model m JOIN at_first f USING (name) WHERE name = 'personal';

-- ---------- corrections ----------

SELECT max(decision) AS decision, min(item) AS item FROM board.recommend(7, 6) \gset
SELECT board.learn('0') \gset
SELECT board.reward(:decision, :item) IS NULL, board.reward(:decision, :item, 'apply') IS NULL;
SELECT is(board.learn('0'), 2::bigint, 'learn() applies late rewards of centered examples');
CREATE TEMP TABLE corrected AS SELECT name, state FROM board.model;
SELECT board.rebuild() \gset
SELECT cmp_ok(max(far(m.state, c.state)), '<', 1e-9::float8, 'corrections of centered examples equal a rebuild')
FROM   board.model m JOIN corrected c USING (name) WHERE learns;
SELECT count(*) AS gone FROM board.erase(7) \gset
SELECT is((SELECT count(*) FROM board.decision WHERE user_id = 7), 0::bigint,
  'erase() removes decisions of a centered log');
CREATE TEMP TABLE erased AS SELECT name, state FROM board.model;
SELECT board.rebuild() \gset
SELECT cmp_ok(max(far(m.state, e.state)), '<', 1e-6::float8, 'erase() retracts centered examples')
FROM   board.model m JOIN erased e USING (name) WHERE learns;
SELECT cmp_ok(max(mean) - min(mean), '<', 1e-6::float8, 'the expected rewards of centered lists have equal means')
FROM  (SELECT sum(expected * CASE position WHEN 1 THEN 1 ELSE 0.5 END) / 3.5 AS mean
       FROM generate_series(10, 20) p, board.recommend(p, 6) GROUP BY p) l;
SELECT min(decision) AS asked FROM board.recommend(11, 6) \gset
SELECT cmp_ok(max(abs(l.expected - w.sum)), '<', 0.01::float8,
  'the contributions of explain() add up to the expected reward of centered lists')
FROM   board.impression_user l JOIN (SELECT item, sum(contribution) AS sum
  FROM board.explain(:asked) GROUP BY item) w USING (item)
WHERE  l.decision = :asked;

-- ---------- switched off ----------

SELECT click('good') > 0 AS reported, board.learn('0') > 0 AS learned;
SELECT is(is_centered_after_run('refresh', 'rebuild'), true, 'centering is not switched off within a week');
UPDATE board.setting SET centered_since = now() - interval '8 days';
SELECT is(is_centered_after_run('refresh', 'rebuild'), false, 'centering is switched off after a week');

CREATE OR REPLACE FUNCTION public._dlints_calibration_z() RETURNS float8 LANGUAGE sql STABLE AS
$$ SELECT current_setting('sim.errors')::float8 $$;
CREATE FUNCTION turns(errors float8) RETURNS boolean LANGUAGE sql AS
$$ SELECT set_config('sim.errors', errors::text, true); SELECT inside('board',
  'SELECT public._dlints_toggle_centering()')::boolean $$;
SELECT is(array_agg(turns(e) ORDER BY n), '{f,t}', 'centering is switched on below -3 standard errors')
FROM   unnest('{-2.9,-3.1}'::float8[]) WITH ORDINALITY u (e, n);
UPDATE board.setting SET centered_since = now() - interval '8 days';
SELECT is(array_agg(turns(e) ORDER BY n), '{f,t}', 'centering is switched off above 0 standard errors')
FROM   unnest('{-0.1,0.1}'::float8[]) WITH ORDINALITY u (e, n);

SELECT * FROM finish();
ROLLBACK;
