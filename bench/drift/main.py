"""Compare the default memories with fixed discounts on simulated problems."""

from bench import machine, program, server
from bench.drift import QUICK_VISITS, VISITS, play, report
from bench.drift.problems import problems
from bench.progress import play_all


def main(options):
    """Print all results; return whether all bars are met."""
    visits = options.visits or (QUICK_VISITS if options.quick else VISITS)
    chosen = choose(options.problems)
    seeds = range(1, options.seeds + 1)
    with server.connect() as cursor:
        machine.describe(cursor)
        found = play_all(
            lambda key, seed: play.play(chosen[key], seed, visits),
            [(key, seed) for seed in seeds for key in chosen])
    rows = [report.Row(problem, [found[key, seed] for seed in seeds])
            for key, problem in chosen.items()]
    return report.print_all(rows) or options.quick


def choose(names):
    """Return the named problems by name, or all available ones."""
    every = problems()
    try:
        return {name: every[name] for name in names or every}
    except KeyError as error:
        raise program.UserError(f'there is no problem {error}') from None
