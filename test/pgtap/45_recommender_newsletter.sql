-- Lists for many users in one statement, whose pages share rows: each list is what a statement with one page returns
-- at that moment.  Under REPEATABLE READ the transactions that snapshots see do not tell of changes.
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
\ir include/many_jobs.sql
\ir include/lists.sql
SET LOCAL check_function_bodies = on;

SELECT plan(18);

SELECT dlints_create_recommender(name, 'job', '{field,salary,posted}', control => 0, epsilon => 0, factors => 32,
  repeats => name = 'board', clicks => 'SELECT who, job, at FROM visit') IS NOT NULL
FROM   unnest('{board,fed}'::text[]) name;
SELECT count(board.reward(decision, item))
FROM   generate_series(1, 60) p, board.recommend(p, 10) WHERE item % 5 = p % 5;
SELECT board.learn('0');

-- ---------- the same lists ----------

SELECT ok(count(*) = 12 AND bool_and(has_right_probabilities('board', d.decision)),
  'probabilities of lists in one statement are shares of the draws')
FROM  (SELECT DISTINCT r.decision FROM generate_series(1, 40) p, board.recommend(p, 10) r WHERE p > 28 OFFSET 0) d;

-- without exploration a list is determined, except for ties
UPDATE board.model SET state = dlints_set(state, exploration => 0);
UPDATE fed.model SET state = dlints_set(state, exploration => 0);
CREATE TABLE single (name text, p bigint, expected float8[]);
CREATE FUNCTION expected_of(name text, p bigint) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	result float8[];
BEGIN
	EXECUTE format('SELECT array_agg(r.expected ORDER BY r."position") FROM %I.recommend($1, 10) r', name)
	INTO result USING p;
	RETURN result;
END $$;
SELECT format('INSERT INTO single VALUES (%L, %s, expected_of(%1$L, %2$s))', name, p)
FROM   unnest('{board,fed}'::text[]) name, generate_series(1, 40) p \gexec
SELECT is(count(DISTINCT expected), 80::bigint, 'users have different lists') FROM single;

CREATE TABLE together AS
SELECT p, array_agg(r.expected ORDER BY r."position") AS expected
FROM   generate_series(1, 40) p, LATERAL board.recommend(p, 10) r GROUP BY p;
SELECT results_eq('SELECT p::bigint, expected FROM together ORDER BY p',
  $$SELECT p, expected FROM single WHERE name = 'board' ORDER BY p$$,
  'lists of one statement are those of single pages');
SELECT results_eq($$SELECT p::bigint, expected_of(name, p), name
	FROM generate_series(1, 40) p, unnest('{board,fed}'::text[]) name ORDER BY p, name$$, 'SELECT p, expected, name FROM single ORDER BY p, name',
  'lists of two recommenders in turns in one statement are those of single pages');

-- ---------- changes within the statement ----------

CREATE FUNCTION best_of(p bigint) RETURNS integer LANGUAGE sql
	RETURN (SELECT r.item FROM board.recommend(p, 1) r);
-- make the vector of an item one that no user likes, after some pages
CREATE FUNCTION spoil(of_item integer) RETURNS void LANGUAGE sql AS $$
UPDATE board.item_vector SET effect = -100 WHERE item = of_item;
UPDATE board.setting SET effect_stddev = 1;
SELECT inside('board', 'SELECT public._dlints_set_blocks()') $$;
CREATE TABLE changed AS
SELECT n, CASE WHEN n = 30 THEN spoil(first) END::text, best_of(7) AS item, first
FROM   generate_series(1, 60) n, LATERAL (SELECT best_of(7 + 0 * n) AS first OFFSET 0) f;
SELECT ok(bool_and(s.item = s.first OR s.n = 30) AND bool_or(s.item <> s.first),
  'a page sees what the statement has changed since the page before it') FROM changed s;
SELECT isnt(item, first, 'an item whose vector is changed is not returned any more') FROM changed WHERE n = 30;

