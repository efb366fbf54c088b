"""What the shop's own SQL says, and how far that is from what truth allows."""

from collections import namedtuple
from datetime import timedelta

import numpy as np

from bench.report import (Result, at_least, at_most, each, print_heading,
                          table, with_error)
from bench.shop.play import named

# Of the simulation: its first day, how many are stationary, how many had
# passed when the candidate went live, how many followed the change of taste
Days = namedtuple('Days', 'start month live after')
# Of a day's pages of a model
Sums = namedtuple('Sums', 'clicked truth best common sellers pages')
# What there are bars for: clicks of personal lists, times those of bestsellers;
# visitors after the change until they are better for good; errors between the
# candidate's value and its test; what an erased person left; ms of a page; and
# what the truth gives personal lists, of what it gives the best ones
Found = namedtuple('Found', 'times visitors errors erased page share')
TIMES, VISITORS, ERRORS, ERASED = 1.3, 1500, 2, 1e-10
MODELS = ('bestseller', 'personal', 'candidate')
READING = """\
expected: clicks a page that the truth gives what was shown; then its share of
what the same visitors would have given the best list for each of them, the
best one that is the same for all, and the bestsellers of the day."""


def everything(shop, visits, days, facts):
    """Print what happened; return what was Found."""
    end = days.month + days.after
    month = _test(shop, days, 'the stationary month', 0, days.month)
    live = _test(shop, days, 'since the candidate is live', days.live,
                 days.month)
    _test(shop, days, 'after the change of taste', days.month, end)
    daily = by_day(shop, visits)
    print_heading('What the truth says of it')
    _print_shares(daily, ((0, days.live), (days.live, days.month),
                          (days.month, end)))
    print_heading('The candidate, valued on the log of the week before it was live')
    print('\n'.join(f'{name:22} {_text(number)}'
                    for name, number in facts['worth'].items()))
    print_heading('The dashboard, the last days')
    for statement in ("""SELECT * FROM clicks_by_day
                         WHERE day > now()::date - 4 ORDER BY model, day""",
                      """SELECT * FROM choices_by_day
                         WHERE day > now()::date - 4 ORDER BY model, day""",
                      'SELECT * FROM models', 'SELECT * FROM queue_now'):
        _show(_ask(shop, days, end, statement))
        print()
    return _found(month, live, daily, days, facts, visits)


def bars(found):
    """Return the means over seeds with their bars."""
    times, visitors, errors, erased, page, share = map(np.array, zip(*found))
    return [
        at_least('clicks of personal lists, times those of bestsellers',
                 times.mean(), TIMES, each(times)),
        at_most('visitors after the change until they are better for good',
                visitors.mean(), VISITORS, each(visitors, ',.0f')),
        at_most('the candidate on the log, in the A/B test, errors apart',
                errors.mean(), ERRORS, each(errors, '.1f')),
        at_most('a person erased: difference to never seen', erased.max(),
                ERASED, each(erased, '.0e')),
        Result('a page, ms (median)', each(page, '.1f')),
        Result('personal lists: share of what the best ones would earn',
               with_error(share))]


def by_day(shop, visits):
    """Return {model: for each day the Sums}."""
    models = dict(shop.at(visits[-1].at,
                          'SELECT id, model FROM decision').fetchall())
    sums = {}
    for visit in visits:
        if visit.decision in models:        # not of those erased
            rows = sums.setdefault(
                models[visit.decision],
                np.zeros((visits[-1].day + 1, len(Sums._fields))))
            rows[visit.day] += Sums(visit.clicked, visit.truth, visit.best,
                                    visit.common, visit.sellers, 1)
    return sums


def _test(shop, days, title, first, last):
    """Print what the A/B test says of some days; return it by model."""
    print_heading(f'A/B test, {title}: days {first + 1} to {last}')
    rows = _ask(shop, days, days.month + days.after, """
        SELECT * FROM test(%s, %s) ORDER BY times""",
                *(days.start + timedelta(days=day) for day in (first, last)))
    _show(rows)
    return {row['model']: row for row in rows}


def _print_shares(daily, stretches):
    """Print what the truth says of each model's lists."""
    rows = []
    for model in MODELS:
        for first, last in stretches:
            found = Sums(*daily[model][first:last].sum(axis=0))
            if found.pages:
                rows.append((
                    model, f'{first + 1} - {last}',
                    f'{found.truth / found.pages:.3f}',
                    *(f'{found.truth / other:.0%}' for other in (
                        found.best, found.common, found.sellers))))
    print(table([('model', 'days', 'expected', 'of best', 'of common',
                  'of bestsellers')] + rows))
    print(READING)


def _found(month, live, daily, days, facts, visits):
    """Return what there are bars for."""
    seen = live['candidate']
    worth, error = (10 * facts['worth'][name] for name in ('dr', 'dr_stderr'))
    apart = abs(seen['a_page'] - worth) / np.hypot(seen['stderr'], error)
    pages, difference = facts['erased']
    print(f'The candidate: {worth:.3f} ± {error:.3f} on the log, '
          f'{seen["a_page"]:.3f} ± {seen["stderr"]:.3f} in the A/B test; '
          f'the person erased had seen {pages} pages')
    sums = Sums(*daily['personal'].sum(axis=0))
    above = _above(daily, days) * len(visits) / (days.month + days.after)
    return Found(month['personal']['times'], above, apart, difference,
                 1000 * np.median([visit.seconds for visit in visits]),
                 sums.truth / sums.best)


def _above(daily, days):
    """Return how many days after the change personal lists became better for
    good than bestsellers would have been for the same visitors.
    """
    rows = Sums(*daily['personal'][days.month:].T)
    below = np.flatnonzero(rows.truth <= rows.sellers)
    return below[-1] + 1 if len(below) else 0


def _ask(shop, days, day, statement, *parameters):
    """Return what the shop's SQL says on the eve of a day."""
    when = days.start + timedelta(days=day, minutes=-1)
    return named(shop.at(when, statement, *parameters))


def _show(rows):
    """Print rows as a table."""
    print(table([tuple(rows[0])]
                + [tuple(map(_text, row.values())) for row in rows]))


def _text(value):
    """Return a value as it is printed."""
    if value is None:
        return ''
    return f'{value:.4g}' if isinstance(value, float) else str(value)
