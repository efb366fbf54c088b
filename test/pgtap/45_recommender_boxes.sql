-- The other boxes of a page: more like an item, the next page, what trends; and what a session clicked.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

SELECT plan(73);

CREATE FUNCTION made(name text, more text) RETURNS text LANGUAGE sql AS $$
SELECT outcome(format('SELECT dlints_create_recommender(%L, ''job'', ''{field,salary,skills}'',
  clicks => ''SELECT who, job, at FROM visit'', candidates => ''i.open'', %s) IS NULL', name, more)) $$;
SELECT is(made('board', 'control => 0, epsilon => 0'), 'gives false', 'made');
CREATE FUNCTION share(items integer[], of_field text) RETURNS float8 LANGUAGE sql AS $$
SELECT avg((j.field = of_field)::integer) FROM unnest(items) i (id) JOIN job j USING (id) $$;
CREATE FUNCTION logged(decision bigint) RETURNS board.decision LANGUAGE sql AS $$
SELECT d FROM board.decision d WHERE d.id = logged.decision $$;

CREATE FUNCTION packed(real[]) RETURNS bytea LANGUAGE sql AS $$ SELECT dlints_pack($1::dlints_vector, 8) $$;

-- ---------- more like an item ----------

-- of field 4, for people who click fields 0 to 3
CREATE TEMP TABLE alike AS
SELECT p AS person, (SELECT array_agg(m.item) FROM board.more_like(4, 10, p) m) AS items,
       (SELECT array_agg(r.item) FROM board.recommend(p, 10, '{4}') r) AS usual
FROM   generate_series(5, 44) p WHERE p % 5 < 4;
SELECT cmp_ok(avg(share(items, 'field 4')), '>', 0.7::float8, 'what is like an item is of its field')
  FROM alike;
SELECT cmp_ok(avg(share(usual, 'field 4')), '<', 0.3::float8, 'which these people''s own lists are not')
  FROM alike;
SELECT ok(bool_and(NOT 4 = ANY (items)), 'the item is not among it') FROM alike;
SELECT is(array_agg(m.item ORDER BY m.item), (SELECT array_agg(id ORDER BY id) FROM job WHERE open AND id <> 4),
  'all others are') FROM board.more_like(4, 1000) m;
CREATE TEMP TABLE page AS SELECT * FROM board.more_like(4, 5, 7, '{"mine": 1, "after": 1}', 'seven');
SELECT is((d.person, d.arm, d.session, d.context), (7::bigint, 'personal'::text, 'seven'::text,
    '{"mine": 1, "more_like": 4}'::jsonb), 'it is logged for the person, with the item')
  FROM page p, logged(p.decision) d WHERE place = 1;
SELECT ok(bool_and(d.profile = packed(board.profile_like(4))), 'scored by the item, whoever it is')
  FROM board.decision d WHERE d.context ->> 'more_like' = '4';
INSERT INTO job SELECT 1001, 'the latest', 'field 3', 1, 1500, '{skill 3}', '{}', false, now(), true, 'same';
SELECT cmp_ok(share(array_agg(m.item), 'field 3'), '>', 0.7::float8, 'a row without a vector is read')
  FROM board.more_like(1001, 10, 5) m;
SELECT ok(bool_and(NOT m.item = 1001), 'nor is that among it') FROM board.more_like(1001, 1000) m;
SELECT is(count(*), 10::bigint, 'of what there is not there is a list') FROM board.more_like(-1);
SELECT is(count(*), 10::bigint, 'and of nothing') FROM board.more_like(NULL, person => 3, context => NULL);

-- ---------- pages ----------

CREATE FUNCTION pages(first bigint, n integer, size integer DEFAULT 10)
RETURNS TABLE (page integer, decision bigint, item integer, place integer, probability float8)
LANGUAGE plpgsql AS $$
BEGIN
    FOR page IN 2 .. n LOOP
        RETURN QUERY SELECT page, r.decision, r.item, r.place, r.probability FROM board.next(first, size) r;
        PERFORM board.reward(first, (SELECT d.items[1] FROM board.decision d WHERE d.id = first));
        first := (SELECT d.id FROM board.decision d WHERE d.context ->> 'after' = first::text);
        EXIT WHEN first IS NULL;
    END LOOP;
END $$;
CREATE TEMP TABLE person AS SELECT board.profile(8) AS profile;
CREATE TEMP TABLE walk AS
WITH first AS MATERIALIZED (SELECT * FROM board.recommend(8, 10, context => '{"device": "phone"}', session => 'eight'))
SELECT 1 AS page, decision, item, place, probability FROM first
UNION ALL SELECT p.* FROM (SELECT min(decision) AS decision FROM first) f, pages(f.decision, 10) p;
SELECT is(count(DISTINCT item), 100::bigint, 'ten pages, and nothing twice') FROM walk;
SELECT is(count(*), 100::bigint, 'ten on each') FROM walk;
SELECT ok(bool_and((d.person, d.session, d.arm, d.context - 'after') = (8, 'eight', 'personal', '{"device": "phone"}')
    AND d.profile = (SELECT o.profile FROM board.decision o JOIN walk w ON w.decision = o.id WHERE w.page = 1 LIMIT 1)),
  'all for the same person, in the same context, with one profile') FROM walk w, logged(w.decision) d;
SELECT ok(bool_and(d.context ->> 'after' = b.decision::text), 'each says after which it is')
  FROM walk w, logged(w.decision) d, walk b WHERE b.page = w.page - 1;

-- the probabilities by hand: of what is left, by the draws of the page; the first one's profile is rounded in
-- the log, from which the others have theirs
CREATE TEMP TABLE by_hand AS
SELECT w.page, c.ids[d.item] AS item, d.rank AS place, d.probability
FROM   person p, (SELECT DISTINCT page, decision FROM walk) w, logged(w.decision) l, board.model m,
       LATERAL (SELECT array_agg(c.item) AS ids, array_agg(c.features) AS features FROM board.candidate(8, '{}') c
                WHERE c.item NOT IN (SELECT b.item FROM walk b WHERE b.page < w.page)) c,
       dlints_decide(m.state, ARRAY(SELECT generate_subscripts(c.ids, 1)), c.features::dlints_vector, 10,
                     CASE page WHEN 1 THEN p.profile ELSE dlints_unpack(l.profile) END, draws => 50, epsilon => 0,
                     bonus => array_fill(0::float8, ARRAY[cardinality(c.ids)]), seed => l.seed) d
WHERE  m.name = 'personal';
SELECT is(count(*), 100::bigint, 'each item is that of the draw without the pages before')
  FROM walk JOIN by_hand USING (page, place, item);
SELECT ok(max(abs(w.probability - h.probability)) < 1e-9 AND min(w.probability) < 1,
  'with the probability that it has then') FROM walk w JOIN by_hand h USING (page, place, item);

CREATE TEMP TABLE all_of AS SELECT r.decision, r.item FROM board.recommend(9, 50) r;
SELECT is(array_agg(item ORDER BY item), (SELECT array_agg(id ORDER BY id) FROM job WHERE open),
  'pages go on to the last item') FROM (
    SELECT item FROM all_of
    UNION ALL SELECT p.item FROM (SELECT min(decision) AS decision FROM all_of) d, pages(d.decision, 10, 50) p) a;
SELECT is((SELECT count(*) FROM board.next(max(id))), 0::bigint, 'after which there are none')
  FROM (SELECT d.id FROM board.decision d WHERE d.person = 9 AND NOT EXISTS (
          SELECT FROM board.decision n WHERE n.context ->> 'after' = d.id::text)) l;
SELECT is((SELECT count(*) FROM board.decision d WHERE d.items = '{}'), 0::bigint, 'and no decision');
CREATE TEMP TABLE onward AS SELECT n.* FROM page p, board.next(p.decision, 30, 7) n WHERE p.place = 1;
SELECT ok(bool_and(item <> 4 AND item NOT IN (SELECT item FROM page)) AND share(array_agg(item), 'field 4') > 0.5,
  'more of what is like an item is like it') FROM onward;
SELECT ok(bool_and(d.context - 'after' = '{"mine": 1, "more_like": 4}' AND d.profile = packed(board.profile_like(4))),
  'and says so') FROM onward o, logged(o.decision) d;

SELECT is(outcome('SELECT * FROM board.next(' || what || ')'), result, what) FROM (VALUES
  ('1', '22023: there is no decision 1'), ('NULL', '22023: there is no decision NULL'),
  ((SELECT decision || ', 0' FROM page LIMIT 1), '22023: k must be at least 1, not 0'),
  ((SELECT decision || ', 1001' FROM page LIMIT 1), '22023: k must be at most 1000, not 1001')) v (what, result);
SELECT matches(outcome(format('SELECT * FROM board.next(%s, 5, 6)', decision)),
  '42501: decision \d+ is not of this person', 'nor somebody else''s') FROM page WHERE place = 1;
SELECT is(outcome('SELECT * FROM board.' || box), '22023: a context must be an object (It is [1].)', box) FROM (VALUES
  ('recommend(1, context => ''[1]'')'), ('more_like(1, context => ''[1]'')'), ('trending(1, context => ''[1]'')'))
  v (box);

-- what only a box says is not taken from a request
SELECT lives_ok($$SELECT board.recommend(1, 3, context =>
  '{"left_out": ["x"], "more_like": {"x": 1}, "after": "y", "trending": 1, "mine": 2}')$$,
  'a request may say anything');
SELECT is(context, '{"mine": 2}', 'and is taken for what it may say') FROM board.decision
  WHERE context ->> 'mine' = '2';
-- as logs of versions have it that knew no boxes
UPDATE board.decision SET context = '{"mine": 2, "more_like": "x", "after": "y"}' WHERE context ->> 'mine' = '2';
SELECT is((SELECT count(*) FROM board.next(id)), 10::bigint, 'nor does an old log stand in the way')
  FROM board.decision WHERE context ->> 'mine' = '2';

-- ---------- arms ----------

SELECT is(made('tossed', 'control => 0.3, epsilon => 0.5'), 'gives false', 'with a control, and chance');
CREATE TEMP TABLE box AS
SELECT p AS person, 'recommend' AS box, r.* FROM generate_series(1, 60) p, tossed.recommend(p, 10) r
UNION ALL SELECT p, 'more_like', m.* FROM generate_series(1, 60) p, tossed.more_like(4, 10, p) m
UNION ALL SELECT p, 'trending', t.* FROM generate_series(1, 60) p, tossed.trending(10, p) t;
CREATE TEMP TABLE second AS
SELECT b.person, b.decision AS was, n.* FROM box b, tossed.next(b.decision, 10) n WHERE b.place = 1;
SELECT ok(bool_and((m.arm = 'control') = (r.arm = 'control')) AND count(DISTINCT m.arm) = 3,
  'whose lists are the control''s, those of an item are')
  FROM box a JOIN tossed.decision r ON r.id = a.decision,
       box b JOIN tossed.decision m ON m.id = b.decision
  WHERE a.person = b.person AND a.box = 'recommend' AND b.box = 'more_like';
SELECT is(array_agg(DISTINCT d.arm ORDER BY d.arm), '{chance,trending}', 'what trends is everybody''s')
  FROM box b JOIN tossed.decision d ON d.id = b.decision WHERE b.box = 'trending';
SELECT ok(bool_and(n.arm = o.arm) AND count(DISTINCT n.arm) = 4, 'the next page is of the same arm')
  FROM second t JOIN tossed.decision n ON n.id = t.decision JOIN tossed.decision o ON o.id = t.was;
SELECT is(count(*), 0::bigint, 'whatever the arm, nothing comes twice')
  FROM second t JOIN tossed.shown s ON s.decision = t.was AND s.item = t.item;
SELECT ok(bool_and(abs(t.probability - 10.0 / (o.left - 10)) < 1e-9), 'by chance each that is left is as likely')
  FROM second t JOIN tossed.decision n ON n.id = t.decision,
       LATERAL (SELECT (SELECT count(*) FROM job WHERE open) - (n.context ? 'more_like')::integer AS left) o
  WHERE n.arm = 'chance';
SELECT ok(bool_and(o.least >= n.most) AND count(*) > 5, 'the control goes on with the next most popular')
  FROM second t JOIN tossed.decision d ON d.id = t.was,
       LATERAL (SELECT min(v.popularity) AS least FROM tossed.shown s JOIN tossed.item_vector v USING (item)
                WHERE s.decision = t.was) o,
       LATERAL (SELECT max(v.popularity) AS most FROM tossed.shown s JOIN tossed.item_vector v USING (item)
                WHERE s.decision = t.decision) n
  WHERE d.arm = 'control' AND d.context = '{}' AND t.place = 1;

-- ---------- what trends ----------

SELECT is(count(*), 0::bigint, 'nothing trends yet') FROM board.trend WHERE score >= 2;
SELECT ok(bool_and(t.score = v.popularity) AND count(*) = 200, 'so that it is what is popular')
  FROM board.trend t JOIN board.item_vector v USING (item);
CREATE TEMP TABLE rare AS
SELECT v.item FROM board.item_vector v JOIN job j ON j.id = v.item WHERE j.open ORDER BY v.popularity, item LIMIT 1;
INSERT INTO visit SELECT -i, item, now() - i * interval '10 minutes' FROM rare, generate_series(1, 20) i;
INSERT INTO visit SELECT -i, 3, now() - i * interval '5 hours' FROM generate_series(1, 66) i;
UPDATE board.likeness SET popular_half_life = 14;
INSERT INTO visit SELECT -1, j.id, now() FROM job j WHERE j.id <= 20;
SELECT board.refresh();
SELECT is(array_agg(t.item), (SELECT array_agg(item) FROM rare),
    'what is clicked more than usual trends, not what is clicked once')
  FROM board.trend t WHERE t.score >= 2;
CREATE TEMP TABLE trends AS SELECT t.* FROM board.trending(12, 11, '{"device": "phone"}', 'eleven') t;
SELECT is((SELECT array_agg(item ORDER BY place) FROM trends WHERE place < 3),
  (SELECT ARRAY[item, 3] FROM rare), 'and comes first, before what is the most popular for long');
SELECT is((SELECT array_agg(v.popularity ORDER BY t.place) FROM trends t JOIN board.item_vector v USING (item)
           WHERE t.place > 1),
  (SELECT array_agg(popularity ORDER BY popularity DESC) FROM (
     SELECT v.popularity FROM board.item_vector v JOIN job j ON j.id = v.item AND j.open
     WHERE v.item NOT IN (SELECT item FROM rare) ORDER BY v.popularity DESC LIMIT 11) v), 'before what is popular');
SELECT ok((d.person, d.arm, d.session, d.context) = (11, 'trending', 'eleven', '{"device": "phone", "trending": true}')
    AND d.profile = packed(board.profile(11)) AND d.weighed < 60, 'logged for the person, and chosen of few')
  FROM trends t, logged(t.decision) d WHERE place = 1;
SELECT ok(bool_and(n.item NOT IN (SELECT item FROM trends)) AND count(*) = 300 - 112 - 20 + 1, 'page by page')
  FROM trends t, board.next(t.decision, 1000) n WHERE t.place = 1;
UPDATE job SET open = false WHERE id IN (SELECT item FROM rare);
SELECT ok(bool_and(t.item NOT IN (SELECT item FROM rare)) AND count(*) = 10, 'of candidates') FROM board.trending() t;
UPDATE job SET open = true WHERE id IN (SELECT item FROM rare);
SELECT is(count(*), 181::bigint, 'a long list has all') FROM board.trending(1000) t;
SELECT later('4 days');
INSERT INTO visit SELECT -1, j.id, now() FROM job j WHERE j.id <= 20;
SELECT board.refresh();
SELECT is(count(*), 0::bigint, 'some days later it no longer does') FROM board.trend WHERE score >= 2;
SELECT is(count(*), 1::bigint, 'the report says what it earned') FROM board.report()
  WHERE measure = 'reward of a decision, trending' AND meaning ~ 'there were 3';
DELETE FROM board.trend;
SELECT is(count(*), 10::bigint, 'before the first count it is what is popular') FROM board.trending();

-- ---------- sessions ----------

CREATE FUNCTION click_on(person bigint, of_session text) RETURNS bigint LANGUAGE sql AS $$
SELECT count(board.reward(r.decision, r.item))
FROM   board.recommend(person, 190, session => of_session) r JOIN job j ON j.id = r.item AND j.field = 'field 1' $$;
CREATE FUNCTION liking(person bigint, of_session text) RETURNS float8 LANGUAGE sql AS $$
SELECT share(array_agg(r.item), 'field 1') FROM board.recommend(person, 10, session => of_session) r $$;
SELECT click_on(NULL, 'cookie'), click_on(501, 'shared');
SELECT ok(liking(NULL, 'cookie') > 0.7 AND liking(NULL, 'another') < 0.5 AND liking(NULL, NULL) < 0.5,
  'a session is shown what it clicked the like of');
SELECT ok(liking(500, 'cookie') > 0.7 AND liking(500, NULL) < 0.5, 'and carries it along where somebody logs in');
SELECT ok(board.profile(p, session => 'shared') = board.profile(p),
    'but what somebody known clicked is not the session''s')
  FROM unnest('{NULL,501,502}'::bigint[]) p;
SELECT is(board.profile(NULL, ARRAY(SELECT c.item FROM board.session_click('cookie') c), session => 'cookie'),
  board.profile(NULL, ARRAY(SELECT c.item FROM board.session_click('cookie') c)), 'what is told as well counts once');
SELECT is(count(*), 3::bigint, 'a name may be long') FROM (
  SELECT string_agg(md5(i::text), '') AS session FROM generate_series(1, 400) i) n, board.recommend(NULL, 3, session => n.session);
SELECT is(board.erase(NULL, (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 400) i)), 1::bigint,
  'and is found again');