-- a subtransaction that is rolled back takes its changes with it
CREATE FUNCTION spoiled_for_a_while(of_item integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	result integer;
BEGIN
	PERFORM spoil(of_item);
	PERFORM best_of(7) FROM generate_series(1, 30);
	result := best_of(7);
	RAISE EXCEPTION USING MESSAGE = result;
EXCEPTION WHEN raise_exception THEN
	RETURN result;
END $$;
CREATE TABLE undone AS
SELECT n, CASE WHEN n = 30 THEN spoiled_for_a_while(best_of(7)) END AS meanwhile, best_of(7) AS item
FROM   generate_series(1, 35) n;
SELECT ok(count(DISTINCT item) = 1 AND count(meanwhile) = 1 AND max(meanwhile) <> max(item),
  'a page does not see changes that were rolled back') FROM undone;

-- a reward counts for the user's next list
CREATE TABLE rewarded AS
SELECT n, first.item, fed.reward(first.decision, first.item)::text
FROM   generate_series(1, 6) n, LATERAL (SELECT r.decision, r.item FROM fed.recommend(8 + 0 * n, 1) r) first;
SELECT is(count(DISTINCT item), 6::bigint, 'an item that the user clicked in the statement is left out after it')
FROM   rewarded;

-- a trigger on the log may change anything
CREATE FUNCTION spoil_first() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF (SELECT count(*) FROM board.decision WHERE user_id = 9) = 40 THEN PERFORM spoil(NEW.items[1]); END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER spoils AFTER INSERT ON board.decision FOR EACH ROW WHEN (NEW.user_id = 9) EXECUTE FUNCTION spoil_first();
DELETE FROM board.decision WHERE user_id = 9;
CREATE TABLE triggered AS SELECT n, best_of(9) AS item FROM generate_series(1, 42) n;
SELECT is((SELECT count(DISTINCT item) FROM triggered WHERE n <= 40), 1::bigint,
  'pages before the trigger''s change are equal');
SELECT isnt((SELECT item FROM triggered WHERE n = 41), (SELECT item FROM triggered WHERE n = 40),
  'a page sees what a trigger on the log has changed');

DROP TRIGGER spoils ON board.decision;

-- ---------- candidates ----------

-- which jobs are allowed may depend on the user, on a setting, or on neither
CREATE FUNCTION allowed_after(candidates text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	PERFORM dlints_alter_recommender('board', jsonb_build_object('candidates', candidates));
	SELECT count(*) FILTER (WHERE r.item % 3 = p % 3) INTO result
	FROM   generate_series(1, 60) p,
	       LATERAL (SELECT set_config('test.rest', (p % 3)::text, true) AS rest OFFSET 0) c,
	       LATERAL board.recommend(p + 0 * length(c.rest), 5) r;
	RETURN result;
END $$;
SELECT is(allowed_after('i.id % 3 <> user_id % 3'), 0::bigint, 'candidates that depend on the user are not shared');
SELECT is(allowed_after($$i.id % 3 <> current_setting('test.rest')::integer$$), 0::bigint,
  'candidates that depend on a setting are not shared');
SELECT is(allowed_after(
  $$EXISTS (SELECT FROM job j WHERE j.id = i.id AND j.id % 3 <> request.user_id % 3)$$), 0::bigint,
  'candidates whose subquery depends on the user are not shared');
SELECT cmp_ok(allowed_after('i.open'), '>', 30::bigint, 'candidates may be independent of the user');
SELECT ok(bool_and(j.open) AND count(*) > 100, 'shared candidates are the allowed ones')
FROM   generate_series(1, 60) p, LATERAL board.recommend(p, 5) r JOIN job j ON j.id = r.item;

-- ---------- cursors ----------

DECLARE letters CURSOR FOR SELECT best_of(7) AS item FROM generate_series(1, 90) n;
CREATE TABLE seen (n integer GENERATED ALWAYS AS IDENTITY, item integer);
CREATE FUNCTION fetch_letters(times integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	letters CONSTANT refcursor := 'letters';
	fetched integer;
BEGIN
	FOR i IN 1 .. times LOOP
		FETCH letters INTO fetched;
		INSERT INTO seen (item) VALUES (fetched);
	END LOOP;
END $$;
SELECT fetch_letters(40);
SELECT spoil(item) FROM seen LIMIT 1;
SELECT fetch_letters(40);
SELECT ok((SELECT count(DISTINCT item) FROM seen WHERE n <= 40) = 1
  AND (SELECT count(DISTINCT item) FROM seen WHERE n > 40) = 1,
  'a cursor fetched with writes in between returns lists');
SELECT isnt((SELECT item FROM seen WHERE n = 40), (SELECT item FROM seen WHERE n = 41),
  'a cursor fetched across a change of the vectors returns the changed lists');
DROP TABLE job CASCADE;
SELECT throws_ok('SELECT fetch_letters(1)', NULL, NULL, 'a cursor fetched across the drop of the items is an error');

SELECT finish();
ROLLBACK;
