"""The SQL of the experiment. Nothing else here talks to dlints.

%(name)s is a value that the client puts in, {name} a part of a statement.
"""

TABLES = """
CREATE TEMP TABLE movie (
    id integer PRIMARY KEY, title text NOT NULL, genres text[] NOT NULL);
-- who rated what: the others, whom one hears of only here
CREATE TEMP TABLE log (person integer NOT NULL, movie integer NOT NULL);
-- who comes: what is known beforehand, and what each clicks on
CREATE TEMP TABLE history (
    person integer, movie integer, PRIMARY KEY (person, movie));
CREATE TEMP TABLE click (
    person integer, movie integer, PRIMARY KEY (person, movie));
CREATE TEMP TABLE visit (number integer PRIMARY KEY, person integer NOT NULL);

-- what a click on a movie earns
CREATE TEMP TABLE worth (
    kind text, movie integer, reward real NOT NULL,
    PRIMARY KEY (kind, movie));
CREATE TEMP TABLE vector (
    kind text, movie integer, features real[] NOT NULL,
    PRIMARY KEY (kind, movie));
CREATE TEMP TABLE profile (
    kind text, person integer, features real[] NOT NULL,
    PRIMARY KEY (kind, person));
CREATE TEMP TABLE seen (
    person integer, movie integer, PRIMARY KEY (person, movie))"""

ANALYSE = 'ANALYZE movie, log, history, click, visit, worth, vector, profile'

# From the log of the others alone.
FACTORS = """
INSERT INTO vector
SELECT %(kind)s, f.*
FROM   dlints_factors('SELECT person, movie FROM log', %(count)s)
       AS f (movie integer, features real[])"""

# Factors and columns, side by side.
ENCODED = """
INSERT INTO vector
SELECT %(kind)s, m.id,
       v.features || dlints_encode(%(count)s, 'genre', m.genres)
FROM   movie m JOIN vector v ON v.movie = m.id
WHERE  v.kind = %(factors)s"""

# Of the same shape as factors, and say which movie it is and no more.
RANDOM = """
INSERT INTO vector
SELECT %(kind)s, id, dlints_encode(%(count)s, 'movie', id::text) FROM movie"""

# How often each was rated, as a vector of one number.
POPULARITY = """
INSERT INTO vector
SELECT %(kind)s, m.id, ARRAY[count(l.movie)]::real[]
FROM   movie m LEFT JOIN log l ON l.movie = m.id
GROUP  BY m.id"""

PROFILES = """
INSERT INTO profile
SELECT v.kind, h.person, dlints_profile(v.features)
FROM   history h JOIN vector v USING (movie)
GROUP  BY v.kind, h.person"""

# Each person's profile is somebody else's.
EXCHANGED = """
INSERT INTO profile
SELECT %(kind)s, p.person, o.features
FROM   profile p JOIN profile o
       ON o.kind = p.kind
       AND o.person = (p.person + 1) %% (SELECT count(DISTINCT person)
                                        FROM history)
WHERE  p.kind = %(profiles)s"""

FORGET = 'TRUNCATE seen; INSERT INTO seen SELECT * FROM history'

# What is best among the candidates c, for the profile u.
CHOICES = {
    'random': 'dlints_argmax(c.movie, random())',
    'popular': 'dlints_argmax(c.movie, c.features[1])',
    'similarity': 'dlints_argmax(c.movie, dlints_dot(u, c.features))',
    'plain': 'dlints_recommend(state, c.movie, c.features)',
    'personal': 'dlints_recommend(state, c.movie, c.features, u)'}
LESSONS = {
    'plain': 'state := dlints_update(state, x, reward)',
    'personal': 'state := dlints_update(state, x, u, reward)'}
NO_LESSON = 'NULL'

PLAY = """
CREATE OR REPLACE FUNCTION pg_temp.play(
    state dlints, items text, profiles text, rewarded text)
RETURNS real[] AS $$
DECLARE
    visitor integer;
    u       real[];
    x       real[];
    shown   integer;
    reward  real;
    rewards real[];
BEGIN
    FOR visitor, u IN
        SELECT v.person, p.features
        FROM   visit v LEFT JOIN profile p
               ON p.person = v.person AND p.kind = profiles
        ORDER  BY v.number
    LOOP
        SELECT {choice} INTO shown
        FROM   vector c
        WHERE  c.kind = items
        AND    NOT EXISTS (SELECT FROM seen s
                           WHERE  s.person = visitor AND s.movie = c.movie);
        SELECT coalesce(max(w.reward), 0) INTO reward
        FROM   click k JOIN worth w USING (movie)
        WHERE  k.person = visitor AND k.movie = shown AND w.kind = rewarded;
        SELECT features INTO x
        FROM   vector c WHERE c.kind = items AND c.movie = shown;
        {lesson};
        INSERT INTO seen VALUES (visitor, shown);
        rewards := rewards || reward;
    END LOOP;
    RETURN rewards;
END
$$ LANGUAGE plpgsql"""

RUN = """
SELECT pg_temp.play({model}, %(items)s, %(profiles)s, %(rewarded)s)"""

COORDINATES = 'SELECT coalesce(cardinality(dlints_mean({model})), 0)'
