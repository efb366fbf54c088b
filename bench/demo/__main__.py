"""dlints at work: a movie service on MovieLens, in PostgreSQL.

DATA names a folder of MovieLens data, OUT one for the chart.
"""

import os
from time import perf_counter

import numpy as np

from bench import program, server, source
from bench.demo import catalogue, chart, report, simulated
from bench.demo.pair import favourites, two_viewers
from bench.demo.service import Service
from bench.demo.stream import Learner, Progress, RandomChoice, World, run
from bench.movielens import read_folder

REDUCED_DIM = 60
RIDGE = 0.3
# name: (kind, discount, NULL for several memories); the other parameters are
# the same for all
MODELS = {'personal': ('personal', None), 'plain': ('plain', None),
          'no forgetting': ('personal', 1)}
LATER = 'from a log'
CHART = 'click-through.png'
FEWEST_STEPS = 60


def main():
    """Run the demonstration."""
    options = parse_arguments()
    output = program.make_folder(os.environ.get('OUT') or 'demo-output')
    goods = load_catalogue(options.seed)
    with server.connect(synchronous_commit='off') as cursor:
        demonstrate(Service(cursor), goods, options, output / CHART)


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('demo', __doc__)
    parser.add_argument('--steps', type=program.number(FEWEST_STEPS),
                        default=os.environ.get('STEPS') or 15000, metavar='N',
                        help='visits to the service (default %(default)s)')
    parser.add_argument('--seed', type=program.number(0), default=1,
                        metavar='N',
                        help='seed of the projection and of random choice')
    return parser.parse_args()


def load_catalogue(seed):
    """Return the catalogue: MovieLens, or a simulated one if need be."""
    try:
        folder = source.find_folder()
    except (program.UserError, OSError) as error:
        print(f'No data: {program.describe(error)}.\nA simulated catalogue takes its place: '
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
    start = perf_counter()
    with Progress(steps, rewards) as progress:
        run(world, policies, rewards, range(steps), progress)
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


program.run('demo', main)
