-- Lists that contradict themselves are learned by contrast: when, what, and as exactly as others.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql

SELECT plan(25);

SELECT dlints_create_recommender('board', 'job', '{field,salary}', clicks => 'SELECT who, job, at FROM visit',
  control => 0, epsilon => 1, places => '{1,0.5}', outcomes => '{"click": 1, "apply": 5}') IS NOT NULL;
SELECT count(*) AS items FROM generate_series(1, 60) p, board.recommend(p, 6) \gset
SELECT count(*) AS items FROM generate_series(1, 3) p, board.recommend(p, 1) \gset
SELECT count(*) AS items FROM generate_series(1, 2) p, board.recommend(p, 2) \gset

-- Of each list the items that suit best are clicked: one, or four; "many" says where there are four.
CREATE FUNCTION click(many text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	clicks bigint;
BEGIN
	WITH shown AS (
		SELECT decision, item, rank() OVER (PARTITION BY decision ORDER BY suits DESC) AS n,
		       avg(suits) OVER (PARTITION BY decision) AS mean
		FROM  (SELECT l.*, dlints_dot(profile::float8[], features::dlints_vector) AS suits FROM board.listed l
		       WHERE  decision IN (SELECT id FROM board.decision WHERE cardinality(items) = 6)) l),
	middle AS (
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY mean) AS mean FROM shown)
	SELECT count(*) INTO clicks
	FROM  (SELECT board.reward(decision, item, value => CASE WHEN n = 1 OR n <= 4 AND (s.mean > m.mean) = (many = 'good')
	                                                    THEN 1 ELSE 0 END)
	       FROM shown s, middle m OFFSET 0) r;
	RETURN clicks;
END $$;

SELECT click('poor') > 0 AS told, board.learn('0') > 0 AS learned;
SELECT is(is_on, false, 'lists are learned whole at first') FROM board.contrast;
CREATE TEMP TABLE at_first AS SELECT name, state FROM board.model WHERE learns;
SELECT cmp_ok(far(dlints_concat(dlints_scale(0, m.state), m.state), e.evidence), '<', 1e-9::float8,
  'that is, with the features of their items') FROM at_first m,
  LATERAL (SELECT dlints_concat(dlints_scale(0, m.state), dlints_evidence(m.state, l.features::dlints_vector,
             coalesce(r.value, 0) / least(1, 1.5 - 0.5 * least(l.place, 2)), l.profile::dlints_vector, l.at,
             least(1, 1.5 - 0.5 * least(l.place, 2)))) AS evidence
           FROM board.listed l LEFT JOIN board.reward r USING (decision, item)) e
WHERE m.name = 'personal';

-- ---------- when ----------

-- The same by plain sums
CREATE TEMP VIEW plain AS
WITH list AS (
	SELECT avg(dlints_dot(profile::float8[], features::dlints_vector)) AS x, avg(coalesce(r.value, 0)) AS y
	FROM   board.listed l LEFT JOIN board.reward r USING (decision, item)
	WHERE  decision IN (SELECT id FROM board.decision WHERE cardinality(items) > 1) GROUP BY decision),
apart AS (
	SELECT x - avg(x) OVER () AS x, y - avg(y) OVER () AS y FROM list),
slope AS (
	SELECT sum(x * y) / sum(x * x) AS slope FROM apart)
SELECT s.slope / sqrt(sum((y - s.slope * x) ^ 2) / (62 - 2) / sum(x * x)) AS errors
FROM   apart, slope s GROUP BY s.slope;
SELECT cmp_ok(errors, '<', -3::float8, 'good lists that are clicked less contradict the models') FROM board.agreement();
SELECT cmp_ok(abs(a.errors - p.errors), '<', 1e-9::float8, 'by so many standard errors')
  FROM board.agreement() a, plain p;
SAVEPOINT many;
INSERT INTO board.decision (id, at, seed, person, arm, context, profile, items, probabilities, expected, features)
SELECT max(id) OVER () + row_number() OVER (), at, seed, person, arm, context, profile, items, probabilities, expected,
       features
FROM   board.decision, generate_series(1, 40) WHERE cardinality(items) = 6 LIMIT 2000;
SELECT is(array_agg(errors), '{NULL}', 'the last 2,000 count, which say nothing where none of them is clicked')
FROM   board.agreement();
ROLLBACK TO many;
INSERT INTO board.archive SELECT name, state FROM board.model WHERE learns;
UPDATE board.job SET done_at = '-infinity' WHERE name = 'refresh';
SELECT unalike(board.run(), '%rebuilt%', 'what is archived cannot be learned anew');
DELETE FROM board.archive;
UPDATE board.job SET done_at = now() - interval '1 minute' WHERE name = 'refresh';
SELECT unalike(board.run(), '%rebuilt%', 'run() looks once an hour');
SAVEPOINT whole;
CREATE OR REPLACE FUNCTION board.refresh() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'out of order'; END $$;
UPDATE board.job SET done_at = '-infinity' WHERE name = 'refresh';
SELECT unalike(board.run(), '%rebuilt%', 'and not where its items cannot be read');
ROLLBACK TO whole;
UPDATE board.job SET done_at = '-infinity' WHERE name = 'refresh';
SELECT alike(board.run(), '%vectors refreshed, models rebuilt%', 'and then all is learned anew');
SELECT is(is_on, true, 'by contrast') FROM board.contrast;

-- ---------- what ----------

