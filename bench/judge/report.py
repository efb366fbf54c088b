"""What was found, in figures."""

import numpy as np

from bench.judge.loop import BEFORE, LEARNED, THEN
from bench.report import at_most, table

NUMPY_BAR = 1e-9
DEVIATIONS = 4.5        # of some hundred normal numbers: less than one in 1,000
WEIGHT_DEVIATIONS = 2
LEAST_SAMPLE = 30
GAIN = 1.2

VALUE_HEAD = ('campaign', 'of', 'from the log of', 'earned', 'ips', 'snips',
              'dr', 'mean weight', 'effective rounds', 'largest weight')
LOOP_HEAD = ('campaign', 'model of', 'blocks learned', 'memory in use',
             'sigma', 'on what it learned', 'before it is used', 'what it then earned',
             'effective rounds')


def print_values(estimates):
    """Print the values of policies from others' logs."""
    print('\nClicks in 1,000 rounds, as estimated from the other policy\'s '
          'log and as earned\n')
    print(table([VALUE_HEAD] + [_value_cells(each) for each in estimates]))
    for each in estimates:
        for doubt in _doubts(each.found):
            print(f'\n{each.target} from {each.log}, {each.campaign}: {doubt}')
    for each in estimates:
        if each.log == 'random':
            print(f'\n{_telling(each)}')


def print_loop(stages):
    """Print what models were worth before they were used, and then."""
    print('\nClicks in 1,000 rounds of models that learn the random log block '
          'by block\n')
    print(table([LOOP_HEAD] + [_stage_cells(stage) for stage in stages]))


def logged(estimates, stages):
    """Return what the bars on real logs are held against."""
    found = []
    for each in estimates:
        found.append(at_most(
            f'{each.target} from {each.log}, {each.campaign}: difference from '
            'numpy, relative', each.difference, NUMPY_BAR,
            f'{each.difference:.1g}'))
        if any(_doubts(each.found)):
            continue
        found += [close(f'    {name} from what it earned, in errors',
                         each.found[name] - each.earned.mean,
                         each.found[f'{name}_stderr'], each.earned.stderr)
                  for name in ('ips', 'snips', 'dr')]
    for stage in stages:
        if stage.blocks is None:
            before, then = stage.values[BEFORE], stage.values[THEN]
            found.append(close(
                f'{stage.campaign}, model of {stage.kind}: before from '
                'then, in errors', before['dr'] - then['ips'],
                before['dr_stderr'], then['ips_stderr']))
    return found


def _doubts(found):
    """Say why an estimate is not to be believed."""
    away = abs(found['mean_weight'] - 1)
    if away > WEIGHT_DEVIATIONS * found['mean_weight_stderr']:
        errors = in_errors(away, found['mean_weight_stderr'])
        yield (f'the mean weight is {errors} from 1. The logged probabilities '
               'are not those of the log, or miss what the target would do.')
    if found['effective_sample_size'] < LEAST_SAMPLE:
        yield (f'{found["observations"]:,} rounds tell as much as '
               f'{found["effective_sample_size"]:.0f} of the target\'s own. '
               'This is no estimate, and its standard errors are none.')


def _telling(estimate):
    """Say what so many rounds can and cannot tell."""
    rounds, chance = estimate.found['observations'], estimate.logging
    spread = estimate.found['dr_stderr']
    single = np.sqrt(chance.mean / (rounds / estimate.items))
    return (f'{estimate.campaign}: {chance.clicks:.0f} clicks in {rounds:,} '
            'rounds. They tell a policy from random that spreads its choices '
            f'as bts does if it earns {_seen(chance, spread):.1f} times as '
            'much, and one that always shows the same item if it earns '
            f'{_seen(chance, single):.1f} times as much. For {GAIN:g} times, '
            f'{_needed(chance, spread, rounds):,} and '
            f'{_needed(chance, single, rounds):,} rounds are needed.')


def _seen(chance, stderr):
    """Return what multiple of chance two standard errors are enough for."""
    return 1 + 2 * np.hypot(stderr, chance.stderr) / chance.mean


def _needed(chance, stderr, rounds):
    """Return how many rounds show a gain of GAIN, to two digits."""
    share = (_seen(chance, stderr) - 1) / (GAIN - 1)
    return int(float(f'{rounds * share ** 2:.1e}'))


def _value_cells(each):
    """Return the row of a table."""
    found = each.found
    return (each.campaign, each.target, each.log,
            _thousand(each.earned.mean, each.earned.stderr),
            *(_thousand(found[name], found[f'{name}_stderr'])
              for name in ('ips', 'snips', 'dr')),
            f'{found["mean_weight"]:.2f} ± {found["mean_weight_stderr"]:.2f}',
            f'{found["effective_sample_size"]:,.0f}',
            f'{found["max_weight"]:,.0f}')


def _stage_cells(stage):
    """Return the row of a table."""
    learned, before, then = (stage.values[age]
                             for age in (LEARNED, BEFORE, THEN))
    return (stage.campaign, stage.kind,
            'all' if stage.blocks is None else stage.blocks, stage.memory,
            '' if stage.sigma is None else f'{stage.sigma:.3f}',
            _thousand(learned['dr'], learned['dr_stderr']),
            _thousand(before['dr'], before['dr_stderr']),
            _thousand(then['ips'], then['ips_stderr']),
            f'{then["effective_sample_size"]:,.0f}')


def _thousand(mean, stderr):
    """Return a rate and its error, in thousandths."""
    return f'{1000 * mean:.1f} ± {1000 * stderr:.1f}'


def in_errors(difference, *stderrs):
    """Return a difference in standard errors, as text."""
    return f'{difference / np.hypot.reduce(stderrs):+.1f} errors'


def close(what, difference, *stderrs):
    """Return the result of a difference that noise has to explain."""
    return at_most(what, abs(difference) / np.hypot.reduce(stderrs),
                   DEVIATIONS)
