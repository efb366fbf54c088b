"""Tables in Markdown."""

from dataclasses import dataclass

import numpy as np

HEADINGS = ('what', 'measured', 'bar', '')


@dataclass
class Result:
    """One row of a table; without a bar it is information."""

    what: str
    measured: str
    bar: str = ''
    met: bool = None

    def cells(self):
        """Return the row as texts."""
        verdict = {None: '', True: 'ok', False: 'MISSED'}[self.met]
        return self.what, self.measured, self.bar, verdict


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


def at_most(what, measured, bar, text=None, unit=''):
    """Return the result of a measure that has to be small."""
    return Result(what, text or f'{measured:.2f}{unit}',
                  f'at most {bar:g}{unit}', bool(measured <= bar))


def at_least(what, measured, bar, text=None, unit=''):
    """Return the result of a measure that has to be large.

    Without a bar it is information.
    """
    if bar is None:
        return Result(what, text)
    return Result(what, text or f'{measured:.0f}{unit}',
                  f'at least {bar:g}{unit}', bool(measured >= bar))


def each(values, form='.2f'):
    """Return the values of several seeds as text."""
    return ', '.join(f'{value:{form}}' for value in values)


def print_results(results):
    """Print results as a table; return whether all bars are met."""
    print(table([HEADINGS] + [result.cells() for result in results]))
    return all(result.met is not False for result in results)


def judge(options, run, bars):
    """Run a show for each seed and print its bars, which are for the means.

    Return whether all are met; only a strict one minds.
    """
    found = [run(seed) for seed
             in range(options.seed, options.seed + options.seeds)]
    print_heading('As it should be?')
    return print_results(bars(found)) or not options.strict


def print_heading(text):
    """Print a heading."""
    print(f'\n{text}\n{"-" * len(text)}')


def table(rows):
    """Return a table with aligned columns; the first row is its head."""
    head, *rows = (tuple(map(str, row)) for row in rows)
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    rule = tuple('-' * width for width in widths)
    return '\n'.join('| ' + ' | '.join(map(str.ljust, row, widths)) + ' |'
                     for row in (head, rule, *rows))
