"""Print the shop's reports, and compare its lists with the simulated truth."""

from collections import namedtuple

import numpy as np

from bench import figure
from bench.report import (Result, at_least, at_most, each, print_heading,
                          table, with_error)
from bench.shop.play import named

# Numbers of days before and after the change of taste
Days = namedtuple('Days', 'month after')
# Sums over the pages of a treatment on a day
Sums = namedtuple('Sums', 'clicked truth best common sellers categories '
                          'cosine svd pages')
# Results with bars: ratio of the rewards of personal and control lists; visitors
# after the change until personal lists are permanently better than bestsellers;
# standard errors between a candidate's estimated and true value; difference after
# an erasure; ms of a page; and expected clicks of personal lists relative to the
# best lists, and to the best simple list
Found = namedtuple('Found', 'ratio visitors errors erased page share simple')
MIN_RATIO, MAX_VISITORS, MAX_ERRORS, MAX_ERASED, MIN_SIMPLE = 1.3, 1500, 2, 1e-10, 1
SIMPLE = 'sellers', 'categories', 'cosine'
TREATMENTS = ('control', 'personal', 'random')
# Lines of the chart, with their names
STYLES = {'control': ('most popular', '#767676'), 'personal': ('personal', '#0072b2')}
BOUNDS = {'best': 'best for each customer', 'common': 'best for all',
          'categories': 'popular in your categories', 'cosine': 'cosine'}
WINDOW = 3              # days of a moving average
READING = """\
expected: expected clicks per page, by the simulated truth. The other columns are
ratios to the expected clicks of other lists for the same visitors: the best list
for each, the best list for all, and the bestsellers of the day; and lists that are
computed every night from the same clicks: the most popular products of the
customer's categories, cosine similarity, and 16 factors of an SVD."""


def everything(shop, visits, days, facts):
    """Print all results; return those with bars."""
    end = days.month + days.after
    for title, what in (('The report, the stationary month', 'month'),
                        ('The report, after the change of taste', 'after')):
        print_heading(title)
        _show(facts[what])
    daily = by_day(shop, visits)
    print_heading('Expected clicks by the simulated truth')
    _print_shares(daily, ((0, days.month), (days.month, end)))
    print_heading('A candidate, estimated from the log of a week')
    print('\n'.join(f'{name:22} {_text(number)}'
                    for name, number in facts['worth'].items()))
    print_heading('The last days')
    _show(named(shop.at(visits[-1].at, """
        SELECT * FROM by_day WHERE day > now()::date - 4
        ORDER BY treatment, day""")))
    return _found(daily, days, facts, visits)


def bars(found):
    """Return the means over seeds with their bars."""
    ratio, visitors, errors, erased, page, share, simple = map(
        np.array, zip(*found))
    return [
        at_least('reward of personal lists, times that of the most popular',
                 ratio.mean(), MIN_RATIO, each(ratio)),
        at_most('visitors after the change until personal lists are better',
                visitors.mean(), MAX_VISITORS, each(visitors, ',.0f')),
        at_most('a candidate\'s estimated and true value: standard errors apart',
                errors.mean(), MAX_ERRORS, each(errors, '.1f')),
        at_most('model after an erasure: difference to one without the user',
                erased.max(), MAX_ERASED, each(erased, '.0e')),
        at_least('expected clicks, times those of the best simple list',
                 simple.mean(), MIN_SIMPLE, each(simple)),
        Result('a page, ms (median)', each(page, '.1f')),
        Result('expected clicks, relative to the best lists',
               with_error(share))]


def by_day(shop, visits):
    """Return {treatment: a row of Sums for each day}."""
    treatments = dict(shop.at(
        visits[-1].at, 'SELECT id, treatment FROM home.decision').fetchall())
    sums = {}
    for visit in visits:
        if visit.decision in treatments:    # the decision was not erased
            rows = sums.setdefault(
                treatments[visit.decision],
                np.zeros((visits[-1].day + 1, len(Sums._fields))))
            rows[visit.day] += Sums(visit.clicked, visit.truth, visit.best,
                                    visit.common, visit.sellers,
                                    visit.categories, visit.cosine, visit.svd,
                                    1)
    return sums


def _print_shares(daily, stretches):
    """Print the expected clicks of each treatment's lists."""
    rows = []
    for treatment in TREATMENTS:
        for first, last in stretches:
            found = Sums(*daily[treatment][first:last].sum(axis=0))
            if found.pages:
                rows.append((
                    treatment, f'{first + 1} - {last}',
                    f'{found.truth / found.pages:.3f}',
                    *(f'{found.truth / getattr(found, other):.0%}'
                      for other in ('best', 'common', *SIMPLE, 'svd'))))
    print(table([('treatment', 'days', 'expected', 'best', 'best for all',
                  'bestsellers', 'categories', 'cosine', 'SVD 16')] + rows))
    print(READING)


def _found(daily, days, facts, visits):
    """Return the results with bars."""
    worth, error = (10 * facts['worth'][name] for name in ('dr', 'dr_stderr'))
    true = 10 * facts['true']
    pages, difference = facts['erased']
    print(f'The candidate: {worth:.3f} ± {error:.3f} estimated, {true:.3f} '
          f'true; the erased user had {pages} pages; '
          f'{facts["refused"]} reports were refused')
    sums = Sums(*daily['personal'].sum(axis=0))
    above = _above(daily, days) * len(visits) / (days.month + days.after)
    measures = {row['measure']: row['value'] for row in facts['month']}
    return Found(measures['ratio to control'], above,
                 abs(worth - true) / error, difference,
                 1000 * np.median([visit.seconds for visit in visits]),
                 sums.truth / sums.best,
                 sums.truth / max(getattr(sums, other) for other in SIMPLE))


def _above(daily, days):
    """Return the number of days after the change until personal lists have
    more expected clicks than the bestsellers, from then on.
    """
    rows = Sums(*daily['personal'][days.month:].T)
    below = np.flatnonzero(rows.truth <= rows.sellers)
    return below[-1] + 1 if len(below) else 0


def _show(rows):
    """Print rows as a table."""
    print(table([tuple(rows[0])]
                + [tuple(map(_text, row.values())) for row in rows]))


def _text(value):
    """Format a value."""
    if value is None:
        return ''
    return f'{value:.4g}' if isinstance(value, float) else str(value)


def draw_chart(path, daily, days):
    """Write a chart, a PNG: clicks per page by treatment, and expected clicks of other lists."""
    chart = figure.create(9, 5)
    axes = chart.subplots()
    total = Sums(*sum(daily.values()).T)
    count = len(total.pages)
    lines = {name: (getattr(total, field) / total.pages, '#aaaaaa', '--')
             for field, name in BOUNDS.items()}
    for treatment, (name, colour) in STYLES.items():
        window = Sums(*(np.convolve(column, np.ones(WINDOW))[:count]
                        for column in daily[treatment].T))
        with np.errstate(invalid='ignore'):
            lines[name] = window.clicked / window.pages, colour, '-'
    figure.lines(axes, lines)
    axes.set(xlabel='day', ylabel=f'clicks per page, last {WINDOW} days')
    axes.axvline(days.month + 0.5, color='black', linewidth=1, linestyle=':')
    axes.annotate('change of taste', (days.month + 0.5, 0), xytext=(4, 6),
                  textcoords='offset points')
    axes.set_title('Clicks on a page of ten products', loc='left',
                   weight='bold')
    chart.savefig(path, dpi=110)
