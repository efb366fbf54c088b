"""Policies at play: each seed, order, reward and policy, through SQL."""

import numpy as np

from bench.personal import policies, statements
from bench.server import copy, session, value
from bench.world import CLICKS, REWARDS, WORTH, make_world


def play(ratings, order, seed, size):
    """Return a World and {(reward, policy's name): rewards} in it."""
    world = make_world(*ratings, seed, order, size)
    with session() as cursor:
        load(cursor, world)
        make_vectors(cursor)
        return world, {(reward, policy.name):
                       play_policy(cursor, policy, reward, seed)
                       for policy in policies.EVERY for reward in REWARDS}


def load(cursor, world):
    """Load a world into tables of the session."""
    cursor.execute(statements.TABLES)
    copy(cursor, 'movie', ((number, movie.title, movie.genres)
                           for number, movie in enumerate(world.movies)))
    copy(cursor, 'log', world.log)
    copy(cursor, 'history', world.history)
    copy(cursor, 'click', world.clicks)
    copy(cursor, 'visit', enumerate(world.visits))
    for kind, worths in ((CLICKS, np.ones_like(world.worths)),
                         (WORTH, world.worths)):
        copy(cursor, 'worth', ((kind, movie, worth)
                               for movie, worth in enumerate(worths)))


def make_vectors(cursor):
    """Make vectors and profiles of every kind, all in SQL."""
    for kind, count in (('factors', policies.FACTORS), ('few', policies.FEW),
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
    cursor.execute(statements.ANALYSE)


def play_policy(cursor, policy, reward, seed):
    """Return what a policy earned at each visit."""
    cursor.execute(statements.FORGET)
    cursor.execute(statements.PLAY.format(
        choice=statements.CHOICES[policy.choice],
        lesson=statements.LESSONS.get(policy.choice, statements.NO_LESSON)))
    sizes = {**policy.model, 'seed': seed} if policy.model else {}
    return np.array(value(
        cursor, statements.RUN.format(model=_new(sizes)), **sizes,
        items=policy.items, profiles=policy.profiles, rewarded=reward))


def coordinates(cursor):
    """Return of how many numbers each policy learns what they are worth."""
    return {policy.name: value(
        cursor, statements.COORDINATES.format(model=_new(policy.model)),
        **policy.model) for policy in policies.EVERY}


def _new(sizes):
    """Return the expression that makes a model, or the lack of one."""
    named = ', '.join(f'{name} => %({name})s' for name in sizes)
    return f'dlints_new({named})' if sizes else 'NULL'
