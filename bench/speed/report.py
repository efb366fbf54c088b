"""The table of results, and the progress towards it."""

import sys
from dataclasses import dataclass

from tqdm import tqdm

HEADINGS = ('what', 'measured', 'bar', '')


@dataclass
class Result:
    """One row of the table; without a bar it is information."""

    what: str
    measured: str
    bar: str = ''
    met: bool = None

    def cells(self):
        """Return the row as texts."""
        verdict = {None: '', True: 'ok', False: 'MISSED'}[self.met]
        return self.what, self.measured, self.bar, verdict


def at_most(what, measured, bar, text=None, unit=''):
    """Return the result of a measure that has to be small."""
    return Result(what, text or f'{measured:.2f}{unit}',
                  f'at most {bar:g}{unit}', bool(measured <= bar))


def at_least(what, measured, bar, text=None, unit=''):
    """Return the result of a measure that has to be large."""
    return Result(what, text or f'{measured:.0f}{unit}',
                  f'at least {bar:g}{unit}', bool(measured >= bar))


def print_table(results):
    """Print results as a Markdown table with aligned columns."""
    print_rows([HEADINGS] + [result.cells() for result in results])


def print_rows(rows):
    """Print texts as a Markdown table; the first row holds the headings."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows = list(rows)
    rows.insert(1, tuple('-' * width for width in widths))
    for row in rows:
        print('| ' + ' | '.join(map(str.ljust, row, widths)) + ' |')


class Progress:
    """A bar on a terminal; elsewhere one line for each theme."""

    def __init__(self, themes):
        self._themes = themes
        self._started = 0
        self._bar = tqdm(total=themes, leave=False,
                         disable=not sys.stderr.isatty(),
                         bar_format='{l_bar}{bar}| {elapsed}')

    def start(self, title):
        """Begin the next theme."""
        self._started += 1
        self._bar.set_description(title)
        if self._bar.disable:
            print(f'[{self._started}/{self._themes}] {title}',
                  file=sys.stderr, flush=True)

    def advance(self, share):
        """Show which share of the theme is done."""
        self._bar.n = self._started - 1 + share
        self._bar.refresh()

    def close(self):
        """Clear the bar."""
        self._bar.close()
