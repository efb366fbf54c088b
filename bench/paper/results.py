"""The results as CSV files that grow by one run at a time."""

import csv
from pathlib import Path

from bench.program import UserError

RUN = ('data', 'steps', 'seed', 'ndcg', 'policy', 'dimension', 'parameters',
       'repetition')
TOTALS = RUN + ('seconds', 'reward', 'ndcg_at_5')
STRETCHES = RUN + ('first', 'after', 'reward', 'ndcg_at_5')


class Results:
    """totals.csv has a row for each finished run, stretches.csv its course.

    A run counts as finished when totals.csv has it, which is written last.
    """

    def __init__(self, folder):
        self._totals = Path(folder) / 'totals.csv'
        self._stretches = Path(folder) / 'stretches.csv'
        _drop_torn_line(self._totals)
        _drop_torn_line(self._stretches)
        self.totals = {self.key(row): row
                       for row in _read(self._totals, TOTALS)}

    def has(self, run):
        """Say whether a run is finished."""
        return self.key(run) in self.totals

    def total(self, run):
        """Return the totals of a finished run."""
        return self.totals[self.key(run)]

    def add(self, run, outcome, ends):
        """Append a run, added up over the stretches between ends."""
        rows = []
        for first, after in zip(ends, ends[1:]):
            part = slice(first, after)
            rows.append({**run, 'first': first, 'after': after,
                         'reward': int(outcome.rewards[part].sum()),
                         'ndcg_at_5': _sum(outcome.ndcg, part)})
        total = {**run, 'seconds': f'{outcome.seconds:.2f}',
                 'reward': int(outcome.rewards.sum()),
                 'ndcg_at_5': _sum(outcome.ndcg, slice(None))}
        _append(self._stretches, STRETCHES, rows)
        _append(self._totals, TOTALS, [total])
        total = {name: str(value) for name, value in total.items()}
        self.totals[self.key(total)] = total

    def stretches(self, runs):
        """Return {(run's key, first): row} of the given runs."""
        wanted = {self.key(run) for run in runs}
        # An interrupted run may have left rows; the later ones count.
        return {(self.key(row), int(row['first'])): row
                for row in _read(self._stretches, STRETCHES)
                if self.key(row) in wanted}

    @staticmethod
    def key(row):
        """Return what tells runs apart."""
        return tuple(str(row[name]) for name in RUN)


def _sum(values, part):
    """Return a sum as text; nothing if there are no values."""
    return '' if values is None else f'{values[part].sum():.6f}'


def _drop_torn_line(path):
    """Cut off a last line that its writer could not finish."""
    try:
        with path.open('rb+') as file:
            content = file.read()
            file.truncate(content.rfind(b'\n') + 1)
    except FileNotFoundError:
        pass


def _read(path, fields):
    """Return the rows of a file; none if it is not there."""
    try:
        with path.open(newline='') as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except FileNotFoundError:
        return []
    except (UnicodeDecodeError, csv.Error):
        raise UserError(f'cannot read {path}') from None
    if tuple(reader.fieldnames or ()) != fields:
        raise UserError(f'{path} is not a file of this program\'s results; '
                        '--out names another folder')
    # A line may be short if its writer was stopped inside it.
    return [row for row in rows if None not in row.values()
            and None not in row]


def _append(path, fields, rows):
    """Append rows; the header goes first."""
    with path.open('a', newline='') as file:
        writer = csv.DictWriter(file, fields)
        if not file.tell():
            writer.writeheader()
        writer.writerows(rows)
