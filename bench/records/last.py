"""Compare lists by the hidden last item of each user."""

from time import perf_counter

from bench.firstday.lists import NOT_CLICKED, compare, create
from bench.opponents import ials, opponents
from bench.report import with_error

OURS = 'recommender'


def rows(cursor, world, items, users, advance):
    """Return the rows of the table for these users, the best first."""
    start = perf_counter()
    create(cursor, world, NOT_CLICKED)
    made = perf_counter()
    others = {**opponents(world.clicks, items), 'iALS 64': ials(world.clicks, items, 64)}
    took = {OURS: made - start, 'others': perf_counter() - made}
    advance(0.5)
    found = compare(cursor, world, items, others, [(user, None) for user in users])
    cursor.execute('DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
    print(f'\n{len(found[OURS]):,} users, {items:,} items, {len(world.clicks):,} clicks; the '
          f'recommender took {took[OURS]:.0f} s, all others together {took["others"]:.0f} s')
    return table(found)


def table(found):
    """Return a row for each method, with the paired difference to ours."""
    every = sorted(found.items(), key=lambda method: -method[1].mean())
    return [('method', 'hit rate', 'NDCG', 'more than ours'), *(
        (name, with_error(ndcg > 0, 4), with_error(ndcg, 4),
         '' if name == OURS else with_error(ndcg - found[OURS], 4)) for name, ndcg in every)]
