-- more_like(), next(), trending(), and clicks of a session.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
SET LOCAL check_function_bodies = on;

\ir include/neighbours.sql
SELECT plan(73);

CREATE FUNCTION made(name text, more text) RETURNS text LANGUAGE sql AS $$
SELECT outcome(format('SELECT dlints_create_recommender(%L, ''job'', ''{field,salary,skills}'',
  clicks => ''SELECT who, job, at FROM visit'', candidates => ''i.open'', repeats => true, %s) IS NULL', name,
  more)) $$;
SELECT is(made('board', 'control => 0, epsilon => 0'), 'gives false',
  'dlints_create_recommender() makes a recommender without control and random lists');
CREATE FUNCTION share(items integer[], of_field text) RETURNS float8 LANGUAGE sql AS $$
SELECT avg((j.field = of_field)::integer) FROM unnest(items) i (id) JOIN job j USING (id) $$;
CREATE FUNCTION logged(decision bigint) RETURNS board.decision LANGUAGE sql AS $$
SELECT d FROM board.decision d WHERE d.id = logged.decision $$;

-- profile of a user who clicked one item 20 times
CREATE FUNCTION profile_like(item integer) RETURNS real[] LANGUAGE sql AS $$
SELECT public._dlints_profile_of(public._dlints_mean_profile(v.features || 1::real, 20, s.liked),
                                 l.scale, l.weights, s.liked, s.aged)
FROM   board.item_vector v, board.setting s, board.similarity l WHERE v.item = profile_like.item $$;
CREATE FUNCTION packed(real[]) RETURNS bytea LANGUAGE sql AS $$ SELECT dlints_pack($1::dlints_vector, 8) $$;

-- ---------- more like an item ----------

-- of field 4, for users who click fields 0 to 3
CREATE TEMP TABLE alike AS
SELECT p AS user_id, (SELECT array_agg(m.item) FROM board.more_like(4, 10, p) m) AS items,
       (SELECT array_agg(r.item) FROM board.recommend(p, 10, '{4}') r) AS usual
FROM   generate_series(5, 44) p WHERE p % 5 < 4;
SELECT cmp_ok(avg(share(items, 'field 4')), '>', 0.7::float8, 'more_like() prefers items of the item''s field')
  FROM alike;
SELECT cmp_ok(avg(share(usual, 'field 4')), '<', 0.3::float8, 'the users'' personal lists are of other fields')
  FROM alike;
SELECT ok(bool_and(NOT 4 = ANY (items)), 'more_like() does not return the item itself') FROM alike;
SELECT is(array_agg(m.item ORDER BY m.item), (SELECT array_agg(id ORDER BY id) FROM job WHERE open AND id <> 4),
  'more_like() can return all other candidates') FROM board.more_like(4, 1000) m;
CREATE TEMP TABLE page AS SELECT * FROM board.more_like(4, 5, 7, '{"mine": 1, "after": 1}', 'seven');
SELECT is((d.user_id, d.treatment, d.session, d.context), (7::bigint, 'personal'::text, 'seven'::text,
    '{"mine": 1, "more_like": 4}'::jsonb), 'more_like() logs the user, the session and the item')
  FROM page p, logged(p.decision) d WHERE position = 1;
SELECT ok(bool_and(d.profile = packed(profile_like(4))), 'more_like() scores by a profile of the item alone')
  FROM board.decision d WHERE d.context ->> 'more_like' = '4';
INSERT INTO job SELECT 1001, 'the latest', 'field 3', 1, 1500, '{skill 3}', '{}', false, now(), true, 'same';
SELECT cmp_ok(share(array_agg(m.item), 'field 3'), '>', 0.7::float8,
  'more_like() encodes an item without an item vector')
  FROM board.more_like(1001, 10, 5) m;
SELECT ok(bool_and(NOT m.item = 1001), 'more_like() excludes an item without an item vector itself')
  FROM board.more_like(1001, 1000) m;
SELECT is(count(*), 10::bigint, 'more_like() returns a list for an unknown item') FROM board.more_like(-1);
SELECT is(outcome('SELECT board.more_like(NULL, user_id => 3)'), '22004: argument "item" must not be null',
  'more_like() rejects NULL');

-- ---------- pages ----------

