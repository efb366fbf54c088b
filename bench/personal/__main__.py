"""Models that tell people apart against those that do not, on MovieLens.

Item vectors are made from one half of the users, the other half comes to be
recommended to: half of what each of them rated is known, the other half is
what they click on. At each visit one of the 1,000 most rated movies is shown,
none that the visitor has seen. All vectors, choices and lessons are SQL.

DATA names a folder of MovieLens data.
"""

from bench import machine, program, server, source
from bench.movielens import read_folder
from bench.personal import chart, play, report
from bench.personal.world import ORDERS
from bench.progress import play_all

MOVIES, QUICK_MOVIES = 1000, 300
SEEDS = 5
CHART = 'personal.png'


def main():
    """Play, report, and return whether all bars are met."""
    options = parse_arguments()
    folder = program.make_folder('personal')
    data = source.find_folder()
    print(f'Data: {data}\n{source.LICENCE}')
    ratings = read_folder(data)
    with server.connect() as cursor:
        machine.describe(cursor)
        coordinates = play.coordinates(cursor)
    plays = play_all(
        lambda order, seed: play.play(ratings, order, seed, options.movies),
        [(order, seed) for seed in range(1, options.seeds + 1)
         for order in ORDERS])
    chart.draw(folder / CHART, plays)
    sound = report.print_all(plays, coordinates)
    print(f'\nChart: {folder / CHART}')
    return sound or options.seeds < SEEDS


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('personal', __doc__)
    parser.add_argument('--seeds', type=program.number(1), default=SEEDS,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--movies', type=program.number(100), default=MOVIES,
                        metavar='N',
                        help='the most rated ones (default %(default)s)')
    parser.add_argument('--quick', action='store_true',
                        help=f'one seed, {QUICK_MOVIES} movies, and less '
                        'certain figures')
    options = parser.parse_args()
    if options.quick:
        options.seeds, options.movies = 1, QUICK_MOVIES
    return options


program.run('personal', main)
