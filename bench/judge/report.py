"""Print values, and compare them with bars."""

import numpy as np

from bench.report import at_most, table

NUMPY_BAR = 1e-9
MAX_DEVIATION = 4.5     # standard errors; exceeded by chance in one run of 1,000
MAX_WEIGHT_DEVIATION = 2
MIN_SAMPLE = 30         # effective rounds
GAIN = 1.2

VALUE_HEAD = ('campaign', 'policy', 'from the log of', 'its own log', 'ips', 'snips',
              'dr', 'mean weight', 'effective rounds', 'largest weight')


def print_values(estimates):
    """Print the values of policies from others' logs."""
    print('\nClicks in 1,000 rounds, estimated from the other policy\'s log, '
          'and in its own log\n')
    print(table([VALUE_HEAD] + [_value_cells(each) for each in estimates]))
    for each in estimates:
        for doubt in _doubts(each.found):
            print(f'\n{each.target} from {each.log}, {each.campaign}: {doubt}')
    for each in estimates:
        if each.log == 'random':
            print(f'\n{_telling(each)}')


def logged(estimates):
    """Return the results on real logs that have bars."""
    found = []
    for each in estimates:
        found.append(at_most(
            f'{each.target} from {each.log}, {each.campaign}: difference from '
            'numpy, relative', each.difference, NUMPY_BAR,
            f'{each.difference:.1g}'))
        if any(_doubts(each.found)):
            continue
        found += [close(f'    {name} from its own log, in errors',
                         each.found[name] - each.earned.mean,
                         each.found[f'{name}_stderr'], each.earned.stderr)
                  for name in ('ips', 'snips', 'dr')]
    return found


def _doubts(found):
    """Yield reasons why an estimate is unreliable."""
    away = abs(found['mean_weight'] - 1)
    if away > MAX_WEIGHT_DEVIATION * found['mean_weight_stderr']:
        errors = in_errors(away, found['mean_weight_stderr'])
        yield (f'the mean weight is {errors} from 1. The logged probabilities '
               'are wrong, or do not cover the target policy.')
    if found['effective_sample_size'] < MIN_SAMPLE:
        yield (f'{found["observations"]:,} rounds have an effective sample size '
               f'of {found["effective_sample_size"]:.0f}. The estimate and its '
               'standard errors are unreliable.')


def _telling(estimate):
    """Return the smallest gains that the log can show."""
    rounds, chance = estimate.found['observations'], estimate.logging
    spread = estimate.found['dr_stderr']
    single = np.sqrt(chance.mean / (rounds / estimate.items))
    return (f'{estimate.campaign}: {chance.clicks:.0f} clicks in {rounds:,} '
            'rounds. Smallest significant ratio to random: '
            f'{_seen(chance, spread):.1f} for choices as varied as those of '
            f'bts, {_seen(chance, single):.1f} for a single item. A ratio of '
            f'{GAIN:g} needs {_needed(chance, spread, rounds):,} and '
            f'{_needed(chance, single, rounds):,} rounds.')


def _seen(chance, stderr):
    """Return the smallest significant ratio to the reward of random choices."""
    return 1 + 2 * np.hypot(stderr, chance.stderr) / chance.mean


def _needed(chance, stderr, rounds):
    """Return the rounds needed to show a gain of GAIN, to two digits."""
    share = (_seen(chance, stderr) - 1) / (GAIN - 1)
    return int(float(f'{rounds * share ** 2:.1e}'))


def _value_cells(each):
    """Return a row of the table."""
    found = each.found
    return (each.campaign, each.target, each.log,
            _thousand(each.earned.mean, each.earned.stderr),
            *(_thousand(found[name], found[f'{name}_stderr'])
              for name in ('ips', 'snips', 'dr')),
            f'{found["mean_weight"]:.2f} ± {found["mean_weight_stderr"]:.2f}',
            f'{found["effective_sample_size"]:,.0f}',
            f'{found["max_weight"]:,.0f}')


def _thousand(mean, stderr):
    """Format a rate and its error per thousand."""
    return f'{1000 * mean:.1f} ± {1000 * stderr:.1f}'


def in_errors(difference, *stderrs):
    """Format a difference in standard errors."""
    return f'{difference / np.hypot.reduce(stderrs):+.1f} errors'


def close(what, difference, *stderrs):
    """Return the result of a difference, whose bar is MAX_DEVIATION errors."""
    return at_most(what, abs(difference) / np.hypot.reduce(stderrs),
                   MAX_DEVIATION)
