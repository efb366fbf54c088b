"""Policies judged by what others logged, against what they then earned."""

from bench import machine, program, server
from bench.judge import (budget, logs, loop, openbandit, report, shares,
                         simulated, values, winner)
from bench.progress import Themes
from bench.report import print_results

QUICK = 0.1
THEMES = 9


def main(options):
    """Judge, report, and return whether all bars are met."""
    campaigns = read_logs(options)
    share = QUICK if options.quick else 1
    with server.connect() as cursor:
        machine.describe(cursor)
        with Themes(THEMES if campaigns else THEMES - 2) as done:
            if campaigns:
                logs.load(cursor, campaigns)
                done.start('Values from others\' logs')
                estimates = values.run(cursor)
                done.start('Learn, judge, use')
                stages = loop.run(cursor, done.advance)
            results = simulate(cursor, share, done)
    if campaigns:
        report.print_values(estimates)
        report.print_loop(stages)
        results = report.logged(estimates, stages) + results
    print()
    return print_results(results)


def read_logs(options):
    """Return the campaigns; none where there are no logs."""
    try:
        folder = openbandit.find_folder()
    except program.UserError as error:
        print(f'Without Open Bandit: {error}')
        return {}
    campaigns = openbandit.read_campaigns(folder, options.rounds)
    print(f'Data: {folder}\n{openbandit.LICENCE}')
    return campaigns


def simulate(cursor, share, done):
    """Return what the simulations found."""
    requests = round(share * simulated.REQUESTS)
    simulated.set_up(cursor)
    done.start('Frequencies against probabilities')
    frequencies = simulated.frequencies(cursor, requests, done.advance)
    done.start('One over the probability')
    inverses = simulated.inverses(cursor, requests)
    done.start('Estimates over many logs')
    estimates = simulated.estimates(cursor, round(share * simulated.LOGS),
                                    done.advance)
    done.start('Bounds of rare rewards')
    bounds = simulated.bounds(cursor)
    done.start('Which one won')
    winners = winner.results(cursor, share, done.advance)
    done.start('Budgets that are promised')
    budgets = budget.results(cursor, share, done.advance)
    done.start('Shares that are promised')
    return (frequencies + inverses + estimates + bounds + winners + budgets
            + shares.results(cursor, share, done.advance))
