"""Compare models after retractions with models that were not trained on the retracted observations.

Prints the Test Anything Protocol; exits with 1 if a test fails.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import numpy as np

from bench import server
from tap import run_checks

CASES = 1000
LONGEST = 60
MOST_TAKEN = 3
MOST_QUIET = 80             # half-lives
HALF_LIFE = 3600
DIMS = (1, 2, 2, 3, 5, 10, 25)
LARGE = 1e4, 1e6
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
ALLOWED = 1e-6
LOST = 1e-11                # fraction of the squares before

# A model from which parts 1 to 3 were retracted, and one trained on part 0
# alone; at the same time, and sometimes after 100 more rewards of 0
TABLES = """
CREATE TABLE model (
    number integer PRIMARY KEY, empty dlints, singly boolean,
    zeros timestamptz);

CREATE TABLE seen (
    number integer, place integer, features real[], reward float8,
    at timestamptz, part integer, PRIMARY KEY (number, place));

CREATE FUNCTION learned(state dlints, which integer, parts integer[])
RETURNS dlints AS $$
SELECT dlints_evidence(state, features, reward, '{}', at ORDER BY place)
FROM   seen
WHERE  number = which AND part = ANY (parts)
$$ LANGUAGE sql;

CREATE FUNCTION one_by_one(state dlints, which integer) RETURNS dlints AS $$
DECLARE
    s seen;
BEGIN
    FOR s IN SELECT * FROM seen WHERE number = which ORDER BY place LOOP
        state := dlints_update(state, s.features, s.reward, at => s.at);
    END LOOP;
    RETURN state;
END
$$ LANGUAGE plpgsql;

CREATE FUNCTION drought(state dlints, since timestamptz) RETURNS dlints AS $$
SELECT dlints_evidence(
           state, ARRAY(SELECT (i * j % 7 - 3) / 4.0
                        FROM generate_series(1, dim) AS j)::real[],
           0, '{}', since + i * interval '1 minute')
FROM   dlints_info(state), generate_series(1, 100) AS i
WHERE  since IS NOT NULL
$$ LANGUAGE sql;

CREATE TYPE found AS (memory integer, sigma float8, expected float8[]);

CREATE FUNCTION found(state dlints, which integer) RETURNS found AS $$
SELECT i.memory, i.sigma, ARRAY(
           SELECT dlints_predict(chosen, features)
           FROM   seen
           WHERE  number = which AND place < 5
           ORDER  BY place)
FROM   (SELECT dlints_set(state, noise => 0) AS chosen OFFSET 0) AS s,
       dlints_info(chosen) AS i
$$ LANGUAGE sql;

CREATE FUNCTION compare(m model, OUT refusal text, OUT took found,
                        OUT never found) AS $$
DECLARE
    state dlints := CASE WHEN m.singly THEN one_by_one(m.empty, m.number)
                         ELSE learned(m.empty, m.number, '{0,1,2,3}') END;
    other dlints := m.empty || learned(m.empty, m.number, '{0}');
BEGIN
    FOR part IN 1 .. 3 LOOP
        state := state - learned(m.empty, m.number, ARRAY[part]);
    END LOOP;
    other := dlints_at(other, (dlints_info(state)).newest);
    state := state || drought(state, m.zeros);
    other := other || drought(other, m.zeros);
    took := found(state, m.number);
    never := found(other, m.number);
EXCEPTION WHEN OTHERS THEN
    refusal := SQLERRM;
