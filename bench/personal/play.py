"""Policies at play: each seed, order, reward and policy, through SQL."""

import numpy as np

from bench.personal import calibration, policies, statements
from bench.server import copy, session, value
from bench.world import WORTH, make_world

EXAMPLES = 10000        # clicks of the log that a model may begin with


def play(ratings, order, seed, size):
    """Return a World, {(reward, policy's name): what it earned at each visit},
    and the calibration of a matched model.
    """
    world = make_world(*ratings, seed, order, size)
    with session() as cursor:
        load(cursor, world, seed)
        make_vectors(cursor)
        earned = {(reward, policy.name):
                  play_policy(cursor, policy, reward, seed)
                  for policy in playable(cursor)
                  for place, reward in policy.columns if place == order}
        matched, = (policy for policy in policies.EVERY
                    if policy.name == policies.MATCHED)
        return world, earned, calibration.measure(cursor, matched,
                                                  _new(matched.model))


def playable(cursor):
    """Return the policies that this dlints can play."""
    has_prior = value(cursor, statements.HAS_PRIOR)
    return [policy for policy in policies.EVERY
            if has_prior or policy.name != policies.PRIOR]


def load(cursor, world, seed):
    """Load a world into tables of the session."""
    random = np.random.default_rng(seed)
    cursor.execute(statements.TABLES)
    copy(cursor, 'movie', ((number, movie.title, movie.genres)
                           for number, movie in enumerate(world.movies)))
    copy(cursor, 'log', ((place, *pair) for place, pair
                         in enumerate(random.permutation(world.log))))
    copy(cursor, 'history', world.history)
    luck = random.random((len(world.clicks), policies.ROUNDS))
    copy(cursor, 'click', ((*pair, row)
                           for pair, row in zip(world.clicks, luck)))
    visits = np.concatenate([world.visits] + [
        random.permutation(world.visits) for _ in range(1, policies.ROUNDS)])
    copy(cursor, 'visit', ((number, 1 + number // len(world.visits), person)
                           for number, person in enumerate(visits)))
    for kind in policies.KINDS:
        worths = (world.worths if kind == WORTH
                  else np.ones_like(world.worths))
        copy(cursor, 'worth', ((kind, movie, worth)
                               for movie, worth in enumerate(worths)))


def make_vectors(cursor):
    """Make vectors and profiles of every kind, all in SQL."""
    for kind, count in (('factors', policies.FACTORS),
                        ('wide', policies.COORDINATES)):
        cursor.execute(statements.FACTORS, {'kind': kind, 'count': count})
    cursor.execute(statements.ENCODED, {
        'kind': 'encoded', 'factors': 'factors', 'count': policies.CODE})
    cursor.execute(statements.RANDOM, {
        'kind': 'random', 'count': policies.FACTORS})
    cursor.execute(statements.POPULARITY, {'kind': 'popularity'})
    cursor.execute(statements.PROFILES)
    cursor.execute(statements.EXCHANGED, {
        'kind': 'exchanged', 'profiles': 'factors'})
    cursor.execute(statements.EXAMPLES, {'kind': 'factors', 'count': EXAMPLES})
    cursor.execute(statements.ANALYSE)


def play_policy(cursor, policy, reward, seed):
    """Return what a policy earned at each visit."""
    cursor.execute(statements.PLAY.format(
        choice=statements.CHOICES[policy.choice],
        lesson=statements.LESSONS.get(policy.choice, statements.NO_LESSON)))
    sizes = {**policy.model, 'seed': seed} if policy.model else {}
    begun = statements.BEGINNINGS[policy.beginning].format(model=_new(sizes))
    thinned = reward == policies.THINNED
    return np.array(value(
        cursor, statements.RUN.format(model=begun), **sizes,
        items=policy.items, profiles=policy.profiles, rewarded=reward,
        rounds=policies.ROUNDS if thinned else 1,
        kept=policies.KEPT if thinned else 1))


def coordinates(cursor):
    """Return of how many numbers each policy learns what they are worth."""
    return {policy.name: value(
        cursor, statements.COORDINATES.format(model=_new(policy.model)),
        **policy.model) for policy in playable(cursor)}


def _new(sizes):
    """Return the expression that makes a model, or the lack of one."""
    named = ', '.join(f'{name} => %({name})s' for name in sizes)
    return f'dlints_new({named})' if sizes else 'NULL'
