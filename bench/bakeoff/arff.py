"""Read an ARFF file, as OpenML has them: dense or sparse, quoted either way."""

import re
from sys import intern

import numpy as np

QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
FIELD = re.compile(rf'\s*((?:{QUOTED}|[^,\'"])*),?')
ATTRIBUTE = re.compile(rf'@attribute\s+({QUOTED}|\S+)\s*(.*)', re.IGNORECASE)
NUMBERS = {'numeric', 'real', 'integer'}


def read(path):
    """Return {column: (values, is nominal)} without texts and dates, and the
    names of all columns. What is missing is NaN. ValueError or IndexError
    tells that a file is no such one.
    """
    kinds = {}
    with open(path, encoding='utf-8', errors='replace') as file:
        lines = (line for line in map(str.strip, file)
                 if line and not line.startswith('%'))
        for line in lines:
            if line.lower().startswith('@data'):
                break
            found = ATTRIBUTE.match(line)
            if found:
                kinds[_bare(found[1])] = found[2]
        # What a sparse row leaves out is 0 or the first of the values.
        usual = [_fields(kind.strip('{}'))[0] if kind.startswith('{') else '0'
                 for kind in kinds.values()]
        rows = [_row(line, usual) for line in lines]
    if not rows or {len(row) for row in rows} != {len(kinds)}:
        raise ValueError(f'rows of {len(kinds)} values are wanted')
    return {name: _column(values, kind)
            for (name, kind), values in zip(kinds.items(), zip(*rows))
            if kind.startswith('{') or kind.lower() in NUMBERS}, list(kinds)


def _row(line, usual):
    """Return the values of a row as texts."""
    if not line.startswith('{'):
        return _fields(line)
    row = usual.copy()
    for field in filter(None, _fields(line.strip('{}'))):
        number, text = field.split(None, 1)
        row[int(number)] = _bare(text)
    return row


def _fields(line):
    """Return what commas separate; a text that comes often is kept once."""
    if '"' in line or "'" in line:
        return [intern(_bare(found)) for found in FIELD.findall(line)[:-1]]
    return [intern(field.strip()) for field in line.split(',')]


def _bare(text):
    """Return a text without its quotes."""
    text = text.strip()
    return re.sub(r'\\(.)', r'\1', text[1:-1]) if text[:1] in '"\'' else text


def _column(values, kind):
    """Return a column's values as numbers, and whether it is nominal."""
    missing = np.array([value == '?' for value in values])
    nominal = kind.startswith('{')
    if nominal:
        numbers = np.unique(values, return_inverse=True)[1]
    else:
        numbers = np.where(missing, 'nan', values)
    return np.where(missing, np.nan, numbers.astype(float)), nominal
