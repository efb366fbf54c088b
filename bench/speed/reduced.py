"""Reduced features that are stored in a column.

Items that store dlints_project(model, features) are scored with d numbers per
candidate instead of n.
"""

from bench.measure import prepared
from bench.speed import shapes
from bench.speed.bars import Bar

ITEMS = 10000
ROUNDS = 200
MOST = 0.6
SHAPE = shapes.Shape('300 to 60', 300, '300, 60')

REDUCE = f"""
    CREATE TABLE reduced AS
    SELECT id, dlints_project({SHAPE.state}, features)::real[] AS reduced
    FROM   {SHAPE.items}"""
TASKS = {
    'features': SHAPE.recommend,
    'reduced': """
        SELECT id
        FROM   reduced
        ORDER  BY dlints_dot((SELECT dlints_draw(state)
                              FROM   model), reduced) DESC
        LIMIT  1"""}


def run(theme):
    """Compare the two ways to score."""
    shapes.create_models(theme.cursor, [SHAPE])
    shapes.create_items(theme.cursor, [SHAPE], ITEMS)
    theme.cursor.execute(REDUCE)
    theme.cursor.execute('VACUUM ANALYZE reduced')
    theme.compare(
        prepared(theme.cursor, TASKS),
        [Bar(f'{ITEMS:,} items reduced in a column, {SHAPE.title}: times '
             'dlints_recommend', 'reduced', 'features', MOST)],
        ROUNDS)
