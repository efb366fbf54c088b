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
from stream import (  # noqa: E402
    Learner, Progress, RandomChoice, World, run)

REDUCED_DIM = 24
DISCOUNTS = {'dlints': 0.99, 'no forgetting': 1}
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
                        default=os.environ.get('STEPS') or 20000,
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
              'clicks are linear in the items\' features, plus noise.')
        return simulated.catalogue(seed)
    goods = catalogue.from_ratings(*read_folder(folder))
    print(f'Data: {folder}\n{source.LICENCE}')
    return goods


def demonstrate(shop, goods, options, chart_path):
    """Set up the service, stream the visits, and report."""
    prepare(shop, goods, options.seed)
    world = World(goods, options.steps)
    chance = RandomChoice(world.movie_ids, options.seed)
    policies = {name: Learner(shop, name) for name in DISCOUNTS}
    policies['random'] = chance
    rewards = {name: np.zeros(options.steps) for name in policies}
    viewer = world.viewer(options.steps - 1)
    before, after, seconds = stream(shop, world, policies, rewards, viewer)
    shop.learn_later(LATER, *zip(*chance.log))

    report.click_through_rates(rewards, world.change, goods.change)
    window = min(len(goods.users), options.steps // 10)
    chart.draw(chart_path, rewards, world.change, window, goods.name)
    print(f'\nChart: {chart_path}')
    report.heading(f'Five for viewer {viewer}, none of them seen')
    report.two_columns('before the change', before, 'after it', after)
    print(report.READING)
    report.heading('The SQL that did it')
    print('Each as it was executed first; the rows are yours to bring.')
    report.sql(shop.executed)
    report.heading('Time')
    report.times(shop.seconds, len(chance.log))
    print(f'Stream: {seconds:.0f} s, '
          f'{len(DISCOUNTS) * options.steps / seconds:,.0f} steps per second '
          '(recommend, reward, learn)')


def prepare(shop, goods, seed):
    """Make tables and models, and load the catalogue."""
    context_dim = goods.features.shape[1]
    shop.set_up()
    shop.load(goods)
    discounts = {**DISCOUNTS, LATER: DISCOUNTS['dlints']}
    for model, discount in discounts.items():
        shop.new_model(model=model, discount=discount, seed=seed,
                       context_dim=context_dim,
                       reduced_dim=min(REDUCED_DIM, context_dim))
    shop.prepare()
    print(f'Loaded {len(goods.movies):,} movies with {context_dim} features '
          f'each, {len(goods.users):,} viewers, {len(goods.ratings):,} '
          'ratings')


def stream(shop, world, policies, rewards, viewer):
    """Run the stream; return five movies before the change and at the end."""
    steps = len(rewards['dlints'])
    progress = Progress(steps, rewards)
    start = perf_counter()
    try:
        run(world, policies, rewards, range(world.change), progress)
        before = shop.five_unseen('dlints', viewer)
        run(world, policies, rewards, range(world.change, steps), progress)
    finally:
        progress.close()
    seconds = perf_counter() - start
    return before, shop.five_unseen('dlints', viewer), seconds


if __name__ == '__main__':
    sys.exit(main())
