"""The SQL of the experiment. Nothing else here talks to dlints.

%(name)s is a value that the client puts in, {name} a part of a statement.
"""

TABLES = """
CREATE TEMP TABLE movie (
    id integer PRIMARY KEY, title text NOT NULL, genres text[] NOT NULL);
-- who rated what: the others, whom one hears of only here
CREATE TEMP TABLE log (
    place integer PRIMARY KEY, person integer NOT NULL, movie integer NOT NULL);
-- who comes, over and over: what is known beforehand, and what each clicks on;
-- a click counts in a round if more than its luck of them are kept
CREATE TEMP TABLE history (
    person integer, movie integer, PRIMARY KEY (person, movie));
CREATE TEMP TABLE click (
    person integer, movie integer, luck real[] NOT NULL,
    PRIMARY KEY (person, movie));
CREATE TEMP TABLE visit (
    number integer PRIMARY KEY, round integer NOT NULL, person integer NOT NULL);

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
    person integer, movie integer, PRIMARY KEY (person, movie));
-- the log's last clicks with the profile before, and what stands in for all
-- that was shown and not clicked
CREATE TEMP TABLE example (
    place integer, movie integer, profile real[], clicked boolean NOT NULL)"""

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

# As doc/guide.md has it.
EXAMPLES = """
INSERT INTO example
WITH event AS (
    SELECT l.place, l.movie,
           dlints_profile(v.features) OVER (
               PARTITION BY l.person ORDER BY l.place
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS profile
    FROM   log l JOIN vector v USING (movie)
    WHERE  v.kind = %(kind)s),
recent AS (SELECT * FROM event ORDER BY place DESC LIMIT %(count)s)
SELECT *, true FROM recent
UNION ALL
SELECT place, floor(random() * (SELECT count(*) FROM movie)), profile, false
FROM   recent, generate_series(1, 4)"""

# What is best among the candidates c, for the profile u.
CHOICES = {
    'random': '(array_agg(c.movie ORDER BY random() DESC))[1]',
    'popular': '(array_agg(c.movie ORDER BY c.features[1] DESC))[1]',
    'similarity': '(array_agg(c.movie ORDER BY '
                  'dlints_dot(u, c.features) DESC))[1]',
    'plain': 'dlints_recommend(state, c.movie, c.features)',
    'personal': '(dlints_recommend(state, c.movie, c.features, 1, u))[1]'}
LESSONS = {
    'plain': 'state := dlints_update(state, x, reward)',
    'personal': 'state := dlints_update(state, x, reward, u)'}
NO_LESSON = 'NULL'

PLAY = """
CREATE OR REPLACE FUNCTION pg_temp.play(
    state dlints, items text, profiles text, rewarded text, rounds integer,
    kept real)
RETURNS real[] AS $$
DECLARE
    this    integer;
    last    integer := 0;
    visitor integer;
    u       real[];
    x       real[];
    shown   integer;
    earned  real;
    reward  real;
    rewards real[];
BEGIN
    FOR this, visitor, u IN
        SELECT v.round, v.person, p.features
        FROM   visit v LEFT JOIN profile p
               ON p.person = v.person AND p.kind = profiles
        WHERE  v.round <= rounds
        ORDER  BY v.number
    LOOP
        IF this > last THEN
            TRUNCATE seen;
            INSERT INTO seen SELECT * FROM history;
            last := this;
        END IF;
        SELECT {choice} INTO shown
        FROM   vector c
        WHERE  c.kind = items
        AND    NOT EXISTS (SELECT FROM seen s
                           WHERE  s.person = visitor AND s.movie = c.movie);
        SELECT coalesce(max(w.reward), 0),
               coalesce(max(w.reward) FILTER (WHERE k.luck[this] < kept), 0)
        INTO   earned, reward
        FROM   click k JOIN worth w USING (movie)
        WHERE  k.person = visitor AND k.movie = shown AND w.kind = rewarded;
        SELECT features INTO x
        FROM   vector c WHERE c.kind = items AND c.movie = shown;
        {lesson};
        INSERT INTO seen VALUES (visitor, shown);
        rewards := rewards || earned;
    END LOOP;
    RETURN rewards;
END
$$ LANGUAGE plpgsql"""

RUN = """
SELECT pg_temp.play({model}, %(items)s, %(profiles)s, %(rewarded)s, %(rounds)s,
                    %(kept)s)"""

# Of the log: four stand-ins with a reward of 0 for each click
EVIDENCE = """
(SELECT dlints_evidence({model}, v.features, e.clicked::integer, e.profile
                        ORDER BY e.place)
 FROM   example e JOIN vector v USING (movie)
 WHERE  v.kind = %(items)s)"""
BEGINNINGS = {
    'nothing': '{model}',
    'log': f'0.1 * ({{model}} || {EVIDENCE})',
    'prior': f'dlints_with_prior({{model}}, {EVIDENCE}, 0.1)'}
HAS_PRIOR = "SELECT 'dlints_with_prior' IN (SELECT proname FROM pg_proc)"

COORDINATES = 'SELECT coalesce(cardinality(dlints_mean({model})), 0)'
