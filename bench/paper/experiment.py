"""One run: a policy meets the stream of users."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

import policies
import statements

K = 5
CHANGES = (5000, 10000, 20000, 35000, 50000, 65000, 80000, 90000)
TUNING_CHANGES = CHANGES[:3]
TURN = 0.33
POINTS = 100


@dataclass
class Outcome:
    """What a run earned, step by step, and the seconds it took.

    The seconds are those of choosing and learning, tidying the model's table
    included; computing NDCG is not among them.
    """

    rewards: np.ndarray
    ndcg: np.ndarray        # None if it was not computed
    seconds: float


def run(cursor, data, spec, users, seed, repetition, *, ndcg=True,
        changes=CHANGES, advance=lambda steps: None):
    """Return the Outcome of a policy's run over the users."""
    cursor.execute('DEALLOCATE ALL')
    policy = policies.create(spec, cursor, data, seed, repetition,
                             K if ndcg else None)
    if ndcg:
        cursor.execute(statements.prepare_evaluate(data.arms, K))
    rewards = np.zeros(len(users))
    gains = np.zeros(len(users)) if ndcg else None
    seconds = 0
    clicks = data.clicks
    turns = turns_at(len(users), data.arms, changes).tolist()
    for step, (user, turn) in enumerate(zip(users.tolist(), turns)):
        start = perf_counter()
        arm, best = policy.choose(user)
        reward = int(clicks[user, (arm + turn) % data.arms])
        policy.learn(arm, user, reward)
        seconds += perf_counter() - start
        rewards[step] = reward
        if ndcg:
            places = ','.join(map(str, best))
            cursor.execute(
                f"EXECUTE evaluate ('{{{places}}}', {user}, {turn})")
            gains[step] = cursor.fetchone()[0]
        if step % 100 == 99:
            advance(100)
    advance(len(users) % 100)
    return Outcome(rewards, gains, seconds)


def turns_at(steps, arms, changes):
    """Return by how many places the rewards are turned at each step.

    After a change, an arm earns what the arm a third of all places on earned
    before it. The contexts stay.
    """
    done = np.searchsorted(changes, np.arange(steps), side='right')
    return done * int(TURN * arms)


def stretches(steps):
    """Return the steps at which results are added up: changes and others."""
    every = max(1, steps // POINTS)
    return sorted({*range(0, steps, every), steps,
                   *(change for change in CHANGES if change < steps)})

