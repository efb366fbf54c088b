"""Read Jester's ratings: user,joke,rating, from -10 to 10."""

from itertools import chain
from pathlib import Path

import numpy as np

from errors import UserError

RATING = np.dtype([('user', np.int64), ('item', np.int64),
                   ('rating', np.float32)])
HIGHEST = 10
NOT_RATED = 99
LARGEST = np.iinfo(np.int64).max


def read(path):
    """Return the ratings of a CSV file with or without a header."""
    path = Path(path)
    rows = []
    try:
        with path.open(encoding='utf-8-sig') as file:
            start = 1
            first = file.readline()
            if _is_header(first):
                start = 2
            else:
                file = chain([first], file)
            for number, line in enumerate(file, start):
                if not line.strip():
                    continue
                row = _row(line)
                if row is None:
                    raise UserError(
                        f'{path} is malformed: line {number} is not user, '
                        'joke, rating from -10 to 10')
                if row[2] != NOT_RATED:
                    rows.append(row)
    except OSError as error:
        raise UserError(f'cannot read {path}: {error.strerror}') from None
    except UnicodeDecodeError:
        raise UserError(f'{path} is malformed: it is not text') from None
    if not rows:
        raise UserError(f'{path} holds no ratings')
    return np.array(rows, dtype=RATING)


def _is_header(line):
    """Say whether a line begins with a name."""
    return line.lstrip('" ')[:1].isalpha()


def _row(line):
    """Return a line's fields, or None if they are something else."""
    try:
        user, item, rating = line.split(',')
        row = int(user), int(item), float(rating)
    except ValueError:
        return None
    if max(abs(row[0]), abs(row[1])) > LARGEST:
        return None
    return row if abs(row[2]) <= HIGHEST or row[2] == NOT_RATED else None
