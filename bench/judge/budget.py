"""A ranker with a budget: simulated spending and quality.

Requests of eight kinds go to one of three models. More expensive models answer
better, for some kinds more than for others. Approximate costs are passed with
a request, and actual costs are reported with its reward.
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
RANK = """
SELECT action FROM budget.rank(%(event)s, %(context)s, %(actions)s)
WHERE  position = 1"""
REWARD = 'SELECT budget.reward(%(event)s, %(reward)s, %(costs)s)'


@dataclass
class Request:
    """A request; costs and rewards by action."""

    context: dict
    estimated: dict     # costs, as passed with the request
    cost: dict          # actual costs
    reward: dict
    quality: dict       # expected rewards


def results(cursor, share, advance):
    """Return the spent fraction of each budget, in total and at the worst."""
    found, requests = [], max(round(share * REQUESTS), WINDOW)
    for done, budget in enumerate(BUDGETS):
        spent, worst, quality = np.array([
            summary(budget, *play(cursor, budget, made(
                np.random.default_rng([SEED, seed]), requests)))
            for seed in range(SEEDS)]).T
        name = f'a budget of {budget:g} a request'
        found += [
            at_least(f'{name}: spent, minimum of {SEEDS}', spent.min(), 0.98,
                     f'{spent.min():.3f}'),
            at_most(f'{name}: spent, maximum', spent.max(), 1.02,
                    f'{spent.max():.3f}'),
            at_most(f'    the most expensive {WINDOW:,} in a row', worst.max(), 1.1,
                    f'{worst.max():.3f}'),
            Result('    quality', f'{quality.mean():.4f}')]
        advance((done + 1) / len(BUDGETS))
    return found


def made(random, requests):
    """Yield simulated requests."""
    good = np.clip(random.normal(GOOD, SPREAD, (KINDS, 3)), 0, 0.99)
    for _ in range(requests):
        kind, length = random.integers(KINDS), random.lognormal(0, 0.6)
        estimated = {name: price * length for name, price in PRICES.items()}
        quality = dict(zip(PRICES, good[kind]))
        yield Request(
            {'kind': f'k{kind}'}, estimated,
            {name: usd * random.lognormal(0, 0.2)
             for name, usd in estimated.items()},
            {name: float(random.random() < chance)
             for name, chance in quality.items()}, quality)


def play(cursor, budget, requests):
    """Return chosen actions, their costs, and their quality."""
    cursor.execute("""
        SELECT dlints_create_ranker('budget', attribution_window => '0',
                                    epsilon => 0, constraints => %s)""",
                   (json.dumps({'usd': {'max': budget}}),))
    chosen, spent, quality = [], [], []
    for event, request in enumerate(requests):
        cursor.execute(RANK, {
            'event': str(event), 'context': json.dumps(request.context),
            'actions': json.dumps([{'id': name, 'usd': usd}
                                   for name, usd in request.estimated.items()])})
        action, = cursor.fetchone()
        chosen.append(action)
        spent.append(request.cost[action])
        quality.append(request.quality[action])
        cursor.execute(REWARD, {
            'event': str(event), 'reward': request.reward[action],
            'costs': json.dumps({'usd': spent[-1]})})
        if event % LEARN == LEARN - 1:
            cursor.execute('SELECT budget.learn()')
    cursor.execute('DROP SCHEMA budget CASCADE')
    return chosen, spent, quality


def summary(budget, _, spent, quality):
    """Return the spent fraction of a budget, in total and at the worst, and the quality."""
    windows = np.convolve(spent, np.ones(WINDOW) / WINDOW, 'valid')
    return np.mean(spent) / budget, windows.max() / budget, np.mean(quality)
