-- Diversity of a recommender's lists: an item counts less if a similar item precedes it.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SELECT insert_many_jobs();
ANALYZE job;
SET LOCAL check_function_bodies = on;

\ir include/neighbours.sql
SELECT plan(36);

CREATE VIEW first_job AS SELECT * FROM job WHERE id <= 200;
SELECT lives_ok(format($$SELECT dlints_create_recommender(%L, %L, '{field,salary,posted}', item_key => 'id',
  control => 0, epsilon => 0, factors => 16, repeats => true, clicks => 'SELECT who, job, at FROM visit')$$, name,
    items), name)
FROM (VALUES ('few', 'first_job'), ('board', 'job')) v (name, items);

-- A list of a user
CREATE FUNCTION listed(name text, user_id bigint, OUT decision bigint, OUT items integer[], OUT probabilities real[],
	OUT n_scored integer, OUT seed bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT min(r.decision) FROM %I.recommend($1, 10) r', name) INTO decision USING user_id;
	EXECUTE format('SELECT d.items, d.probabilities, d.n_scored, d.seed FROM %I.decision d WHERE d.id = $1', name)
	INTO items, probabilities, n_scored, seed USING decision;
END $$;

-- The list of all candidates by dlints_decide(), with vectors scaled by the weights of similarity
CREATE FUNCTION decided(name text, user_id bigint, seed bigint, diversity float8, draws integer DEFAULT 15,
	OUT items integer[], OUT probabilities float8[]) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($query$
	SELECT array_agg(d.item ORDER BY d.rank), array_agg(d.probability ORDER BY d.rank)
	FROM   %1$I.model m, %1$I.profile($1) p,
	       (SELECT array_agg(c.item) AS items, array_agg(c.features) AS xs, array_agg(s.x) AS similar
	        FROM   %1$I.allowed($1, '{}') a JOIN features_for('%1$s', $1) c USING (item), %1$I.similarity l,
	               LATERAL (SELECT array_agg(f * sqrt(w) ORDER BY n) AS x
	                        FROM   unnest(c.features, l.scale) WITH ORDINALITY u (f, w, n)
	                        WHERE  n <= cardinality(l.scale)) s) c,
	       LATERAL dlints_decide(m.state, c.items, c.xs, 10, p, $4, similar_by => c.similar, diversity => $3,
	                             seed => $2) d
	WHERE  m.name = 'personal'$query$, name)
	INTO items, probabilities USING user_id, seed, diversity, draws;
END $$;

CREATE FUNCTION popular(name text, items integer[]) RETURNS real[] LANGUAGE plpgsql AS $$
DECLARE
	result real[];
BEGIN
	EXECUTE format('SELECT array_agg(v.popularity ORDER BY n) FROM unnest($1) WITH ORDINALITY u (i, n)
		JOIN %I.item_vector v ON v.item = i', name) INTO result USING items;
	RETURN result;
END $$;

-- Mean similarity of the items of a list
CREATE FUNCTION sameness(name text, items integer[]) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	EXECUTE format($query$
	WITH v AS (
		SELECT v.item, (SELECT array_agg(f * sqrt(w) ORDER BY n) FROM unnest(v.features, l.scale)
		                WITH ORDINALITY u (f, w, n) WHERE n <= cardinality(l.scale)) AS x
		FROM   %1$I.item_vector v, %1$I.similarity l WHERE v.item = ANY ($1))
	SELECT avg(dot(a.x, b.x) / sqrt(dot(a.x, a.x) * dot(b.x, b.x))) FROM v a JOIN v b ON a.item < b.item$query$, name)
	INTO result USING items;
	RETURN result;
END $$;

-- ---------- off ----------

CREATE TEMP TABLE was AS
SELECT name, 'personal' AS treatment, p, l.* FROM unnest('{few,board}'::text[]) name, generate_series(1, 8) p,
  listed(name, p) l;
SELECT dlints_alter_recommender(name, '{"control": 1}') FROM unnest('{few,board}'::text[]) name;
INSERT INTO was
SELECT name, 'control', p, l.* FROM unnest('{few,board}'::text[]) name, generate_series(1, 8) p, listed(name, p) l;
SELECT is(diversity, 0::float8, 'diversity is 0 by default') FROM few.setting;
SELECT is(w.items, d.items, 'lists without diversity are those of dlints_decide()')
FROM   was w, decided('few', w.p, w.seed, 0) d WHERE w.name = 'few' AND w.treatment = 'personal' AND w.p = 1;

-- ---------- on ----------

SELECT lives_ok(format($$SELECT dlints_alter_recommender(%L, '{"diversity": 0.6, "control": 0}')$$, name),
  'diversity can be set: ' || name)
FROM   unnest('{few,board}'::text[]) name;
CREATE TEMP TABLE diverse AS SELECT name, p, l.* FROM unnest('{few,board}'::text[]) name, generate_series(1, 8) p,
  listed(name, p) l;
SELECT is(concat(l.items, l.probabilities), concat(d.items, d.probabilities::real[]),
  format('the list of user %s is that of dlints_decide() with weighted similarity', p))
FROM   diverse l, decided(name, p, seed, 0.6) d WHERE name = 'few' AND p <= 3;
-- with fixed seeds: lists are those of dlints_decide(), as shown above
SELECT cmp_ok(avg(sameness(name, l.items)), '<', times * avg(sameness(name, w.items)),
  'diversity makes the items of a list less similar: ' || name)
FROM   (VALUES ('few', 0.95), ('board', 0.97)) v (name, times), generate_series(1, 8) p, decided(name, p, p, 0.6) l,
       decided(name, p, p, 0) w
GROUP  BY name, times ORDER BY name;
SELECT ok(min(n_scored) >= 100 AND max(n_scored) < 2000, 'the shortlist is longer under diversity')
FROM   diverse WHERE name = 'board';
-- 9 on average, with a standard deviation of 1.3 per user
SELECT cmp_ok(avg(n), '>', 6.0, 'the shortlist contains most items of the list of all candidates')
FROM   diverse l, LATERAL (
	SELECT count(*) AS n FROM decided('board', l.p, l.seed, 0.6, 15) a, unnest(l.items) i WHERE i = ANY (a.items)) c
WHERE  name = 'board';
SELECT dlints_alter_recommender(name, '{"control": 1}') FROM unnest('{few,board}'::text[]) name;
SELECT ok(count(*) = 8 AND bool_and(popular(name, l.items) = popular(name, w.items)),
  'diversity does not change lists of the control group: ' || name)
FROM   was w, listed(w.name, w.p) l WHERE w.treatment = 'control' GROUP BY name ORDER BY name;
SELECT dlints_alter_recommender('few', '{"control": 0, "epsilon": 1}');
SELECT dlints_alter_recommender('board', '{"control": 0}');
SELECT ok(bool_and(l.probabilities = array_fill((10 / 200.0)::real, ARRAY[10])),
  'random lists have equal probabilities under diversity')
FROM   generate_series(1, 8) p, listed('few', p) l;
SELECT dlints_alter_recommender('few', '{"epsilon": 0}');
SELECT ok(count(*) = 10 AND min(probability) > 0 AND max(probability) <= 1,
  'a page under diversity is full, and every item has a probability') FROM few.recommend(1);
SELECT ok(count(*) = 10, 'a page without a user is full under diversity') FROM board.recommend(NULL);
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"cap_group": "i.field", "cap": 3}')$$,
  'a cap can be set besides diversity');
