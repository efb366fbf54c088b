"""The SQL of the demonstration. Nothing else here talks to dlints.

%(name)s is a value that the client puts in; $1 a parameter of a prepared
statement.
"""

EXTENSION = 'CREATE EXTENSION IF NOT EXISTS dlints'

TABLES = """\
CREATE TABLE movie  (id integer PRIMARY KEY, title text NOT NULL,
                     genres text[] NOT NULL, features real[] NOT NULL);
CREATE TABLE viewer (id integer PRIMARY KEY);
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
                     movie_id integer NOT NULL REFERENCES movie,
                     reward float8 NOT NULL)"""

NEW_MODEL = """\
INSERT INTO model (name, state)
VALUES (%(model)s, dlints_new(
    context_dim => %(context_dim)s, reduced_dim => %(reduced_dim)s,
    discount => %(discount)s, seed => %(seed)s))"""

PREPARE_RECOMMEND = """\
PREPARE recommend (text) AS
SELECT dlints_recommend(m.state, i.id, i.features)
FROM   model m, movie i
WHERE  m.name = $1"""

RECOMMEND = 'EXECUTE recommend (%(model)s)'

PREPARE_LEARN = """\
PREPARE learn (text, integer, integer, float8) AS
WITH shown AS (INSERT INTO visit (model, viewer_id, movie_id, reward)
               VALUES ($1, $2, $3, $4) RETURNING model, movie_id, reward)
UPDATE model m SET state = dlints_update(m.state, i.features, s.reward)
FROM   shown s JOIN movie i ON i.id = s.movie_id
WHERE  m.name = s.model"""

LEARN = 'EXECUTE learn (%(model)s, %(viewer)s, %(movie)s, %(reward)s)'

FIVE_UNSEEN = """\
SELECT i.title
FROM   unnest((SELECT dlints_recommend(m.state, i.id, i.features, 5)
               FROM   model m, movie i
               WHERE  m.name = %(model)s
               AND    NOT EXISTS (SELECT FROM rating r
                                  WHERE  r.viewer_id = %(viewer)s
                                  AND    r.movie_id = i.id)))
       WITH ORDINALITY AS best (id, place)
JOIN   movie i USING (id)
ORDER  BY place"""

LEARN_QUEUE = """\
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, i.features, b.reward
                                      ORDER BY b.id) AS evidence
       FROM   batch b JOIN movie i ON i.id = b.movie_id
              JOIN model p ON p.name = b.model
       GROUP  BY p.name) e
WHERE  m.name = e.name"""
