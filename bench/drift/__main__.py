"""The default against fixed discounts, on problems that change or do not.

Each problem is played under each seed by all policies, which differ in their
memories alone. Draws are seeded: the figures can be had again.
"""

from bench import machine, program, server, source
from bench.drift import chart, play, report
from bench.drift.problems import problems
from bench.progress import play_all

VISITS, QUICK_VISITS = 10000, 2000
SEEDS = 3
SCALED = 'box, abrupt'
CHART = 'drift.png'


def main():
    """Play, report, and return whether all bars are met."""
    options = parse_arguments()
    folder = program.make_folder('drift')
    chosen = choose(options.problems)
    seeds = range(1, options.seeds + 1)
    with server.connect() as cursor:
        machine.describe(cursor)
        found = play_all(
            lambda key, seed: play.play(chosen[key], seed, options.visits),
            [(key, seed) for seed in seeds for key in chosen])
        alike = play.shares_alike(problems(None)[SCALED], options.visits)
    rows = [report.Row(problem, [found[key, seed] for seed in seeds])
            for key, problem in chosen.items()]
    chart.draw(folder / CHART, rows)
    sound = report.print_all(rows, alike)
    print(f'\nChart: {folder / CHART}')
    return sound or options.quick


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('drift', __doc__)
    parser.add_argument('--visits', type=program.number(1000), metavar='N',
                        help=f'of each problem (default {VISITS})')
    parser.add_argument('--seeds', type=program.number(1), default=SEEDS,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--problems', metavar='NAME', nargs='+',
                        help='some of them')
    parser.add_argument('--quick', action='store_true',
                        help=f'{QUICK_VISITS} visits, and less certain '
                        'figures')
    options = parser.parse_args()
    options.visits = options.visits or (
        QUICK_VISITS if options.quick else VISITS)
    return options


def choose(names):
    """Return the named problems, or all that can be had, by name."""
    try:
        folder = source.find_folder()
        print(source.LICENCE)
    except (program.UserError, OSError) as error:
        print(f'Without MovieLens: {program.describe(error)}')
        folder = None
    every = problems(folder)
    try:
        return {name: every[name] for name in names or every}
    except KeyError as error:
        raise program.UserError(f'there is no problem {error}') from None


program.run('drift', main)
