"""Recommendations against a bare aggregate over the same table.

The aggregate reads one number of each item's features, the minimum for any use
of them. If the model is in FROM, both join it with each item.
"""

from bench.measure import prepared
from bench.speed import shapes
from bench.speed.bars import Bar

ITEMS = 1000
ROUNDS = 1000
MOST = 1.5


def run(theme):
    """Compare recommendations."""
    shapes.create_models(theme.cursor, shapes.USUAL)
    shapes.create_items(theme.cursor, shapes.USUAL, ITEMS)
    for shape in shapes.USUAL:
        theme.compare(
            prepared(theme.cursor, _statements(shape)),
            [Bar(f'dlints_recommend, {ITEMS:,} items, {shape.title}, in '
                 'subqueries: times max(features[1])', 'subquery', 'scan', MOST),
             Bar('    both joined with the model', 'join', 'joined scan', MOST)],
            ROUNDS)


def _statements(shape):
    """Return the statements to compare for a model."""
    return {
        'scan': f'SELECT max(features[1]) FROM {shape.items}',
        'joined scan': f"""
            SELECT max(i.features[1]) FROM model m, {shape.items} i
            WHERE  m.name = '{shape.title}'""",
        'subquery': shape.recommend_by_subqueries,
        'join': shape.recommend}