CREATE TEMP TABLE nobodys AS SELECT r.decision, r.item FROM board.recommend(NULL, 5, session => 'new') r;
SELECT matches(outcome(format('SELECT * FROM board.next(%s, 5, %s)', decision, who)), result, who)
FROM   (SELECT min(decision) AS decision FROM nobodys) d, (VALUES
  ('session => ''other''', '^42501: decision \d+ is not of this session'),
  ('503', '^42501: decision \d+ is not of this person')) v (who, result);
CREATE TEMP TABLE theirs AS
SELECT n.* FROM (SELECT min(decision) AS decision FROM nobodys) d, board.next(d.decision, 5, 503, 'new') n;
SELECT ok(bool_and(d.person = 503 AND d.session = 'new') AND count(*) = 5, 'who has logged in since goes on')
FROM theirs t, logged(t.decision) d;
SELECT ok(count(*) = 10 AND count(DISTINCT item) = 10, 'without what was shown before') FROM (
  SELECT n.item FROM (SELECT min(decision) AS decision FROM theirs) d, board.next(d.decision, 5) n
  UNION ALL SELECT item FROM nobodys) a;
SELECT is(board.erase(503, 'new'), 3::bigint, 'and is erased with it');
SELECT is(board.erase(501), 1::bigint, 'who is erased, and not the session''s');
SELECT is(board.erase(500, 'cookie'), 4::bigint, 'or with that of the session');
SELECT is((board.profile(NULL, session => 'cookie'), board.profile(500)), (board.profile(NULL), board.profile(NULL)),
  'of which nothing is known then');
SELECT board.learn('0');
CREATE TEMP TABLE before AS SELECT * FROM board.model;
SELECT click_on(NULL, 'cookie'), board.learn('0');
SELECT cmp_ok(max(far(m.state, b.state)), '>', 1e-3::float8, 'what a session clicks is learned')
  FROM board.model m JOIN before b USING (name);
SELECT is(board.erase(NULL, 'cookie'), 1::bigint, 'and a session is erased');
SELECT cmp_ok(max(far(m.state, b.state)), '<', 1e-9::float8, 'as if it had never come')
  FROM board.model m JOIN before b USING (name);
SELECT is(count(*), 0::bigint, 'the log loses it') FROM board.decision d WHERE d.session = 'cookie';
SELECT is(count(*), 0::bigint, 'with what it clicked') FROM board.reward r
  WHERE NOT EXISTS (SELECT FROM board.decision d WHERE d.id = r.decision);

SELECT * FROM finish();
ROLLBACK;
