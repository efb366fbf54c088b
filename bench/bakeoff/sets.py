"""The sets: features of length 1 or so, and classes."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.bakeoff import arff, rdata
from bench.program import UserError

MLBENCH = Path('/usr/lib/R/site-library/mlbench/data')
CLASSES = {'class', 'classes', 'type', 'lettr', 'diabetes'}
# Another one's rows, with some of the values missing
TWICE = 'PimaIndiansDiabetes2'


@dataclass
class Set:
    """A classification set."""

    name: str
    features: np.ndarray
    classes: np.ndarray     # numbers, from 0

    @property
    def arms(self):
        """Return how many classes there are."""
        return self.classes.max() + 1

    @property
    def coordinates(self):
        """Return how many numbers the models of all arms learn."""
        return self.arms * (1 + self.features.shape[1])


def find():
    """Return all sets that can be had, by name."""
    named = os.environ.get('DATA')
    kind, folder = ('arff', Path(named)) if named else ('rda', MLBENCH)
    paths = sorted(folder.glob(f'*.{kind}'))
    if not paths:
        raise UserError(f'{folder} holds no .{kind} files')
    read = _read_arff if named else _read_rda
    found = {path.stem: read(path) for path in paths if path.stem != TWICE}
    return {name: _make(name, columns, title)
            for name, (columns, title) in found.items() if title}


def _read_rda(path):
    """Return {column: (values, is nominal)}, without texts, and the column of
    classes, if there is one.
    """
    columns = {}
    for name, vector in rdata.read(path).items():
        kind = vector.attributes.get('class')
        nominal = kind is not None and kind.values == ['factor']
        if isinstance(vector.values, np.ndarray):
            columns[name] = vector.values, nominal
    return columns, _title(columns)


def _read_arff(path):
    """Return the same; if none is called so, classes are what comes last."""
    try:
        columns, names = arff.read(path)
    except (ValueError, IndexError) as error:
        raise UserError(f'{path}: {error}') from None
    title = _title(columns) or names[-1]
    return columns, title if title in columns else None


def _title(columns):
    """Return the nominal column that is called like classes, if any."""
    return next((name for name, (_, nominal) in columns.items()
                 if nominal and name.lower() in CLASSES), None)


def _make(name, columns, title):
    """Return the Set of columns, one of which holds the classes."""
    classes = np.unique(columns[title][0], return_inverse=True)[1]
    features = np.column_stack([
        _numbers(*column) for other, column in columns.items()
        if other != title])
    features -= np.nanmean(features, axis=0)
    spread = np.nanstd(features, axis=0)
    features = np.nan_to_num(features[:, spread > 0] / spread[spread > 0])
    return Set(name, features / np.sqrt(features.shape[1]), classes)


def _numbers(values, nominal):
    """Return a column as numbers: one for each value, but for two of them."""
    known = np.unique(values[~np.isnan(values)])
    if not nominal or len(known) < 3:
        return values
    return (values[:, None] == known).astype(float)
