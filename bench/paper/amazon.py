"""Read Amazon's ratings: item,user,rating,timestamp, without a header."""

from calendar import timegm
from pathlib import Path

import numpy as np

from errors import UserError

RATING = np.dtype([('user', np.int64), ('item', np.int64),
                   ('rating', np.float32)])
# The paper's window.
FIRST = timegm((2012, 12, 15, 0, 0, 0))
AFTER = timegm((2013, 6, 16, 0, 0, 0))
WINDOW = '15 December 2012 to 15 June 2013'


def read(path):
    """Return (ratings, notes) of the paper's window, or of the whole file."""
    path = Path(path)
    try:
        ratings = _read(path, FIRST, AFTER)
        if len(ratings):
            return ratings, [f'ratings from {WINDOW}']
        ratings = _read(path, -np.inf, np.inf)
    except OSError as error:
        raise UserError(f'cannot read {path}: {error.strerror}') from None
    except UnicodeDecodeError:
        raise UserError(f'{path} is malformed: it is not text') from None
    if not len(ratings):
        raise UserError(f'{path} holds no ratings')
    return ratings, [f'no ratings from {WINDOW}: all are used']


def _read(path, first, after):
    """Return the ratings of a span of time, users and items numbered."""
    items, users, rows = {}, {}, []
    with path.open(encoding='utf-8-sig') as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                item, user, rating, time = line.split(',')
                rating, time = float(rating), float(time)
                if not (item and user and 0 <= rating <= 5):
                    raise ValueError
            except ValueError:
                raise UserError(f'{path} is malformed: line {number} is not '
                                'item, user, rating from 0 to 5, '
                                'timestamp') from None
            if first <= time < after:
                rows.append((users.setdefault(user, len(users)),
                             items.setdefault(item, len(items)), rating))
    return np.array(rows, dtype=RATING)
