"""The SQL of the demonstration. Nothing else here talks to dlints.

%(name)s is a value that the client puts in, $1 a parameter of a prepared
statement, {name} a part of a statement in which services differ.
"""

EXTENSION = 'CREATE EXTENSION IF NOT EXISTS dlints'

TABLES = """\
CREATE TABLE movie (
    id         integer PRIMARY KEY,
    title      text NOT NULL,
    genres     text[] NOT NULL,
    popularity bigint NOT NULL DEFAULT 0,
    factors    real[],
    features   real[] NOT NULL GENERATED ALWAYS AS (
        coalesce(factors, array_fill(0::real, '{32}'))
        || dlints_encode(32, 'genre', genres, 'decade',
               substring(title from '\\((\\d{3})\\d\\)') || '0s')) STORED);

-- who watched what until yesterday
CREATE TABLE log     (viewer_id integer NOT NULL,
                      movie_id  integer NOT NULL REFERENCES movie);

-- what each service knows of today's visitors and what it shows them
CREATE TABLE visit   (service   text, viewer_id integer,
                      movie_id  integer REFERENCES movie,
                      reward    real NOT NULL,   -- 0: not clicked
                      PRIMARY KEY (service, viewer_id, movie_id));

CREATE TABLE model   (name text PRIMARY KEY, state dlints NOT NULL)"""

FACTORS = """\
UPDATE movie m
SET    factors = f.factors
FROM   dlints_factors('SELECT viewer_id, movie_id FROM log', 32)
       AS f (id integer, factors real[])
WHERE  f.id = m.id"""

POPULARITY = """\
UPDATE movie m
SET    popularity = l.clicks
FROM  (SELECT movie_id, count(*) AS clicks FROM log GROUP BY movie_id) l
WHERE  l.movie_id = m.id"""

# A person is like what that person clicks.
PROFILE = """\
CREATE FUNCTION profile(service text, viewer_id integer) RETURNS real[]
STABLE LANGUAGE sql AS $$
    SELECT dlints_profile(m.features)
    FROM   visit v JOIN movie m ON m.id = v.movie_id
    WHERE  v.service = $1 AND v.viewer_id = $2 AND v.reward > 0
$$"""

MODELS = """\
INSERT INTO model VALUES
    ('plain',   dlints_new(64)),
    ('matched', dlints_new(64, interactions => 'matched')),
    ('earning', dlints_new(64, interactions => 'matched'))"""

ANALYSE = 'VACUUM ANALYZE movie, log, visit, model'

# What each service goes by; whoever has clicked nothing yet is like nothing.
PLACES = 5
CHOICES = {
    'popular': f'dlints_top(i.id, i.popularity, {PLACES})',
    'similar': f"""\
dlints_top(i.id, CASE WHEN u = '{{}}' THEN i.popularity
                      ELSE dlints_dot(u, i.features) END, {PLACES})""",
    'plain': f'dlints_recommend(m.state, i.id, i.features, {PLACES})',
    'matched': f'dlints_recommend(m.state, i.id, i.features, u, {PLACES})'}
# The same, but it is told what a click earns.
CHOICES['earning'] = CHOICES['matched']

# What a model is told of a movie and who it is shown to, where there is one.
CONTEXTS = {'plain': 'i.features', 'matched': 'i.features, u',
            'earning': 'i.features, u'}

UNSEEN = """\
NOT EXISTS (SELECT FROM visit v
                   WHERE  v.service = {service} AND v.viewer_id = {viewer}
                   AND    v.movie_id = i.id)"""

PREPARE_RECOMMEND = """\
PREPARE recommend_{service} (text, integer) AS
SELECT {choice}
FROM   {source}movie i, profile($1, $2) AS u
WHERE  {source_is}""" + UNSEEN.format(service='$1', viewer='$2')

MODEL_SOURCE = {'source': 'model m, ', 'source_is': 'm.name = $1\nAND    '}
NO_SOURCE = {'source': '', 'source_is': ''}

RECOMMEND = 'EXECUTE recommend_{service} (%(service)s, %(viewer)s)'

SHOWN = """\
INSERT INTO visit
       SELECT $1, $2, s.* FROM unnest($3, $4) s"""

