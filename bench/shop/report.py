"""What the shop's own SQL says, and how far that is from what truth allows."""

from collections import namedtuple

import numpy as np

from bench.report import (Result, at_least, at_most, each, print_heading,
                          table, with_error)
from bench.shop.play import named

# Of the simulation: how many are stationary, and how many follow the change of
# taste
Days = namedtuple('Days', 'month after')
# Of a day's pages of an arm
Sums = namedtuple('Sums', 'clicked truth best common sellers categories '
                          'cosine svd pages')
# What there are bars for: the reward of personal lists, times that of the
# most popular products; visitors after the change until they are better for
# good; errors between a candidate's value on the log and the truth; what an
# erased person left; ms of a page; and what the truth gives personal lists, of
# what it gives the best ones, and of what it gives the best simple list
Found = namedtuple('Found', 'times visitors errors erased page share simple')
TIMES, VISITORS, ERRORS, ERASED, OF_SIMPLE = 1.3, 1500, 2, 1e-10, 1
SIMPLE = 'sellers', 'categories', 'cosine'
ARMS = ('control', 'personal', 'chance')
READING = """\
expected: clicks a page that the truth gives what was shown; then its share of
what the same visitors would have given the best list for each of them, the
best one that is the same for all, the bestsellers of the day, and of what is made
every night of the same clicks: the most popular of a customer's categories, what
is clicked by the same people, and the first sixteen directions of that."""


def everything(shop, visits, days, facts):
    """Print what happened; return what was Found."""
    end = days.month + days.after
    for title, what in (('The report, the stationary month', 'month'),
                        ('The report, after the change of taste', 'after')):
        print_heading(title)
        _show(facts[what])
    daily = by_day(shop, visits)
    print_heading('What the truth says of it')
    _print_shares(daily, ((0, days.month), (days.month, end)))
    print_heading('A candidate, valued on the log of a week')
    print('\n'.join(f'{name:22} {_text(number)}'
                    for name, number in facts['worth'].items()))
    print_heading('By day, the last of them')
    _show(named(shop.at(visits[-1].at, """
        SELECT * FROM by_day WHERE day > now()::date - 4
        ORDER BY arm, day""")))
    return _found(daily, days, facts, visits)


def bars(found):
    """Return the means over seeds with their bars."""
    times, visitors, errors, erased, page, share, simple = map(
        np.array, zip(*found))
    return [
        at_least('reward of personal lists, times that of the most popular',
                 times.mean(), TIMES, each(times)),
        at_most('visitors after the change until they are better for good',
                visitors.mean(), VISITORS, each(visitors, ',.0f')),
        at_most('a candidate on the log, and by the truth, errors apart',
                errors.mean(), ERRORS, each(errors, '.1f')),
        at_most('a person erased: difference to never seen', erased.max(),
                ERASED, each(erased, '.0e')),
        at_least('personal lists: times what the best simple one would earn',
                 simple.mean(), OF_SIMPLE, each(simple)),
        Result('a page, ms (median)', each(page, '.1f')),
        Result('personal lists: share of what the best ones would earn',
               with_error(share))]


def by_day(shop, visits):
    """Return {arm: for each day the Sums}."""
    arms = dict(shop.at(visits[-1].at,
                        'SELECT id, arm FROM home.decision').fetchall())
    sums = {}
    for visit in visits:
        if visit.decision in arms:          # not of those erased
            rows = sums.setdefault(
                arms[visit.decision],
                np.zeros((visits[-1].day + 1, len(Sums._fields))))
            rows[visit.day] += Sums(visit.clicked, visit.truth, visit.best,
                                    visit.common, visit.sellers,
                                    visit.categories, visit.cosine, visit.svd,
                                    1)
    return sums


def _print_shares(daily, stretches):
    """Print what the truth says of each arm's lists."""
    rows = []
    for arm in ARMS:
        for first, last in stretches:
            found = Sums(*daily[arm][first:last].sum(axis=0))
            if found.pages:
                rows.append((
                    arm, f'{first + 1} - {last}',
                    f'{found.truth / found.pages:.3f}',
                    *(f'{found.truth / getattr(found, other):.0%}'
                      for other in ('best', 'common', *SIMPLE, 'svd'))))
    print(table([('arm', 'days', 'expected', 'of best', 'of common',
                  'of bestsellers', 'of categories', 'of cosine',
                  'of SVD 16')] + rows))
    print(READING)


def _found(daily, days, facts, visits):
    """Return what there are bars for."""
    worth, error = (10 * facts['worth'][name] for name in ('dr', 'dr_stderr'))
    true = 10 * facts['true']
    pages, difference = facts['erased']
    print(f'The candidate: {worth:.3f} ± {error:.3f} on the log, {true:.3f} '
          f'by the truth; the person erased had seen {pages} pages; '
          f'{facts["refused"]} reports were refused')
    sums = Sums(*daily['personal'].sum(axis=0))
    above = _above(daily, days) * len(visits) / (days.month + days.after)
    times = {row['measure']: row['value'] for row in facts['month']}
    return Found(times['times the control'], above,
                 abs(worth - true) / error, difference,
                 1000 * np.median([visit.seconds for visit in visits]),
                 sums.truth / sums.best,
                 sums.truth / max(getattr(sums, other) for other in SIMPLE))


def _above(daily, days):
    """Return how many days after the change personal lists became better for
    good than bestsellers would have been for the same visitors.
    """
    rows = Sums(*daily['personal'][days.month:].T)
    below = np.flatnonzero(rows.truth <= rows.sellers)
    return below[-1] + 1 if len(below) else 0


def _show(rows):
    """Print rows as a table."""
    print(table([tuple(rows[0])]
                + [tuple(map(_text, row.values())) for row in rows]))


def _text(value):
    """Return a value as it is printed."""
    if value is None:
        return ''
    return f'{value:.4g}' if isinstance(value, float) else str(value)
