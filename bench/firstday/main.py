"""Compare first lists of a recommender with other lists from the same log."""

from time import monotonic

import numpy as np

from bench import machine, program, server, source
from bench.firstday import arrivals, frozen
from bench.firstday.lists import NOT_CLICKED, compare, create
from bench.firstday.worlds import worlds
from bench.opponents import SIMPLE, opponents
from bench.progress import Themes
from bench.report import error


def main(options):
    """Compare first lists; return whether all bars are met."""
    with server.connect() as cursor:
        machine.describe(cursor)
        seeds = range(options.first, options.first + options.seeds)
        if options.arrivals:
            return arrivals.show(cursor, seeds, options.picture)
        chosen = choose(options.worlds)
        if options.frozen:
            chosen.pop('MovieLens', None)       # it has no click probabilities
            chosen.pop('news', None)            # no articles are added to it
            return frozen.show(cursor, chosen, seeds)
        found = {}
        with Themes(len(chosen) * len(seeds)) as done:
            for name in chosen:
                for seed in seeds:
                    done.start(f'{name}, {seed}')
                    found[name, seed] = play(cursor, chosen[name](seed))
    print('\nExpected clicks of ten items, or films found, ± the standard '
          'error of the\ndifference; bar: at most 2 errors or 2 % '
          f'below the best of {", ".join(SIMPLE)}.\n')
    sound = True
    for name in chosen:
        cells = [found[name, seed] for seed in seeds]
        for group in cells[0]:
            lists = {policy: np.concatenate([c[group][policy] for c in cells])
                     for policy in cells[0][group]}
            sound &= tell(f'{name}, {group}', lists)
    return sound


def choose(names):
    """Return the named worlds, or all available ones."""
    try:
        folder = source.find_folder()
        print(source.LICENCE)
    except (program.UserError, OSError) as problem:
        print(f'Without MovieLens: {program.describe(problem)}')
        folder = None
    every = worlds(folder)
    try:
        return {name: every[name] for name in names or every}
    except KeyError as problem:
        raise program.UserError(f'there is no world {problem}') from None


def tell(cell, lists):
    """Print one row; return whether its bar is met."""
    ours = lists['recommender']
    best = max((policy for policy in lists if policy in SIMPLE),
               key=lambda policy: lists[policy].mean())
    stderr = error(ours - lists[best])
    met = ours.mean() >= lists[best].mean() - max(
        2 * stderr, 0.02 * lists[best].mean())
    print(f'{cell:<28}{ours.mean():6.2f} ± {stderr:.2f}  '
          f'{"ok    " if met else "MISSED"}  '
          + '  '.join(f'{policy} {rewards.mean():.2f}'
                      for policy, rewards in lists.items()
                      if policy != 'recommender'))
    return bool(met)


def play(cursor, world):
    """Return {group of users: {policy: rewards of the lists}}."""
    items = len(next(iter(world.columns.values()))[1])
    began = monotonic()
    create(cursor, world, 'true' if world.sessions else NOT_CLICKED)
    others = opponents(
        world.clicks, items, world.kinds,
        world.clicks[world.days > world.days.max() - world.lately])
    took = monotonic() - began
    groups = {'known': [(user, None) for user in world.known],
              'no click': [(user, []) for user in world.known]}
    groups.update({f'clicks: {length}': sessions
                  for length, sessions in world.sessions.items()})
    if not world.sessions:
        del groups['no click']
    found = {group: compare(cursor, world, items, others, users)
             for group, users in groups.items()}
    cursor.execute('DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
    found['known']['seconds'] = np.array([took])
    return found