SELECT ok(max(n) = 3 AND count(*) >= 4, 'a list satisfies the cap under diversity') FROM (
	SELECT count(*) AS n FROM board.recommend(1) r JOIN job ON id = item GROUP BY field) f;
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"cap_group": null, "cap": null}')$$,
  'the cap can be removed under diversity');

-- ---------- off again ----------

SELECT lives_ok(format($$SELECT dlints_alter_recommender(%L, '{"diversity": %s}')$$, name, off),
  'diversity can be switched off: ' || name)
FROM   (VALUES ('few', '0'), ('board', 'null')) v (name, off);
SELECT matches(outcome(format('SELECT dlints_alter_recommender(''few'', %L)', change)), result,
  'dlints_alter_recommender() rejects ' || change) FROM (VALUES
  ('{"diversity": 1.01}', '^22023: diversity must be between 0 and 1'),
  ('{"diversity": -1e-9}', '^22023: diversity must be between 0 and 1'),
  ('{"diversity": "NaN"}', '^22023: diversity must be between 0 and 1'),
  ('{"diversity": "0.5; DROP TABLE job"}', '^22023: argument "diversity" must be a number'),
  ('{"diversity": [1]}', '^22023: argument "diversity" must be a number'),
  ('{"diversity": true}', '^22023: argument "diversity" must be a number')) v (change, result);
SELECT is(diversity, 0::float8, 'a rejected value leaves the diversity unchanged') FROM few.setting;

-- ---------- ties ----------

-- Random tie-breaking in lists: all items of these catalogues have equal scores.
-- All items are candidates up to 40 items, the best of all are candidates up to 2,000, and a shortlist beyond.
CREATE TEMP TABLE catalogue (name text, n integer);
INSERT INTO catalogue VALUES ('uncut', 30), ('cut', 60), ('shortlist', 2500);
DO $$
DECLARE
	c record;
BEGIN
	SET LOCAL client_min_messages = warning;
	FOR c IN TABLE catalogue LOOP
		EXECUTE format('CREATE TABLE %I AS SELECT i AS id, i %% 2 AS kind FROM generate_series(1, %s) i', c.name || '_item',
		               c.n);
		EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (id)', c.name || '_item');
		PERFORM dlints_create_recommender(c.name, format('%I', c.name || '_item')::regclass, '{kind}', control => 1,
		                                  epsilon => 0);
	END LOOP;
END $$;

-- 400 lists of the control group.  Without clicks all items are equally popular.
CREATE TEMP TABLE page AS
SELECT 'uncut' AS name, r.* FROM generate_series(1, 400) u, LATERAL uncut.recommend(u, 10) r
UNION ALL
SELECT 'cut', r.* FROM generate_series(1, 400) u, LATERAL cut.recommend(u, 10) r
UNION ALL
SELECT 'shortlist', r.* FROM generate_series(1, 400) u, LATERAL shortlist.recommend(u, 10) r;

SELECT cmp_ok((abs(avg(p.w) - 1) / greatest(stddev(p.w), 1e-6) * sqrt(count(*)))::float8, '<', 5::float8,
              format('%s: the mean of 1 / probability over items that tie is 1', p.name))
FROM  (SELECT p.name, sum(1 / p.probability) / min(c.n) AS w FROM page p JOIN catalogue c USING (name)
       GROUP BY p.name, p.decision) p
GROUP  BY p.name ORDER BY p.name;

-- Each item is in a list with probability 10 / n: the number of distinct items, within six standard deviations
SELECT ok(abs(count(DISTINCT p.item) - c.n * (1 - (1 - 10.0 / c.n) ^ 400)) <= 6 * sqrt(c.n) / 2,
          format('%s: items that tie are shown equally often', c.name))
FROM   page p JOIN catalogue c USING (name) GROUP BY c.name, c.n ORDER BY c.name;

SELECT * FROM finish();
ROLLBACK;