SELECT board.run_part('items');
CREATE FUNCTION pages(first bigint, of_user bigint, n integer, size integer DEFAULT 10)
RETURNS TABLE (page integer, decision bigint, item integer, "position" integer, probability float8)
LANGUAGE plpgsql AS $$
BEGIN
    FOR page IN 2 .. n LOOP
        RETURN QUERY SELECT page, r.decision, r.item, r.position, r.probability FROM board.next(first, size, of_user) r;
        PERFORM board.reward(first, (SELECT d.items[1] FROM board.decision d WHERE d.id = first));
        first := (SELECT d.id FROM board.decision d WHERE d.context ->> 'after' = first::text);
        EXIT WHEN first IS NULL;
    END LOOP;
END $$;
CREATE TEMP TABLE visitor AS SELECT board.profile(8) AS profile;
CREATE TEMP TABLE walk AS
WITH first AS MATERIALIZED (SELECT * FROM board.recommend(8, 10, context => '{"device": "phone"}', session => 'eight'))
SELECT 1 AS page, decision, item, position, probability FROM first
UNION ALL SELECT p.* FROM (SELECT min(decision) AS decision FROM first) f, pages(f.decision, 8, 10) p;
SELECT is(count(DISTINCT item), 100::bigint, 'ten pages show no item twice') FROM walk;
SELECT is(count(*), 100::bigint, 'next() returns pages of the size asked for') FROM walk;
SELECT ok(bool_and((d.user_id, d.session, d.treatment, d.context - 'after') = (8, 'eight', 'personal',
  '{"device": "phone"}')
    AND d.profile = (SELECT o.profile FROM board.decision o JOIN walk w ON w.decision = o.id WHERE w.page = 1 LIMIT 1)),
  'next() keeps the user, session, context and profile of the first page') FROM walk w, logged(w.decision) d;
SELECT ok(bool_and(d.context ->> 'after' = b.decision::text), 'each page names the page before it')
  FROM walk w, logged(w.decision) d, walk b WHERE b.page = w.page - 1;

-- Probabilities by hand: among the remaining items, with the draws of the page.  next() reads the rounded profiles
-- of the log.  Neighbour scores are those of clicks on earlier pages, except the previous page.
CREATE TEMP TABLE by_hand AS
SELECT w.page, c.ids[d.item] AS item, d.rank AS position, d.probability
FROM   visitor p, (SELECT DISTINCT page, decision FROM walk) w, logged(w.decision) l, board.model m,
       LATERAL (SELECT array_agg(c.item) AS ids, array_agg(c.features) AS features
                FROM board.allowed(8, '{}') a JOIN features_for('board', 8, ARRAY(SELECT b.decision FROM walk b
                  WHERE b.page < w.page - 1)) c USING (item) WHERE c.item NOT IN (SELECT b.item FROM walk b
                  WHERE b.page < w.page)) c,
       dlints_decide(m.state, ARRAY(SELECT generate_subscripts(c.ids, 1)), c.features::dlints_vector, 10,
                     CASE page WHEN 1 THEN p.profile ELSE dlints_unpack(l.profile) END, draws => 15, epsilon => 0,
                     bonus => array_fill(0::float8, ARRAY[cardinality(c.ids)]), seed => l.seed) d
WHERE  m.name = 'personal';
SELECT is(count(*), 100::bigint, 'each item of a page is the choice of its draw among the items not shown yet')
  FROM walk JOIN by_hand USING (page, position, item);
SELECT ok(max(abs(w.probability - h.probability)) < 1e-7 AND min(w.probability) < 1,
  'each item of a page has its probability among the items not shown yet')
    FROM walk w JOIN by_hand h USING (page, position, item);

CREATE TEMP TABLE all_of AS SELECT r.decision, r.item FROM board.recommend(9, 50) r;
SELECT is(array_agg(item ORDER BY item), (SELECT array_agg(id ORDER BY id) FROM job WHERE open),
  'pages continue to the last candidate') FROM (
    SELECT item FROM all_of
    UNION ALL SELECT p.item FROM (SELECT min(decision) AS decision FROM all_of) d, pages(d.decision, 9, 10, 50) p) a;
SELECT is((SELECT count(*) FROM board.next(max(id), 10, 9)), 0::bigint, 'next() returns nothing after the last page')
  FROM (SELECT d.id FROM board.decision d WHERE d.user_id = 9 AND NOT EXISTS (
          SELECT FROM board.decision n WHERE n.context ->> 'after' = d.id::text)) l;
SELECT is((SELECT count(*) FROM board.decision d WHERE d.items = '{}'), 0::bigint, 'next() logs no empty page');
CREATE TEMP TABLE onward AS SELECT n.* FROM page p, board.next(p.decision, 30, 7) n WHERE p.position = 1;
SELECT ok(bool_and(item <> 4 AND item NOT IN (SELECT item FROM page)) AND share(array_agg(item), 'field 4') > 0.5,
  'next() after more_like() returns similar items') FROM onward;
