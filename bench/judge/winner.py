"""Error rates and power of winner(), over many looks at a growing log.

The logs are those of a ranker with a separate estimate for each context and action.
The verdicts are computed in numpy, and one log is compared with winner() itself.
"""

import json

import numpy as np

from bench.judge.simulated import SEED
from bench.report import Result, at_most
from bench.server import copy

LOGS, EVENTS, LOOKS, AT_ONCE, LEARN = 1000, 10000, 40, 100, 25
BLOCKS, LEAST, DRAWS = 20, 0.001, 2000
# name: reward probabilities (contexts x actions), their growth by the end, epsilon
KINDS = {
    '2 equal': ([[.05] * 2], 0, .02),
    '3 equal': ([[.02] * 3], 0, .02),
    '5 equal': ([[.1] * 5], 0, .02),
    '2 equal, random': ([[.05] * 2], 0, 1),
    '2 equal and a worse one': ([[.05, .05, .02]], 0, .02),
    '2 equal, growing': ([[.05] * 2], 1.5, .02),
    '2 equal on average of two contexts': ([[.1, .05], [.05, .1]], 0, .02),
    '.05 .06 .10': ([[.05, .06, .1]], 0, .02),
    '.05 .06 .10, epsilon .2': ([[.05, .06, .1]], 0, .2),
    '.05 .06 .10, random': ([[.05, .06, .1]], 0, 1)}
BOUNDS = """
SELECT b.low, b.high
FROM   unnest(%(mean)s, %(stderr)s, %(whole)s::bigint[])
       WITH ORDINALITY AS u (mean, stderr, whole, n),
       dlints_bounds(mean, stderr, whole, 0, 1, %(confidence)s) b
ORDER  BY n"""
WINNER = """
SELECT earns, low, high, chance_best
FROM   judged.winner(lowest => 0, highest => 1)
ORDER  BY action"""


def results(cursor, share, advance):
    """Return the rates of wrong and of right verdicts."""
    found = []
    for done, (name, (chances, growth, epsilon)) in enumerate(KINDS.items()):
        random, chances = np.random.default_rng(SEED), np.array(chances)
        verdicts = [judged(cursor, random, log) for log in (
            play(random, chances, growth, epsilon)
            for _ in range(max(round(share * LOGS / AT_ONCE), 1)))]
        earned = chances.mean(axis=0)
        is_best = (earned == earned.max()) & (np.sum(earned == earned.max()) == 1)
        for verdict, index, bar in (('proven', 0, 0.05), ('likely', 1, 0.02)):
            is_verdict = np.concatenate([part[index] for part in verdicts], axis=1)
            wrong = is_verdict[..., ~is_best].any(axis=(0, 2)).mean()
            found.append(at_most(f'{name}: wrongly {verdict}, at any look', wrong,
                                 bar, f'{wrong:.1%}'))
            if is_best.any():
                right = is_verdict[..., is_best].any(axis=(0, 2)).mean()
                found.append(Result(f'    rightly {verdict}', f'{right:.0%}'))
        advance((done + 1) / len(KINDS))
    log = play(np.random.default_rng(SEED), np.array([[.1, .05], [.05, .2]]), 0, .2)
    return found + [at_most('winner(), from numpy', difference(cursor, log), 1e-9)]


def play(random, chances, growth, epsilon):
    """Simulate logs; return contexts, actions, rewards and probabilities, events x logs."""
    contexts, actions = chances.shape
    each = np.arange(AT_ONCE)
    counts, sums = np.zeros((2, AT_ONCE, contexts, actions))
    log = []
    for event in range(EVENTS):
        if event % LEARN == 0:
            level = (sums.sum((1, 2)) / max(event, 1))[:, None, None]
            mean = (sums + level) / (counts + 1)
            error = 0.5 * np.sqrt(np.maximum(level * (1 - level), 1e-4) / (counts + 1))
        context = random.integers(contexts, size=AT_ONCE)
        draws = (mean[each, context][:, None] + error[each, context][:, None]
                 * random.standard_normal((AT_ONCE, 50, actions), np.float32)).argmax(2)
        shown = (draws[:, :, None] == np.arange(actions)).mean(axis=1)
        shown = (1 - epsilon) * shown + epsilon / actions
        action = (shown.cumsum(1) < random.random(AT_ONCE)[:, None]).sum(1).clip(0, actions - 1)
        reward = random.random(AT_ONCE) < chances[context, action] * (1 + growth * event / EVENTS)
        counts[each, context, action] += 1
        sums[each, context, action] += reward
        log.append((context, action, reward, shown))
    return [np.array(part) for part in zip(*log)]


