-- What lists can be made of in a few lines: how often an item was clicked, and lately
CREATE UNLOGGED TABLE {s}.known AS
SELECT v.item, v.encoded, v.factors, k.clicks, k.lately
FROM  (SELECT c.item, count(*) AS clicks,
              count(*) FILTER (WHERE c.at > (SELECT max(at) FROM {s}.click) - interval '14 days') AS lately
       FROM   {s}.click c GROUP BY c.item ORDER BY count(*) DESC LIMIT 20000) k
       JOIN {s}.item_vector v ON v.item {same_item} k.item;

-- and by how many of the same people two items were clicked: the cosine
CREATE UNLOGGED TABLE {s}.near AS
WITH clicked AS MATERIALIZED (
    SELECT DISTINCT c.person, c.item
    FROM  (SELECT c.*, row_number() OVER (PARTITION BY c.person ORDER BY c.at DESC) AS n
           FROM  (SELECT * FROM {s}.click WHERE person IS NOT NULL ORDER BY at DESC LIMIT 200000) c) c
    WHERE  c.n <= 100),
counted AS (
    SELECT item, count(*) AS people FROM clicked GROUP BY item)
SELECT p.item, p.other, p.people / sqrt(a.people::float8 * b.people) AS cosine
FROM  (SELECT a.item, b.item AS other, count(*) AS people
       FROM   clicked a JOIN clicked b ON b.person {same_person} a.person AND NOT b.item {same_item} a.item
       GROUP  BY a.item, b.item) p
       JOIN counted a ON a.item {same_item} p.item JOIN counted b ON b.item {same_item} p.other;

CREATE INDEX ON {s}.near (item);

ANALYZE {s}.near;