SELECT ok(bool_and(d.context - 'after' = '{"mine": 1, "more_like": 4}' AND d.profile = packed(profile_like(4))),
  'next() after more_like() logs the item') FROM onward o, logged(o.decision) d;

SELECT is(outcome('SELECT * FROM board.next(' || what || ')'), result, what) FROM (VALUES
  ('1', '22023: there is no decision 1'), ('NULL', '22004: argument "decision" must not be null'),
  ((SELECT decision || ', 0' FROM page LIMIT 1), '22023: k must be between 1 and 1000, not 0'),
  ((SELECT decision || ', NULL' FROM page LIMIT 1), '22004: k must be between 1 and 1000, not NULL')) v (what, result);
SELECT matches(outcome(format('SELECT * FROM board.next(%s, 5, 6)', decision)),
  '42501: decision \d+ does not belong to this user', 'next() rejects a decision of another user') FROM page
    WHERE position = 1;
SELECT is(outcome('SELECT * FROM board.' || box), '22023: argument "context" must be a JSON object (The value is [1].)',
  box || ' is rejected') FROM (VALUES
  ('recommend(1, context => ''[1]'')'), ('more_like(1, context => ''[1]'')'), ('trending(1, context => ''[1]'')'))
  v (box);

-- context keys that the functions set
SELECT lives_ok($$SELECT board.recommend(1, 3, context =>
  '{"left_out": ["x"], "more_like": {"x": 1}, "after": "y", "trending": 1, "mine": 2}')$$,
  'a context may contain the keys that functions add');
SELECT is(context, '{"mine": 2}', 'recommend() removes the keys that functions add from the context')
  FROM board.decision WHERE context ->> 'mine' = '2';
-- values that the functions never write
UPDATE board.decision SET context = '{"mine": 2, "more_like": "x", "after": "y"}' WHERE context ->> 'mine' = '2';
SELECT is((SELECT count(*) FROM board.next(id, user_id => 1)), 10::bigint,
  'next() accepts a logged context with invalid values')
  FROM board.decision WHERE context ->> 'mine' = '2';

-- ---------- treatments ----------

SELECT is(made('tossed', 'control => 0.3, epsilon => 0.5'), 'gives false',
  'dlints_create_recommender() makes a recommender with control and random lists');
CREATE TEMP TABLE box AS
SELECT p AS user_id, 'recommend' AS box, r.* FROM generate_series(1, 60) p, tossed.recommend(p, 10) r
UNION ALL SELECT p, 'more_like', m.* FROM generate_series(1, 60) p, tossed.more_like(4, 10, p) m
UNION ALL SELECT p, 'trending', t.* FROM generate_series(1, 60) p, tossed.trending(10, p) t;
CREATE TEMP TABLE second AS
SELECT b.user_id, b.decision AS was, n.* FROM box b, tossed.next(b.decision, 10, b.user_id) n WHERE b.position = 1;
SELECT ok(bool_and((m.treatment = 'control') = (r.treatment = 'control')) AND count(DISTINCT m.treatment) = 3,
  'a user has the same treatment in recommend() and more_like()')
  FROM box a JOIN tossed.decision r ON r.id = a.decision,
       box b JOIN tossed.decision m ON m.id = b.decision
  WHERE a.user_id = b.user_id AND a.box = 'recommend' AND b.box = 'more_like';
SELECT is(array_agg(DISTINCT d.treatment ORDER BY d.treatment), '{random,trending}',
  'trending() lists are of treatment trending or random')
  FROM box b JOIN tossed.decision d ON d.id = b.decision WHERE b.box = 'trending';
SELECT ok(bool_and(n.treatment = o.treatment) AND count(DISTINCT n.treatment) = 4, 'next() keeps the treatment')
  FROM second t JOIN tossed.decision n ON n.id = t.decision JOIN tossed.decision o ON o.id = t.was;
SELECT is(count(*), 0::bigint, 'next() repeats no item under any treatment')
  FROM second t JOIN tossed.impression s ON s.decision = t.was AND s.item = t.item;
SELECT ok(bool_and(abs(t.probability - 10.0 / (o.left - 10)) < 1e-7),
  'next() of a random list is random among the remaining items')
  FROM second t JOIN tossed.decision n ON n.id = t.decision,
       LATERAL (SELECT (SELECT count(*) FROM job WHERE open) - (n.context ? 'more_like')::integer AS left) o
  WHERE n.treatment = 'random';
