"""Are the memory in use and the noise what plain numpy finds?

Prints the Test Anything Protocol; exits with 1 if a check fails.
"""

from collections import Counter
from datetime import datetime, timedelta, timezone

import numpy as np

from bench import server
from history import History, choose
from tap import run_checks

HISTORIES = 500             # of each way to forget
LEAST_DIM, LARGEST_DIM = 2, 30
MOST_MEMORIES = 4
LONGEST = 800
ALWAYS = 12
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
ALLOWED = 1e-8
FEWEST = 5                  # histories that have to end with each memory
MOST_CLOSE = 10             # histories that may end too close to a threshold

TABLES = """
CREATE TABLE seen (
    number integer PRIMARY KEY, context float8[], reward float8,
    at timestamptz, weight float8);

CREATE FUNCTION one_by_one(state dlints) RETURNS dlints AS $$
DECLARE
    s seen;
BEGIN
    FOR s IN SELECT * FROM seen ORDER BY number LOOP
        state := dlints_update(state, s.context, s.reward, s.at, s.weight);
    END LOOP;
    RETURN state;
END
$$ LANGUAGE plpgsql;

CREATE FUNCTION batch(state dlints) RETURNS dlints AS $$
SELECT dlints_update_batch(
           state, array_agg(context ORDER BY number),
           array_agg(reward ORDER BY number), array_agg(at ORDER BY number),
           array_agg(weight ORDER BY number))
FROM   seen
$$ LANGUAGE sql;

CREATE FUNCTION three_parts(state dlints) RETURNS dlints AS $$
SELECT dlints_concat_agg(evidence ORDER BY part)
FROM   (SELECT 3 * number / (SELECT count(*) FROM seen) AS part,
               dlints_evidence(state, context, reward, at, weight
                               ORDER BY number) AS evidence
        FROM   seen
        GROUP  BY part) AS parts
$$ LANGUAGE sql;

CREATE FUNCTION shuffled(state dlints) RETURNS dlints AS $$
SELECT dlints_concat_agg(evidence ORDER BY random())
FROM   (SELECT number % 3 AS part,
               dlints_evidence(state, context, reward, at, weight
                               ORDER BY random()) AS evidence
        FROM   seen
        GROUP  BY part) AS parts
$$ LANGUAGE sql"""

# Above ALWAYS coordinates learning does not choose each time; dlints_set does.
FOUND = """
SELECT i.memory, i.sigma, dlints_mean(model)
FROM   (SELECT dlints_set({way}(dlints_new(
                   %(dim)s, memories => %(memories)s, ridge => %(ridge)s,
                   intercept => %(intercept)s, {rate} => %(rate)s)),
                   noise => %(noise)s) AS model OFFSET 0) AS made,
       dlints_info(model) AS i"""
BY_COUNT = {'rate': 'discount', 'ways': ('one_by_one', 'batch', 'three_parts')}
BY_TIME = {'rate': 'half_life',
           'ways': ('one_by_one', 'batch', 'three_parts', 'shuffled')}


def check(tap, cursor):
    """Make all checks."""
    cursor.execute(TABLES)
    for words, kind in (('by count', BY_COUNT), ('by time', BY_TIME)):
        check_histories(tap, cursor, words, **kind)


def check_histories(tap, cursor, words, rate, ways):
    """Compare the choices after random histories."""
    random = np.random.default_rng(12)
    wrong = {what: [] for what in ('memory', 'sigma', 'mean')}
    used = Counter()
    close = 0
    for case in range(HISTORIES):
        history = make_history(random, rate)
        expected = choose(history)
        if expected.close:
            close += 1
            continue
        used[expected.memory, history.memories] += 1
        found = ask(cursor, history, rate, ways[case % len(ways)])
        for what, differs in compare(expected, *found).items():
            if differs:
                wrong[what].append((case, found, expected))
    for what, cases in wrong.items():
        tap.ok(not cases, f'{words}, {HISTORIES} histories: {what}',
               f'{len(cases)} differ, the first: {cases[:1]}')
    tap.ok(close <= MOST_CLOSE, f'{words}: few histories end on a threshold',
           f'{close} of {HISTORIES}')
    rare = [key for key in ((memory, memories)
                            for memories in range(1, MOST_MEMORIES + 1)
                            for memory in range(1, memories + 1))
            if used[key] < FEWEST]
    tap.ok(not rare, f'{words}: each memory of each number is in use in at '
           f'least {FEWEST} histories', f'{rare}, {used}')


def make_history(random, rate):
    """Return a History whose parameter may change once."""
    dim = round(LEAST_DIM * (LARGEST_DIM / LEAST_DIM) ** random.random())
    intercept = bool(random.integers(2))
    size = int(random.integers(1, LONGEST))
    contexts = random.standard_normal((size, dim)) * random.choice([0.3, 1, 3])
    contexts *= random.random(dim) < random.choice([0.5, 1])
    thetas = random.standard_normal((2, dim))
    change = size - round(size ** random.random())
    later = np.arange(size) >= change
    rewards = np.einsum('ij,ij->i', contexts, thetas[later.astype(int)])
    rewards += random.choice([0.1, 1, 5]) * random.standard_normal(size)
    if random.random() < 0.3:
        rewards = (rewards > 1).astype(float)
    rewards = (random.choice([0, 0, 5, -1e4]) + rewards) * random.choice(
        [1e-3, 1, 1, 1000])
    weights = (random.uniform(0.1, 10, size) if random.random() < 0.5
               else np.ones(size))
    # Whole seconds are what a timestamp holds exactly.
    times = np.sort(random.integers(0, 10 ** 6, size))
    columns = [contexts, np.ones((size, 1))] if intercept else [contexts]
    window = dim * random.choice([1, 1.5, 4])
    rates = {'discount': {'discount': 1 - 1 / window},
             'half_life': {'half_life': float(round(10 ** 6 * window / size))}}
    return History(np.hstack(columns), rewards, times, weights, intercept,
                   10 ** random.uniform(-2, 1),
                   int(random.integers(1, MOST_MEMORIES + 1)), **rates[rate])


def ask(cursor, history, rate, way):
    """Return the memory in use, sigma and the mean that SQL finds."""
    dim = history.reduced.shape[1] - history.intercept
    cursor.execute('TRUNCATE seen')
    server.copy(cursor, 'seen', (
        (number, row[:dim], reward, START + timedelta(seconds=int(time)),
         weight)
        for number, (row, reward, time, weight) in enumerate(zip(
            history.reduced, history.rewards, history.times,
            history.weights))))
    value = (history.discount if rate == 'discount'
             else timedelta(seconds=history.half_life))
    cursor.execute(FOUND.format(way=way, rate=rate), {
        'dim': dim, 'memories': history.memories, 'ridge': history.ridge,
        'intercept': history.intercept, 'rate': value,
        'noise': 0 if history.reduced.shape[1] > ALWAYS else None})
    memory, sigma, mean = cursor.fetchone()
    return memory, sigma, np.array(mean)


def compare(expected, memory, sigma, mean):
    """Return what differs."""
    size = np.abs(expected.mean).max() + expected.sigma
    return {'memory': memory != expected.memory,
            'sigma': abs(sigma / expected.sigma - 1) > ALLOWED,
            'mean': (memory == expected.memory and
                     np.abs(mean - expected.mean).max() > ALLOWED * size)}


run_checks(check)
