"""One run: a policy meets the stream of users."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from bench import server
from bench.paper import policies, statements

K = 5
CHANGES = (5000, 10000, 20000, 35000, 50000, 65000, 80000, 90000)
TURN = 0.33


@dataclass
class Outcome:
    """What a run earned, step by step, and the seconds it took.

    The seconds are those of choosing and learning, tidying the model's table
    included; computing NDCG is not among them.
    """

    rewards: np.ndarray
    ndcg: np.ndarray        # None if it was not computed
    seconds: float


def load(cursor, data):
    """Make the tables anew and load a data set."""
    cursor.execute(f'DROP TABLE IF EXISTS {statements.NAMES}; '
                   + statements.TABLES)
    items, users = data.item_features, data.user_features
    padded = np.pad(items, ((0, 0), (0, users.shape[1])))
    server.copy(cursor, 'arm', enumerate(padded))
    server.copy(cursor, 'arm_latent', enumerate(items))
    server.copy(cursor, 'visitor', zip(
        range(len(users)), users,
        (clicks.tobytes() for clicks in data.clicks)))
    cursor.execute('INSERT INTO place SELECT id FROM arm')
    cursor.execute(statements.ANALYZE)


def outcome(path, cursor, data, spec, seed, repetition, advance):
    """Return the Outcome that a file holds; make it where there is none."""
    if not path.exists():
        found = run(cursor, data, spec, data.stream, seed, repetition,
                    advance=advance)
        unfinished = path.with_suffix('.unfinished.npz')
        np.savez(unfinished, **vars(found))
        unfinished.rename(path)
    else:
        advance(len(data.stream))
    with np.load(path) as saved:
        return Outcome(**saved)


def run(cursor, data, spec, users, seed, repetition, *, ndcg=True,
        advance=lambda steps: None):
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
    turns = turns_at(len(users), data.arms).tolist()
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


def turns_at(steps, arms):
    """Return by how many places the rewards are turned at each step.

    After a change, an arm earns what the arm a third of all places on earned
    before it. The contexts stay.
    """
    done = np.searchsorted(CHANGES, np.arange(steps), side='right')
    return done * int(TURN * arms)


def ends(steps):
    """Return the first step, those of changes, and the last."""
    return [0, *(change for change in CHANGES if change < steps), steps]