-- How good each of these finds items for a person: ten, and as many more as the person clicked
CREATE FUNCTION {s}.scores(person {person_type}) RETURNS TABLE (policy text, item {item_type}, score float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH clicked AS MATERIALIZED (
        SELECT c.item, row_number() OVER (ORDER BY c.at DESC) AS n
        FROM   {s}.click c WHERE c.person {same_person} scores.person),
    enough AS MATERIALIZED (
        SELECT 10 + count(DISTINCT item) AS rows FROM clicked),
    profile AS MATERIALIZED (
        SELECT CASE WHEN count(k.factors) > 0 THEN {dlints}.dlints_profile(k.factors, 1::float8) END AS factors,
               CASE WHEN count(k.item) > 0 THEN {dlints}.dlints_profile(k.encoded, 1::float8) END AS encoded
        FROM   clicked c JOIN {s}.known k ON k.item {same_item} c.item WHERE c.n <= 500),
    part AS (
        SELECT p.name, min(p.n)::integer - {factors} AS first, max(p.n)::integer - {factors} AS last
        FROM   unnest({parts}) WITH ORDINALITY p (name, n)
        WHERE  p.n > {factors} AND p.n <= {liked} GROUP BY p.name HAVING count(*) > 1)
    (SELECT 'the most popular', k.item, k.clicks::float8 FROM {s}.known k
     ORDER BY k.clicks DESC LIMIT (SELECT rows FROM enough))
    UNION ALL
    (SELECT 'popular in two weeks', k.item, k.lately + 1e-6 * k.clicks FROM {s}.known k
     ORDER BY k.lately DESC, k.clicks DESC LIMIT (SELECT rows FROM enough))
    UNION ALL
    SELECT 'popular in your ' || b.name, a.item, a.score
    FROM   part b, profile p, LATERAL (
               SELECT k.item, k.clicks * (1e-6 + {dlints}.dlints_dot(
                   p.encoded[b.first:b.last]::float8[], k.encoded[b.first:b.last]::{vector})) AS score
               FROM   {s}.known k ORDER BY score DESC LIMIT (SELECT rows FROM enough)) a
    WHERE  p.encoded IS NOT NULL
    UNION ALL
    (SELECT 'clicked by the same people', n.other, sum(n.cosine)
     FROM   clicked c JOIN {s}.near n ON n.item {same_item} c.item
     WHERE  c.n <= 500 GROUP BY n.other ORDER BY sum(n.cosine) DESC LIMIT (SELECT rows FROM enough))
    UNION ALL
    (SELECT 'factors', k.item, {dlints}.dlints_dot(p.factors::float8[], k.factors::{vector})
     FROM   profile p, {s}.known k WHERE p.factors IS NOT NULL AND k.factors IS NOT NULL
     ORDER BY 3 DESC LIMIT (SELECT rows FROM enough));
END;

-- Lists of ten: how much of what each person clicked then is in them
CREATE FUNCTION {s}.compare(person {person_type}, items {item_type}[])
RETURNS TABLE (policy text, ndcg float8, is_hit boolean) LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH scored AS (
        SELECT s.policy, s.item, s.score, EXISTS (
                   SELECT FROM {s}.click c
                   WHERE  c.person {same_person} compare.person AND c.item {same_item} s.item) AS is_seen
        FROM   {s}.scores(compare.person) s),
    list AS (
        SELECT policy, item, is_seen, row_number() OVER (PARTITION BY policy, is_seen ORDER BY score DESC) AS place
        FROM   scored
        UNION ALL
        SELECT 'recommender', r.item, false, r.place FROM {s}.recommend(compare.person, 10) r),
    found AS (
        SELECT l.policy, l.place, l.place <= 10 AND l.item {same_item} ANY (compare.items) AS is_hit
        FROM   list l)
    SELECT f.policy, coalesce(sum(1 / ln(f.place + 1)) FILTER (WHERE f.is_hit), 0)
           / (SELECT sum(1 / ln(n + 1)) FROM generate_series(1, least(cardinality(compare.items), 10)) n),
           bool_or(f.is_hit)
    FROM   found f GROUP BY f.policy;
END;

CREATE UNLOGGED TABLE {s}.compared (person {person_type}, policy text, ndcg float8, is_hit boolean);

DO $body$
DECLARE
    people integer := (SELECT count(*) FROM {s}.hidden);
    done   integer := 0;
    told   timestamptz := clock_timestamp();
    one    record;
BEGIN
    RAISE NOTICE 'lists of ten are compared, of % people', people;
    FOR one IN SELECT person, items FROM {s}.hidden LOOP
        INSERT INTO {s}.compared SELECT one.person, c.* FROM {s}.compare(one.person, one.items) c;
        done := done + 1;
        IF clock_timestamp() > told + interval '5 seconds' THEN
            told := clock_timestamp();
            RAISE NOTICE 'lists of % of % people are compared', done, people;
        END IF;
    END LOOP;
    -- a policy that has no list for somebody finds nothing
    INSERT INTO {s}.compared
    SELECT h.person, p.policy, 0, false
    FROM   {s}.hidden h CROSS JOIN (SELECT DISTINCT policy FROM {s}.compared) p
    WHERE  NOT EXISTS (SELECT FROM {s}.compared c WHERE c.person {same_person} h.person AND c.policy = p.policy);
END
$body$;

-- The best first; differences are those of the same people, and the best one's that to the next.  The
-- best of many is the best by chance, too: errors are those of so many comparisons, about Bonferroni's.
CREATE VIEW {s}.comparison AS
WITH mean AS (
    SELECT policy, avg(is_hit::integer) AS hit_rate,
           stddev(is_hit::integer)::float8 / sqrt(count(*)) AS hit_rate_stderr,
           avg(ndcg) AS ndcg, stddev(ndcg) / sqrt(count(*)) AS ndcg_stderr,
           {s}.errors_of(count(*)) * sqrt(1 + 0.52 * ln(greatest(count(*) OVER () - 1, 1))) AS errors,
           row_number() OVER (ORDER BY avg(ndcg) DESC, policy = 'recommender' DESC) AS place
    FROM   {s}.compared GROUP BY policy),
difference AS (
    SELECT m.policy, avg(x.d) AS d, stddev(x.d) / sqrt(count(*)) AS stderr
    FROM   mean m JOIN mean o ON o.place = CASE m.place WHEN 1 THEN 2 ELSE 1 END
           JOIN {s}.compared c ON c.policy = m.policy
           JOIN {s}.compared b ON b.policy = o.policy AND b.person {same_person} c.person,
           LATERAL (SELECT c.ndcg - b.ndcg AS d) x
    GROUP  BY m.policy)
SELECT m.policy, round(m.hit_rate, 4)::float8 AS hit_rate,
       round(m.hit_rate_stderr::numeric, 4)::float8 AS hit_rate_stderr,
       round(m.ndcg::numeric, 4)::float8 AS ndcg, round(m.ndcg_stderr::numeric, 4)::float8 AS ndcg_stderr,
       CASE WHEN (SELECT max(ndcg) FROM mean) = 0 THEN 'finds nothing'
            ELSE CASE m.place WHEN 1 THEN 'the best, by ' ELSE '' END
                 || coalesce(round(abs(d.d)::numeric, 3)::text, '0')
                 || coalesce(' ± ' || round(d.stderr::numeric, 3), '')
                 || CASE WHEN m.place > 1 THEN ' less' ELSE '' END
                 || CASE WHEN abs(d.d) > m.errors * d.stderr THEN '' ELSE ', which may be chance' END END AS verdict
FROM   mean m LEFT JOIN difference d USING (policy) ORDER BY m.place;