PREPARE_NOTE = """\
PREPARE note_{service} (text, integer, integer[], real[]) AS
""" + SHOWN

PREPARE_LEARN = """\
PREPARE note_{service} (text, integer, integer[], real[]) AS
WITH shown AS (
       """ + SHOWN + """ RETURNING *)
UPDATE model m
SET    state = m.state || e.evidence
FROM  (SELECT dlints_evidence(o.state, {contexts}, s.reward) AS evidence
       FROM   model o, shown s, movie i, profile($1, $2) AS u
       WHERE  o.name = $1 AND i.id = s.movie_id) e
WHERE  m.name = $1"""

NOTE = """\
EXECUTE note_{service} (%(service)s, %(viewer)s, %(movies)s, %(rewards)s)"""

# The visitors of whom most is known, and what they are like
VIEWERS = """\
SELECT v.viewer_id, profile('matched', v.viewer_id)
FROM   visit v
WHERE  v.service = 'matched' AND v.reward > 0
GROUP  BY v.viewer_id
ORDER  BY count(*) DESC, v.viewer_id
LIMIT  50"""

# The genres that somebody watches more than others do
LIKES = """\
SELECT g.genre
FROM  (SELECT genre, v.viewer_id = %(viewer)s AS own,
              count(*) / sum(count(*)) OVER (
                  PARTITION BY v.viewer_id = %(viewer)s) AS share
       FROM   visit v JOIN movie i ON i.id = v.movie_id,
              unnest(i.genres) AS genre
       WHERE  v.service = 'matched' AND v.reward > 0
       GROUP  BY 1, 2) g
GROUP  BY g.genre
ORDER  BY sum(CASE WHEN g.own THEN g.share ELSE -g.share END) DESC
LIMIT  3"""

LISTS = """\
WITH person AS MATERIALIZED (
    SELECT id, profile('matched', id) AS u
    FROM   unnest(%(viewers)s) AS id),
five AS (
    SELECT p.id, dlints_recommend(m.state, i.id, i.features, p.u, 5) AS movies
    FROM   person p, model m, movie i
    WHERE  m.name = 'matched'
    AND    """ + UNSEEN.format(service="'matched'", viewer='p.id') + """
    GROUP  BY p.id)
SELECT f.id, i.id, i.title, i.genres
FROM   five f, unnest(f.movies) WITH ORDINALITY AS b (id, place)
       JOIN movie i USING (id)
ORDER  BY f.id, b.place"""

# What a model expects of a movie that is nothing but of this genre, against
# what it expects of other genres
WORTH = """\
WITH genre AS (
    SELECT name, array_fill(0::real, '{32}')
                 || dlints_encode(32, 'genre', name) AS features
    FROM  (SELECT DISTINCT unnest(genres) FROM movie) AS g (name)),
person AS (
    SELECT id, profile('matched', id) AS u FROM unnest(%(viewers)s) AS id),
expected AS (
    SELECT m.name AS service, p.id, g.name AS genre,
           dlints_predict(m.state, g.features, p.u) AS reward,
           dlints_stddev(m.state, g.features, p.u) AS give_or_take
    FROM   model m, person p, genre g
    WHERE  m.name IN ('matched', 'earning'))
SELECT service, id, genre, give_or_take,
       reward - avg(reward) OVER (PARTITION BY service, id) AS worth
FROM   expected
ORDER  BY worth DESC"""

DECISION = """\
SELECT i.title, (c.choice).probability, c.expected, c.give_or_take
FROM  (SELECT i.id, dlints_choose(m.state, i.features, u, draws => 1000)
                    OVER () AS choice,
              dlints_predict(m.state, i.features, u) AS expected,
              dlints_stddev(m.state, i.features, u) AS give_or_take
       FROM   model m, movie i, profile('matched', %(viewer)s) AS u
       WHERE  m.name = 'matched'
       AND    """ + UNSEEN.replace('\n', '\n    ').format(
           service="'matched'", viewer='%(viewer)s') + """) c
       JOIN movie i USING (id)
ORDER  BY (c.choice).rank, (c.choice).probability DESC
LIMIT  6"""

MODEL = """\
SELECT m.name, i.updates, i.memory, i.windows, i.bytes
FROM   model m, dlints_info(m.state) i
ORDER  BY i.bytes, m.name"""