def cumulated(log):
    """Return cumulative sums of ones, probabilities, choices and rewards.

    Their dimensions are contexts x events x logs x actions.
    """
    context, action, reward, shown = log
    chosen = action[..., None] == np.arange(shown.shape[2])
    cells = (np.arange(context.max() + 1)[:, None, None] == context)[..., None]
    return [np.pad((cells * values).cumsum(axis=1, dtype=float), ((0, 0), (1, 0), (0, 0), (0, 0)))
            for values in (np.ones(chosen.shape), shown, chosen, chosen & reward[..., None])]


def known(sums, events):
    """Return mean, stderr, whole, expected and error of each action, logs x actions."""
    sizes = events // BLOCKS + (np.arange(BLOCKS) < events % BLOCKS)
    size, shown, n, clicks = (np.diff(part[:, np.r_[0, sizes.cumsum()]], axis=1) for part in sums)
    shown = np.maximum(shown / np.maximum(size, 1), LEAST)
    one_in = (size / shown).sum(0) / size.sum(0)
    weight = 1 / one_in.sum(-1, keepdims=True) / shown
    most = np.maximum(np.where(n > 0, weight, 0).max((0, 1)), 1e-300)
    total = (weight * n).sum((0, 1))
    some = np.maximum(total, 1e-300)
    mean = (weight * clicks).sum((0, 1)) / some
    away = clicks * (1 - mean) ** 2 + (n - clicks) * mean ** 2
    whole = np.floor(total / most)
    squares = np.minimum((weight ** 2 * away).sum((0, 1)) / most ** 2, whole * mean * (1 - mean))
    level = (clicks.sum((0, 1, 3)) + 0.5)[:, None] / (events + 1)
    variance = np.maximum(level * (1 - level), (weight * away).sum((0, 1)) / some)
    count = total * some / np.maximum((weight ** 2 * n).sum((0, 1)), 1e-300)
    return (mean, np.sqrt(squares / np.maximum(whole * (whole - 1), 1)), whole,
            (count * mean + level) / (count + 1), np.sqrt(2 * variance / (count + 1)))


def bounds(cursor, mean, stderr, whole):
    """Return low and high of each action, logs x actions."""
    cursor.execute(BOUNDS, {'mean': mean.ravel().tolist(), 'stderr': stderr.ravel().tolist(),
                            'whole': np.maximum(whole, 1).ravel().tolist(),
                            'confidence': 1 - 0.05 / mean.shape[1]})
    low, high = np.array(cursor.fetchall()).T.reshape(2, *mean.shape)
    return np.where(whole > 0, low, 0), np.where(whole > 0, high, 1)


def best(random, expected, error):
    """Return the probability of each action to be the best, logs x actions."""
    draws = random.standard_normal((DRAWS, 1, expected.shape[1]), np.float32)
    return np.mean([(expected + error * draw).argmax(1)[:, None] == np.arange(expected.shape[1])
                    for draw in draws], axis=0)


def judged(cursor, random, log):
    """Return proven and likely verdicts, looks x logs x actions."""
    verdicts, sums = [], cumulated(log)
    for events in EVENTS // LOOKS * np.arange(1, LOOKS + 1):
        *sample, expected, error = known(sums, events)
        low, high = bounds(cursor, *sample)
        others = np.where(np.eye(high.shape[1], dtype=bool), -1, high[:, None]).max(2)
        verdicts.append((low > others, best(random, expected, error) >= 0.99))
    return [np.array(part) for part in zip(*verdicts)]


def difference(cursor, log):
    """Return the largest difference of winner() from numpy, for the first log."""
    cursor.execute("SELECT dlints_create_ranker('judged', "
                   "attribution_window => '0')")
    names = [f'a{action}' for action in range(log[3].shape[2])]
    order = [[action, *(other for other in range(len(names)) if other != action)]
             for action in log[1][:, 0]]
    copy(cursor, 'judged.decision (id, event, treatment, at, active, context, actions, ranking, '
         'probabilities, expected)', (
             (event, event, 'live', '2026-01-01', True, json.dumps({'of': int(log[0][event, 0])}),
              json.dumps(names), [action + 1 for action in actions],
              log[3][event, 0][actions].tolist(), [0] * len(names))
             for event, actions in enumerate(order)))
    copy(cursor, 'judged.reward (event, value)', enumerate(log[2][:, 0].astype(int).tolist()))
    cursor.execute(WINNER)
    asked = np.array(cursor.fetchall(), float).T
    cursor.execute('DROP SCHEMA judged CASCADE')
    *sample, expected, error = known(cumulated(log), EVENTS)
    low, high = bounds(cursor, *sample)
    return np.abs(asked[:3] - [sample[0][0], low[0], high[0]]).max()
