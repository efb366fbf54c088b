-- Many items: a list is chosen from a shortlist, which blocks of item vectors give.  It is the list that all
-- candidates would give.
-- This takes over 20 s, since lists of 4,000 items are computed again from all candidates.
\ir include/many_jobs.sql

SELECT plan(71);

CREATE FUNCTION blocks(name text) RETURNS TABLE (item integer, codes bytea, x real[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT u.item,
		       substr(b.codes, (length(b.codes) / cardinality(b.items) * (u.n - 1) + 1)::int,
		              length(b.codes) / cardinality(b.items)),
		       ARRAY(SELECT unnest(b.numbers[u.n:u.n]))
		FROM %I.block b, unnest(b.items) WITH ORDINALITY u (item, n)', name);
END $$;
-- the rows that the blocks should have: rounded features, and numbers of the items that exist
CREATE FUNCTION block_rows(name text) RETURNS text LANGUAGE sql AS $$
SELECT format('SELECT item, public._dlints_block_codes(ARRAY[features], s.factors),
	public._dlints_block_numbers(popularity, effect, costs, cardinality(coalesce(costs, ''{}'')), dates)
	FROM %1$I.item_vector v, %1$I.setting s WHERE NOT is_deleted ORDER BY item', name) $$;

SELECT dlints_create_recommender('board', 'job', '{field,salary,posted}', control => 0, epsilon => 0, factors => 32,
  repeats => true,
  outcomes => '{"click": 1, "apply": 5}') IS NOT NULL;
SELECT dlints_create_recommender('fed', 'job', '{field,salary}', control => 0, epsilon => 0, factors => 32,
  repeats => true,
  clicks => 'SELECT who, job, at FROM visit', candidates => $$CASE context ->> 'only'
    WHEN 'one' THEN i.id = 7 WHEN 'late' THEN i.posted < now() - interval '85 days' ELSE true END$$) IS NOT NULL;

-- ---------- blocks ----------

SELECT results_eq(format('SELECT * FROM blocks(%L) ORDER BY item', s), block_rows(s),
  'each item vector is in one block: ' || s)
FROM   unnest('{board,fed}'::text[]) s;
-- A date exactly 7 days ago is at the limit between two values of a feature.
SELECT ok(bool_and(f.features[s.liked + 2:s.liked + 4] = _dlints_ages(b.x[3:3], now())) AND count(*) = 4000,
  'blocks give dates the same features as item vectors do')
FROM   blocks('board') b JOIN board.item_features f USING (item), board.setting s;
SELECT ok(max(pg_column_size(b.*)) < 8160 AND pg_relation_size(reltoastrelid) = 0 AND avg(cardinality(items)) > 25,
  'a block fits in a page') FROM board.block b, pg_class c WHERE c.oid = 'board.block'::regclass
GROUP BY reltoastrelid;
CREATE TEMP TABLE was AS SELECT ctid AS tid, n FROM board.block;
SELECT inside('board', 'SELECT public._dlints_set_blocks()');
SELECT is(count(*), 0::bigint, 'unchanged blocks are not rewritten') FROM board.block b JOIN was USING (n)
WHERE  b.ctid <> was.tid;

-- ---------- lists from a shortlist ----------

CREATE FUNCTION has_gap(gap float8) RETURNS boolean LANGUAGE sql AS $$ SELECT coalesce(abs(gap), 1) > 1e-6 $$;
SELECT ok(NOT bool_or(has_gap(gap)) AND min(n_scored) > 100,
  'the shortlist contains the list of all candidates before training')
FROM   generate_series(1, 20) p, listed('board', p);
SELECT ok(bool_and(has_right_probabilities('board', id)),
  'the shortlist contains what each draw would choose that a probability counts')
FROM   board.decision WHERE user_id <= 2;
SELECT count(board.reward(decision, item, CASE WHEN p % 2 = 0 THEN 'apply' ELSE 'click' END))
FROM   generate_series(1, 60) p, board.recommend(p, 10) WHERE item % 5 = p % 5;
SELECT board.learn('0');
CREATE TEMP TABLE trained_list AS SELECT p, l.* FROM generate_series(1, 20) p, listed('board', p) l;
SELECT ok(NOT bool_or(has_gap(gap)) AND max(n_scored) < 1000,
  'the shortlist contains the list of all candidates after training with outcomes after the click') FROM trained_list;
SELECT ok(bool_and(has_right_probabilities('board', decision)), 'probabilities are shares of the draws after training')
FROM   trained_list WHERE p <= 2;
SELECT ok(NOT bool_or(has_gap(gap)) AND count(DISTINCT items) > 5,
  'the shortlist contains the list of all candidates with a click log')
FROM   generate_series(1, 20) p, listed('fed', p);
CREATE TEMP TABLE first_page AS SELECT p, l.* FROM generate_series(1, 10) p, listed('fed', p, k => 60) l;
CREATE TEMP TABLE next_page AS SELECT p, min(n.decision) AS decision, array_agg(n.item) AS items
FROM   first_page f, fed.next(f.decision, 10, p) n GROUP BY p;
SELECT ok(NOT bool_or(n.items && f.items) AND max(d.n_scored) < 1000 AND count(*) = 10,
  'a next page is chosen from a shortlist of items that were not shown')
FROM   next_page n JOIN first_page f USING (p) JOIN fed.decision d ON d.id = n.decision;
CREATE TEMP TABLE trending AS SELECT * FROM fed.trending(10);
SELECT ok(count(*) = 10 AND bool_and(d.n_scored = 40), 'shortlists of trending lists are short')
FROM   trending t JOIN fed.decision d ON d.id = t.decision;
SELECT count(*) FROM generate_series(11, 20) p, fed.recommend(p, 10);
SELECT ok(count(DISTINCT seed) = count(*), 'each list has a seed') FROM fed.decision;
SELECT ok(bool_and(n_scored BETWEEN 40 AND 640) AND count(*) > 60, 'the log has the number of scored items')
FROM  (SELECT n_scored FROM fed.decision UNION ALL SELECT n_scored FROM board.decision) d;
CREATE TEMP TABLE long AS SELECT * FROM fed.recommend(1, 1000);
SELECT ok(count(*) = 1000 AND count(DISTINCT item) = 1000 AND bool_and(n_scored IS NULL),
  'a list of a thousand items is chosen among all candidates') FROM long r JOIN fed.decision d ON d.id = r.decision;

-- ---------- histories of users ----------

-- User 3 saw the best items often, and clicked two others, one of which has no vector yet.
SAVEPOINT histories;
INSERT INTO job SELECT 4001, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same';
UPDATE fed.setting SET history_prior = 1;
CREATE TEMP TABLE seen AS
SELECT max(decision) AS id, array_agg(item ORDER BY position) AS items FROM fed.recommend(3, 200);
INSERT INTO fed.decision
SELECT (jsonb_populate_record(d, jsonb_build_object('id', first_decision(t.at) + g, 'at', t.at,
           'items', 4001 || s.items[199:199] || s.items[1:198], 'expected', array_fill(0.5, '{200}')))).*
FROM   seen s JOIN fed.decision d USING (id), generate_series(1, 40) g, (SELECT now() - interval '2 hours' AS at) t;
INSERT INTO fed.reward (decision, item, outcome, value)
SELECT d.id, i, 'click', 1 FROM fed.decision d, unnest(d.items[1:2]) i WHERE d.user_id = 3 AND d.at < now();
CREATE FUNCTION with_seed(seed integer) RETURNS TABLE (items integer[], expected float8) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dlints.seed', seed::text, true);
	RETURN QUERY SELECT array_agg(r.item ORDER BY r.position), sum(r.expected) FROM fed.recommend(3, 10) r;
END $$;
CREATE TEMP TABLE short AS SELECT seed, s.* FROM generate_series(1, 10) seed, with_seed(seed) s;
SELECT ok(bool_and(l.items[1:2] @> ARRAY[s.items[199], 4001] AND NOT l.items[3:10] && (s.items[1:199] || 4001)),
  'the shortlist contains items that the user clicked, and others than those without a click') FROM short l, seen s;
SELECT is(count(n_scored), count(*), 'histories do not prevent shortlists') FROM fed.decision
WHERE  user_id = 3 AND at = now();
SELECT dlints_alter_recommender('fed', '{"bonus": "0"}');
SELECT ok(max(abs(s.expected - l.expected)) < 0.001, 'the shortlist contains the list of all candidates with histories')
FROM   short s, with_seed(s.seed) l;
ROLLBACK TO histories;

-- ---------- candidates ----------

SELECT is(array_agg(item), '{7}'::int[], 'a list of few candidates has all of them')
FROM   fed.recommend(1, 10, context => '{"only": "one"}');
SELECT ok(count(*) = 10 AND bool_and(posted < now() - interval '85 days'),
  'no list contains an item that "candidates" excludes')
FROM   fed.recommend(2, 10, context => '{"only": "late"}') r JOIN job ON id = item;
SELECT ok(NOT has_gap(gap) AND n_scored IS NULL, 'all candidates are scored if the planner''s estimate is wrong')
FROM   listed('fed', 1, '{"only": "one"}');
-- most of the best items are no candidates
SELECT dlints_alter_recommender('fed', jsonb_build_object('candidates', format(
  'i.id <> ALL (%L::int[])', (SELECT array_agg(id) FROM job WHERE field = wants(1) AND id % 4 <> 0))));
SELECT ok(NOT bool_or(has_gap(gap)) AND count(n_scored) = 30,
  'the shortlist is extended if most of the best items are no candidates')
FROM   generate_series(1, 30), listed('fed', 1);
SELECT dlints_alter_recommender('board', '{"candidates": "i.id <= (context ->> ''of'')::int"}');
SELECT ok(NOT bool_or(has_gap(gap)) AND count(n_scored) > 0,
  format('the shortlist is extended if %s items are candidates', n))
FROM   unnest('{300,500,1000}'::int[]) n, generate_series(1, 30),
       listed('board', 70, jsonb_build_object('of', n)) GROUP BY n ORDER BY n;
SELECT dlints_alter_recommender('board', '{"candidates": "true", "cap_group": "i.city_id", "cap": 2}');
SELECT ok(NOT bool_or(has_gap(gap)) AND count(n_scored) = 30, 'the shortlist is extended under a cap of two per city')
FROM   generate_series(1, 30), listed('board', 70);
SELECT dlints_alter_recommender('board', '{"cap_group": null, "cap": null}');

-- ---------- cap groups and bonus ----------

SELECT dlints_alter_recommender('fed', '{"candidates": "true", "cap_group": "i.field", "cap": 2}');
SELECT ok(NOT has_gap(gap) AND cardinality(items) = 10, 'the list satisfies the cap and is full') FROM listed('fed', 1);
SELECT dlints_alter_recommender('fed', '{"cap_group": "i.same", "cap": 2}');
SELECT ok(NOT has_gap(gap) AND cardinality(items) = 2 AND n_scored IS NULL,
  'all candidates are scored if all have one cap group') FROM listed('fed', 1);
SELECT dlints_alter_recommender('fed', '{"cap_group": "CASE WHEN i.id % 2 = 0 THEN i.same END", "cap": 1}');
SELECT ok(NOT has_gap(gap) AND cardinality(items) = 10 AND n_scored IS NOT NULL,
  'items without a cap group are not capped')
FROM   listed('fed', 1);
SELECT dlints_alter_recommender('fed', '{"cap": null, "cap_group": null,
  "bonus": "CASE i.id WHEN 2999 THEN 1000 ELSE 0 END"}');
SELECT is(item, 2999, 'a bonus can lift any item') FROM fed.recommend(1, 1);
SELECT ok(n_scored IS NULL AND NOT has_gap(gap), 'all candidates are scored under a bonus') FROM listed('fed', 1);
SELECT is(n_scored, NULL, 'all candidates are scored under a bonus for a user without a profile')
  FROM listed('fed', 1000);
SELECT dlints_alter_recommender('fed', '{"control": 1}');
SELECT is(n_scored, 40, 'the control has a shortlist despite a bonus') FROM listed('fed', 1);
SELECT dlints_alter_recommender('fed', '{"bonus": null, "control": 0}');

-- ---------- random lists ----------

SELECT dlints_alter_recommender('fed', '{"epsilon": 1, "candidates": "i.open"}');
CREATE TEMP TABLE random_list AS SELECT p, r.* FROM generate_series(1, 300) p, fed.recommend(p, 10) r;
SELECT ok(count(DISTINCT (p, item)) = 3000 AND count(DISTINCT (p, probability)) = 300,
  'random lists contain each candidate with equal probability') FROM random_list;
-- 400 of 4,000 / 0.9 items are drawn until 400 candidates are found: 1 / probability has a standard error of 1.5 %
SELECT ok(abs(avg(1 / probability) - 360) < 5 * 360 * 0.015 / sqrt(300) AND max(abs(1 / probability / 360 - 1)) < 0.08,
  'the inverse probabilities of random lists are unbiased') FROM random_list;
SELECT ok(bool_and(open), 'random lists contain candidates only') FROM random_list JOIN job ON id = item;
SELECT cmp_ok(sum((n - 300.0) ^ 2 / 300), '<', 40::numeric, 'random lists are uniform over items')
FROM  (SELECT count(*) AS n FROM random_list GROUP BY (item * 10 / 4001)) g;
SELECT cmp_ok(sum((n - 30.0) ^ 2 / 30), '<', 200::numeric, 'random lists are uniform over items at each position')
FROM  (SELECT count(*) AS n FROM random_list GROUP BY position, (item * 10 / 4001)) g;
-- the planner expects a third of the items
SELECT dlints_alter_recommender('fed', '{"candidates": "i.id <= (context ->> ''of'')::int"}');
SELECT ok(count(*) = 10 AND bool_and(item <= n AND abs(probability - 10.0 / n) < 1e-8),
  format('probabilities of random lists are exact if all of %s candidates are found', n))
FROM   unnest('{10,300}'::int[]) n, fed.recommend(1, 10, context => jsonb_build_object('of', n)) GROUP BY n ORDER BY n;
SELECT ok(count(*) = 5 AND bool_and(item <= 5 AND probability = 1), 'a random list of few candidates has all of them')
FROM   fed.recommend(1, 10, context => '{"of": 5}');
SELECT dlints_alter_recommender('fed', '{"candidates": "i.open"}');
INSERT INTO job SELECT 5000 + i, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same'
FROM generate_series(1, 400) i;
CREATE TEMP TABLE newer_list AS SELECT r.* FROM generate_series(1, 100) p, fed.recommend(p, 10) r;
SELECT ok(count(*) FILTER (WHERE item > 5000) BETWEEN 60 AND 145 AND abs(avg(1 / probability) - 400) < 3.5,
  'random lists contain new items with the probability of others') FROM newer_list;
DELETE FROM job WHERE id > 5000;
SELECT is(count(*), 0::bigint, 'recommend() returns nothing if there is no candidate')
FROM  (SELECT dlints_alter_recommender('fed', '{"candidates": "i.id < 0"}')) a, fed.recommend(1, 10);
SELECT dlints_alter_recommender('fed', '{"candidates": "true", "epsilon": 0}');

-- ---------- failing maintenance ----------

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no vector today'; END $$;
SELECT later('2 hours');
CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON fed.trend FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CALL fed.run();
DROP TRIGGER refuse ON fed.trend;
SELECT later('1 minute');
CALL fed.run();
SELECT is(count(*), 1::bigint, 'report() has the error of a failed refresh until a refresh succeeds') FROM fed.report()
WHERE  measure = 'failed maintenance';
SELECT later('1 hour');
CALL fed.run();
SELECT is(count(*), 0::bigint, 'a refresh is retried after an hour') FROM fed.report()
  WHERE measure = 'failed maintenance';
CREATE TRIGGER refuse BEFORE INSERT ON fed.item_vector FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TEMP TABLE refreshed AS SELECT done_at FROM fed.job WHERE name = 'refresh';
INSERT INTO job SELECT -2, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same';
SELECT later('1 minute');
CALL fed.run();
SELECT is(done_at, (SELECT done_at FROM refreshed), 'a failure with new items does not delay the refresh') FROM fed.job
WHERE  name = 'refresh';
DROP TRIGGER refuse ON fed.item_vector;
DELETE FROM job WHERE id = -2;

-- ---------- rows that come, change and go ----------

INSERT INTO job SELECT 4001, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same';
SELECT is(n_scored, 41, 'an item with a new highest key is on the shortlist at once') FROM listed('fed', 1000);
CALL fed.run();
SELECT is(item, 4001, 'run() adds an item with a new highest key to the blocks') FROM blocks('fed') WHERE item = 4001;
INSERT INTO job SELECT -1, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same';
CALL fed.run();
SELECT is(count(*), 1::bigint, 'run() adds an item with a new lowest key') FROM fed.item_vector WHERE item = -1;
SELECT is(count(*), 2::bigint, 'run() adds a new item to a block') FROM blocks('fed') WHERE item IN (-1, 4001);
CREATE TEMP TABLE full_block AS SELECT max(cardinality(items)) AS items FROM fed.block;
DELETE FROM job WHERE id % 8 = 0;
SELECT ok(bool_and(item % 8 <> 0) AND count(*) = 50, 'no list contains deleted rows')
FROM   generate_series(1, 5) p, fed.recommend(p, 10);
UPDATE job SET field = 'field 4' WHERE id = 1001;
SELECT later('2 hours');
CALL fed.run();
SELECT results_eq('SELECT * FROM blocks(''fed'') ORDER BY item', block_rows('fed'), 'refresh updates the blocks');
SELECT ok(sum(cardinality(b.items)) < 0.92 * count(*) * f.items, 'refreshed blocks have room for new items')
FROM   fed.block b, full_block f GROUP BY f.items;
DELETE FROM job WHERE id % 3 = 0;
SELECT fed.refresh();
SELECT ok(sum(cardinality(b.items)) > (count(*) - 1) * f.items, 'blocks with too much room are rewritten')
FROM   fed.block b, full_block f GROUP BY f.items;
-- Add and delete items, for a number of rounds.
CREATE FUNCTION turn(rounds integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR round IN 1 .. rounds LOOP
		DELETE FROM job WHERE id IN (SELECT id FROM job WHERE id > 0 ORDER BY id LIMIT 600);
		INSERT INTO job SELECT 10000 * round + i, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same'
		FROM generate_series(1, 600) i;
		PERFORM fed.refresh();
	END LOOP;
END $$;
SELECT turn(6);
SELECT cmp_ok(max(n), '<', 90, 'the number of blocks stays bounded while items come and go') FROM fed.block;
CREATE TEMP TABLE kept AS SELECT count(*) AS n FROM fed.item_vector;
DELETE FROM job WHERE id > 2000;
SELECT fed.refresh();
SELECT fed.refit();
SELECT is(count(*), (SELECT n FROM kept), 'vectors are kept if more than half of the items are gone')
  FROM fed.item_vector;
SELECT matches(meaning, 'deleted; their vectors are kept for 1 day',
  'report() says that the vectors of deleted items are kept for a day') FROM fed.report()
WHERE  measure = 'failed maintenance';
SELECT later('25 hours');
SELECT fed.refresh();
SELECT results_eq('SELECT item, is_deleted FROM fed.item_vector ORDER BY item',
  'SELECT id, false FROM job UNION (SELECT job, true FROM visit EXCEPT SELECT id, true FROM job) ORDER BY 1',
  'vectors of deleted items that nobody clicked are deleted after a day');
SELECT is(count(*), 0::bigint, 'maintenance has no error after the vectors are deleted') FROM fed.job
  WHERE problem IS NOT NULL;
SELECT results_eq('SELECT * FROM blocks(''fed'') ORDER BY item', block_rows('fed'),
  'a small catalogue has blocks, too');
SELECT is(n_scored, NULL, 'all candidates of a small catalogue are scored') FROM listed('fed', 1);
INSERT INTO job SELECT 900000 + i, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same'
FROM generate_series(1, 9) i;
CALL fed.run();
SELECT is(count(*), 9::bigint, 'run() adds the vectors of a few new items') FROM fed.item_vector WHERE item > 900000;
INSERT INTO job SELECT 910000 + i, 'new', 'field 1', 1, 1000, '{}', '{}', true, now(), true, 'same'
FROM generate_series(1, 3000) i;
CALL fed.run();
SELECT is(count(*), 3000::bigint, 'run() adds the vectors of many new items') FROM fed.item_vector WHERE item > 910000;
SELECT is(count(*), (SELECT count(*) FROM job), 'run() adds many new items to blocks') FROM blocks('fed');

-- ---------- frequent users ----------

INSERT INTO board.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities,
  expected, versions, features)
SELECT first_decision(now()) + i, now() + i * interval '1 ms', 0, 999, 'personal', '{}', dlints_pack('{}'),
       ARRAY[i], '{1}', '{1}', '{0}', dlints_pack('{{0}}')
FROM   generate_series(1, 250) i;
INSERT INTO board.reward (decision, item, outcome, value) SELECT decision, item, 'click', 1 FROM board.impression
WHERE  decision IN (SELECT id FROM board.decision WHERE user_id = 999);
INSERT INTO board.reward (decision, item, outcome, value)
SELECT first_decision(now()) + 250, 1000 + i, 'click', 1 FROM generate_series(1, 9) i;
SELECT is(board.profile(999), board.profile(NULL, (SELECT array_agg(i) FROM generate_series(51, 250) i)),
  'a profile contains clicks of the last 200 lists only');

-- ---------- keys of type text ----------

CREATE TABLE book (title text, kind text, at timestamptz);
INSERT INTO book SELECT repeat('long ', 60) || i, 'kind ' || i % 4, now() FROM generate_series(1, 2500) i;
ANALYZE book;
SELECT dlints_create_recommender('library', 'book', '{kind}', item_key => 'title',
  control => 0, epsilon => 0) IS NOT NULL;
SELECT count(*) FROM library.recommend(1, 5);
SELECT ok(n_scored IS NULL AND EXISTS (SELECT FROM library.block),
  'items whose key has no index have blocks, and no shortlist')
FROM   library.decision;
CREATE INDEX ON book (title);
SELECT library.refresh();
SELECT count(*) FROM library.recommend(1, 5);
SELECT is(array_agg(n_scored >= 32 ORDER BY n_scored), '{true,NULL}', 'items whose key gets an index get shortlists')
  FROM library.decision;
INSERT INTO book VALUES ('zzz', 'kind 1', now());
SELECT is(count(*), 0::bigint, 'a new item whose key is not ordered is not on the shortlist at once')
FROM   generate_series(1, 20) p, library.recommend(p, 100) WHERE item = 'zzz';
CALL library.run();
SELECT is(count(*), 1::bigint, 'run() adds a new item whose key is not ordered') FROM library.item_vector
  WHERE item = 'zzz';

-- run() that does not complete
CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE USING ERRCODE = '40001'; END$$;
CREATE TRIGGER collide BEFORE DELETE ON library.pending FOR EACH STATEMENT EXECUTE FUNCTION collide();
CALL library.run();
DROP TRIGGER collide ON library.pending;
SELECT is_empty('SELECT name FROM library.job WHERE problem IS NOT NULL',
  'run() leaves a part that could not be serialized to the next run()');
SELECT later('2 hours'), library.refresh();
SELECT is(count(*), 1::bigint, 'the report says that run() has not completed')
FROM   library.report() WHERE measure = 'unfinished maintenance';

SELECT * FROM finish();
ROLLBACK;
