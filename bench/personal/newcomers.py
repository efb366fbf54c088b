"""People of whom nothing is known: what makes a profile of few clicks?

Half of the users make item vectors. Of the others one half comes fifty times
each, in turns, and then the other half: these are the newcomers, whose clicks
count here. At each visit one of fifty movies by chance is shown that were not
shown before. All share one matched model.
"""

import numpy as np

from bench.movielens import most_rated
from bench.personal import statements
from bench.personal.policies import FACTORS
from bench.report import at_least, error, print_results, table, with_error
from bench.server import copy, session, value

VISITS, FIRST = 50, 10
FEWEST = 60                 # movies that a person rated
LEAST_BAR = 1.05

TABLES = """
CREATE TEMP TABLE star (person integer, movie integer, stars real);
CREATE TEMP TABLE call (
    number integer PRIMARY KEY, person integer, other integer);
CREATE TEMP TABLE event (
    person integer, movie integer, reward integer,
    PRIMARY KEY (person, movie))"""
OFFER = """
CREATE TEMP TABLE offer AS
SELECT c.person, m.id AS movie, coalesce(stars >= {least}, false) AS clicked
FROM  (SELECT DISTINCT person FROM call) c CROSS JOIN movie m
       {join} JOIN star s ON (s.person, s.movie) = (c.person, m.id);
ALTER TABLE offer ADD PRIMARY KEY (person, movie);
ANALYZE"""
GENRES = """
INSERT INTO vector
SELECT 'genres', id, dlints_encode(%(count)s, 'genre', genres) FROM movie"""

OWN = f"""dlints_weights(dlints_evidence(
    dlints_new({FACTORS}, memories => 1, ridge => 10),
    v.features, e.reward))::real[]"""
DIFFERS = f"""dlints_weights(dlints_evidence(
    dlints_new({FACTORS}, memories => 1, ridge => 10, intercept => false),
    v.features, e.reward - dlints_predict(state, v.features)))::real[]"""
SUM, MODEL = 'what was clicked, added up', 'what differs from all people'
# a profile, and whose visits it is made of
WAYS = {
    SUM: ('dlints_profile(v.features) FILTER (WHERE e.reward > 0)', 'person'),
    'the same, what was not times -0.5': ("""dlints_profile(
        v.features, CASE WHEN e.reward > 0 THEN 1 ELSE -0.5 END)""", 'person'),
    'a model of their own': (OWN, 'person'),
    MODEL: (DIFFERS, 'person'),
    'the same, of somebody else': (DIFFERS, 'other')}

# Offered are all movies, and a click is one that the person rated; or those,
# and a click is a good one. Then the vectors, and the share of clicks seen.
ALL, RATED = {'join': 'LEFT', 'least': 0.5}, {'join': '', 'least': 4}
CLICKS = 'clicks'
COLUMNS = {
    CLICKS: (ALL, 'factors', 1), 'one in ten seen': (ALL, 'factors', 0.1),
    'genres': (ALL, 'genres', 1), 'liked or not': (RATED, 'factors', 1),
    'random numbers': (ALL, 'random', 1)}

PLAY = """
CREATE OR REPLACE FUNCTION pg_temp.newcomers(items text, seen real)
RETURNS real[] AS $$
DECLARE
    state   dlints := dlints_new({count}, interactions => 'matched');
    visit   call;
    u       real[];
    best    integer;
    shown   record;
    rewards real[];
BEGIN
    TRUNCATE event;
    FOR visit IN SELECT * FROM call ORDER BY number LOOP
        SELECT coalesce({profile}, '{{}}') INTO u
        FROM   event e JOIN vector v USING (movie)
        WHERE  v.kind = items AND e.person = visit.{whose};
        SELECT (dlints_recommend(state, movie, features, 1, u))[1] INTO best
        FROM  (SELECT movie FROM offer
               WHERE  person = visit.person
               AND    movie NOT IN (SELECT movie FROM event
                                    WHERE  person = visit.person)
               ORDER  BY random() LIMIT 50) o JOIN vector USING (movie)
        WHERE  kind = items;
        SELECT features, clicked::integer,
               (clicked AND random() < seen)::integer AS reward INTO shown
        FROM   offer JOIN vector USING (movie)
        WHERE  person = visit.person AND movie = best AND kind = items;
        state := dlints_update(state, shown.features, shown.reward, u);
        INSERT INTO event VALUES (visit.person, best, shown.reward);
        rewards := rewards || shown.clicked::real;
    END LOOP;
    RETURN rewards;
END
$$ LANGUAGE plpgsql"""


def play(ratings, catalogue, seed, size):
    """Return {(column, way): clicks of newcomers, a row for each visit}."""
    earned = {}
    for column, (offers, items, seen) in COLUMNS.items():
        with session() as cursor:
            cursor.execute('SELECT setseed(0.5)')
            people = _load(cursor, ratings, catalogue, seed, size)
            cursor.execute(OFFER.format(**offers))
            for way, (profile, whose) in WAYS.items():
                cursor.execute(PLAY.format(count=FACTORS, profile=profile,
                                           whose=whose))
                rewards = np.array(value(
                    cursor, 'SELECT pg_temp.newcomers(%(items)s, %(seen)s)',
                    items=items, seen=seen))
                earned[column, way] = rewards.reshape(2, VISITS, people)[1]
    return earned


def _load(cursor, ratings, catalogue, seed, size):
    """Load what the session begins with; return how many newcomers there are.
    """
    random = np.random.default_rng(seed)
    others, coming = np.array_split(
        random.permutation(np.unique(ratings['user'])), 2)
    top = most_rated(ratings['movie'][np.isin(ratings['user'], others)], size)
    known = ratings[np.isin(ratings['movie'], top)]
    people, counts = np.unique(known['user'], return_counts=True)
    people = np.intersect1d(coming, people[counts >= FEWEST])
    halves = random.permutation(people)[:len(people) // 2 * 2].reshape(2, -1)
    calls = [pair for half in halves for _ in range(VISITS)
             for pair in random.permutation(
                 np.column_stack([half, np.roll(half, 1)]))]

    cursor.execute(f'{statements.TABLES}; {TABLES}')
    copy(cursor, 'movie', ((movie, '', catalogue[movie].genres)
                           for movie in top))
    copy(cursor, 'log', ((place, *pair) for place, pair in enumerate(
        known[np.isin(known['user'], others)][['user', 'movie']])))
    copy(cursor, 'star', known[['user', 'movie', 'rating']])
    copy(cursor, 'call', ((number, *pair) for number, pair
                          in enumerate(calls)))
    for kind, statement in (('factors', statements.FACTORS),
                            ('random', statements.RANDOM), ('genres', GENRES)):
        cursor.execute(statement, {'kind': kind, 'count': FACTORS})
    return halves.shape[1]


def print_all(plays):
    """Print the table of all seeds; return whether the bar is met."""
    means = {key: np.array([earned[key].mean() for earned in plays])
             for key in plays[0]}
    print('\nPeople of whom nothing is known: clicks a visit, of '
          f'{VISITS} visits each\n')
    print(table([('profile', *COLUMNS, f'clicks, first {FIRST}')] + [
        (way, *(with_error(means[column, way]) for column in COLUMNS),
         with_error([earned[CLICKS, way][:FIRST].mean() for earned in plays]))
        for way in WAYS]) + '\n')
    ratios = means[CLICKS, MODEL] / means[CLICKS, SUM]
    return print_results([at_least(
        f'{MODEL} against {SUM}, less two errors',
        ratios.mean() - 2 * error(ratios), LEAST_BAR, with_error(ratios))])
