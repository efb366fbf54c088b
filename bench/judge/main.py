"""Estimate values of policies from logs, and simulate constraints and winners."""

from bench import machine, program, server
from bench.judge import (budget, logs, openbandit, report, shares, simulated,
                         values, winner)
from bench.progress import Themes
from bench.report import print_results

QUICK = 0.1
THEMES = 6


def main(options):
    """Print all results; return whether all bars are met."""
    campaigns = read_logs(options)
    share = QUICK if options.quick else 1
    with server.connect() as cursor:
        machine.describe(cursor)
        with Themes(THEMES if campaigns else THEMES - 1) as done:
            if campaigns:
                logs.load(cursor, campaigns)
                done.start('Values from others\' logs')
                estimates = values.run(cursor)
            results = simulate(cursor, share, done)
    if campaigns:
        report.print_values(estimates)
        results = report.logged(estimates) + results
    print()
    return print_results(results)


def read_logs(options):
    """Return the campaigns; an empty dictionary without logs."""
    try:
        folder = openbandit.find_folder()
    except program.UserError as error:
        print(f'Without Open Bandit: {error}')
        return {}
    campaigns = openbandit.read_campaigns(folder, options.rounds)
    print(f'Data: {folder}\n{openbandit.LICENCE}')
    return campaigns


def simulate(cursor, share, done):
    """Return the results of the simulations."""
    simulated.set_up(cursor)
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
    return (estimates + bounds + winners + budgets
            + shares.results(cursor, share, done.advance))