SELECT ok(bool_and(o.least >= n.most) AND count(*) > 5,
  'next() of a control list continues with the next most popular items')
  FROM second t JOIN tossed.decision d ON d.id = t.was,
       LATERAL (SELECT min(v.popularity) AS least FROM tossed.impression s JOIN tossed.item_vector v USING (item)
                WHERE s.decision = t.was) o,
       LATERAL (SELECT max(v.popularity) AS most FROM tossed.impression s JOIN tossed.item_vector v USING (item)
                WHERE s.decision = t.decision) n
  WHERE d.treatment = 'control' AND d.context = '{}' AND t.position = 1;

-- ---------- trending ----------

SELECT is(count(*), 0::bigint, 'nothing trends before clicks increase') FROM board.trend WHERE score >= 2;
SELECT ok(bool_and(t.score = v.popularity) AND count(*) = 200, 'trending scores are popularity while nothing trends')
  FROM board.trend t JOIN board.item_vector v USING (item);
CREATE TEMP TABLE rare AS
SELECT v.item FROM board.item_vector v JOIN job j ON j.id = v.item WHERE j.open ORDER BY v.popularity, item LIMIT 1;
INSERT INTO visit SELECT -i, item, now() - i * interval '10 minutes' FROM rare, generate_series(1, 20) i;
INSERT INTO visit SELECT -i, 3, now() - i * interval '5 hours' FROM generate_series(1, 66) i;
UPDATE board.similarity SET popularity_half_life = 14;
INSERT INTO visit SELECT -1, j.id, now() FROM job j WHERE j.id <= 20;
SELECT board.refresh();
SELECT is(array_agg(t.item), (SELECT array_agg(item) FROM rare),
    'an item that is clicked more than usual trends, and an item clicked once does not')
  FROM board.trend t WHERE t.score >= 2;
CREATE TEMP TABLE trends AS SELECT t.* FROM board.trending(12, 11, '{"device": "phone"}', 'eleven') t;
SELECT is((SELECT array_agg(item ORDER BY position) FROM trends WHERE position < 3),
  (SELECT ARRAY[item, 3] FROM rare), 'trending() starts with what trends, before the most popular item');
SELECT is((SELECT array_agg(v.popularity ORDER BY t.position) FROM trends t JOIN board.item_vector v USING (item)
           WHERE t.position > 1),
  (SELECT array_agg(popularity ORDER BY popularity DESC) FROM (
     SELECT v.popularity FROM board.item_vector v JOIN job j ON j.id = v.item AND j.open
     WHERE v.item NOT IN (SELECT item FROM rare) ORDER BY v.popularity DESC LIMIT 11) v),
       'trending() continues with popular items');
SELECT ok((d.user_id, d.treatment, d.session, d.context) = (11, 'trending', 'eleven',
  '{"device": "phone", "trending": true}')
    AND d.profile = packed(board.profile(11)) AND d.n_scored < 60,
      'trending() logs the user and the number of scored items')
  FROM trends t, logged(t.decision) d WHERE position = 1;
SELECT ok(bool_and(n.item NOT IN (SELECT item FROM trends)) AND count(*) = 300 - 112 - 20 + 1,
  'next() pages a trending list')
  FROM trends t, board.next(t.decision, 1000, 11) n WHERE t.position = 1;
UPDATE job SET open = false WHERE id IN (SELECT item FROM rare);
SELECT ok(bool_and(t.item NOT IN (SELECT item FROM rare)) AND count(*) = 10, 'trending() returns candidates only')
  FROM board.trending() t;
UPDATE job SET open = true WHERE id IN (SELECT item FROM rare);
SELECT is(count(*), 181::bigint, 'trending() fills a long list') FROM board.trending(1000) t;
SELECT later('4 days');
INSERT INTO visit SELECT -1, j.id, now() FROM job j WHERE j.id <= 20;
SELECT board.refresh();
SELECT is(count(*), 0::bigint, 'an item stops trending after some days') FROM board.trend WHERE score >= 2;
SELECT is(count(*), 1::bigint, 'report() has the mean reward per trending list') FROM board.report()
  WHERE measure = 'reward per list, trending' AND meaning ~ '3';
DELETE FROM board.trend;
SELECT is(count(*), 10::bigint, 'trending() returns popular items before the first count') FROM board.trending();

-- ---------- sessions ----------

