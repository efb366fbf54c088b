"""First lists of a recommender of a log, and of what else the log gives."""

from time import monotonic

import numpy as np

from bench import machine, program, server, source
from bench.firstday import days
from bench.firstday.create import SEEN, create
from bench.firstday.lists import compare
from bench.firstday.worlds import worlds
from bench.opponents import SIMPLE, opponents
from bench.progress import Themes
from bench.report import error


def main(options):
    """Compare first lists; return whether all bars are met."""
    with server.connect() as cursor:
        machine.describe(cursor)
        seeds = range(options.first, options.first + options.seeds)
        if options.picture:
            return days.show(cursor, choose(['MovieLens'])['MovieLens'](0),
                             seeds, options.picture)
        chosen = choose(options.worlds)
        found = {}
        with Themes(len(chosen) * len(seeds)) as done:
            for name in chosen:
                for seed in seeds:
                    done.start(f'{name}, {seed}')
                    found[name, seed] = play(cursor, chosen[name](seed))
    print('\nClicks that ten items earn, or films that are found, ± the '
          'standard error of the\ndifference; bar: at most 2 errors or 2 % '
          f'below the best of {", ".join(SIMPLE)}.\n')
    sound = True
    for name in chosen:
        cells = [found[name, seed] for seed in seeds]
        for whose in cells[0]:
            lists = {policy: np.concatenate([c[whose][policy] for c in cells])
                     for policy in cells[0][whose]}
            sound &= tell(f'{name}, {whose}', lists)
    return sound


def choose(names):
    """Return the named worlds, or all that can be had."""
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
    """Print one cell; return whether its bar is met."""
    ours = lists['recommender']
    best = max((policy for policy in lists if policy in SIMPLE),
               key=lambda policy: lists[policy].mean())
    less = error(ours - lists[best])
    met = ours.mean() >= lists[best].mean() - max(
        2 * less, 0.02 * lists[best].mean())
    print(f'{cell:<28}{ours.mean():6.2f} ± {less:.2f}  '
          f'{"ok    " if met else "MISSED"}  '
          + '  '.join(f'{policy} {earned.mean():.2f}'
                      for policy, earned in lists.items()
                      if policy != 'recommender'))
    return bool(met)


def play(cursor, world):
    """Return {whose lists: {policy: what each earned}}."""
    items = len(next(iter(world.columns.values()))[1])
    began = monotonic()
    create(cursor, world, 'true' if world.sessions else SEEN)
    others = opponents(
        world.clicks, items, world.kinds,
        world.clicks[world.days > world.days.max() - world.lately])
    took = monotonic() - began
    asked = {'known': [(person, None) for person in world.known],
             'no click': [(person, []) for person in world.known]}
    asked.update({f'clicks: {length}': sessions
                  for length, sessions in world.sessions.items()})
    if not world.sessions:
        del asked['no click']
    found = {whose: compare(cursor, world, items, others, people)
             for whose, people in asked.items()}
    cursor.execute('DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
    found['known']['seconds'] = np.array([took])
    return found
