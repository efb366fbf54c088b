"""Ratings of songs by chance, from ratings of songs that people chose."""

from time import perf_counter

import numpy as np

from bench.program import UserError
from bench.report import with_error
from bench.server import copy

TITLE = 'Ratings of songs by chance, from ratings of songs that people chose'
SOURCE = ('Yahoo! R3; Schnabel, Swaminathan, Singh, Chandak, Joachims: Recommendations '
          'as Treatments, ICML 2016')
FOLDER = 'yahoo'
FILES = 'train.txt', 'test.txt'
PUBLISHED = (('MF-IPS', .989, .810), ('MF, naive', 1.891, 1.154))
KNOWN, FACTORS, RIDGES = 0.05, 16, (1, 3, 10, 30, 100)

CREATE = """
    CREATE TABLE yahoo_rating (part text, person integer, song integer, rating float8);
    CREATE TABLE yahoo_weight (rating float8, weight float8)"""
VECTORS = f"""
    CREATE TABLE yahoo_vector AS
    SELECT song, 1::real || factors AS features
    FROM   dlints_factors($$SELECT person, song FROM yahoo_rating WHERE part = 'chosen'$$,
                          {FACTORS}) AS f (song integer, factors real[])"""
# weight of a rating: its frequency among random songs, relative to songs that
# people chose
WEIGHTS = """
    TRUNCATE yahoo_weight;
    INSERT INTO yahoo_weight
    SELECT rating, (count(*) FILTER (WHERE part = 'known') + 1.0)
                   / count(*) FILTER (WHERE part = 'chosen')
    FROM   yahoo_rating GROUP BY rating HAVING bool_or(part = 'chosen');
    UPDATE yahoo_weight SET weight = weight * (
        SELECT count(*) / sum(w.weight)
        FROM   yahoo_rating r JOIN yahoo_weight w USING (rating) WHERE part = 'chosen')"""
WAYS = {'dlints, with propensities': 'ANALYZE yahoo_rating',
        'dlints, without': 'UPDATE yahoo_weight SET weight = 1'}
# mean rating of a song, and differences of a person's ratings
NEW = 'dlints_new({}, memories => 1, ridge => {}, intercept => false)'
LEARN = f"""
    DROP TABLE IF EXISTS yahoo_song, yahoo_person;
    CREATE TABLE yahoo_song AS
    WITH usual AS MATERIALIZED (
        SELECT sum(weight * rating) / sum(weight) AS mean
        FROM   yahoo_rating JOIN yahoo_weight USING (rating) WHERE part = 'chosen')
    SELECT v.song, v.features, u.mean + coalesce(e.differs, 0) AS mean
    FROM   usual u, yahoo_vector v LEFT JOIN (
               SELECT song, dlints_predict({NEW.format(1, 1)} || dlints_evidence(
                          {NEW.format(1, 1)}, '{{1}}'::real[], rating - u.mean, '{{}}', NULL,
                          weight), '{{1}}'::real[]) AS differs
               FROM   usual u, yahoo_rating JOIN yahoo_weight USING (rating)
               WHERE  part = 'chosen' GROUP BY song) e USING (song);
    CREATE TABLE yahoo_person AS
    SELECT person, dlints_evidence({NEW.format(FACTORS + 1, 1)}, s.features, rating - s.mean,
                                   '{{}}', NULL, weight) AS evidence
    FROM   yahoo_rating JOIN yahoo_weight USING (rating) JOIN yahoo_song s USING (song)
    WHERE  part = 'chosen' GROUP BY person"""
PREDICT = f"""
    WITH model AS MATERIALIZED (
        SELECT person, {NEW.format(FACTORS + 1, '%(ridge)s')} || evidence AS state
        FROM   yahoo_person)
    SELECT avg((p.predicted - r.rating) ^ 2), avg(abs(p.predicted - r.rating))
    FROM   yahoo_rating r JOIN yahoo_song s USING (song) LEFT JOIN model m USING (person),
           LATERAL (SELECT least(greatest(s.mean + coalesce(
                        dlints_predict(m.state, s.features), 0), 1), 5) AS predicted) p
    WHERE  r.part = %(part)s"""


def rows(cursor, folder, options, advance):
    """Return the rows of the table."""
    chosen, chance = (read(folder / name) for name in FILES)
    cursor.execute(CREATE)
    copy(cursor, 'yahoo_rating', (('chosen', *row) for row in chosen.tolist()))
    cursor.execute(VECTORS)
    found = {name: [] for name in WAYS}
    for seed in range(options.draws):
        divide(cursor, chance, seed)
        for name, found_here in found.items():
            found_here.append(errors(cursor, WAYS[name]))
        advance((seed + 1) / options.draws)
    cursor.execute('DROP TABLE yahoo_rating, yahoo_weight, yahoo_vector, yahoo_song, yahoo_person')
    return [('way', 'mean squared error', 'mean absolute error', 'ridges', 'took'),
            *((name, f'{mse:.3f}', f'{mae:.3f}', '', '') for name, mse, mae in PUBLISHED),
            *(row(name, *zip(*found_here)) for name, found_here in found.items())]


def row(name, squared, absolute, ridges, took):
    """Return a row of the table."""
    return (name, with_error(squared), with_error(absolute),
            ', '.join(map(str, sorted(set(ridges)))), f'{np.mean(took):.0f} s')


def divide(cursor, chance, seed):
    """Say which of the ratings by chance are known."""
    known = np.random.default_rng(seed).random(len(chance)) < KNOWN
    cursor.execute("DELETE FROM yahoo_rating WHERE part <> 'chosen'")
    copy(cursor, 'yahoo_rating', (
        ('known' if is_known else 'test', *row) for is_known, row in zip(known, chance.tolist())))


def errors(cursor, weigh):
    """Return errors, the ridge that is best where ratings by chance are known, and seconds."""
    start = perf_counter()
    cursor.execute(f'{WEIGHTS}; {weigh}; {LEARN}; ANALYZE yahoo_song, yahoo_person')
    _, ridge = min((predict(cursor, ridge, 'known'), ridge) for ridge in RIDGES)
    return *predict(cursor, ridge, 'test'), ridge, perf_counter() - start


def predict(cursor, ridge, part):
    """Return the errors in a part of the ratings."""
    cursor.execute(PREDICT, {'ridge': ridge, 'part': part})
    return cursor.fetchone()


def read(path):
    """Return rows of person, song and rating, with tabs or commas between them."""
    try:
        with open(path, encoding='utf-8') as file:
            return np.loadtxt((line.replace(',', '\t') for line in file), int, ndmin=2,
                              usecols=(0, 1, 2))
    except (ValueError, IndexError) as error:
        raise UserError(f'{path} is malformed: {error}') from None
