"""Play problems with each policy, in SQL."""

import zlib
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from bench.server import copy, session

DEFAULT = 'default'
# name: arguments of dlints_new besides the sizes
FIXED = {f'{discount:g}': {'discount': discount}
         for discount in (0.99, 0.998, 0.9998, 1)}
POLICIES = {DEFAULT: {}, **FIXED}

# SQL statements, with parts {in braces}
TABLES = """
-- items
CREATE TEMP TABLE item (
    id integer PRIMARY KEY, features real[] NOT NULL);
-- visits: profile, offered items, their mean rewards and their observed rewards
CREATE TEMP TABLE visit (
    number   integer PRIMARY KEY,
    profile  real[] NOT NULL,   -- '{}' without a profile
    offered  integer[] NOT NULL,
    expected float8[] NOT NULL,
    reward   float8[] NOT NULL)"""

# Play all visits: one draw for the "box" items of a visit, and training after each
# "batch" of visits. Returns the expected reward of each visit, the shown items, and
# the memory in use.
PLAY = """
CREATE OR REPLACE FUNCTION pg_temp.play(
    empty dlints, box integer, batch integer, seed bigint,
    OUT earned float8[], OUT shown integer[], OUT memory integer[]
) AS $$
DECLARE
    state   dlints := empty;
    v       visit;
    weights float8[];
    slots   integer[];      -- of the shown items among the offered
    chosen  integer[];      -- slots of all visits
BEGIN
    FOR v IN SELECT * FROM visit ORDER BY number LOOP
        weights := dlints_draw_weights(state, v.profile, seed + v.number);
        slots := array(
            SELECT o.slot::integer
            FROM   unnest(v.offered) WITH ORDINALITY AS o (id, slot)
            JOIN   item AS i USING (id)
            ORDER  BY dlints_dot(weights, i.features) DESC
            LIMIT  box);

        earned[v.number] := 0;
        FOR k IN 1 .. box LOOP
            earned[v.number] := earned[v.number] + v.expected[slots[k]];
            shown := shown || v.offered[slots[k]];
            chosen := chosen || slots[k];
        END LOOP;
        CONTINUE WHEN v.number % batch <> 0;

        {training};
        memory := memory || (SELECT i.memory FROM dlints_info(state) AS i);
    END LOOP;
END
$$ LANGUAGE plpgsql"""
# Training on one observation, and on those of a batch
ONE = """
        state := dlints_update(
            state, (SELECT i.features FROM item i WHERE i.id = v.offered[slots[1]]),
            v.reward[slots[1]], v.profile)"""
MANY = """
        state := state || (
            SELECT dlints_evidence(empty, i.features, w.reward[c.slot], w.profile
                                   ORDER BY w.number, k)
            FROM   visit w
                   CROSS JOIN generate_series(1, box) AS k
                   CROSS JOIN LATERAL (SELECT chosen[(w.number - 1) * box + k]) AS c (slot)
                   JOIN item i ON i.id = w.offered[c.slot]
            WHERE  w.number > v.number - batch AND w.number <= v.number)"""

RUN = """
SELECT earned, shown, memory
FROM   pg_temp.play(dlints_new(%(dim)s, seed => %(seed)s{named}),
                    %(box)s, %(batch)s, %(draws)s)"""


@dataclass
class Outcome:
    """Results of a policy in a world."""

    earned: np.ndarray      # mean reward of each visit
    shown: np.ndarray       # numbers of the shown items
    memory: np.ndarray      # memory in use after each training


def make_world(problem, seed, visits):
    """Return the World of a problem under a seed."""
    random = np.random.default_rng([seed, zlib.crc32(problem.key.encode())])
    return problem.make(random, round(visits * problem.share))


def play(problem, seed, visits):
    """Return (best, chance, {policy: Outcome}) of one world."""
    world = make_world(problem, seed, visits)
    best = np.sort(world.expected, axis=1)[:, -world.box:].sum()
    chance = world.expected.mean() * world.box * len(world.expected)
    with loaded(world) as cursor:
        return best, chance, {
            name: play_policy(cursor, world, seed, **parameters)
            for name, parameters in POLICIES.items()}


@contextmanager
def loaded(world):
    """Open a session with the world in temporary tables."""
    with session() as cursor:
        cursor.execute(TABLES)
        training = ONE if world.box == world.batch == 1 else MANY
        cursor.execute(PLAY.format(training=training))
        copy(cursor, 'item', enumerate(world.items))
        profiles = ([[]] * len(world.offered) if world.profiles is None
                    else world.profiles)
        numbers = np.arange(1, len(world.offered) + 1)
        copy(cursor, 'visit', zip(
            numbers, profiles, world.offered,
            world.expected, world.rewards))
        cursor.execute('ANALYZE item, visit')
        yield cursor


def play_policy(cursor, world, seed, **parameters):
    """Return the Outcome of a policy with seeded draws."""
    named = {**world.model, **parameters}
    cursor.execute(
        RUN.format(named=''.join(f', {name} => %({name})s'
                                 for name in named)),
        {**named, 'dim': world.items.shape[1], 'seed': seed,
         'box': world.box, 'batch': world.batch, 'draws': seed * 2 ** 32})
    return Outcome(*map(np.array, cursor.fetchone()))
