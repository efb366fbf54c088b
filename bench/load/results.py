"""What was found, as Markdown tables and in words."""

import numpy as np

from bench.load.series import DIRECT, RECOMMEND, RECOMMENDATIONS
from bench.load.trial import FOLD, LEARN
from bench.measure import Ratio
from bench.report import table

FIGURES = ('form', 'clients', 'recommend/s', 'ms', 'rewards/s', 'ms',
           'fold ms', 'WAL bytes', 'tables MB', 'autovacuums')
COMPARED = {
    'recommend/s': lambda trial: trial.rate(RECOMMEND),
    'rewards/s': lambda trial: trial.rate(LEARN),
    'p50 of a reward': lambda trial: trial.percentile(LEARN, 50),
    'p99 of a reward': lambda trial: trial.percentile(LEARN, 99)}
EXPLANATION = """
Figures are medians of the turns. Times are p50 and p99 in milliseconds, for
folds and at a steady rate from when a transaction was due. WAL is all that is
written, folding included, for each reward, after a checkpoint and a warm-up.
Tables is the largest size of model and queue, TOAST included. pgbench and the
server share the cores: the ratios of one run are what counts."""


def print_all(found, steady):
    """Print the tables; both arguments are trials by series and clients."""
    for mix in RECOMMENDATIONS:
        of_mix = {key: trials for key, trials in found.items()
                  if key[0].mix == mix}
        print(f'\n{mix}:\n')
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
    wrong = [run for run in runs if not run[-1].is_sound]
    for series, count, trial in wrong:
        print(f'WRONG: {series.mix}, {series.form}, clients: {count}: missing '
              '{:,.0f} rewards, {:,.0f} in sum'.format(*trial.missing))
    print(f'{sum(trial.committed[0] for trial in trials):,.0f} rewards '
          f'committed in {len(runs)} runs, of which '
          f'{sum(trial.queued for trial in trials):,.0f} were left for a last '
          'fold.\nRuns in which the models lack rewards or have some twice, '
          f'by number or sum: {len(wrong)}.\nFailed transactions: '
          f'{sum(trial.failed for trial in trials)}. Runs with a checkpoint '
          f'in between: {sum(trial.checkpointed for trial in trials)}.')
    return not wrong


def _print_figures(found):
    """Print a line for each series and number of clients, by form."""
    print(table([FIGURES, *(_figures(*key, trials)
                            for key, trials in found.items())]))


def _figures(series, count, trials):
    """Return a line of figures, as texts."""
    wal = [trial.wal / max(1, len(trial.times[LEARN])) for trial in trials]
    return (series.form, count,
            *_pace(trials, RECOMMEND), *_pace(trials, LEARN),
            _pace(trials, FOLD)[1],
            '' if RECOMMENDATIONS[series.mix] else f'{np.median(wal):,.0f}',
            f'{np.median([trial.largest for trial in trials]) / 1e6:.1f}',
            sum(trial.vacuums for trial in trials))


def _pace(trials, kind):
    """Return throughput and times of a kind of transaction, as texts."""
    trials = [trial for trial in trials if len(trial.times[kind])]
    if not trials:
        return '', ''
    middle, high = (
        1e3 * np.median([trial.percentile(kind, share) for trial in trials])
        for share in (50, 99))
    return (f'{np.median([trial.rate(kind) for trial in trials]):,.0f}',
            f'{middle:.2f}, {high:.1f}')


def _ratios(found):
    """Return lines that compare with the direct form, as texts."""
    base = {count: trials for (series, count), trials in found.items()
            if series.form == DIRECT}
    for (series, count), trials in found.items():
        if series.form != DIRECT:
            turns = list(zip(trials, base[count]))
            yield (series.form, count, *(
                _ratio(turns, measure) for measure in COMPARED.values()))


def _ratio(turns, measure):
    """Return how two forms' measures compare, as text."""
    found = [measure(trial) / measure(other) for trial, other in turns
             if measure(other) > 0]
    if not found:
        return ''
    return str(Ratio(np.median(found), min(found), max(found)))
