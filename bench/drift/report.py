"""What was found, in figures."""

import numpy as np

from bench.drift.play import DEFAULT, FIXED, FOUR, POLICIES, SCALES
from bench.report import Result, at_least, print_results, table

AVERAGE_BAR = 0.97
WORST_BAR = 0.93
BOX_BAR = 0.98
BOXES = 'box'


class Row:
    """Rewards on one problem, as shares of the best fixed discount's.

    The best fixed discount is found in hindsight, over all seeds together.
    """

    def __init__(self, problem, plays):
        self.problem = problem
        earned = {name: np.array([outcomes[name].earned.sum()
                                  for _, _, outcomes in plays])
                  for name in POLICIES}
        sums = {name: values.sum() for name, values in earned.items()}
        self.best = max(FIXED, key=sums.get)
        most = sums[self.best]
        possible = sum(best for best, _, _ in plays)
        chance = sum(chance for _, chance, _ in plays)
        self.shares = {name: sums[name] / most for name in POLICIES}
        self.default = self.shares[DEFAULT]
        self.chance = chance / most
        self.possible = most / possible
        each = earned[DEFAULT] / earned[self.best]
        self.range = each.min(), each.max()
        gained = sums[DEFAULT] - chance
        self.gain = gained / (most - chance)
        memory = np.concatenate([outcomes[DEFAULT].memory
                                 for _, _, outcomes in plays])
        self.memory = np.bincount(memory)[1:] / len(memory)

    def cells(self):
        """Return the row of the table."""
        fixed = [f'{self.shares[name]:.2f}' for name in FIXED]
        return (self.problem.key, self.problem.about, f'{self.possible:.2f}',
                f'{self.chance:.2f}', *fixed, f'{self.default:.3f}',
                f'{self.range[0]:.3f} to {self.range[1]:.3f}',
                f'{self.gain:.2f}', f'{self.shares[FOUR]:.3f}',
                ' '.join(f'{share:.0%}' for share in self.memory))


HEAD = ('problem', 'what it is', 'best of possible', 'random',
        *FIXED, DEFAULT, 'by seed', 'above random', f'{FOUR} memories',
        'default\'s memory in use')


def print_all(rows, alike):
    """Print all tables; return whether all bars are met."""
    print('\nRewards, as shares of what the best fixed discount earned\n')
    print(table([HEAD] + [row.cells() for row in rows]))
    print()
    found = results(rows, alike)
    return print_results(found)


def results(rows, alike):
    """Return what the bars are held against."""
    shares = [row.default for row in rows]
    worst = min(rows, key=lambda row: row.default)
    found = [
        at_least(f'default against the best fixed discount, mean of '
                 f'{len(rows)} problems', np.mean(shares), AVERAGE_BAR,
                 f'{np.mean(shares):.3f}'),
        at_least(f'    at worst ({worst.problem.key})', worst.default,
                 WORST_BAR, f'{worst.default:.3f}')]
    found += [at_least('    boxes of ten', row.default, BOX_BAR,
                       f'{row.default:.3f}')
              for row in rows if row.problem.key == BOXES]
    others = {FOUR: 'four memories', **{name: f'a fixed discount of {name}'
                                        for name in FIXED}}
    for name, words in others.items():
        values = [row.shares[name] for row in rows]
        found.append(Result(f'{words}: mean, at worst',
                            f'{np.mean(values):.3f}, {min(values):.3f}'))
    for (shift, scale), share in zip(SCALES[1:], alike[1:]):
        found.append(at_least(
            f'same choices with rewards of {shift} and {shift + scale} as '
            'with 0 and 1', share, 1, f'{share:.2%}'))
    return found
