"""What was found, in figures."""

import numpy as np

from bench.drift.play import BY_TIME, DEFAULT, FIXED, FOUR, SCALES
from bench.drift.problems import LATE
from bench.report import Result, at_least, print_results, table, with_error

AVERAGE_BAR = 0.99
WORST_BAR = 0.95
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
        """Return the row of the table."""
        fixed = [f'{self.shares[name]:.2f}' for name in FIXED]
        return (self.problem.key, self.problem.about, f'{self.possible:.2f}',
                f'{self.chance:.2f}', *fixed, f'{self.default:.3f}',
                with_error(self.each[DEFAULT]),
                f'{self.gain:.2f}', f'{self.shares[FOUR]:.3f}',
                ' '.join(f'{share:.0%}' for share in self.memory))

    def late_cells(self):
        """Return the row of the table of late rewards."""
        return (self.problem.key, self.problem.about, self.best,
                f'{self.possible:.2f}', f'{self.chance:.2f}',
                *(with_error(self.each[name])
                  for name in (DEFAULT, *BY_TIME)))


HEAD = ('problem', 'what it is', 'best of possible', 'random',
        *FIXED, DEFAULT, 'its mean over seeds', 'above random', f'{FOUR} memories',
        'default\'s memory in use')
LATE_HEAD = ('problem', 'what it is', 'best discount', 'best of possible',
             'random', 'default, by count', *BY_TIME)


def print_all(rows, alike):
    """Print all tables; return whether all bars are met."""
    print('\nRewards, as shares of what the best fixed discount earned\n')
    late = [row for row in rows if row.problem.group == LATE]
    early = [row for row in rows if row.problem.group != LATE]
    if early:
        print(table([HEAD] + [row.cells() for row in early]))
        print()
    if late:
        means = [np.mean([row.each[name] for row in late], axis=0)
                 for name in (DEFAULT, *BY_TIME)]
        print(table([LATE_HEAD] + [row.late_cells() for row in late] + [
            ('mean', '', '', '', '', *map(with_error, means))]))
        print()
    found = results([row for row in early if not row.problem.group], alike)
    return print_results(found)


def results(rows, alike):
    """Return what the bars are held against."""
    found = []
    if rows:
        shares = [row.default for row in rows]
        worst = min(rows, key=lambda row: row.default)
        found = [
            at_least(f'default against the best fixed discount, mean of '
                     f'{len(rows)} problems', np.mean(shares), AVERAGE_BAR,
                     with_error(np.mean([row.each[DEFAULT] for row in rows],
                                        axis=0))),
            at_least(f'    at worst ({worst.problem.key})', worst.default,
                     WORST_BAR, with_error(worst.each[DEFAULT]))]
    found += [at_least('    boxes of ten', row.default, BOX_BAR,
                       f'{row.default:.3f}')
              for row in rows if row.problem.key == BOXES]
    others = {FOUR: 'four memories', **{name: f'a fixed discount of {name}'
                                        for name in FIXED}}
    for name, words in others.items() if rows else ():
        values = [row.shares[name] for row in rows]
        found.append(Result(f'{words}: mean, at worst',
                            f'{np.mean(values):.3f}, {min(values):.3f}'))
    for (shift, scale), share in zip(SCALES[1:], alike[1:]):
        found.append(at_least(
            f'same choices with rewards of {shift} and {shift + scale} as '
            'with 0 and 1', share, 1, f'{share:.2%}'))
    return found
