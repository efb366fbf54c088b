"""Read the ratings of Jester and of Amazon, one in each line."""

from calendar import timegm

import numpy as np

from bench.program import UserError

RATING = np.dtype([('user', np.int64), ('item', np.int64),
                   ('rating', np.float32)])
JESTER_HIGHEST = 10
JESTER_NOT_RATED = 99
AMAZON_HIGHEST = 5
LARGEST = np.iinfo(np.int64).max
# The paper's window.
FIRST = timegm((2012, 12, 15, 0, 0, 0))
AFTER = timegm((2013, 6, 16, 0, 0, 0))
WINDOW = '15 December 2012 to 15 June 2013'


def read_jester(path):
    """Return Jester's ratings: user,joke,rating; a header may come first."""
    rows = [row for row in _read(path, _jester_row, _is_header,
                                 'user, joke, rating from -10 to 10')
            if row[2] != JESTER_NOT_RATED]
    return _array(path, rows)


def read_amazon(path):
    """Return (ratings, notes) of the paper's window, or of the whole file.

    Lines are item,user,rating,timestamp, without a header.
    """
    ratings = _read_span(path, FIRST, AFTER)
    if ratings:
        return _array(path, ratings), [f'ratings from {WINDOW}']
    return (_array(path, _read_span(path, -np.inf, np.inf)),
            [f'no ratings from {WINDOW}: all are used'])


def _read_span(path, first, after):
    """Return the ratings of a span of time, users and items numbered."""
    users, items = {}, {}
    return [(users.setdefault(user, len(users)),
             items.setdefault(item, len(items)), rating)
            for item, user, rating, time in _read(
                path, _amazon_row, lambda line: False,
                'item, user, rating from 0 to 5, timestamp')
            if first <= time < after]


def _read(path, parse, is_header, fields):
    """Yield what `parse` makes of each line that is not empty.

    It raises ValueError where the line does not hold the fields.
    """
    try:
        with open(path, encoding='utf-8-sig') as file:
            for number, line in enumerate(file, start=1):
                if not line.strip() or number == 1 and is_header(line):
                    continue
                try:
                    row = parse(line)
                except ValueError:
                    raise UserError(f'{path} is malformed: line {number} is '
                                    f'not {fields}') from None
                yield row
    except UnicodeDecodeError:
        raise UserError(f'{path} is malformed: it is not text') from None


def _is_header(line):
    """Say whether a line begins with a name."""
    return line.lstrip('" ')[:1].isalpha()


def _jester_row(line):
    """Return a line's fields."""
    user, item, rating = line.split(',')
    row = int(user), int(item), float(rating)
    if max(abs(row[0]), abs(row[1])) > LARGEST or not (
            abs(row[2]) <= JESTER_HIGHEST or row[2] == JESTER_NOT_RATED):
        raise ValueError
    return row


def _amazon_row(line):
    """Return a line's fields."""
    item, user, rating, time = line.split(',')
    row = item, user, float(rating), float(time)
    if not (item and user and 0 <= row[2] <= AMAZON_HIGHEST):
        raise ValueError
    return row


def _array(path, rows):
    """Return ratings as an array."""
    if not rows:
        raise UserError(f'{path} holds no ratings')
    return np.array(rows, dtype=RATING)
