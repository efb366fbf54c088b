"""Problems that change, or do not, and what the default makes of them."""

from bench import machine, program, server, source
from bench.drift import QUICK_VISITS, VISITS, chart, play, report
from bench.drift.problems import LATE, problems
from bench.progress import play_all

SCALED = 'box, abrupt'
CHART = 'drift.png'


def main(options):
    """Play, report, and return whether all bars are met."""
    folder = program.make_folder('drift')
    visits = options.visits or (QUICK_VISITS if options.quick else VISITS)
    chosen = choose(options.problems)
    seeds = range(1, options.seeds + 1)
    with server.connect() as cursor:
        machine.describe(cursor)
        found = play_all(
            lambda key, seed: play.play(chosen[key], seed, visits),
            [(key, seed) for seed in seeds for key in chosen])
        alike = play.shares_alike(problems(None)[SCALED], visits)
    rows = [report.Row(problem, [found[key, seed] for seed in seeds])
            for key, problem in chosen.items()]
    chart.draw(folder / CHART,
               [row for row in rows if row.problem.group != LATE])
    sound = report.print_all(rows, alike)
    print(f'\nChart: {folder / CHART}')
    return sound or options.quick


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
