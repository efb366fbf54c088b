"""The chart of clicks by day."""

import numpy as np

from bench import figure
from bench.shop.report import Sums

STYLES = {'control': ('most popular', '#767676'),
          'personal': ('personal', '#0072b2')}
BOUNDS = {'best': 'best for each', 'common': 'best for all',
          'categories': 'popular in your categories', 'cosine': 'cosine'}
NEAR = 3


def draw(path, daily, days):
    """Write a PNG: clicks a page of each arm, and what the truth allows."""
    chart = figure.create(9, 5)
    axes = chart.subplots()
    total = Sums(*sum(daily.values()).T)
    count = len(total.pages)
    lines = {name: (getattr(total, field) / total.pages, '#aaaaaa', '--')
             for field, name in BOUNDS.items()}
    for arm, (name, colour) in STYLES.items():
        near = Sums(*(np.convolve(column, np.ones(NEAR))[:count]
                      for column in daily[arm].T))
        with np.errstate(invalid='ignore'):
            lines[name] = near.clicked / near.pages, colour, '-'
    figure.lines(axes, lines)
    axes.set(xlabel='day', ylabel=f'clicks a page, last {NEAR} days')
    axes.axvline(days.month + 0.5, color='black', linewidth=1, linestyle=':')
    axes.annotate('change of taste', (days.month + 0.5, 0), xytext=(4, 6),
                  textcoords='offset points')
    axes.set_title('Clicks on a page of ten products', loc='left',
                   weight='bold')
    chart.savefig(path, dpi=110)
