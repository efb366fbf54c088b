"""Choices with probabilities, against recommendations without.

The time of dlints_decide includes the aggregation of the candidates into arrays.
"""

from bench.measure import prepared
from bench.speed import shapes
from bench.speed.bars import Bar

SHAPES = shapes.SMALL_MATCHED, shapes.MATCHED, shapes.DEFAULT
CANDIDATES = {1000: 200, 10000: 50}     # number of candidates: number of rounds
MAX_TIMES = {20: 2, 100: 4}             # maximum ratio by number of draws
DIVERSITIES = 0.5, 1


def run(theme):
    """Compare choices by number of candidates and draws."""
    shapes.create_models(theme.cursor, SHAPES)
    # Keep the candidates in memory.
    theme.cursor.execute("SET work_mem = '64MB'")
    for count, rounds in CANDIDATES.items():
        shapes.create_items(theme.cursor, SHAPES, count)
        for shape in SHAPES:
            theme.compare(prepared(theme.cursor, _statements(shape)),
                          list(_bars(count, shape.title)),
                          rounds)
        shapes.drop_items(theme.cursor, SHAPES)


def _bars(count, title):
    """Yield the bars of a model."""
    what = f'{count:,} items, {title}'
    for draws, most in MAX_TIMES.items():
        yield Bar(f'dlints_decide, {what}, {draws} draws: times recommend',
                  f'decide {draws}', 'recommend', most)
    for diversity in DIVERSITIES:
        yield Bar(f'    10 with a diversity of {diversity}, 100 draws: times '
                  'without', f'varied {diversity}', 'varied 0',
                  2 if count == 1000 else None)


def _statements(shape):
    """Return the statements of a model."""
    texts = {'recommend': shape.recommend}
    for draws in MAX_TIMES:
        texts[f'decide {draws}'] = _decide(shape, f'draws => {draws}')
    for diversity in (0, *DIVERSITIES):
        texts[f'varied {diversity}'] = _decide(
            shape, 'k => 10, draws => 100, similar_by => c.features, '
            f'diversity => {diversity}')
    return texts


def _decide(shape, arguments):
    """Return a decision, with the aggregation of its candidates."""
    return f"""
        SELECT d.*
        FROM   model m,
               (SELECT array_agg(id) AS ids, array_agg(features) AS features
                FROM   {shape.items}) c,
               LATERAL dlints_decide(m.state, c.ids, c.features, {arguments},
                                     profile => {shape.profile}) d
        WHERE  m.name = '{shape.title}'"""
