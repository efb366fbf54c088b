"""Print rewards, and compare them with bars."""

import numpy as np

from bench.drift.play import DEFAULT, FIXED
from bench.report import Result, at_least, print_results, table, with_error

MIN_AVERAGE = 0.99
MIN_WORST = 0.95
MIN_BOXES = 0.98
BOXES = 'box'


class Row:
    """Rewards on one problem, relative to those of the best fixed discount.

    The best fixed discount is chosen in hindsight, over all seeds.
    """

    def __init__(self, problem, plays):
        self.problem = problem
        earned = {name: np.array([outcomes[name].earned.sum()
                                  for _, _, outcomes in plays])
                  for name in plays[0][-1]}
        sums = {name: values.sum() for name, values in earned.items()}
        self.best = max(FIXED, key=sums.get)
        most = sums[self.best]
        possible = sum(best for best, _, _ in plays)
        chance = sum(chance for _, chance, _ in plays)
        self.shares = {name: sums[name] / most for name in sums}
        self.default = self.shares[DEFAULT]
        self.chance = chance / most
        self.possible = most / possible
        self.each = {name: values / earned[self.best]
                     for name, values in earned.items()}
        gained = sums[DEFAULT] - chance
        self.gain = gained / (most - chance)
        memory = np.concatenate([outcomes[DEFAULT].memory
                                 for _, _, outcomes in plays])
        self.memory = np.bincount(memory)[1:] / len(memory)

    def cells(self):
        """Return a row of the table."""
        fixed = [f'{self.shares[name]:.2f}' for name in FIXED]
        return (self.problem.key, self.problem.about, f'{self.possible:.2f}',
                f'{self.chance:.2f}', *fixed, f'{self.default:.3f}',
                with_error(self.each[DEFAULT]),
                f'{self.gain:.2f}',
                ' '.join(f'{share:.0%}' for share in self.memory))


HEAD = ('problem', 'description', 'best of possible', 'random',
        *FIXED, DEFAULT, 'mean over seeds', 'above random', 'memory in use')


def print_all(rows):
    """Print all tables; return whether all bars are met."""
    print('\nRewards, relative to those of the best fixed discount\n')
    print(table([HEAD] + [row.cells() for row in rows]))
    print()
    return print_results(results([row for row in rows
                                  if row.problem.has_bars]))


def results(rows):
    """Return the results with bars."""
    found = []
    if rows:
        shares = [row.default for row in rows]
        worst = min(rows, key=lambda row: row.default)
        found = [
            at_least(f'default against the best fixed discount, mean of '
                     f'{len(rows)} problems', np.mean(shares), MIN_AVERAGE,
                     with_error(np.mean([row.each[DEFAULT] for row in rows],
                                        axis=0))),
            at_least(f'    at worst ({worst.problem.key})', worst.default,
                     MIN_WORST, with_error(worst.each[DEFAULT]))]
    found += [at_least('    boxes of ten', row.default, MIN_BOXES,
                       f'{row.default:.3f}')
              for row in rows if row.problem.key == BOXES]
    for name in FIXED if rows else ():
        values = [row.shares[name] for row in rows]
        found.append(Result(f'a fixed discount of {name}: mean, at worst',
                            f'{np.mean(values):.3f}, {min(values):.3f}'))
    return found
