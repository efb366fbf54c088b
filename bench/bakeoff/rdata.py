"""Read the data frame of an .rda file, without R.

Such a file is compressed, and holds R's objects in its XDR serialisation,
version 2 or 3, as "R Internals" describes it: for each object a word of flags
with its type, then what the type calls for, big-endian.
"""

import bz2
import gzip
import lzma
import struct
from dataclasses import dataclass, field

import numpy as np

OPENERS = {b'\x1f\x8b': gzip.decompress, b'BZ': bz2.decompress,
           b'\xfd7': lzma.decompress}
SYMBOL, PAIRS, CHARS, LOGICAL, INTEGER, REAL, STRINGS, LIST = (
    1, 2, 9, 10, 13, 14, 16, 19)
REFERENCE, NOTHING = 255, (0, 254)
ATTRIBUTES, TAG = 0x200, 0x400
MISSING = -2 ** 31


@dataclass
class Vector:
    """A vector of R with its attributes."""

    values: list
    attributes: dict = field(default_factory=dict)


def read(path):
    """Return {column: Vector} of the only data frame in a file."""
    content = path.read_bytes()
    data = OPENERS[content[:2]](content)
    reader = _Reader(data[7:])                  # after "RDX2\nX\n"
    version, _, _ = (reader.word() for _ in range(3))
    if version == 3:
        reader.take(reader.word())              # the encoding
    frame, = reader.item().values()
    return dict(zip(frame.attributes['names'].values, frame.values))


class _Reader:
    """Goes through the serialisation."""

    def __init__(self, data):
        self._data = data
        self._at = 0
        self._symbols = []

    def take(self, count):
        """Return the next bytes."""
        self._at += count
        return self._data[self._at - count:self._at]

    def word(self):
        """Return the next integer."""
        return struct.unpack('>i', self.take(4))[0]

    def item(self):
        """Return the next object."""
        flags = self.word()
        kind = flags & 0xff
        if kind in NOTHING:
            return {}
        if kind == REFERENCE:
            return self._symbols[(flags >> 8) - 1]
        if kind == SYMBOL:
            self._symbols.append(self.item())
            return self._symbols[-1]
        if kind == CHARS:
            return self.take(max(self.word(), 0)).decode('latin-1')
        if kind == PAIRS:
            tag = self.item() if flags & TAG else None
            return {tag: self.item(), **self.item()}
        found = Vector(self._values(kind, self.word()))
        if flags & ATTRIBUTES:
            found.attributes = self.item()
        return found

    def _values(self, kind, count):
        """Return the elements of a vector; what is missing is NaN."""
        if kind in (STRINGS, LIST):
            return [self.item() for _ in range(count)]
        if kind == REAL:
            return np.frombuffer(self.take(8 * count), '>f8').astype(float)
        if kind in (LOGICAL, INTEGER):
            found = np.frombuffer(self.take(4 * count), '>i4')
            return np.where(found == MISSING, np.nan, found)
        raise ValueError(f'an object of type {kind}')