CREATE FUNCTION click_on(user_id bigint, of_session text) RETURNS bigint LANGUAGE sql AS $$
SELECT count(board.reward(r.decision, r.item))
FROM   board.recommend(user_id, 190, session => of_session) r JOIN job j ON j.id = r.item AND j.field = 'field 1' $$;
CREATE FUNCTION liking(user_id bigint, of_session text) RETURNS float8 LANGUAGE sql AS $$
SELECT share(array_agg(r.item), 'field 1') FROM board.recommend(user_id, 10, session => of_session) r $$;
SELECT click_on(NULL, 'cookie'), click_on(501, 'shared');
SELECT ok(liking(NULL, 'cookie') > 0.7 AND liking(NULL, 'another') < 0.5 AND liking(NULL, NULL) < 0.5,
  'a session gets lists similar to its clicks');
SELECT ok(liking(500, 'cookie') > 0.7 AND liking(500, NULL) < 0.5,
  'a user who logs in gets lists similar to the clicks of the session');
SELECT ok(board.profile(p, session => 'shared') = board.profile(p),
    'clicks of a user who is logged in do not count for the session')
  FROM unnest('{NULL,501,502}'::bigint[]) p;
SELECT is(board.profile(NULL, ARRAY(SELECT r.item FROM board.reward r JOIN board.decision d ON d.id = r.decision
  WHERE d.session = 'cookie'), session => 'cookie'),
  board.profile(NULL, ARRAY(SELECT r.item FROM board.reward r JOIN board.decision d ON d.id = r.decision
    WHERE d.session = 'cookie')), 'an item that is in "recent" and in the session counts once');
SELECT is(count(*), 3::bigint, 'a session name of 12 kB is accepted') FROM (
  SELECT string_agg(md5(i::text), '') AS session FROM generate_series(1, 400) i) n, board.recommend(NULL, 3,
    session => n.session);
SELECT is(board.erase(NULL, (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 400) i)), 1::bigint,
  'erase() finds a session name of 12 kB');
CREATE TEMP TABLE anonymous AS SELECT r.decision, r.item FROM board.recommend(NULL, 5, session => 'new') r;
SELECT matches(outcome(format('SELECT * FROM board.next(%s, 5, %s)', decision, who)), result, who)
FROM   (SELECT min(decision) AS decision FROM anonymous) d, (VALUES
  ('session => ''other''', '^42501: decision \d+ does not belong to this session'),
  ('503', '^42501: decision \d+ does not belong to this user')) v (who, result);
CREATE TEMP TABLE continued AS
SELECT n.* FROM (SELECT min(decision) AS decision FROM anonymous) d, board.next(d.decision, 5, 503, 'new') n;
SELECT ok(bool_and(d.user_id = 503 AND d.session = 'new') AND count(*) = 5,
  'next() continues a session''s list for a user who has logged in')
FROM continued t, logged(t.decision) d;
SELECT ok(count(*) = 10 AND count(DISTINCT item) = 10, 'next() shows none of the earlier items after a login') FROM (
  SELECT n.item FROM (SELECT min(decision) AS decision FROM continued) d, board.next(d.decision, 5, 503) n
  UNION ALL SELECT item FROM anonymous) a;
SELECT is(board.erase(503, 'new'), 3::bigint, 'erase() of user and session removes lists of both');
SELECT is(board.erase(501), 1::bigint, 'erase() of a user keeps lists of the session that have no user');
SELECT is(board.erase(500, 'cookie'), 4::bigint, 'erase() of a user with a session removes lists of both');
SELECT is((board.profile(NULL, session => 'cookie'), board.profile(500)), (board.profile(NULL), board.profile(NULL)),
  'no profile contains clicks that were erased');
SELECT board.learn('0');
CREATE TEMP TABLE before AS SELECT * FROM board.model;
SELECT click_on(NULL, 'cookie'), board.learn('0');
SELECT cmp_ok(max(far(m.state, b.state)), '>', 1e-3::float8, 'the models are trained on clicks of a session')
  FROM board.model m JOIN before b USING (name);
SELECT is(board.erase(NULL, 'cookie'), 1::bigint, 'erase() of a session returns the number of its decisions');
SELECT cmp_ok(max(far(m.state, b.state)), '<', 1e-9::float8, 'erase() of a session restores the models')
  FROM board.model m JOIN before b USING (name);
SELECT is(count(*), 0::bigint, 'erase() of a session removes its decisions') FROM board.decision d
  WHERE d.session = 'cookie';
SELECT is(count(*), 0::bigint, 'erase() of a session removes its rewards') FROM board.reward r
  WHERE NOT EXISTS (SELECT FROM board.decision d WHERE d.id = r.decision);

SELECT * FROM finish();
ROLLBACK;
