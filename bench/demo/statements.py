"""The SQL of the demonstration. Nothing else here talks to dlints.

%(name)s is a value that the client puts in; $1 a parameter of a prepared
statement; {contexts} what dlints is told of a movie and its viewer, see
CONTEXTS.
"""

EXTENSION = 'CREATE EXTENSION IF NOT EXISTS dlints'

TABLES = """\
CREATE TABLE movie  (id integer PRIMARY KEY, title text NOT NULL,
                     genres text[] NOT NULL, features real[] NOT NULL);
CREATE TABLE viewer (id integer PRIMARY KEY, features real[] NOT NULL);
CREATE TABLE rating (viewer_id integer NOT NULL REFERENCES viewer,
                     movie_id integer NOT NULL REFERENCES movie,
                     stars real NOT NULL, rated_at timestamptz NOT NULL);
CREATE INDEX ON rating (viewer_id, movie_id);
CREATE TABLE model  (name text PRIMARY KEY, state dlints NOT NULL);
CREATE TABLE visit  (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                     model text NOT NULL,
                     viewer_id integer NOT NULL REFERENCES viewer,
                     movie_id integer NOT NULL REFERENCES movie,
                     reward float8 NOT NULL);
CREATE TABLE feedback (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                     model text NOT NULL,
                     viewer_id integer NOT NULL REFERENCES viewer,
                     movie_id integer NOT NULL REFERENCES movie,
                     reward float8 NOT NULL)"""

# A personal model learns how the viewer's features act on the movie's.
CONTEXTS = {'personal': 'i.features, v.features', 'plain': 'i.features'}

NEW_MODEL = """\
INSERT INTO model (name, state)
VALUES (%(model)s, dlints_new(
    context_dim => %(context_dim)s, shared_dim => %(shared_dim)s,
    reduced_dim => %(reduced_dim)s, intercept => true,
    discount => %(discount)s, ridge => %(ridge)s, seed => %(seed)s))"""

PREPARE_RECOMMEND = """\
PREPARE recommend_{kind} (text, integer) AS
SELECT dlints_recommend(m.state, i.id, {contexts})
FROM   model m, viewer v, movie i
WHERE  m.name = $1 AND v.id = $2"""

RECOMMEND = 'EXECUTE recommend_{kind} (%(model)s, %(viewer)s)'

PREPARE_LEARN = """\
PREPARE learn_{kind} (text, integer, integer, float8) AS
WITH shown AS (INSERT INTO visit (model, viewer_id, movie_id, reward)
               VALUES ($1, $2, $3, $4) RETURNING *)
UPDATE model m
SET    state = dlints_update(m.state, {contexts}, s.reward)
FROM   shown s JOIN movie i ON i.id = s.movie_id
               JOIN viewer v ON v.id = s.viewer_id
WHERE  m.name = s.model"""

LEARN = """\
EXECUTE learn_{kind} (%(model)s, %(viewer)s, %(movie)s, %(reward)s)"""

# "greedy": the best as far as the model knows, without trying others.
FIVE_EACH = """\
WITH best AS MATERIALIZED (
    SELECT dlints_set(state, policy => 'greedy') AS state
    FROM   model WHERE name = %(model)s),
five AS (
    SELECT v.id AS viewer,
           dlints_recommend(m.state, i.id, {contexts}, 5) AS movies
    FROM   best m, viewer v, movie i
    WHERE  v.id = ANY (%(viewers)s)
    AND    NOT EXISTS (SELECT FROM rating r
                       WHERE  r.movie_id = i.id
                       AND    r.viewer_id = ANY (%(viewers)s))
    GROUP  BY v.id)
SELECT f.viewer, i.title, i.genres
FROM   five f, unnest(f.movies) WITH ORDINALITY AS b (id, place)
       JOIN movie i USING (id)
ORDER  BY f.viewer, b.place"""

LEARN_QUEUE = """\
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, i.features, v.features,
                                      b.reward ORDER BY b.id) AS evidence
       FROM   batch b JOIN movie i ON i.id = b.movie_id
              JOIN viewer v ON v.id = b.viewer_id
              JOIN model p ON p.name = b.model
       GROUP  BY p.name) e
WHERE  m.name = e.name"""
