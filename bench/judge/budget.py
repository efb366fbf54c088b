"""What a ranker spends that promised a budget, and what it earns.

Requests of eight kinds go to one of three models, of which the dearer ones
answer better, more so for some kinds. Costs are told roughly beforehand, and
as they were afterwards; nothing is known at the beginning.
"""

import json
from dataclasses import dataclass

import numpy as np

from bench.judge.simulated import SEED
from bench.report import Result, at_least, at_most

REQUESTS, KINDS, SEEDS, LEARN, WINDOW = 1824, 8, 3, 20, 1000
BUDGETS = 0.0006, 0.0019, 0.004
PRICES = {'small': 0.00003, 'medium': 0.002, 'large': 0.015}
GOOD, SPREAD = np.array([.80, .90, .95]), np.array([.12, .06, .03])
ASK = """
SELECT action FROM budget.rank(%(event)s, %(context)s, %(actions)s)
WHERE  place = 1"""
TELL = 'SELECT budget.reward(%(event)s, %(reward)s, %(costs)s)'


@dataclass
class Request:
    """A request, and for each action what is told of its cost, and comes of it."""

    context: dict
    told: dict
    paid: dict
    reward: dict
    worth: dict         # what counts as earned: a chance, say, of that reward


def results(cursor, share, advance):
    """Return how much of each budget is spent, on the whole and at the worst."""
    found, requests = [], max(round(share * REQUESTS), WINDOW)
    for done, budget in enumerate(BUDGETS):
        spent, worst, earned = np.array([
            summary(budget, *play(cursor, budget, made(
                np.random.default_rng([SEED, seed]), requests)))
            for seed in range(SEEDS)]).T
        name = f'a budget of {budget:g} a request'
        found += [
            at_least(f'{name}: spent, the least of {SEEDS}', spent.min(), 0.98,
                     f'{spent.min():.3f}'),
            at_most(f'{name}: spent, the most', spent.max(), 1.02,
                    f'{spent.max():.3f}'),
            at_most(f'    the dearest {WINDOW:,} in a row', worst.max(), 1.1,
                    f'{worst.max():.3f}'),
            Result('    earned', f'{earned.mean():.4f}')]
        advance((done + 1) / len(BUDGETS))
    return found


def made(random, requests):
    """Return requests of a made world."""
    good = np.clip(random.normal(GOOD, SPREAD, (KINDS, 3)), 0, 0.99)
    for _ in range(requests):
        kind, length = random.integers(KINDS), random.lognormal(0, 0.6)
        told = {name: price * length for name, price in PRICES.items()}
        worth = dict(zip(PRICES, good[kind]))
        yield Request(
            {'kind': f'k{kind}'}, told,
            {name: usd * random.lognormal(0, 0.2) for name, usd in told.items()},
            {name: float(random.random() < chance)
             for name, chance in worth.items()}, worth)


def play(cursor, budget, requests):
    """Return what was chosen, what that cost, and what it earned."""
    cursor.execute("""
        SELECT dlints_create_ranker('budget', wait => '0', epsilon => 0,
                                    promises => %s)""",
                   (json.dumps({'usd': {'most': budget}}),))
    chosen, spent, earned = [], [], []
    for event, request in enumerate(requests):
        cursor.execute(ASK, {
            'event': str(event), 'context': json.dumps(request.context),
            'actions': json.dumps([{'id': name, 'usd': usd}
                                   for name, usd in request.told.items()])})
        action, = cursor.fetchone()
        chosen.append(action)
        spent.append(request.paid[action])
        earned.append(request.worth[action])
        cursor.execute(TELL, {
            'event': str(event), 'reward': request.reward[action],
            'costs': json.dumps({'usd': spent[-1]})})
        if event % LEARN == LEARN - 1:
            cursor.execute('SELECT budget.learn()')
    cursor.execute('DROP SCHEMA budget CASCADE')
    return chosen, spent, earned


def summary(budget, _, spent, earned):
    """Return what is spent of a budget, at the worst as well, and earned."""
    windows = np.convolve(spent, np.ones(WINDOW) / WINDOW, 'valid')
    return np.mean(spent) / budget, windows.max() / budget, np.mean(earned)