CREATE TEMP VIEW contrast AS
SELECT l.decision, l.item, l.place, l.at, l.profile, w.looked_at,
       (SELECT array_agg(f - sum / weight ORDER BY n)
        FROM   unnest(l.features) WITH ORDINALITY u (f, n)
               JOIN (SELECT n, sum(f * x.looked_at) AS sum, sum(x.looked_at) AS weight
                     FROM   board.listed o, unnest(o.features) WITH ORDINALITY u (f, n),
                            LATERAL (SELECT CASE o.place WHEN 1 THEN 1 ELSE 0.5 END AS looked_at) x
                     WHERE  o.decision = l.decision GROUP BY n) m USING (n))::real[] AS less, l.features
FROM   board.listed l, LATERAL (SELECT CASE l.place WHEN 1 THEN 1 ELSE 0.5 END AS looked_at) w;
SELECT ok(bool_and((SELECT max(abs(x - y)) < 1e-6 FROM unnest(l.features, c.less) u (x, y)))
          AND bool_and(l.whole = c.features),
  'an item is learned less the mean of its list, by how likely places are looked at')
FROM   board.learned l JOIN contrast c USING (decision, item)
WHERE  l.model = 'personal' AND l.decision IN (SELECT id FROM board.decision WHERE cardinality(items) = 6);
SELECT is(count(*), 3::bigint, 'one that is alone is learned whole') FROM board.learned
WHERE  model = 'personal' AND features = whole
AND    decision IN (SELECT id FROM board.decision WHERE cardinality(items) = 1);
SELECT cmp_ok(far(dlints_concat(dlints_scale(0, m.state), m.state), e.evidence), '<', 1e-6::float8,
  'the models know that of the whole log') FROM board.model m,
  LATERAL (SELECT dlints_concat(dlints_scale(0, m.state), dlints_evidence(m.state,
             CASE WHEN cardinality(d.items) = 1 THEN c.features ELSE c.less END::dlints_vector,
             coalesce(r.value, 0) / c.looked_at, c.profile::dlints_vector, c.at, c.looked_at)) AS evidence
           FROM contrast c JOIN board.decision d ON d.id = c.decision LEFT JOIN board.reward r USING (decision, item)) e
WHERE m.name = 'personal';
SELECT cmp_ok(far(m.state, f.state), '>', 0.01::float8, 'which is not what they knew')
FROM   board.model m JOIN at_first f USING (name) WHERE name = 'personal';

-- ---------- as exactly ----------

SELECT max(decision) AS decision, min(item) AS item FROM board.recommend(7, 6) \gset
SELECT board.learn('0') \gset
SELECT board.reward(:decision, :item) IS NULL, board.reward(:decision, :item, 'apply') IS NULL;
SELECT is(board.learn('0'), 2::bigint, 'a click and an application that come late');
CREATE TEMP TABLE corrected AS SELECT name, state FROM board.model;
SELECT board.rebuild() \gset
SELECT cmp_ok(max(far(m.state, c.state)), '<', 1e-9::float8, 'are corrected as they would have been learned')
FROM   board.model m JOIN corrected c USING (name) WHERE learns;
SELECT count(*) AS gone FROM board.erase(7) \gset
SELECT is((SELECT count(*) FROM board.decision WHERE person = 7), 0::bigint, 'a person goes, too');
CREATE TEMP TABLE erased AS SELECT name, state FROM board.model;
SELECT board.rebuild() \gset
SELECT cmp_ok(max(far(m.state, e.state)), '<', 1e-6::float8, 'and is forgotten')
FROM   board.model m JOIN erased e USING (name) WHERE learns;
SELECT cmp_ok(max(mean) - min(mean), '<', 1e-6::float8, 'all lists expect as much on average')
FROM  (SELECT sum(expected * CASE place WHEN 1 THEN 1 ELSE 0.5 END) / 3.5 AS mean
       FROM generate_series(10, 20) p, board.recommend(p, 6) GROUP BY p) l;
SELECT min(decision) AS asked FROM board.recommend(11, 6) \gset
SELECT cmp_ok(max(abs(l.expected - w.sum)), '<', 0.01::float8, 'which the parts of why() add up to')
FROM   board.listed l JOIN (SELECT item, sum(contribution) AS sum FROM board.why(:asked) GROUP BY item) w USING (item)
WHERE  l.decision = :asked;

-- ---------- until when ----------

SELECT click('good') > 0 AS told, board.learn('0') > 0 AS learned;
UPDATE board.job SET done_at = '-infinity' WHERE name = 'refresh';
SELECT unalike(board.run(), '%rebuilt%', 'lists that agree within a week change nothing');
UPDATE board.job SET done_at = '-infinity' WHERE name = 'refresh';
UPDATE board.contrast SET since = now() - interval '8 days';
SELECT alike(board.run(), '%rebuilt%', 'after that');
SELECT is(is_on, false, 'they are learned whole again') FROM board.contrast;

CREATE OR REPLACE FUNCTION board.agreement() RETURNS TABLE (errors float8) LANGUAGE sql STABLE AS
$$ SELECT current_setting('sim.errors')::float8 $$;
CREATE FUNCTION turns(errors float8) RETURNS boolean LANGUAGE sql AS
$$ SELECT set_config('sim.errors', errors::text, true); SELECT board.turn_contrast() $$;
SELECT is(array_agg(turns(e) ORDER BY n), '{f,t}', 'three standard errors are beyond chance')
FROM   unnest('{-2.9,-3.1}'::float8[]) WITH ORDINALITY u (e, n);
UPDATE board.contrast SET since = now() - interval '8 days';
SELECT is(array_agg(turns(e) ORDER BY n), '{f,t}', 'and 0 is no contradiction at all')
FROM   unnest('{-0.1,0.1}'::float8[]) WITH ORDINALITY u (e, n);

SELECT * FROM finish();
ROLLBACK;
