"""The results, as a Markdown table, as a CSV file and in words."""

import csv
from dataclasses import dataclass

import numpy as np

from bench import measure, report
from bench.peers.contender import Shape
from bench.peers.extension import Extension

PARTS = {'select': 'selection', 'update': 'update', 'step': 'whole step'}
BASE = Extension.NAME
FIELDS = ('arms', 'n', 'd', 'part', 'contender', 'samples', 'median_us',
          'quartile1_us', 'quartile3_us', 'ratio', 'ratio_low', 'ratio_high')


@dataclass
class Row:
    """What one contender needs for one part of a step."""

    shape: Shape
    part: str
    contender: str
    microseconds: np.ndarray
    ratio: measure.Ratio


def rows(shape, times):
    """Return the results of one task."""
    return [Row(shape, part, name, getattr(series, part) * 1e6,
                measure.ratio(getattr(series, part),
                              getattr(times[BASE], part)))
            for part in PARTS for name, series in times.items()]


def print_table(found):
    """Print a table with a line for each shape and part of a step."""
    names = list(dict.fromkeys(row.contender for row in found))
    lines = {}
    for row in found:
        lines.setdefault((row.shape, row.part), {})[row.contender] = row
    table = [('arms', 'n', 'd', 'part', BASE + ', us',
              *(f'{name}, us; ratio' for name in names if name != BASE))]
    for (shape, part), by_name in lines.items():
        table.append((f'{shape.arms:,}', shape.context_dim,
                      shape.reduced_dim, PARTS[part],
                      *(_cell(by_name[name]) for name in names)))
    print(report.table(table))


def _cell(row):
    """Return a median, and for a peer its ratio with the spread."""
    median = _number(np.median(row.microseconds))
    if row.contender == BASE:
        return median
    ratio = row.ratio
    return (f'{median}; {_number(ratio.value)} '
            f'({_number(ratio.low)} to {_number(ratio.high)})')


def _number(value):
    """Return a number with two or three digits that mean something."""
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def print_faster(found):
    """Say where a peer is faster than the extension, and where slower."""
    for name in dict.fromkeys(row.contender for row in found):
        if name == BASE:
            continue
        print(f'- {name}: ' + '; '.join(
            _compare([row for row in found
                      if (row.contender, row.part) == (name, part)], text)
            for part, text in PARTS.items()) + '.')


def _compare(part_rows, text):
    """Return in words how one part of a peer's step compares."""
    ratios = [row.ratio.value for row in part_rows]
    faster = [row.shape for row in part_rows if row.ratio.value < 1]
    ends = dict.fromkeys(map(_number, (min(ratios), max(ratios))))
    words = f'{text} {" to ".join(ends)} times'
    if not faster:
        return f'{words}, slower in each shape'
    if len(faster) == len(part_rows):
        return f'{words}, FASTER in each shape'
    arms = ', '.join(f'{count:,}' for count
                     in sorted({shape.arms for shape in faster}))
    return (f'{words}, FASTER in {len(faster)} of {len(part_rows)} shapes '
            f'(arms: {arms})')


class CsvFile:
    """A file that takes the results as they come."""

    def __init__(self, path):
        self._file = open(path, 'w', encoding='utf-8', newline='')
        self._writer = csv.writer(self._file)
        self._writer.writerow(FIELDS)

    def add(self, found):
        """Append results."""
        for row in found:
            quartiles = np.percentile(row.microseconds, (50, 25, 75))
            ratio = row.ratio
            self._writer.writerow((
                row.shape.arms, row.shape.context_dim, row.shape.reduced_dim,
                row.part, row.contender, len(row.microseconds),
                *(f'{value:.2f}' for value in quartiles),
                *(f'{value:.4g}' for value
                  in (ratio.value, ratio.low, ratio.high))))
        self._file.flush()

    def close(self):
        """Close the file."""
        self._file.close()
