-- What lists can be made of in a few lines: how often an item was clicked, and lately
CREATE TABLE {s}.known AS
SELECT v.item, v.encoded, v.factors, k.clicks, k.lately
FROM  (SELECT c.item, count(*) AS clicks,
              count(*) FILTER (WHERE c.at > (SELECT max(at) FROM {s}.click) - interval '14 days') AS lately
       FROM   {s}.click c GROUP BY c.item ORDER BY count(*) DESC LIMIT 20000) k
       JOIN {s}.item_vector v ON v.item {same_item} k.item;

-- and by how many of the same people two items were clicked: the cosine
CREATE TABLE {s}.near AS
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
        SELECT {dlints}.dlints_profile(k.factors, 1::float8) AS factors,
               {dlints}.dlints_profile(k.encoded, 1::float8) AS encoded
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

DO $body$
BEGIN
    RAISE NOTICE 'lists of ten are compared, of % people', (SELECT count(*) FROM {s}.hidden);
END
$body$;

-- Lists of ten: how much of what each person clicked then is in them
CREATE TABLE {s}.compared AS
WITH scored AS (
    SELECT h.person, s.policy, s.item, s.score, EXISTS (
               SELECT FROM {s}.click c WHERE c.person {same_person} h.person AND c.item {same_item} s.item) AS is_seen
    FROM   {s}.hidden h, LATERAL {s}.scores(h.person) s),
list AS (
    SELECT person, policy, item, is_seen,
           row_number() OVER (PARTITION BY person, policy, is_seen ORDER BY score DESC) AS place
    FROM   scored
    UNION ALL
    SELECT h.person, 'recommender', r.item, false, r.place
    FROM   {s}.hidden h, LATERAL {s}.recommend(h.person, 10) r)
SELECT h.person, p.policy,
       coalesce(sum(1 / ln(l.place + 1)) FILTER (WHERE l.item {same_item} ANY (h.items)), 0)
       / (SELECT sum(1 / ln(n + 1)) FROM generate_series(1, least(cardinality(h.items), 10)) n) AS ndcg,
       coalesce(bool_or(l.item {same_item} ANY (h.items)), false) AS is_hit
FROM   {s}.hidden h CROSS JOIN (SELECT DISTINCT policy FROM list) p
       LEFT JOIN list l ON l.person {same_person} h.person AND l.policy = p.policy AND l.place <= 10 AND NOT l.is_seen
GROUP  BY h.person, h.items, p.policy;

-- The best first; differences are those of the same people
CREATE VIEW {s}.comparison AS
WITH mean AS (
    SELECT policy, avg(is_hit::integer) AS hit_rate, stddev(is_hit::integer)::float8 / sqrt(count(*)) AS hit_rate_stderr,
           avg(ndcg) AS ndcg, stddev(ndcg) / sqrt(count(*)) AS ndcg_stderr,
           row_number() OVER (ORDER BY avg(ndcg) DESC, policy = 'recommender' DESC) AS place
    FROM   {s}.compared GROUP BY policy),
difference AS (
    SELECT c.policy, avg(b.ndcg - c.ndcg) AS less, stddev(b.ndcg - c.ndcg) / sqrt(count(*)) AS stderr
    FROM   {s}.compared c JOIN mean m ON m.place = 1
           JOIN {s}.compared b ON b.policy = m.policy AND b.person {same_person} c.person
    GROUP  BY c.policy)
SELECT m.policy, round(m.hit_rate, 4)::float8 AS hit_rate,
       round(m.hit_rate_stderr::numeric, 4)::float8 AS hit_rate_stderr,
       round(m.ndcg::numeric, 4)::float8 AS ndcg, round(m.ndcg_stderr::numeric, 4)::float8 AS ndcg_stderr,
       CASE WHEN m.place = 1 THEN 'the best'
            ELSE format('%s ± %s less%s', round(d.less::numeric, 3), round(d.stderr::numeric, 3),
                        CASE WHEN d.less <= 2 * d.stderr THEN ', which may be chance' END) END AS verdict
FROM   mean m JOIN difference d USING (policy) ORDER BY m.place;
