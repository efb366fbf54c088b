"""What was found, as Markdown tables and in words."""

import numpy as np

from bench.load.clients import FOLD, LEARN
from bench.load.series import DIRECT, MIXES, RECOMMEND
from bench.measure import Ratio
from bench.report import table

MEGABYTE = 1e6
FIGURES = ('form', 'clients', 'recommend/s', 'ms', 'rewards/s', 'ms',
           'fold ms', 'WAL bytes', 'tables MB', 'autovacuums')
COMPARED = {
    'recommend/s': lambda work: work.rate(RECOMMEND),
    'rewards/s': lambda work: work.rate(LEARN),
    'p50 of a reward': lambda work: work.percentile(LEARN, 50),
    'p99 of a reward': lambda work: work.percentile(LEARN, 99)}
EXPLANATION = """
Figures are medians of the turns. Times are p50 and p99 in milliseconds, for
folds and at a steady rate from when a transaction was due. WAL is all that is
written, folding included, for each reward, after a checkpoint and a warm-up,
so that whole pages, written at the first change after a checkpoint, count
little. Tables is the largest size of model and queue, TOAST included. pgbench
and the server share the cores: the ratios of one run are what counts."""


def print_all(found, steady):
    """Print the tables; both arguments are trials by series and clients."""
    for mix in MIXES:
        of_mix = {key: trials for key, trials in found.items()
                  if key[0].mix is mix}
        print(f'\n{mix.name}:\n')
        _print_figures(of_mix)
        print("\nas multiples of the direct form's in the same turn (lowest "
              'to highest turn):\n')
        print(table([('form', 'clients', *COMPARED), *_ratios(of_mix)]))
    print('\nat a steady rate, for longer:\n')
    _print_figures(steady)
    print(EXPLANATION)


def print_account(*found):
    """Print what became of all rewards; return whether all are in place."""
    runs = [(series, count, trial) for part in found
            for (series, count), trials in part.items() for trial in trials]
    trials = [trial for _, _, trial in runs]
    wrong = [run for run in runs if not run[-1].missing.is_none()]
    rewards = sum(sum(trial.work.rewards.values()) for trial in trials)
    queued = sum(trial.queued.rewards for trial in trials)
    for series, count, trial in wrong:
        print(f'WRONG: {series.mix.name}, {series.form}, clients: {count}: '
              f'missing {trial.missing}')
    print(f'{rewards:,} rewards committed in {len(runs)} runs, of which '
          f'{queued:,} were left for a last fold.\nRuns in which the models '
          f'lack rewards or have some twice, by number or sum: {len(wrong)}.\n'
          f'Failed transactions: {sum(trial.work.failed for trial in trials)}.'
          ' Runs with a checkpoint in between: '
          f'{sum(trial.checkpointed for trial in trials)}.')
    return not wrong


def _print_figures(found):
    """Print a line for each series and number of clients, by form."""
    print(table([FIGURES, *(_figures(*key, trials)
                            for key, trials in found.items())]))


def _figures(series, count, trials):
    """Return a line of figures, as texts."""
    works = [trial.work for trial in trials]
    wal = [trial.wal / max(1, len(trial.work.times[LEARN]))
           for trial in trials]
    return (series.form, count,
            *_pace(works, RECOMMEND), *_pace(works, LEARN),
            _pace(works, FOLD)[1],
            '' if series.mix.recommendations else f'{np.median(wal):,.0f}',
            f'{np.median([work.largest for work in works]) / MEGABYTE:.1f}',
            sum(trial.vacuums for trial in trials))


def _pace(works, kind):
    """Return throughput and times of a kind of transaction, as texts."""
    works = [work for work in works if len(work.times[kind])]
    if not works:
        return '', ''
    middle, high = (np.median([work.percentile(kind, share) for work in works])
                    for share in (50, 99))
    return (f'{np.median([work.rate(kind) for work in works]):,.0f}',
            f'{_milliseconds(middle)}, {_milliseconds(high)}')


def _milliseconds(seconds):
    """Return a time with digits that mean something."""
    return f'{seconds * 1e3:.{2 if seconds < 1e-3 else 1}f}'


def _ratios(found):
    """Return lines that compare with the direct form, as texts."""
    base = {count: trials for (series, count), trials in found.items()
            if series.form == DIRECT}
    for (series, count), trials in found.items():
        if series.form != DIRECT:
            turns = [(trial.work, other.work) for trial, other
                     in zip(trials, base[count])]
            yield (series.form, count, *(
                _ratio(turns, measure) for measure in COMPARED.values()))


def _ratio(turns, measure):
    """Return how two forms' measures compare, as text."""
    found = [measure(work) / measure(other) for work, other in turns
             if measure(other) > 0]
    if not found:
        return ''
    return str(Ratio(np.median(found), min(found), max(found)))
