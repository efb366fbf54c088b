"""Training on many rows at once.

The table is in shared buffers, where the aggregate used for comparison is
fastest. Ordered evidence is compared with a trivial aggregate that sorts the
same rows; the new model is an argument that passes through the sort.

Of 525 ns per row for three memories of 24 coordinates, sums of products take
200, the scan 165, cache misses of the features 65, and weighting the vectors
55. Memories have different weights within a block, so each needs its own rank
update.
"""

import numpy as np

from bench import samples
from bench.measure import statements
from bench.speed import shapes
from bench.speed.bars import Bar

ROWS = 100000
ROUNDS = 40
MOST = 3.5
MEMORIES_MOST = 1.3
ONE = shapes.Shape('one memory', 120, f'120, 24, {samples.PAPER}')
LARGER = shapes.DEFAULT, shapes.MATCHED
ORDERED_ROWS = 20000
ORDERED_MOST = 5
BLOCK = 8192


def run(theme):
    """Compare evidence with the scan of its rows, and with their sort."""
    rows = int(ROWS * min(theme.share, 1))
    usual = shapes.SHAPE
    shapes.create_models(theme.cursor, (usual, ONE, *LARGER), rows)
    for shape in usual, *LARGER:
        samples.keep_in_memory(theme.cursor, shape.feedback)
    _unordered(theme, rows, usual, {usual: MOST, ONE: None},
               [Bar('    three memories: times one', usual.title, ONE.title,
                    MEMORIES_MOST)])
    for shape in LARGER:
        _unordered(theme, rows, shape, {shape: None}, [])
    _ordered(theme, min(ORDERED_ROWS, rows))


def _unordered(theme, rows, scanned, bars, more):
    """Compare training with a scan of the same rows."""
    theme.compare(
        statements(theme.cursor, {
            'scan': f'SELECT max(reward) FROM {scanned.feedback}',
            **{shape.title: f"""
                SELECT dlints_evidence({shape.state}, {shape.observation})
                       IS NOT NULL
                FROM   {shape.feedback}""" for shape in bars}}),
        [Bar(f'dlints_evidence, {rows:,} rows, {shape.title}: times '
             'max(reward)', shape.title, 'scan', most)
         for shape, most in bars.items()] + more,
        ROUNDS, np.min)


def _ordered(theme, rows):
    """Compare training on a log in order with a sort of the log."""
    theme.cursor.execute("SET work_mem = '64MB'")
    shape = shapes.SHAPE
    source = f'FROM {shape.feedback} WHERE id <= {rows}'
    texts = {
        'sort': f'SELECT count(features ORDER BY id) {source}',
        'evidence': f"""
            SELECT dlints_evidence(dlints_new({shape.arguments}),
                                   {shape.observation} ORDER BY id) IS NOT NULL
            {source}"""}
    theme.compare(
        statements(theme.cursor, texts),
        [Bar(f'dlints_evidence ORDER BY id, {rows:,} rows, {shape.title}: '
             'times count', 'evidence', 'sort', ORDERED_MOST)],
        ROUNDS, np.min)
    written = samples.blocks(theme.cursor, texts['evidence'], 'Temp Written')
    theme.at_most('    temporary files written', written * BLOCK / 1e6, 0,
                  ' MB')
