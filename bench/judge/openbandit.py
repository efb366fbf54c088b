"""The Open Bandit logs of a folder."""

import csv
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from bench.program import UserError
from bench.source import CHECKOUT

NEARBY = CHECKOUT.parent / 'shared' / 'data' / 'open-bandit'
URL = 'https://research.zozo.com/data.html'
LICENCE = ('Open Bandit Dataset, Apache-2.0. Cite Saito et al., '
           'https://arxiv.org/abs/2008.07146')
CAMPAIGNS = ('men', 'women')
POLICIES = ('random', 'bts')
PLACES = 3
ITEM_NUMBER = 'item_feature_0'
ITEM_FEATURES = tuple(f'item_feature_{number}' for number in range(1, 4))


@dataclass
class Log:
    """What a policy showed in a campaign: a row for each place of a visit."""

    times: list
    items: np.ndarray           # numbers, from 0
    places: np.ndarray          # from 1
    clicks: np.ndarray
    probabilities: np.ndarray   # of the item at that place


@dataclass
class Campaign:
    """The items of a campaign, and its log under each policy."""

    features: np.ndarray        # of the items, of length 1
    logs: dict                  # policy: Log


def find_folder():
    """Return the folder of the data; UserError if there is none."""
    named = os.environ.get('DATA')
    folder = Path(named) if named else NEARBY
    if not folder.is_dir():
        raise UserError(f'there is no folder {folder}; the logs can be had at '
                        f'{URL}, and DATA names the folder')
    return folder


def read_campaigns(folder, rounds):
    """Return {name: Campaign} with the first rounds of each log."""
    found = {}
    for name in CAMPAIGNS:
        rows = {policy: _read(folder / policy / name / f'{name}.csv', rounds)
                for policy in POLICIES}
        items = _read(folder / POLICIES[0] / name / 'item_context.csv')
        found[name] = Campaign(_item_features(items), {
            policy: _log(rows[policy]) for policy in POLICIES})
    return found


def _read(path, most=None):
    """Return the rows of a file as dictionaries."""
    with open(path, encoding='utf-8', newline='') as file:
        return list(islice(csv.DictReader(file), most))


def _log(rows):
    """Return the Log that rows make."""
    def column(name, kind):
        try:
            return np.array([kind(row[name]) for row in rows])
        except (KeyError, ValueError) as error:
            raise UserError(f'the log has no column {name} of numbers: '
                            f'{error}') from None

    return Log([row['timestamp'] for row in rows], column('item_id', int),
               column('position', int), column('click', float),
               column('propensity_score', float))


def _item_features(rows):
    """Return features of items: a number, and a place for each category."""
    rows = sorted(rows, key=lambda row: int(row['item_id']))
    number = np.array([float(row[ITEM_NUMBER]) for row in rows])
    number = (number - number.min()) / max(np.ptp(number), 1e-9)
    return _unit(np.column_stack([number, _indicators(rows, ITEM_FEATURES)]))


def _indicators(rows, names):
    """Return a matrix that has a column for each value of each column."""
    columns = []
    for name in names:
        values = np.array([row[name] for row in rows])
        columns.append(values[:, None] == np.unique(values))
    return np.column_stack(columns).astype(float)


def _unit(matrix):
    """Return a matrix with rows of length 1, as the server stores it."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / lengths).astype(np.float32)
