-- Variety on a recommender's lists: a second of a kind counts less, by what makes an item one that a person
-- likes.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
\ir include/many_jobs.sql
SET LOCAL check_function_bodies = on;

SELECT plan(36);

CREATE VIEW first_job AS SELECT * FROM job WHERE id <= 200;
SELECT lives_ok(format($$SELECT dlints_create_recommender(%L, %L, '{field,salary,posted}', item_key => 'id',
  control => 0, epsilon => 0, factors => 16, clicks => 'SELECT who, job, at FROM visit')$$, name, items), name)
FROM (VALUES ('few', 'first_job'), ('board', 'job')) v (name, items);

-- A list of a person under a seed, of the shortlist or of all items
CREATE FUNCTION listed(name text, person bigint, way text, seed bigint, of_all boolean,
	OUT items integer[], OUT probabilities float8[], OUT weighed integer) LANGUAGE plpgsql AS $$
DECLARE
	profile real[];
	shortlist integer[];
BEGIN
	EXECUTE format('SELECT %I.profile($1)', name) INTO profile USING person;
	IF NOT of_all THEN
		EXECUTE format('SELECT items FROM %I.shortlist($1, ''{}'', $2, $3, 10, $4)', name)
		INTO shortlist USING person, profile, way, seed;
	END IF;
	weighed := cardinality(shortlist);
	EXECUTE format('SELECT items, probabilities FROM %I.choice($1, ''{}'', $2, $3, 10, $4, $5)', name)
	INTO items, probabilities USING person, profile, way, seed, shortlist;
END $$;

-- The same by dlints_decide, whose vectors are made here: what is worth more counts more
CREATE FUNCTION decided(name text, person bigint, seed bigint, diversity float8,
	OUT items integer[], OUT probabilities float8[]) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($query$
	SELECT array_agg(d.item ORDER BY d.rank), array_agg(d.probability ORDER BY d.rank)
	FROM   %1$I.model m, %1$I.profile($1) p,
	       (SELECT array_agg(c.item) AS items, array_agg(c.features) AS xs, array_agg(s.x) AS similar
	        FROM   %1$I.candidate($1, '{}') c, %1$I.likeness l,
	               LATERAL (SELECT array_agg(f * sqrt(w) ORDER BY n) AS x
	                        FROM   unnest(c.features, l.scale) WITH ORDINALITY u (f, w, n)
	                        WHERE  n <= cardinality(l.scale)) s) c,
	       LATERAL dlints_decide(m.state, c.items, c.xs, 10, p, 50, similar_by => c.similar, diversity => $3,
	                             seed => $2) d
	WHERE  m.name = 'personal'$query$, name)
	INTO items, probabilities USING person, seed, diversity;
END $$;

CREATE FUNCTION popular(name text, items integer[]) RETURNS real[] LANGUAGE plpgsql AS $$
DECLARE
	result real[];