END
$$ LANGUAGE plpgsql"""

COMPARED = """
SELECT number, refusal, (took).*, (never).*
FROM   model, compare(model)
ORDER  BY number"""


@dataclass
class Case:
    """A history, oldest first, with the part of each observation.

    Part 0 is not retracted. Times of a model with a half-life are in half-lives.
    """

    features: np.ndarray
    rewards: np.ndarray
    times: np.ndarray
    parts: np.ndarray
    model: dict
    singly: bool
    drought: float


def check(tap, cursor):
    """Run all tests."""
    cursor.execute(TABLES)
    random = np.random.default_rng(4)
    cases = [make_case(random) for _ in range(CASES)]
    load(cursor, cases)
    cursor.execute(COMPARED)
    wrong = {what: [] for what in ('refused', 'memory', 'sigma', 'expected')}
    for number, refusal, *found in cursor.fetchall():
        for what in differences(cases[number], refusal, found[:3], found[3:]):
            wrong[what].append((number, refusal, *found))
    for what, numbers in wrong.items():
        tap.ok(not numbers, f'{CASES} retractions: {what} equals that of a model without the '
               'observations',
               f'{len(numbers)} differ: {[each[0] for each in numbers[:20]]}, '
               f'the first: {numbers[:1]}')


def make_case(random):
    """Return a Case."""
    size = int(random.integers(1, LONGEST + 1))
    dim = int(random.choice(DIMS))
    features = random.standard_normal((size, dim)).round(2)
    if random.random() < 0.3:
        features = np.eye(dim)[random.integers(dim, size=size)]
    model = {'dim': dim, 'intercept': bool(random.integers(2)),
             'ridge': random.choice([None, 0.1, 1]),
             **KINDS[int(random.integers(len(KINDS)))]}
    rewards = REWARDS[int(random.integers(len(REWARDS)))](random, size)
    rewards = rewards * random.choice([1, 1, 1e-3, 1e3])
    return Case(features, rewards, make_times(random, size),
                make_parts(random, rewards), model, random.random() < 0.1,
                random.uniform(0, MOST_QUIET) if random.random() < 0.3
                else None)


KINDS = ({'half_life': timedelta(seconds=HALF_LIFE), 'memories': 1},
         {'half_life': timedelta(seconds=HALF_LIFE), 'memories': 3},
         {'discount': 1})
REWARDS = (
    lambda random, size: (random.random(size) < 0.3).astype(float),
    lambda random, size: (np.arange(size) == random.integers(size)) * 1.0,
    lambda random, size: np.full(size, random.normal(0, 10)),
    lambda random, size: random.normal(random.choice([0, 5]), 1, size),
    lambda random, size: np.where(np.arange(size) == random.integers(size),
                                  random.choice(LARGE),
                                  random.normal(0, 1, size)))


def make_times(random, size):
    """Return the times of observations, with up to two pauses."""
    gaps = random.exponential(0.1, size)
    for place in (1, size - 1, int(random.integers(size))):
        if random.random() < 0.4:
            gaps[place % size] = random.uniform(0, MOST_QUIET)
    return gaps.cumsum()


def make_parts(random, rewards):
    """Return the retracted observations: the first or last ones, or clicks."""
    size = len(rewards)
    parts = np.zeros(size, int)
    taken = int(random.integers(1, min(MOST_TAKEN, size) + 1))
    places = (np.arange(taken), np.arange(size - taken, size),
              np.argsort(-np.abs(rewards))[:taken])[int(random.integers(3))]
    if (places == 0).all() or random.random() < 0.5:
        parts[places] = 1
    else:
        parts[places] = random.permutation(taken) + 1
    return parts


def load(cursor, cases):
    """Fill the tables."""
    for number, case in enumerate(cases):
        arguments = ', '.join(f'{name} => %({name})s' for name in case.model)
        cursor.execute(
            f'INSERT INTO model SELECT %(number)s, dlints_new({arguments}), '
            '%(singly)s, %(zeros)s',
            {'number': number, 'singly': case.singly,
             'zeros': case.drought and moment(
                 case.times[-1] + case.drought), **case.model})
    server.copy(cursor, 'seen', (
        (number, place, row, reward, moment(time), part)
        for number, case in enumerate(cases)
        for place, (row, reward, time, part) in enumerate(zip(
            case.features, case.rewards, case.times, case.parts))))
    cursor.execute('ANALYZE seen')


def moment(half_lives):
    """Return a time in half-lives after the start."""
    return START + timedelta(seconds=round(HALF_LIFE * half_lives))


def differences(case, refusal, took, never):
    """Return the differences of a model after retractions to another one."""
    if refusal:
        return ['refused']
    (memory, sigma, expected), (other, without, unseen) = took, never
    scale = np.abs(case.rewards).max() or 1
    found = {'memory': memory == other,
             'sigma': abs(sigma - without) <= ALLOWED * (
                 without if agreed(case) else scale),
             'expected': np.abs(np.subtract(expected, unseen)).max()
             <= ALLOWED * scale}
    if lost(case):
        return []
    return [what for what, passes in found.items() if not passes]


def agreed(case):
    """Return whether no observation is left to estimate the noise, which is then 1."""
    return np.ptp(left(case)) == 0


def lost(case):
    """Return whether the remaining evidence is below the rounding errors."""
    size = len(case.rewards)
    return 0 < size * left(case).var() < (
        LOST * size * np.abs(case.rewards).max() ** 2)


def left(case):
    """Return the remaining rewards, and 0 if they are compared with 0."""
    zero = case.drought or not case.model['intercept'] or case.parts.all()
    return np.append(case.rewards[case.parts == 0], [0] * bool(zero))


run_checks(check)
