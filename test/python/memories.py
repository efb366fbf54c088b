"""Compare memory in use, noise, ridge and posterior with numpy.

Prints the Test Anything Protocol; exits with 1 if a test fails.
"""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np

from bench import server
from history import Choice, History, choose
from tap import run_checks

HISTORIES = 500             # of each way to forget
LEAST_DIM, LARGEST_DIM = 2, 30
MOST_MEMORIES = 4
LONGEST = 800
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
ALLOWED = 1e-8
FEWEST = 3                  # histories that have to end with each memory
MOST_CLOSE = 15             # histories that may end too close to a threshold
MOST_KNOWN = 300            # observations of a prior
MOST_QUIET = 80             # half-lives

TABLES = """
CREATE TABLE seen (
    number integer PRIMARY KEY, features float8[], reward float8,
    at timestamptz, weight float8);

CREATE FUNCTION one_by_one(state dlints) RETURNS dlints AS $$
DECLARE
    s seen;
BEGIN
    FOR s IN SELECT * FROM seen WHERE number >= 0 ORDER BY number LOOP
        state := dlints_update(state, s.features, s.reward, '{}', s.at,
                               s.weight);
    END LOOP;
    RETURN state;
END
$$ LANGUAGE plpgsql;

CREATE FUNCTION batch(state dlints) RETURNS dlints AS $$
SELECT dlints_update_batch(
           state, array_agg(features ORDER BY number),
           array_agg(reward ORDER BY number), '{}',
           array_agg(at ORDER BY number), array_agg(weight ORDER BY number))
FROM   seen
WHERE  number >= 0
$$ LANGUAGE sql;

CREATE FUNCTION three_parts(state dlints) RETURNS dlints AS $$
SELECT state || dlints_concat_agg(evidence ORDER BY part)
FROM   (SELECT 3 * number / (SELECT max(number) + 1 FROM seen) AS part,
               dlints_evidence(state, features, reward, '{}', at, weight
                               ORDER BY number) AS evidence
        FROM   seen
        WHERE  number >= 0
        GROUP  BY part) AS parts
$$ LANGUAGE sql;

CREATE FUNCTION shuffled(state dlints) RETURNS dlints AS $$
SELECT state || dlints_concat_agg(evidence ORDER BY random())
FROM   (SELECT number % 3 AS part,
               dlints_evidence(state, features, reward, '{}', at, weight
                               ORDER BY random()) AS evidence
        FROM   seen
        WHERE  number >= 0
        GROUP  BY part) AS parts
$$ LANGUAGE sql;

CREATE FUNCTION known(state dlints, weight float8) RETURNS dlints AS $$
SELECT dlints_with_prior(
           state, dlints_evidence(state, s.features, s.reward, '{}', s.at,
                                  s.weight ORDER BY number), known.weight)
FROM   seen AS s
WHERE  number < 0
$$ LANGUAGE sql"""

# Learning does not choose each time where there are many coordinates;
# dlints_set does.
FOUND = """
SELECT i.memory, i.sigma, i.lambda, dlints_mean(model),
       dlints_covariance(model)
FROM   (SELECT dlints_set(dlints_at({model}, %(at)s),
                          noise => %(noise)s) AS model OFFSET 0) AS made,
       dlints_info(model) AS i"""
NEW = """dlints_new(
    %(dim)s, memories => %(memories)s, ridge => %(ridge)s,
    intercept => %(intercept)s, {rate} => %(rate)s)"""
# What is known beforehand may be said at once, or at last, and weighed anew.
PRIORS = ('{way}(known({new}, %(prior_weight)s))',
          'dlints_set(known({way}({new}), 7), '
          'prior_weight => %(prior_weight)s)')
BY_COUNT = {'rate': 'discount', 'ways': ('one_by_one', 'batch', 'three_parts')}
BY_TIME = {'rate': 'half_life',
           'ways': ('one_by_one', 'batch', 'three_parts', 'shuffled')}


def check(tap, cursor):
    """Run all tests."""
    cursor.execute(TABLES)
    for words, kind in (('by count', BY_COUNT), ('by time', BY_TIME)):
        check_histories(tap, cursor, words, **kind)


def check_histories(tap, cursor, words, rate, ways):
    """Compare models after random histories."""
    random = np.random.default_rng(12)
    wrong = {what: [] for what in DIFFERENCES}
    used = Counter()
    close = 0
    for case in range(HISTORIES):
        history = make_history(random, rate)
        expected = choose(history)
        if expected.close:
            close += 1
            continue
        used[expected.memory, history.memories] += 1
        found = ask(cursor, history, rate, ways[case % len(ways)],
                    PRIORS[int(random.integers(2))])
        for what, differs in DIFFERENCES.items():
            if not differs(expected, found) <= ALLOWED:
                wrong[what].append((case, found, expected))
    for what, cases in wrong.items():
        tap.ok(not cases, f'{words}, {HISTORIES} histories: {what} equals that of numpy',
               f'{len(cases)} differ, {[case[0] for case in cases]}, '
               f'the first: {cases[:1]}')
    tap.ok(close <= MOST_CLOSE, f'{words}: at most {MOST_CLOSE} histories end on a threshold',
           f'{close} of {HISTORIES}')
    rare = [key for key in ((memory, memories)
                            for memories in range(1, MOST_MEMORIES + 1)
                            for memory in range(1, memories + 1))
            if used[key] < FEWEST]
    tap.ok(not rare, f'{words}: each memory is in use after at least {FEWEST} '
           'histories', f'{rare}, {used}')


