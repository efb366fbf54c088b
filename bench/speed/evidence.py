"""Learning from many rows at once.

The table is all in shared buffers, where the aggregate to measure against is
fastest. In order, it is one that sorts the same rows and does next to nothing
with them; the new model is an argument that goes through the sort.
"""

import numpy as np

from bench import samples
from bench.measure import statements
from bench.speed import shapes
from bench.speed.bars import Bar

ROWS = 100000
ROUNDS = 40
MOST = 3.5
ONE = shapes.Shape('one memory', 120, f'120, 24, {samples.PAPER}')
SHAPES = shapes.SHAPE, ONE, shapes.DEFAULT, shapes.MATCHED
ORDERED_ROWS = 20000
ORDERED_MOST = 5
BLOCK = 8192


def run(theme):
    """Compare evidence with the scan of its rows, and with their sort."""
    rows = int(ROWS * min(theme.share, 1))
    shapes.create_models(theme.cursor, SHAPES, rows)
    for shape in SHAPES:
        samples.keep_in_memory(theme.cursor, shape.feedback)
        theme.compare(
            statements(theme.cursor, _statements(shape)),
            [Bar(f'dlints_evidence, {rows:,} rows, {shape.title}: times '
                 'max(reward)', 'evidence', 'scan',
                 MOST if shape is shapes.SHAPE else None)],
            ROUNDS, np.min)
    _ordered(theme, min(ORDERED_ROWS, rows))


def _statements(shape):
    """Return what is compared for a model."""
    return {'scan': f'SELECT max(reward) FROM {shape.feedback}',
            'evidence': f"""
                SELECT dlints_evidence({shape.state}, {shape.observation})
                       IS NOT NULL
                FROM   {shape.feedback}"""}


def _ordered(theme, rows):
    """Compare a model that is made anew from a log with a sort of the log."""
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
