"""How the time of a recommendation grows with sizes."""

import numpy as np

from bench import samples
from bench.measure import alternate, line, ratio, slope
from bench.report import Result, at_most

CANDIDATES = (250, 500, 1000, 2000, 4000)
DIMS = (60, 120, 240, 480)
REDUCED_DIMS = (12, 24, 48, 96)
LARGE_DIM = 300
LARGE_REDUCED_DIMS = (24, 60, 150, 300)
LARGE_REDUCED_DIM, LARGE_BAR = 150, 3
ITEMS = 1000
ROUNDS = 150
REPEAT = 3  # the first of them has what the shape before left in the caches
BAR = 1.1


def run(cursor, share, advance):
    """Return the results."""
    dim, reduced_dim = samples.DIM, samples.REDUCED_DIM
    shapes = [(count, dim, reduced_dim) for count in CANDIDATES]
    shapes += [(ITEMS, size, reduced_dim) for size in DIMS]
    shapes += [(ITEMS, dim, size) for size in REDUCED_DIMS]
    shapes += [(ITEMS, LARGE_DIM, size) for size in LARGE_REDUCED_DIMS]
    widest = CANDIDATES[-1], dim, REDUCED_DIMS[-1]
    shapes = list(dict.fromkeys(shapes + [widest]))
    samples.create_models(cursor, *dict.fromkeys(
        (_model(*shape), *shape[1:]) for shape in shapes))
    for count, size in dict.fromkeys(shape[:2] for shape in shapes):
        samples.create_items(cursor, samples.random_features(count, size),
                            _table(count, size))
    times = alternate({shape: _task(cursor, *shape) for shape in shapes},
                      max(20, int(ROUNDS * share)), REPEAT, advance)
    seconds = {shape: np.median(series) for shape, series in times.items()}
    large = {size: times[ITEMS, LARGE_DIM, size]
             for size in LARGE_REDUCED_DIMS}
    slower = ratio(large[LARGE_REDUCED_DIM], large[LARGE_REDUCED_DIMS[0]])

    def of_candidates(size, counts):
        return [seconds[count, dim, size] for count in counts]

    by_candidates = of_candidates(reduced_dim, CANDIDATES)
    by_dim = [seconds[ITEMS, size, reduced_dim] for size in DIMS]
    by_reduced = [seconds[ITEMS, dim, size] for size in REDUCED_DIMS]
    ends = ITEMS, CANDIDATES[-1]
    per_candidate = [line(ends, of_candidates(size, ends))[1]
                     for size in (reduced_dim, REDUCED_DIMS[-1])]
    return [
        _growth('candidates', CANDIDATES, by_candidates, 'candidate'),
        Result('    ' + _list(CANDIDATES), _list(by_candidates, 1e6) + ' us'),
        _growth('n', DIMS, by_dim, 'number'),
        Result('    ' + _list(DIMS), _list(by_dim, 1e6) + ' us'),
        at_most('growth with d: a candidate\'s cost at d = '
                f'{REDUCED_DIMS[-1]}, times that at d = {reduced_dim}',
                per_candidate[1] / per_candidate[0], BAR),
        Result('    ' + _list(REDUCED_DIMS), _list(by_reduced, 1e6) + ' us'),
        at_most(f'n = {LARGE_DIM}, d = {LARGE_REDUCED_DIM}: times d = '
                f'{LARGE_REDUCED_DIMS[0]}', slower.value, LARGE_BAR,
                f'{slower}'),
        Result('    ' + _list(LARGE_REDUCED_DIMS), _list(
            [np.median(series) for series in large.values()], 1e6) + ' us')]


def _model(_, dim, reduced_dim):
    """Return the name of a model of these sizes."""
    return f'{dim} to {reduced_dim}'


def _table(count, dim):
    """Return the name of a table of items."""
    return f'item_{count}_{dim}'


def _task(cursor, *shape):
    """Return a call that recommends under a prepared statement."""
    name = 'recommend_{}_{}_{}'.format(*shape)
    cursor.execute(f"""
        PREPARE {name} AS
        SELECT dlints_recommend(m.state, i.id, i.features)
        FROM   model m, {_table(*shape[:2])} i
        WHERE  m.name = '{_model(*shape)}'""")
    return lambda: cursor.execute(f'EXECUTE {name}')


def _growth(what, sizes, seconds, unit):
    """Return the result for the exponent of growth."""
    exponent = slope(sizes, seconds)
    fixed, per_unit = line(sizes, seconds)
    return at_most(f'growth with {what}: exponent', exponent, BAR,
                   f'{exponent:.2f}; {fixed * 1e6:.0f} us and '
                   f'{per_unit * 1e9:.0f} ns for each {unit}')


def _list(values, factor=1):
    """Return numbers in words."""
    return ', '.join(f'{value * factor:.0f}' for value in values)
