-- Many items: a list is chosen of a shortlist, which blocks of vectors are asked for.  It is the list
-- that all items would have given.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
\ir include/many_jobs.sql
SET LOCAL check_function_bodies = on;

SELECT plan(68);

-- of a recommender: the vectors of the list of a person, since chance decides among equal ones, by the
-- shortlist, and by all items; and how long the shortlist is
CREATE FUNCTION listed(name text, person bigint, way text, seed bigint, context jsonb DEFAULT '{}',
	OUT short bytea, OUT whole bytea, OUT weighed integer) LANGUAGE plpgsql AS $$
DECLARE
	profile real[];
	items integer[];
BEGIN
	EXECUTE format('SELECT %I.profile($1)', name) INTO profile USING person;
	EXECUTE format('SELECT items FROM %I.shortlist($1, $2, $3, $4, 10, $5)', name)
	INTO items USING person, context, profile, way, seed;
	weighed := cardinality(items);
	EXECUTE format('SELECT features FROM %I.choice($1, $2, $3, $4, 10, $5, $6)', name)
	INTO short USING person, context, profile, way, seed, items;
	EXECUTE format('SELECT features FROM %I.choice($1, $2, $3, $4, 10, $5, NULL)', name)
	INTO whole USING person, context, profile, way, seed;
