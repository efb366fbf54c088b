"""What was found, in figures."""

import numpy as np

from bench.personal import calibration
from bench.personal.policies import (COLUMNS, EVERY, FULL, KEPT, LOG, MATCHED,
                                     PLAIN, POPULAR, PRIOR, ROUNDS, SIMILARITY,
                                     THIN, THINNED, WIDE)
from bench.report import (Result, at_least, error, print_results, table,
                          with_error)
from bench.world import CLICKS, ORDERS, RANDOM

GAIN_BAR = 1.5
LEAST_BAR = 0.97
# Where few clicks count, against similarity, which needs none; None: no bar.
# A fixed ridge of 1 left 0.76, with a log 0.75.
THINNED_BARS = {WIDE: None, MATCHED: 0.90, LOG: None, PRIOR: 0.93}
FIRST = 1000
HEAD = ('policy', 'what it knows', 'coordinates', *map(', '.join, COLUMNS),
        f'its first {FIRST:,} visits')


class Found:
    """Rewards a visit: a number for each seed."""

    def __init__(self, plays):
        self._earned = {}
        self.visits = {order: [] for order in ORDERS}
        self.runs = {order: [] for order in ORDERS}
        self.calibrations = []
        for (order, _), (world, outcomes, calibrated) in plays.items():
            self.visits[order].append(len(world.visits))
            self.runs[order].append(world.runs)
            for (reward, name), rewards in outcomes.items():
                self._earned.setdefault((order, reward, name), []).append(
                    rewards)
            if order == RANDOM:
                self.calibrations.append(calibrated)

    def means(self, column, name, visits=None):
        """Return the mean reward under each seed, of the first visits."""
        return np.array([rewards[:visits].mean()
                         for rewards in self._earned[(*column, name)]])

    def cell(self, column, name, visits=None):
        """Return the same as text; nothing where it did not play."""
        return (with_error(self.means(column, name, visits))
                if (*column, name) in self._earned else '')

    def later(self, column, name):
        """Return the same of the second half of the visits."""
        return np.array([rewards[len(rewards) // 2:].mean()
                         for rewards in self._earned[(*column, name)]])

    def ratios(self, column, name, other):
        """Return how many times another's reward one earned."""
        return self.means(column, name) / self.means(column, other)


def print_all(plays, coordinates):
    """Print all tables; return whether all bars are met."""
    found = Found(plays)
    seeds = len(plays) // len(ORDERS)
    print(f'\nReward a visit; mean and standard error, seeds: {seeds}\n')
    print(table([HEAD] + [
        (policy.name, policy.about, coordinates[policy.name] or '',
         *(found.cell(column, policy.name) for column in COLUMNS),
         found.cell(THIN, policy.name, FIRST))
        for policy in EVERY if policy.name in coordinates]))
    print(f'\n{THINNED}: {KEPT:.0%} of the clicks count, and people come '
          f'{ROUNDS} times as often; the figures are of all clicks')
    calibration.print_all(MATCHED, found.calibrations)
    print()
    for order in ORDERS:
        print(f'{order}: {np.mean(found.visits[order]):,.0f} visits, before '
              f'{np.mean(found.runs[order]):.0%} of them the same person was '
              'there')
    print()
    sound = print_results(results(found))
    print('\n' + '\n'.join(sentence(found, column) for column in FULL))
    return sound


def results(found):
    """Return what the bars are held against."""
    gained = [_gain(found, (RANDOM, CLICKS), other)
              for other in (WIDE, PLAIN)]
    against = [Result(f'matched against {other}: {order}, {reward}',
                      with_error(found.ratios((order, reward), MATCHED,
                                              other), 2))
               for order, reward in FULL[1:] for other in (WIDE, PLAIN)]
    against += [Result(f'matched against {POPULAR}: {", ".join(column)}',
                       with_error(found.ratios(column, MATCHED, POPULAR), 2))
                for column in FULL]
    least = [_least(found, policy.name)
             for policy in EVERY
             if policy.personal and set(FULL) <= set(policy.columns)]
    controls = [
        Result(f'{policy.name} (a control) against plain: {order}, {CLICKS}',
               with_error(found.ratios((order, CLICKS), policy.name, PLAIN),
                          2))
        for policy in EVERY if policy.control for order in ORDERS]
    return gained + against + least + controls + _thinned(found)


def _thinned(found):
    """Return what is left where few clicks count, and what a log is good for.
    """
    every = (RANDOM, CLICKS)
    results = [Result(f'{name} against {MATCHED}: {", ".join(every)}',
                      with_error(found.ratios(every, name, MATCHED), 2))
               for name in (LOG, PRIOR) if found.cell(every, name)]
    for name, bar in THINNED_BARS.items():
        if found.cell(THIN, name):
            ratios = found.means(THIN, name) / found.means(every, SIMILARITY)
            results.append(at_least(
                f'{name} against {SIMILARITY}: {", ".join(THIN)}',
                ratios.mean(), bar, with_error(ratios, 2)))
    return results


def _gain(found, column, other):
    """Return what a matched model gains where the bar is."""
    ratios = found.ratios(column, MATCHED, other)
    return at_least(f'matched against {other}: {", ".join(column)}',
                    ratios.mean(), GAIN_BAR, with_error(ratios, 2))


def _least(found, name):
    """Return how a personal policy compares where it does so worst."""
    column = min(FULL, key=lambda column: found.ratios(
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
