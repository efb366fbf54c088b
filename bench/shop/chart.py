"""Chart of clicks per page by day."""

import numpy as np

from bench import figure
from bench.shop.report import Sums

STYLES = {'control': ('most popular', '#767676'),
          'personal': ('personal', '#0072b2')}
BOUNDS = {'best': 'best for each customer', 'common': 'best for all',
          'categories': 'popular in your categories', 'cosine': 'cosine'}
WINDOW = 3              # days of a moving average


def draw(path, daily, days):
    """Write a PNG: clicks per page by treatment, and expected clicks of other lists."""
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