END $$;
CREATE FUNCTION vectors(bytea) RETURNS bigint LANGUAGE sql AS
$$ SELECT count(dlints_unpack($1, n)) FROM generate_series(1, 20) n $$;
CREATE FUNCTION blocks(name text) RETURNS TABLE (item integer, x real[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT u.item, ARRAY(SELECT unnest(b.vectors[u.n:u.n]))
		FROM %I.block b, unnest(b.items) WITH ORDINALITY u (item, n)', name);
END $$;

SELECT dlints_create_recommender('board', 'job', '{field,salary,posted}', control => 0, epsilon => 0, factors => 32,
  outcomes => '{"click": 1, "apply": 5}') IS NOT NULL;
SELECT dlints_create_recommender('fed', 'job', '{field,salary}', control => 0, epsilon => 0, factors => 32,
  clicks => 'SELECT who, job, at FROM visit', candidates => $$CASE context ->> 'only'
    WHEN 'one' THEN i.id = 7 WHEN 'late' THEN i.posted < now() - interval '85 days' ELSE true END$$) IS NOT NULL;

-- ---------- blocks ----------

SELECT results_eq(format('SELECT * FROM blocks(%L) ORDER BY item', s),
  format('SELECT item, features FROM %I.item_vector ORDER BY item', s), 'each vector is in one block: ' || s)
FROM   unnest('{board,fed}'::text[]) s;
SELECT ok(max(pg_column_size(b.*)) < 8160 AND pg_relation_size(reltoastrelid) = 0 AND avg(cardinality(items)) > 30,
  'which is a row of a page') FROM board.block b, pg_class c WHERE c.oid = 'board.block'::regclass
GROUP BY reltoastrelid;
CREATE TEMP TABLE was AS SELECT ctid AS tid, n FROM board.block;
SELECT board.set_blocks();
SELECT is(count(*), 0::bigint, 'what has not changed is not written') FROM board.block b JOIN was USING (n)
WHERE  b.ctid <> was.tid;

-- ---------- the same list ----------

SELECT ok(bool_and(short = whole) AND min(weighed) > 100, 'under the draw that acts, before anything is learned')
FROM   generate_series(1, 20) p, listed('board', p, 'personal', p);
SELECT ok(bool_and(t.best = t.of_all) AND count(*) = 80,
  'and what each draw would choose that a probability counts is there')
FROM   generate_series(1, 5) p, LATERAL (SELECT board.profile(p) AS u OFFSET 0) u,
       board.shortlist(p, '{}', u, 'personal', 10, p) s, board.rankings(u, 'personal', p) r,
       generate_subscripts(r.weights, 1) n, LATERAL (
           SELECT (array_agg(x ORDER BY x DESC))[1:10] AS of_all, (array_agg(x ORDER BY x DESC) FILTER (WHERE item = ANY (s.items)))[1:10] AS best
           FROM board.item_vector, dlints_dot(ARRAY(SELECT unnest(r.weights[n:n])), features) x) t;
SELECT is(count(*), 16::bigint, 'fifteen, and what is expected')
FROM   board.rankings(board.profile(1), 'personal', 1) r, generate_subscripts(r.weights, 1);
SELECT count(board.reward(decision, item, CASE WHEN p % 2 = 0 THEN 'apply' ELSE 'click' END))
FROM   generate_series(1, 60) p, board.recommend(p, 10) WHERE item % 5 = p % 5;
SELECT board.learn('0');
SELECT ok(bool_and(short = whole) AND max(weighed) < 1000, 'and after, with what follows a click')
FROM   generate_series(1, 20) p, listed('board', p, 'personal', p);
SELECT ok(bool_and(short = whole) AND count(DISTINCT short) > 5, 'by a click log')
FROM   generate_series(1, 20) p, listed('fed', p, 'personal', p);
SELECT ok(bool_and(l.short = l.whole AND l.short <> f.short) AND max(l.weighed) < 1000, 'without what was shown before')
FROM   generate_series(1, 10) p, listed('fed', p, 'personal', p) f,
       LATERAL (SELECT jsonb_build_object('left_out', c.items::text[]) AS context
                FROM   fed.choice(p, '{}', fed.profile(p), 'personal', 60, p, NULL) c) o,
       listed('fed', p, 'personal', p, o.context) l;
SELECT ok(abs(share - 40.0 / 3998) < 1e-9 AND NOT items && '{7,8}', 'nor is that left to chance')
FROM   fed.by_chance(1, '{"left_out": ["7", "8"]}', 40);
SELECT ok(bool_and(cardinality(s.items) = w.of), 'what trends, or is popular, is chosen of few')
FROM   (VALUES ('{}'::jsonb, 40), ('{"left_out": ["7"]}', 41), ('{"only": "one"}', NULL)) w (context, of),
       LATERAL fed.shortlist(1, w.context, fed.profile(1), 'trending', 10, 1) s WHERE w.of > 0 OR s.items IS NOT NULL;
SELECT ok(short = whole AND weighed = 40, 'for a stranger what is best') FROM listed('fed', 1000, 'stranger', 1);
SELECT ok(c.best = p.best, 'for the control the most popular')
FROM  (SELECT array_agg(v.popularity ORDER BY i.place) AS best
       FROM fed.shortlist(1, '{}', fed.profile(1), 'control', 10, 1) s,
            fed.choice(1, '{}', fed.profile(1), 'control', 10, 1, s.items) c,
            unnest(c.items) WITH ORDINALITY i (item, place)
            JOIN fed.item_vector v ON v.item = i.item) c,
      (SELECT array_agg(popularity) AS best
       FROM (SELECT popularity FROM fed.item_vector ORDER BY popularity DESC LIMIT 10) v) p;
SELECT ok(count(*) = 10 AND count(DISTINCT item) = 10 AND bool_and(
  abs(15 * probability - round(15 * probability)) < 1e-9 AND probability BETWEEN 0.06 AND 1), 'a page, with what share of the draws chooses each')
FROM   fed.recommend(1, 10);
SELECT count(*) FROM generate_series(11, 20) p, fed.recommend(p, 10);
SELECT ok(bool_and(d.items = c.items AND d.probabilities = c.probabilities AND d.weighed = cardinality(s.items))
          AND count(DISTINCT d.seed) = 10, 'one seed, which is logged, is that of the shortlist and of the list')
FROM   fed.decision d, LATERAL fed.profile(d.person) u,
       LATERAL fed.shortlist(d.person, d.context, u, 'personal', 10, d.seed) s,
       LATERAL fed.choice(d.person, d.context, u, 'personal', 10, d.seed, s.items) c
WHERE  d.person BETWEEN 11 AND 20;
SELECT ok(bool_and(weighed BETWEEN 40 AND 640) AND count(*) > 60, 'says of how many it was chosen')
FROM  (SELECT weighed FROM fed.decision UNION ALL SELECT weighed FROM board.decision) d;
CREATE TEMP TABLE long AS SELECT * FROM fed.recommend(1, 1000);
SELECT ok(count(*) = 1000 AND count(DISTINCT item) = 1000 AND bool_and(weighed IS NULL),
  'a thousand items are chosen of all') FROM long r JOIN fed.decision d ON d.id = r.decision;

-- ---------- what may be shown ----------

SELECT ok(fed.are_fewer(1, '{"only": "one"}', 4001) AND NOT fed.are_fewer(1, '{}', 100),
  'the planner says how many may be shown');
SELECT is(array_agg(item), '{7}'::int[], 'few are found') FROM fed.recommend(1, 10, context => '{"only": "one"}');
SELECT ok(count(*) = 10 AND bool_and(posted < now() - interval '85 days'), 'none that may not be is shown')
FROM   fed.recommend(2, 10, context => '{"only": "late"}') r JOIN job ON id = item;
SELECT ok(short = whole AND weighed IS NULL, 'where the planner is wrong all are looked at, in the end')
FROM   listed('fed', 1, 'personal', 1, '{"only": "one"}');
-- of those that it likes only some may be shown: more are asked for
SELECT dlints_alter_recommender('fed', jsonb_build_object('candidates', format(
  'i.id <> ALL (%L::int[])', (SELECT array_agg(id) FROM job WHERE field = wants(1) AND id % 4 <> 0))));
SELECT ok(bool_and(short = whole) AND count(weighed) = 30,
  'where most of the best may not be shown, more are looked at')
FROM   generate_series(1, 30) seed, listed('fed', 1, 'personal', seed);
SELECT dlints_alter_recommender('board', '{"candidates": "i.id <= (context ->> ''of'')::int"}');
SELECT ok(bool_and(short = whole) AND count(weighed) > 0, format('also where %s may be shown', n))
FROM   unnest('{300,500,1000}'::int[]) n, generate_series(1, 30) seed,
       listed('board', 70, 'personal', seed, jsonb_build_object('of', n)) GROUP BY n ORDER BY n;
SELECT dlints_alter_recommender('board', '{"candidates": "true", "cap_group": "i.city_id", "cap": 2}');
SELECT ok(bool_and(short = whole) AND count(weighed) = 30, 'and with two of a city')
FROM   generate_series(1, 30) seed, listed('board', 70, 'personal', seed);
SELECT dlints_alter_recommender('board', '{"cap_group": null, "cap": null}');

-- ---------- groups, and a bonus ----------

SELECT dlints_alter_recommender('fed', '{"candidates": "true", "cap_group": "i.field", "cap": 2}');
SELECT ok(short = whole AND vectors(short) = 10, 'no more than two of a field, and a list as long as can be')
FROM   listed('fed', 1, 'personal', 1);
SELECT dlints_alter_recommender('fed', '{"cap_group": "i.same", "cap": 2}');
SELECT ok(short = whole AND vectors(short) = 2 AND weighed IS NULL, 'where there is one group all are looked at')
FROM   listed('fed', 1, 'personal', 1);
SELECT dlints_alter_recommender('fed', '{"cap_group": "CASE WHEN i.id % 2 = 0 THEN i.same END", "cap": 1}');
SELECT ok(short = whole AND vectors(short) = 10 AND weighed IS NOT NULL, 'no group is no bound')
FROM   listed('fed', 1, 'personal', 1);
SELECT dlints_alter_recommender('fed', '{"cap": null, "cap_group": null,
  "bonus": "CASE i.id WHEN 2999 THEN 1000 ELSE 0 END"}');
SELECT is(item, 2999, 'a bonus lifts any item') FROM fed.recommend(1, 1);
SELECT ok(weighed IS NULL AND short = whole, 'so that all are looked at') FROM listed('fed', 1, 'personal', 1);
SELECT is(weighed, NULL, 'also for a stranger') FROM listed('fed', 1000, 'stranger', 1);
SELECT is(weighed, 40, 'but not for the control, which has none') FROM listed('fed', 1, 'control', 1);
SELECT is(meaning, 'all items: a bonus can lift any of them', 'the report says so') FROM fed.report()
WHERE  measure = 'items weighed for a list';
SELECT dlints_alter_recommender('fed', '{"bonus": null}');
SELECT alike(meaning, 'of 4000: the best by what is expected%', 'the report without') FROM fed.report()
WHERE  measure = 'items weighed for a list';

-- ---------- chance ----------

SELECT dlints_alter_recommender('fed', '{"epsilon": 1, "candidates": "i.open"}');
CREATE TEMP TABLE chance AS SELECT p, r.* FROM generate_series(1, 300) p, fed.recommend(p, 10) r;
SELECT ok(count(DISTINCT (p, item)) = 3000 AND bool_and(abs(probability - 10 / 3600.0) < 1e-12),
  'a list by chance is of all that may be shown, each as likely') FROM chance;
SELECT ok(bool_and(open), 'and of no others') FROM chance JOIN job ON id = item;
SELECT cmp_ok(sum((n - 300.0) ^ 2 / 300), '<', 40::numeric, 'none is preferred')
FROM  (SELECT count(*) AS n FROM chance GROUP BY (item * 10 / 4001)) g;
SELECT cmp_ok(sum((n - 30.0) ^ 2 / 30), '<', 200::numeric, 'nor is one at a place')
FROM  (SELECT count(*) AS n FROM chance GROUP BY place, (item * 10 / 4001)) g;
SELECT is(count(*), 0::bigint, 'where nothing may be shown there is no list')
FROM  (SELECT dlints_alter_recommender('fed', '{"candidates": "i.id < 0"}')) a, fed.recommend(1, 10);
SELECT dlints_alter_recommender('fed', '{"candidates": "true", "epsilon": 0}');

-- ---------- upkeep that fails ----------

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no vector today'; END $$;
SELECT later('2 hours');
ALTER TABLE fed.block RENAME COLUMN n TO m;
SELECT fed.run();
ALTER TABLE fed.block RENAME COLUMN m TO n;
SELECT later('1 minute');
SELECT fed.run();
SELECT is(count(*), 1::bigint, 'a refresh that failed is told until it is done') FROM fed.report()
WHERE  measure = 'upkeep that failed';
SELECT later('1 hour');
SELECT fed.run();
SELECT is(count(*), 0::bigint, 'an hour later') FROM fed.report() WHERE measure = 'upkeep that failed';
CREATE TRIGGER refuse BEFORE INSERT ON fed.item_vector FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TEMP TABLE refreshed AS SELECT done_at FROM fed.job WHERE name = 'refresh';
INSERT INTO job SELECT -2, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same';
SELECT later('1 minute');
SELECT fed.run();
SELECT is(done_at, (SELECT done_at FROM refreshed), 'new rows that fail do not put off the refresh') FROM fed.job
WHERE  name = 'refresh';
DROP TRIGGER refuse ON fed.item_vector;
DELETE FROM job WHERE id = -2;

-- ---------- rows that come, change and go ----------

INSERT INTO job SELECT 4001, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same';
SELECT ok(4001 = ANY (items), 'a row with a new highest key takes part at once')
FROM   fed.shortlist(1, '{}', fed.profile(1), 'personal', 10, 1);
SELECT is(item, 4001, 'and comes to blocks') FROM (SELECT fed.run()) r, blocks('fed') WHERE item = 4001;
INSERT INTO job SELECT -1, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same';
SELECT alike(fed.run(), '%1 vectors added%', 'another one by the next run');
SELECT is(count(*), 2::bigint, 'which puts it into a block') FROM blocks('fed') WHERE item IN (-1, 4001);
SELECT unalike(fed.run(), '%added%', 'once');
CREATE TEMP TABLE full_block AS SELECT max(cardinality(items)) AS items FROM fed.block;
DELETE FROM job WHERE id % 8 = 0;
SELECT ok(bool_and(item % 8 <> 0) AND count(*) = 50, 'rows that are deleted are not shown')
FROM   generate_series(1, 5) p, fed.recommend(p, 10);
UPDATE job SET field = 'field 4' WHERE id = 1001;
SELECT later('2 hours');
SELECT fed.run();
SELECT results_eq('SELECT * FROM blocks(''fed'') ORDER BY item',
  'SELECT item, features FROM fed.item_vector ORDER BY item',
  'later the blocks are as the vectors are');
SELECT ok(sum(cardinality(b.items)) < 0.92 * count(*) * f.items, 'and have room')
FROM   fed.block b, full_block f GROUP BY f.items;
DELETE FROM job WHERE id % 3 = 0;
SELECT fed.refresh();
SELECT ok(sum(cardinality(b.items)) > (count(*) - 1) * f.items, 'too much of it, and they are made anew')
FROM   fed.block b, full_block f GROUP BY f.items;
-- those that go and those that come, for long
CREATE FUNCTION turn(rounds integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR round IN 1 .. rounds LOOP
		DELETE FROM job WHERE id IN (SELECT id FROM job WHERE id > 0 ORDER BY id LIMIT 600);
		INSERT INTO job SELECT 10000 * round + i, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same'
		FROM generate_series(1, 600) i;
		PERFORM fed.refresh();
	END LOOP;
END $$;
SELECT turn(12);
SELECT cmp_ok(max(n), '<', 80, 'blocks are not more and more') FROM fed.block;
CREATE TEMP TABLE kept AS SELECT count(*) AS n FROM fed.item_vector;
DELETE FROM job WHERE id > 2000;
SELECT fed.refresh();
SELECT fed.refit();
SELECT is(count(*), (SELECT n FROM kept), 'vectors of more than half of the items are kept') FROM fed.item_vector;
SELECT matches(meaning, 'have gone, and their vectors are kept for a day', 'as the report says') FROM fed.report()
WHERE  measure = 'upkeep that failed';
SELECT later('25 hours');
SELECT fed.refresh();
SELECT is(count(*), (SELECT count(*) FROM job), 'for a day') FROM fed.item_vector;
SELECT is(count(*), 0::bigint, 'and then all is well') FROM fed.job WHERE problem IS NOT NULL;
SELECT ok(count(*) = 0, 'few items need none') FROM fed.block;
SELECT is(weighed, NULL, 'and all are looked at') FROM listed('fed', 1, 'personal', 1);
INSERT INTO job SELECT 900000 + i, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same'
FROM generate_series(1, 9) i;
SELECT is(fed.run(), '0 learned, 9 vectors added', 'some more are added by the next run()');
INSERT INTO job SELECT 910000 + i, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same'
FROM generate_series(1, 3000) i;
SELECT is(fed.run(), '0 learned, 3000 vectors added', 'many at once, too');
SELECT is(count(*), (SELECT count(*) FROM job), 'with blocks') FROM blocks('fed');

-- ---------- a person who comes often ----------

INSERT INTO board.decision (id, at, seed, person, arm, context, profile, items, probabilities, expected, features)
SELECT board.first_decision(now()) + i, now() + i * interval '1 ms', 0, 999, 'personal', '{}', dlints_pack('{}'),
       ARRAY[i], '{1}', '{1}', dlints_pack('{{0}}')
FROM   generate_series(1, 250) i;
INSERT INTO board.reward (decision, item, outcome, value) SELECT decision, item, 'click', 1 FROM board.shown
WHERE  decision IN (SELECT id FROM board.decision WHERE person = 999);
INSERT INTO board.reward (decision, item, outcome, value)
SELECT board.first_decision(now()) + 250, 1000 + i, 'click', 1 FROM generate_series(1, 9) i;
SELECT is(array_agg(DISTINCT item::bigint ORDER BY item::bigint),
  (SELECT array_agg(i) FROM generate_series(51::bigint, 250) i),
  'what was clicked of the last 200 lists counts, and of these alone') FROM board.own_click(999);

-- ---------- keys of other kinds ----------

CREATE TABLE book (title text, kind text, at timestamptz);
INSERT INTO book SELECT repeat('long ', 60) || i, 'kind ' || i % 4, now() FROM generate_series(1, 2500) i;
ANALYZE book;
SELECT dlints_create_recommender('library', 'book', '{kind}', item_key => 'title',
  control => 0, epsilon => 0) IS NOT NULL;
SELECT count(*) FROM library.recommend(1, 5);
SELECT ok(weighed IS NULL AND NOT EXISTS (SELECT FROM library.block), 'where a key has no index there are no blocks')
FROM   library.decision;
CREATE INDEX ON book (title);
SELECT library.refresh();
SELECT count(*) FROM library.recommend(1, 5);
SELECT is(array_agg(weighed >= 32 ORDER BY weighed), '{true,NULL}', 'with one there are') FROM library.decision;
INSERT INTO book VALUES ('zzz', 'kind 1', now());
SELECT is(array_position(items, 'zzz'), NULL, 'of which a new row waits')
FROM   library.shortlist(1, '{}', library.profile(1), 'personal', 10, 1);
SELECT alike(library.run(), '%1 vectors added%', 'for the next run');

SELECT * FROM finish();
ROLLBACK;
