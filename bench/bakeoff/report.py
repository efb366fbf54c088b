"""What was found, in figures."""

from collections import Counter

import numpy as np

from bench.bakeoff.play import CURVES, PLAIN, SHOWN
from bench.report import Result, print_results, table, with_error

# Mean losses have to be within, where no arguments are given: three errors
# about what they are. What learns better moves a band.
BANDS = {PLAIN: (0.300, 0.330), CURVES: (0.295, 0.325)}
# What is known of a set tells whether files are read rightly.
KNOWN = 'Vowel', (990, 11)
HEAD = 'set', 'rows', 'arms', 'most frequent'
LEVEL = 1.96    # normal, for a test at 0.05


class Row:
    """Losses on one set: for each policy one for each draw."""

    def __init__(self, played, rows, losses):
        self.set = played
        self.rows = min(rows, len(played.classes))
        self.losses = {name: np.array([each[name] for each in losses])
                       for name in losses[0]}
        self.shown = [name for name in SHOWN if name in self.losses]
        self.most = 1 - np.bincount(played.classes).max() / len(played.classes)

    def cells(self):
        """Return the row of the table."""
        return (self.set.name, f'{self.rows:,}', self.set.arms,
                f'{self.most:.3f}',
                *(with_error(self.losses[name]) for name in self.shown))

    def outcome(self, one, other):
        """Return 1, 0 or -1: one wins, ties, loses by the Bake-off's test."""
        p, q = (self.losses[name].mean() for name in (one, other))
        error = np.sqrt((p * (1 - p) + q * (1 - q)) / self.rows)
        return int(np.sign(q - p)) * (abs(q - p) > LEVEL * error)


def print_all(rows, every, usual):
    """Print all tables; return whether all bars are met.

    Which are for what is played usually, without arguments.
    """
    means = {name: np.mean([row.losses[name] for row in rows], axis=0)
             for name in rows[0].losses}
    print('\nShare of wrong choices in one pass; mean and standard error, '
          f'draws: {len(means[PLAIN])}\n')
    shown = rows[0].shown
    print(table([(*HEAD, *shown)] + [row.cells() for row in rows]
                + [('mean', '', '', f'{np.mean([row.most for row in rows]):.3f}',
                    *(with_error(means[name]) for name in shown))]))
    print('\nOn how many sets a policy wins, ties, loses\n')
    print(table([('against', 'mean', PLAIN, CURVES)]
                + [(name, with_error(mean), _count(rows, PLAIN, name),
                    _count(rows, CURVES, name))
                   for name, mean in means.items()]))
    print()
    return print_results(results(means, every, usual))


def _count(rows, one, other):
    """Return on how many sets one wins, ties, loses against another."""
    if one == other:
        return ''
    found = Counter(row.outcome(one, other) for row in rows)
    return ', '.join(str(found[sign]) for sign in (1, 0, -1))


def results(means, every, usual):
    """Return what the bars are held against."""
    found = []
    for name, (least, most) in BANDS.items() if usual else ():
        mean = means[name].mean()
        found.append(Result(f'mean loss, {name}', f'{mean:.3f}',
                            f'{least:g} to {most:g}',
                            bool(least <= mean <= most)))
    name, sizes = KNOWN
    if name in every:
        read = len(every[name].classes), int(every[name].arms)
        found.append(Result(f'rows and classes of {name}', str(read),
                            str(sizes), read == sizes))
    return found
