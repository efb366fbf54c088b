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
from bench.progress import Themes

MOVIES, QUICK_MOVIES = 1000, 300
SEEDS, QUICK_SEEDS = 5, 1
CHART = 'personal.png'


def main():
    """Play, report, and return whether all bars are met."""
    options = parse_arguments()
    folder = program.make_folder(options.out)
    data = source.find_folder()
    print(f'Data: {data}\n{source.LICENCE}')
    ratings = read_folder(data)
    seeds = range(1, options.seeds + 1)
    with server.connect() as cursor:
        machine.describe(cursor)
        coordinates = play.coordinates(cursor)
    with Themes(len(seeds) * len(ORDERS)) as done:
        plays = play.play_all(
            ratings, seeds, options.movies, options.jobs,
            lambda order, seed: done.start(f'{order}, seed {seed}'))
    chart.draw(folder / CHART, plays)
    sound = report.print_all(plays, coordinates)
    print(f'\nChart: {folder / CHART}')
    return sound or options.quick


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('personal', __doc__)
    parser.add_argument('--seeds', type=program.number(1), metavar='N',
                        help=f'(default {SEEDS})')
    parser.add_argument('--movies', type=program.number(100), metavar='N',
                        help=f'the most rated ones (default {MOVIES:,})')
    parser.add_argument('--jobs', type=program.number(1), default=2,
                        metavar='N', help='sessions at once '
                        '(default %(default)s)')
    parser.add_argument('--quick', action='store_true',
                        help=f'{QUICK_SEEDS} seed, {QUICK_MOVIES} movies, '
                        'and less certain figures')
    parser.add_argument('--out', default='personal-output', metavar='FOLDER',
                        help='for the chart (default %(default)s)')
    options = parser.parse_args()
    options.seeds = options.seeds or (QUICK_SEEDS if options.quick else SEEDS)
    options.movies = options.movies or (
        QUICK_MOVIES if options.quick else MOVIES)
    return options


program.run('personal', main)
