"""What was found, in figures."""

import numpy as np

from bench.personal.policies import (EVERY, MATCHED, PLAIN, POPULAR, SIMILARITY,
                                     WIDE)
from bench.report import Result, at_least, print_results, table
from bench.world import CLICKS, ORDERS, RANDOM, REWARDS

GAIN_BAR = 1.5
LEAST_BAR = 0.97
COLUMNS = [(order, reward) for order in ORDERS for reward in REWARDS]
HEAD = ('policy', 'what it knows', 'coordinates',
        *(f'{order}, {reward}' for order, reward in COLUMNS))


class Found:
    """Rewards a visit: a number for each seed."""

    def __init__(self, plays):
        self._earned = {}
        self.visits = {order: [] for order in ORDERS}
        self.runs = {order: [] for order in ORDERS}
        for (order, _), (world, outcomes) in plays.items():
            self.visits[order].append(len(world.visits))
            self.runs[order].append(world.runs)
            for (reward, name), rewards in outcomes.items():
                self._earned.setdefault((order, reward, name), []).append(
                    rewards)

    def means(self, column, name):
        """Return the mean reward under each seed."""
        return np.array([rewards.mean()
                         for rewards in self._earned[(*column, name)]])

    def later(self, column, name):
        """Return the same of the second half of the visits."""
        return np.array([rewards[len(rewards) // 2:].mean()
                         for rewards in self._earned[(*column, name)]])

    def ratios(self, column, name, other):
        """Return how many times another's reward one earned."""
        return self.means(column, name) / self.means(column, other)


def error(values):
    """Return the standard error of a mean; none is known of one value."""
    if len(values) < 2:
        return 0
    return np.std(values, ddof=1) / np.sqrt(len(values))


def with_error(values, digits=3):
    """Return a mean and, if it is known, its standard error."""
    text = f'{np.mean(values):.{digits}f}'
    if len(values) < 2:
        return text
    return f'{text} ± {error(values):.{digits}f}'


def print_all(plays, coordinates):
    """Print all tables; return whether all bars are met."""
    found = Found(plays)
    seeds = len(plays) // len(ORDERS)
    print(f'\nReward a visit; mean and standard error, seeds: {seeds}\n')
    print(table([HEAD] + [
        (policy.name, policy.about, coordinates[policy.name] or '', *(
            with_error(found.means(column, policy.name))
            for column in COLUMNS)) for policy in EVERY]))
    print()
    for order in ORDERS:
        print(f'{order}: {np.mean(found.visits[order]):,.0f} visits, before '
              f'{np.mean(found.runs[order]):.0%} of them the same person was '
              'there')
    print()
    sound = print_results(results(found))
    print('\n' + '\n'.join(sentence(found, column) for column in COLUMNS))
    return sound


def results(found):
    """Return what the bars are held against."""
    gained = [_gain(found, (RANDOM, CLICKS), other)
              for other in (WIDE, PLAIN)]
    against = [Result(f'matched against {other}: {order}, {reward}',
                      with_error(found.ratios((order, reward), MATCHED,
                                              other), 2))
               for order, reward in COLUMNS[1:] for other in (WIDE, PLAIN)]
    against += [Result(f'matched against {POPULAR}: {", ".join(column)}',
                       with_error(found.ratios(column, MATCHED, POPULAR), 2))
                for column in COLUMNS]
    least = [_least(found, policy.name)
             for policy in EVERY if policy.personal]
    controls = [
        Result(f'{policy.name} (a control) against plain: {order}, {CLICKS}',
               with_error(found.ratios((order, CLICKS), policy.name, PLAIN),
                          2))
        for policy in EVERY if policy.control for order in ORDERS]
    return gained + against + least + controls


def _gain(found, column, other):
    """Return what a matched model gains where the bar is."""
    ratios = found.ratios(column, MATCHED, other)
    return at_least(f'matched against {other}: {", ".join(column)}',
                    ratios.mean(), GAIN_BAR, with_error(ratios, 2))


def _least(found, name):
    """Return how a personal policy compares where it does so worst."""
    column = min(COLUMNS, key=lambda column: found.ratios(
        column, name, PLAIN).mean())
    ratios = found.ratios(column, name, PLAIN)
    return at_least(f'{name} against plain, at worst: {", ".join(column)}',
                    ratios.mean(), LEAST_BAR, with_error(ratios, 2))


def sentence(found, column):
    """Say whether a model does better than similarity alone."""
    ratios = found.ratios(column, MATCHED, SIMILARITY)
    later = (found.later(column, MATCHED) / found.later(column, SIMILARITY))
    gain, margin = ratios.mean() - 1, 2 * error(ratios)
    verdict = ('one seed is no proof' if len(ratios) < 2 else
               'learning pays' if gain > margin else
               'similarity alone is better' if gain < -margin else
               'similarity alone is as good')
    return (f'{", ".join(column)}: {verdict}; matched earns '
            f'{with_error(ratios, 2)} times what x·u earns without learning '
            f'({ratios.min():.2f} to {ratios.max():.2f} by seed; in the '
            f'second half of the visits {with_error(later, 2)})')