def make_history(random, rate):
    """Return a History with at most one change of the parameter."""
    dim = round(LEAST_DIM * (LARGEST_DIM / LEAST_DIM) ** random.random())
    intercept = bool(random.integers(2))
    known = (int(random.integers(1, MOST_KNOWN)) if random.random() < 0.3
             else 0)
    size = known + int(random.integers(1, LONGEST))
    features = random.standard_normal((size, dim)) * random.choice([0.3, 1, 3])
    features *= random.random(dim) < random.choice([0.5, 1])
    thetas = random.standard_normal((2, dim))
    change = size - round((size - known) ** random.random())
    later = np.arange(size) >= change
    rewards = np.einsum('ij,ij->i', features, thetas[later.astype(int)])
    rewards += random.choice([0.1, 1, 5]) * random.standard_normal(size)
    if random.random() < 0.3:
        rewards = (rewards > 1).astype(float)
    rewards = (random.choice([0, 0, 5, -1e4]) + rewards) * random.choice(
        [1e-3, 1, 1, 1000])
    weights = (random.uniform(0.1, 10, size) if random.random() < 0.5
               else np.ones(size))
    # Whole seconds are what a timestamp holds exactly.
    times = np.sort(random.integers(0, 10 ** 6, size))
    columns = [features, np.ones((size, 1))] if intercept else [features]
    window = dim * random.choice([1, 1.5, 4])
    half_life = round(10 ** 6 * window / size)
    if random.random() < 0.3:
        times[change:] += quiet_time(random, half_life)
    memories = int(random.integers(1, MOST_MEMORIES + 1))
    discount = (1 if memories == 1 and random.random() < 0.2
                else 1 - 1 / window)
    rates = {'discount': {'discount': discount},
             'half_life': {
                 'half_life': float(half_life),
                 'quiet': (quiet_time(random, half_life)
                           if random.random() < 0.3 else 0)}}
    history = History(
        np.hstack(columns), rewards, times, weights, intercept,
        10 ** random.uniform(-2, 1) if random.random() < 0.5 else None,
        memories, **rates[rate])
    if random.random() < 0.2:
        history.noise = rewards.std() * 10 ** random.uniform(-1, 1) or None
    return with_prior(history, known, 10 ** random.uniform(-2, 1))


def quiet_time(random, half_life):
    """Return a random pause in seconds."""
    return round(half_life * random.uniform(0, MOST_QUIET))


def with_prior(history, known, weight):
    """Return a History with its first observations as the prior."""
    columns = 'reduced', 'rewards', 'times', 'weights'
    before, after = ({name: getattr(history, name)[part] for name in columns}
                     for part in (slice(known), slice(known, None)))
    if not known:
        return history
    return replace(history, **after, prior_weight=weight,
                   prior=replace(history, **before, quiet=0))


def ask(cursor, history, rate, way, prior):
    """Return the Choice of the model in SQL."""
    cursor.execute('TRUNCATE seen')
    server.copy(cursor, 'seen', rows(history, 0))
    if history.prior:
        server.copy(cursor, 'seen', rows(history.prior, -MOST_KNOWN))
    else:
        prior = '{way}({new})'
    values = {'discount': history.discount,
              'half_life': history.half_life
              and timedelta(seconds=history.half_life)}
    now = START + timedelta(seconds=int(history.times.max() + history.quiet))
    model = prior.format(way=way, new=NEW.format(rate=rate))
    cursor.execute(FOUND.format(model=model), {
        'dim': history.dim - history.intercept,
        'memories': history.memories, 'ridge': history.ridge,
        'intercept': history.intercept, 'rate': values[rate],
        'prior_weight': history.prior_weight, 'at': now,
        'noise': history.noise or 0})
    memory, sigma, ridge, mean, covariance = cursor.fetchone()
    return Choice(memory, sigma, ridge, np.array(mean), np.array(covariance),
                  False)


def rows(history, first):
    """Return the rows of a table for the observations of a history."""
    dim = history.dim - history.intercept
    return ((number, row[:dim], reward, START + timedelta(seconds=int(time)),
             weight)
            for number, (row, reward, time, weight) in enumerate(zip(
                history.reduced, history.rewards, history.times,
                history.weights), first))


def relative(name):
    """Return a function that compares a number of two Choices."""
    return lambda expected, found: abs(
        getattr(found, name) / getattr(expected, name) - 1)


def estimates(name, size):
    """Return a function that compares numbers relative to a size."""
    def difference(expected, found):
        if (found.memory, found.ridge) != (expected.memory, expected.ridge):
            return 0
        left = getattr(expected, name)
        return np.abs(left - getattr(found, name)).max() / (
            np.abs(left).max() + size(expected))
    return difference


DIFFERENCES = {
    'memory': relative('memory'), 'sigma': relative('sigma'),
    'ridge': relative('ridge'),
    'mean': estimates('mean', lambda expected: expected.sigma),
    'covariance': estimates('covariance', lambda expected: 0)}

run_checks(check)