BEGIN
	EXECUTE format('SELECT array_agg(v.popularity ORDER BY n) FROM unnest($1) WITH ORDINALITY u (i, n)
		JOIN %I.item_vector v ON v.item = i', name) INTO result USING items;
	RETURN result;
END $$;

-- How alike the items of a list are on average
CREATE FUNCTION sameness(name text, items integer[]) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	EXECUTE format($query$
	WITH v AS (
		SELECT v.item, (SELECT array_agg(f * sqrt(w) ORDER BY n) FROM unnest(v.features, l.scale)
		                WITH ORDINALITY u (f, w, n) WHERE n <= cardinality(l.scale)) AS x
		FROM   %1$I.item_vector v, %1$I.likeness l WHERE v.item = ANY ($1))
	SELECT avg(dot(a.x, b.x) / sqrt(dot(a.x, a.x) * dot(b.x, b.x))) FROM v a JOIN v b ON a.item < b.item$query$, name)
	INTO result USING items;
	RETURN result;
END $$;

-- ---------- off ----------

CREATE TEMP TABLE was AS
SELECT name, way, p, l.* FROM unnest('{few,board}'::text[]) name, unnest('{personal,control}'::text[]) way,
       generate_series(1, 8) p, listed(name, p, way, p, false) l;
CREATE TEMP TABLE body AS
SELECT n.nspname, proname, md5(pg_get_functiondef(p.oid)) AS text
FROM   pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
WHERE  n.nspname IN ('few', 'board') AND prokind = 'f';
SELECT is(arguments ->> 'diversity', '0', 'there is none unless it is asked for') FROM few.setting;
SELECT is(l.items, d.items, 'then lists are those of the scores')
FROM   listed('few', 1, 'personal', 9, true) l, decided('few', 1, 9, 0) d;

-- ---------- on ----------

SELECT lives_ok(format($$SELECT dlints_alter_recommender(%L, '{"diversity": 0.6}')$$, name), 'on: ' || name)
FROM   unnest('{few,board}'::text[]) name;
CREATE TEMP VIEW changed AS
SELECT nspname, proname::text
FROM   pg_proc p JOIN pg_namespace n ON n.oid = pronamespace JOIN body b USING (nspname, proname)
WHERE  md5(pg_get_functiondef(p.oid)) <> text;
SELECT set_eq(format('SELECT proname FROM changed WHERE nspname = %L', name), '{choice,shortlist}'::text[],
  'what is made anew: ' || name)
FROM   unnest('{few,board}'::text[]) name;
SELECT is(concat(l.items, l.probabilities), concat(d.items, d.probabilities),
  format('as dlints_decide says, with what a likeness weighs: %s for %s', name, p))
FROM   unnest('{few,board}'::text[]) name, generate_series(1, 3) p, listed(name, p, 'personal', p, true) l,
       decided(name, p, p, 0.6) d;
SELECT cmp_ok(avg(sameness(name, l.items)), '<', times * avg(sameness(name, w.items)), 'lists are less alike: ' || name)
FROM   was w JOIN (VALUES ('few', 0.85), ('board', 0.97)) v (n, times) ON n = name, listed(name, p, way, p, false) l
WHERE  way = 'personal' GROUP BY name, times ORDER BY name;
SELECT ok(count(*) = 8 AND bool_and(popular(name, l.items) = popular(name, w.items)),
  'those of the control are what they were, among equals: ' || name)
FROM   was w, listed(name, p, way, p, false) l WHERE way = 'control' GROUP BY name ORDER BY name;
SELECT ok(bool_and(l.probabilities = array_fill(10 / 200.0::float8, ARRAY[10])), 'those by chance are by chance')
FROM   generate_series(1, 8) p, listed('few', p, 'chance', p, false) l;
SELECT ok(min(weighed) >= 100 AND max(weighed) < 2000, 'the shortlist is longer')
FROM   generate_series(1, 8) p, listed('board', p, 'personal', p, false) l;
SELECT cmp_ok(avg(n), '>', 8.0, 'and long enough') FROM generate_series(1, 8) p, LATERAL (
	SELECT count(*) AS n FROM listed('board', p, 'personal', p, false) s, listed('board', p, 'personal', p, true) a,
	       unnest(s.items) i WHERE i = ANY (a.items)) c;
SELECT ok(count(*) = 10 AND min(probability) > 0 AND max(probability) <= 1, 'a page has them') FROM few.recommend(1);
SELECT ok(count(*) = 10, 'a stranger''s, too') FROM board.recommend(NULL);
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"cap_group": "i.field", "cap": 3}')$$, 'with a cap');
SELECT ok(max(n) = 3 AND count(*) >= 4, 'both hold') FROM (
	SELECT count(*) AS n FROM board.recommend(1) r JOIN job ON id = item GROUP BY field) f;
SELECT lives_ok($$SELECT dlints_alter_recommender('board', '{"cap_group": null, "cap": null}')$$, 'without');

-- ---------- and off ----------

SELECT lives_ok(format($$SELECT dlints_alter_recommender(%L, '{"diversity": %s}')$$, name, off), 'off: ' || name)
FROM   (VALUES ('few', '0'), ('board', 'null')) v (name, off);
SELECT is_empty('TABLE changed', 'all is as it was');
SELECT matches(outcome(format('SELECT dlints_alter_recommender(''few'', %L)', change)), result, change) FROM (VALUES
  ('{"diversity": 1.01}', '^22023: diversity must be between 0 and 1'),
  ('{"diversity": -1e-9}', '^22023: diversity must be between 0 and 1'),
  ('{"diversity": "NaN"}', '^22023: diversity must be between 0 and 1'),
  ('{"diversity": "0.5; DROP TABLE job"}', '^22023: diversity must be a number'),
  ('{"diversity": [1]}', '^22023: diversity must be a number'),
  ('{"diversity": true}', '^22023: diversity must be a number')) v (change, result);
SELECT is(arguments ->> 'diversity', '0', 'and nothing changes') FROM few.setting;

SELECT * FROM finish();
ROLLBACK;
