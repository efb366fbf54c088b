"""Simulate off-policy estimates, constraints and winners."""

from bench import machine, server
from bench.judge import budget, shares, simulated, winner
from bench.progress import Themes
from bench.report import print_results

QUICK = 0.1


def main(options):
    """Print all results; return whether all bars are met."""
    share = QUICK if options.quick else 1
    with server.connect() as cursor:
        machine.describe(cursor)
        simulated.set_up(cursor)
        with Themes(5) as done:
            done.start('Estimates over many logs')
            estimates = simulated.estimates(cursor, round(share * simulated.LOGS),
                                            done.advance)
            done.start('Bounds of rare rewards')
            bounds = simulated.bounds(cursor)
            done.start('Winners')
            winners = winner.results(cursor, share, done.advance)
            done.start('Budgets')
            budgets = budget.results(cursor, share, done.advance)
            done.start('Constraints of lists')
            lists = shares.results(cursor, share, done.advance)
    print()
    return print_results(estimates + bounds + winners + budgets + lists)
