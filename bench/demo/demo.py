"""dlints at work: a movie service on MovieLens, in PostgreSQL.

Connects as libpq's environment says (PGHOST, PGDATABASE, ...) and works in a
schema of its own. DATA names a folder of MovieLens data, OUT one for the
chart.
"""

import argparse
import os
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

# What the programs under bench share.
sys.path.append(str(Path(__file__).resolve().parents[1] / 'common'))

import catalogue  # noqa: E402
import chart  # noqa: E402
import report  # noqa: E402
import service  # noqa: E402
import simulated  # noqa: E402
import source  # noqa: E402
from errors import UserError  # noqa: E402
from movielens import read_folder  # noqa: E402
from pair import favourites, two_viewers  # noqa: E402
from stream import (  # noqa: E402
    Learner, Progress, RandomChoice, World, run)

REDUCED_DIM = 60
DISCOUNT = 0.998
RIDGE = 0.3
# name: (kind, discount); the other parameters are the same for all
MODELS = {'personal': ('personal', DISCOUNT), 'plain': ('plain', DISCOUNT),
          'no forgetting': ('personal', 1)}
LATER = 'from a log'
CHART = 'click-through.png'
FEWEST_STEPS = 60


def main():
    """Run the demonstration and return the exit status."""
    options = parse_arguments()
    start = perf_counter()
    try:
        output = make_output_folder()
        goods = load_catalogue(options.seed)
        with service.connect() as shop:
            demonstrate(shop, goods, options, output / CHART)
    except UserError as error:
        print(f'demo: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\ndemo: interrupted', file=sys.stderr)
        return 130
    print(f'Total time: {perf_counter() - start:.0f} s')
    return 0


def parse_arguments():
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--steps', type=int, metavar='N',
                        default=os.environ.get('STEPS') or 15000,
                        help='visits to the service (default %(default)s)')
    parser.add_argument('--seed', type=int, default=1, metavar='N',
                        help='seed of the projection and of random choice')
    options = parser.parse_args()
    if options.steps < FEWEST_STEPS:
        parser.error(f'--steps: at least {FEWEST_STEPS} are needed')
    return options


def make_output_folder():
    """Return the folder that takes the chart."""
    folder = Path(os.environ.get('OUT') or 'demo-output')
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f'cannot make the folder {folder}: '
                        f'{error.strerror}') from None
    return folder


def load_catalogue(seed):
    """Return the catalogue: MovieLens, or a simulated one if need be."""
    try:
        folder = source.find_folder()
    except UserError as error:
        print(f'No data: {error}.\nA simulated catalogue takes its place: '
              'clicks follow the items\' features and each viewer\'s taste, '
              'plus noise.')
        return simulated.catalogue(seed)
    goods = catalogue.from_ratings(*read_folder(folder))
    print(f'Data: {folder}\n{source.LICENCE}')
    return goods


def demonstrate(shop, goods, options, chart_path):
    """Set up the service, stream the visits, and report."""
    prepare(shop, goods, options.seed)
    world = World(goods, options.steps)
    chance = RandomChoice(world.movie_ids, options.seed)
    policies = {name: Learner(shop, kind, name)
                for name, (kind, _) in MODELS.items()}
    policies['random'] = chance
    rewards = {name: np.zeros(options.steps) for name in policies}
    seconds = stream(world, policies, rewards)
    shop.learn_later(LATER, chance.log)

    report.policies()
    report.click_through_rates(rewards, world.change, goods.change)
    window = min(len(goods.users), options.steps // 10)
    chart.draw(chart_path, rewards, world.change, window, goods.name)
    print(f'\nChart: {chart_path}')
    show_two_viewers(shop, goods)
    report.heading('The SQL that did it')
    print('Each as it was executed first; the rows are yours to bring.')
    report.sql(shop.executed)
    report.heading('Time')
    report.times(shop.seconds, len(chance.log))
    print(f'Stream: {seconds:.0f} s, '
          f'{len(MODELS) * options.steps / seconds:,.0f} steps per second '
          '(recommend, reward, learn)')


def prepare(shop, goods, seed):
    """Make tables and models, and load the catalogue."""
    dim = goods.features.shape[1]
    sizes = {
        'personal': {'shared_dim': dim,
                     'reduced_dim': min(REDUCED_DIM, dim + dim * dim)},
        'plain': {'shared_dim': 0, 'reduced_dim': None}}
    shop.set_up()
    shop.load(goods)
    models = {**MODELS, LATER: MODELS['personal']}
    for model, (kind, discount) in models.items():
        shop.new_model(model=model, discount=discount, ridge=RIDGE,
                       seed=seed, context_dim=dim, **sizes[kind])
    for kind in sizes:
        shop.prepare(kind)
    print(f'Loaded {len(goods.movies):,} movies and {len(goods.users):,} '
          f'viewers with {dim} features each, {len(goods.ratings):,} ratings')


def stream(world, policies, rewards):
    """Run the stream of visits; return the seconds it took."""
    steps = len(rewards['personal'])
    progress = Progress(steps, rewards)
    start = perf_counter()
    try:
        run(world, policies, rewards, range(steps), progress)
    finally:
        progress.close()
    return perf_counter() - start


def show_two_viewers(shop, goods):
    """Print what two viewers of different tastes are offered."""
    viewers = two_viewers(goods)
    lists = {kind: shop.five_each(kind, kind, viewers)
             for kind in ('personal', 'plain')}
    titles = [f'viewer {viewer}' for viewer in viewers]
    liked = [favourites(goods, viewer) for viewer in viewers]
    report.heading('Two viewers, the five best for each')
    report.two_favourites(titles, liked)
    print(report.CANDIDATES)
    for kind, columns in lists.items():
        print(f'\nThe {kind} model')
        report.two_lists(titles, columns)
    report.in_common(lists)
    print(report.READING)


if __name__ == '__main__':
    sys.exit(main())
