-- Statements of the page; service.py reads them by the names in the headings.

-- ---------- tables ----------

-- Films, views before the service began, and films that visitors have seen since
CREATE TABLE film (
    id     integer PRIMARY KEY,
    title  text NOT NULL,
    genres text[] NOT NULL,
    year   integer GENERATED ALWAYS AS (substring(title from '\((\d{4})\)')::integer) STORED
);
CREATE TABLE watched (
    visitor text NOT NULL,
    film    integer NOT NULL,
    -- the times in the data are years apart
    at      timestamptz NOT NULL DEFAULT now() - random() * interval '14 days'
);
CREATE INDEX ON watched (visitor, at);
CREATE TABLE seen (visitor text, film integer, PRIMARY KEY (visitor, film));

-- ---------- recommender ----------

-- The recommender: a schema "home" with its own tables and functions
SELECT dlints_create_recommender('home', 'film', ARRAY['genres', 'year'],
    clicks => 'SELECT visitor, film, at FROM watched',
    candidates => 'i.id NOT IN (SELECT s.film FROM seen s WHERE s.visitor = user_id)',
    attribution_window => '0')

-- ---------- decide ----------

-- Choose films that the visitor has not seen, log the list, and mark its films as seen
WITH page AS (
    SELECT decision, item FROM home.recommend(%(visitor)s, %(films)s)),
marked AS (
    INSERT INTO seen SELECT %(visitor)s, item FROM page)
SELECT decision, item FROM page

-- ---------- like ----------

-- Report that the visitor likes a film of one of their pages; 0 takes a like back
SELECT home.reward(d.id, s.item, 'click', %(value)s)
FROM   home.decision d JOIN home.impression s ON s.decision = d.id
WHERE  d.id = %(decision)s AND d.user_id = %(visitor)s AND s.item = %(film)s

-- ---------- liked ----------

-- The visitor's likes, newest first
SELECT f.title
FROM   home.decision d
       JOIN home.reward r ON r.decision = d.id AND r.value > 0
       JOIN film f ON f.id = r.item
WHERE  d.user_id = %(visitor)s
ORDER  BY r.at DESC, f.id

-- ---------- learn ----------

-- Train on all pages until now: reward 1 for each like, 0 for the other films
SELECT home.learn()

-- ---------- explain ----------

-- Explain a page: expected reward of each film with its standard error, the contribution of each part, and
-- the most similar film among the visitor's likes (cosine).  Before the first reward there is no error.
WITH part AS (
    SELECT item, json_agg(json_build_object('part', part, 'contribution', contribution)
                          ORDER BY abs(contribution) DESC) AS parts
    FROM   home.explain(%(decision)s) GROUP BY item)
SELECT f.id, f.title, f.genres, d.treatment, s.probability, s.expected,
       CASE WHEN i.updates > 0 THEN dlints_stddev(m.state, s.features, d.profile) END AS error,
       coalesce(r.value, 0) > 0 AS liked, near.title AS nearest, near.cosine,
       part.parts
FROM   home.decision d
       JOIN home.model m ON m.name = 'personal'
       CROSS JOIN dlints_info(m.state) i
       JOIN home.impression s ON s.decision = d.id
       JOIN film f ON f.id = s.item
       JOIN part ON part.item = s.item
       LEFT JOIN home.reward r ON r.decision = s.decision AND r.item = s.item
       LEFT JOIN LATERAL (
           SELECT g.title, dlints_dot(s.features::float8[], o.features)
                           / sqrt(dlints_dot(s.features::float8[], s.features)
                                  * dlints_dot(o.features::float8[], o.features)) AS cosine
           FROM   home.outcome l
                  JOIN home.impression o ON o.decision = l.decision AND o.item = l.item
                  JOIN film g ON g.id = l.item
           WHERE  l.user_id = d.user_id AND l.reward > 0 AND l.at < d.at
           ORDER  BY cosine DESC LIMIT 1) near ON true
WHERE  d.id = %(decision)s
ORDER  BY s.position

-- ---------- memory ----------

-- State of the model
SELECT memory, memories, updates, effective_sample_size, prior_sample_size,
       mean_reward, sigma, bytes
FROM   home.models
WHERE  name = 'personal'

-- ---------- genres ----------

-- Genres of the latest 300 likes, and the number of likes of this visitor among them
SELECT genre, count(*) AS likes, count(*) FILTER (WHERE d.user_id = %(visitor)s) AS yours
FROM  (SELECT * FROM home.reward WHERE value > 0 ORDER BY at DESC LIMIT 300) r
       JOIN home.decision d ON d.id = r.decision
       JOIN film f ON f.id = r.item,
       unnest(f.genres) genre
GROUP  BY genre
ORDER  BY likes DESC, genre
LIMIT  10

-- ---------- pages ----------

-- Mean likes per page over the latest 600 pages, in 30 parts
SELECT avg(likes)::float8 AS likes, count(*) AS pages
FROM  (SELECT d.id, ntile(30) OVER (ORDER BY d.id) AS part,
              (SELECT count(*) FROM home.reward r WHERE r.decision = d.id AND r.value > 0) AS likes
       FROM  (SELECT id FROM home.decision ORDER BY id DESC LIMIT 600) d) pages
GROUP  BY part
ORDER  BY part

-- ---------- report ----------

-- Is the recommender working?
SELECT * FROM home.report()
