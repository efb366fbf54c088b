"""Growth of the time of a recommendation with sizes."""

from bench.measure import prepared
from bench.speed import shapes
from bench.speed.bars import Bar

FEW, MANY = 1000, 4000
ROUNDS = 500
LINEAR = 4
WIDE_MOST = 1.3

SHAPES = *shapes.USUAL, *(
    shapes.Shape(f'{dim} to {reduced}', dim, f'{dim}, {reduced}')
    for dim, reduced in ((480, 24), (300, 24), (300, 150)))
SHORT, LONG, NARROW, WIDE = SHAPES[0], *SHAPES[-3:]


def run(theme):
    """Compare pairs of sizes."""
    shapes.create_models(theme.cursor, SHAPES)
    shapes.create_items(theme.cursor, SHAPES, MANY)
    for dim in {shape.dim for shape in SHAPES}:
        theme.cursor.execute(
            f'CREATE TABLE few_{dim} AS TABLE item_{dim} LIMIT {FEW}')
        theme.cursor.execute(f'VACUUM ANALYZE few_{dim}')
    for shape in shapes.USUAL:
        _compare(theme, f'{shape.title}: {MANY:,} candidates: times {FEW:,}',
                 shape.recommend, _among_few(shape), LINEAR)
    _compare(theme, f'{LONG.title}: times {SHORT.title}', _among_few(LONG),
             _among_few(SHORT), LINEAR)
    _compare(theme, f'{WIDE.title}: times {NARROW.title}', _among_few(WIDE),
             _among_few(NARROW), WIDE_MOST)


def _among_few(shape):
    """Return the recommendation among few."""
    return shape.recommend.replace(shape.items, f'few_{shape.dim}')


def _compare(theme, what, large, small, most):
    """Compare two statements."""
    tasks = prepared(theme.cursor, {'large': large, 'small': small})
    theme.compare(tasks, [Bar(what, 'large', 'small', most)], ROUNDS)
