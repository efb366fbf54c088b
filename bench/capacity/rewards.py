"""Many concurrent clients: rewards directly to the model, or through a queue.
"""

import random

import numpy as np

from bench import samples
from bench.capacity import trial
from bench.capacity.forms import MIXED, RECOMMEND, RECOMMENDATIONS, REWARDS_ONLY, SERIES, STEADY
from bench.capacity.trial import FOLD, LEARN
from bench.measure import Ratio
from bench.progress import Themes
from bench.report import table

CLIENTS = 1, 4, 16
SECONDS = 2
STEADY_CLIENTS = 4
STEADY_RATE = 100
FIGURES = ('form', 'clients', 'recommend/s', 'ms', 'rewards/s', 'ms',
           'fold ms', 'WAL bytes', 'tables MB', 'autovacuums')
COMPARED = {
    'recommend/s': lambda one: one.rate(RECOMMEND),
    'rewards/s': lambda one: one.rate(LEARN),
    'p50 of a reward': lambda one: one.percentile(LEARN, 50),
    'p99 of a reward': lambda one: one.percentile(LEARN, 99)}
EXPLANATION = """
Figures are medians of the turns. Times are p50 and p99 in milliseconds, for
folds and at a steady rate from when a transaction was due. WAL is all that is
written, folding included, for each reward, after a checkpoint and a warm-up.
Tables is the largest size of model and queue, TOAST included. pgbench and the
server share the cores: the ratios of one run are what counts."""


def measure(cursor, turns, seconds):
    """Measure, print the results, and return whether no reward was lost."""
    samples.create_items(
        cursor, samples.random_features(trial.ITEMS, samples.DIM),
        key='PRIMARY KEY')
    found = {(series, count): [] for series in SERIES for count in CLIENTS}
    with Themes(turns + 1) as done:
        for _ in range(turns):
            done.start('Clients at once')
            for number, count in enumerate(CLIENTS, 1):
                for series in random.sample(SERIES, len(SERIES)):
                    found[series, count].append(
                        trial.run(cursor, series, count, SECONDS))
                done.advance(number / len(CLIENTS))
        done.start('At a steady rate')
        steady = {(series, STEADY_CLIENTS): [trial.run(
            cursor, series, STEADY_CLIENTS, seconds, f'--rate={STEADY_RATE}')]
            for series in STEADY}
    for mix in MIXED, REWARDS_ONLY:
        of_mix = {key: trials for key, trials in found.items()
                  if key[0].mix == mix}
        print(f'\n{mix}:\n\n{_figures(of_mix)}\n\nas multiples of the direct '
              "form's in the same turn (lowest to highest turn):\n")
        print(table([('form', 'clients', *COMPARED), *_ratios(of_mix)]))
    print(f'\nat a steady rate, for longer:\n\n{_figures(steady)}\n'
          + EXPLANATION)
    return _account([(*key, one) for part in (found, steady)
                     for key, trials in part.items() for one in trials])


def _account(runs):
    """Print the numbers of rewards; return whether all count exactly once."""
    trials = [one for _, _, one in runs]
    wrong = [run for run in runs if not run[-1].is_sound]
    for series, count, one in wrong:
        print(f'WRONG: {series.mix}, {series.form}, clients: {count}: missing '
              '{:,.0f} rewards, {:,.0f} in sum'.format(*one.missing))
    print(f'{sum(one.committed[0] for one in trials):,.0f} rewards '
          f'committed in {len(runs)} runs, of which '
          f'{sum(one.queued for one in trials):,.0f} were left for a last '
          'fold.\nRuns in which the models lack rewards or have some twice, '
          f'by number or sum: {len(wrong)}.\nFailed transactions: '
          f'{sum(one.failed for one in trials)}. Runs with a checkpoint '
          f'in between: {sum(one.checkpointed for one in trials)}.')
    return not wrong


def _figures(found):
    """Return a table with a line for each series and number of clients."""
    return table([FIGURES, *(_line(*key, trials)
                             for key, trials in found.items())])


def _line(series, count, trials):
    """Return a line of figures, as texts."""
    log = [one.wal / max(1, len(one.times[LEARN])) for one in trials]
    return (series.form, count,
            *_pace(trials, RECOMMEND), *_pace(trials, LEARN),
            _pace(trials, FOLD)[1],
            '' if RECOMMENDATIONS[series.mix] else f'{np.median(log):,.0f}',
            f'{np.median([one.largest for one in trials]) / 1e6:.1f}',
            sum(one.vacuums for one in trials))


def _pace(trials, kind):
    """Return throughput and times of a kind of transaction, as texts."""
    trials = [one for one in trials if len(one.times[kind])]
    if not trials:
        return '', ''
    middle, high = (
        1e3 * np.median([one.percentile(kind, share) for one in trials])
        for share in (50, 99))
    return (f'{np.median([one.rate(kind) for one in trials]):,.0f}',
            f'{middle:.2f}, {high:.1f}')


def _ratios(found):
    """Return lines that compare each form with the direct form, the first one.
    """
    direct = next(iter(found))[0]
    for (series, count), trials in found.items():
        if series != direct:
            turns = list(zip(trials, found[direct, count]))
            yield (series.form, count, *(
                _ratio(turns, of) for of in COMPARED.values()))


def _ratio(turns, of):
    """Return the ratio of two forms' measures, as text."""
    found = [of(one) / of(other) for one, other in turns if of(other) > 0]
    if not found:
        return ''
    return str(Ratio(np.median(found), min(found), max(found)))
