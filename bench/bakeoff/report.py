"""What was found, in figures."""

import numpy as np

from bench.bakeoff.play import DEFAULT, POLICIES
from bench.report import Result, error, print_results, table, with_error

# The default's mean loss has to be within, where no arguments are given: three
# errors about what it is. What learns better moves the band.
BAND = 0.300, 0.330
# What is known of a set tells whether files are read rightly.
KNOWN = 'Vowel', (990, 11)
RANDOM, MOST = 'random', 'most frequent'
HEAD = ('set', 'rows', 'arms', 'coordinates', RANDOM, MOST, *POLICIES)


class Row:
    """Losses on one set: for each policy one for each draw."""

    def __init__(self, played, rows, losses):
        self.set = played
        self.rows = min(rows, len(played.classes))
        self.losses = {name: np.array([each[name] for each in losses])
                       for name in POLICIES}
        shares = np.bincount(played.classes) / len(played.classes)
        self.controls = {RANDOM: 1 - 1 / played.arms, MOST: 1 - shares.max()}

    def cells(self):
        """Return the row of the table."""
        return (self.set.name, f'{self.rows:,}', self.set.arms,
                self.set.coordinates,
                *(f'{loss:.3f}' for loss in self.controls.values()),
                *map(with_error, self.losses.values()))


def print_all(rows, every, usual):
    """Print all tables; return whether all bars are met.

    Which are for what is played usually, without arguments.
    """
    draws = len(rows[0].losses[DEFAULT])
    print('\nShare of wrong choices in one pass; mean and standard error, '
          f'draws: {draws}\n')
    means = {name: np.mean([row.losses[name] for row in rows], axis=0)
             for name in POLICIES}
    controls = [f'{np.mean([row.controls[name] for row in rows]):.3f}'
                for name in (RANDOM, MOST)]
    print(table([HEAD] + [row.cells() for row in rows]
                + [('mean', '', '', '', *controls,
                    *map(with_error, means.values()))]))
    print()
    return print_results(results(rows, means[DEFAULT], every, usual))


def results(rows, means, every, usual):
    """Return what the bars are held against."""
    found = [_against(rows, name) for name in POLICIES if name != DEFAULT]
    name, sizes = KNOWN
    if name in every:
        read = len(every[name].classes), int(every[name].arms)
        found.append(Result(f'rows and classes of {name}', str(read),
                            str(sizes), read == sizes))
    least, most = BAND
    mean = Result(f'mean loss of the default, {len(rows)} sets',
                  with_error(means))
    if usual:
        mean.bar = f'{least:g} to {most:g}'
        mean.met = bool(least <= means.mean() <= most)
    return [mean] + found


def _against(rows, name):
    """Return on how many sets the default is better, as good, and worse."""
    gains = [row.losses[name] - row.losses[DEFAULT] for row in rows]
    signs = [np.sign(gain.mean()) * (abs(gain.mean()) > 2 * error(gain))
             for gain in gains]
    counts = [signs.count(sign) for sign in (1, 0, -1)]
    return Result(f'default against {name}: win, tie, lose (two errors)',
                  ', '.join(map(str, counts)))
