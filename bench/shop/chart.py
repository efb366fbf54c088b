"""The chart of clicks by day."""

import numpy as np

from bench import figure
from bench.shop.report import Sums

STYLES = {'bestseller': '#767676', 'personal': '#0072b2',
          'candidate': '#d55e00'}
BOUNDS = {'best': 'best for each', 'common': 'best for all'}
NEAR = 3


def draw(path, daily, days):
    """Write a PNG: clicks a page of each model, and what the truth allows."""
    chart = figure.create(9, 5)
    axes = chart.subplots()
    total = Sums(*sum(daily.values()).T)
    count = len(total.pages)
    lines = {name: (getattr(total, field) / total.pages, '#aaaaaa', '--')
             for field, name in BOUNDS.items()}
    for model, colour in STYLES.items():
        near = Sums(*(np.convolve(column, np.ones(NEAR))[:count]
                      for column in daily[model].T))
        with np.errstate(invalid='ignore'):
            lines[model] = near.clicked / near.pages, colour, '-'
    figure.lines(axes, lines)
    axes.set(xlabel='day', ylabel=f'clicks a page, last {NEAR} days')
    for day, text in ((days.live, 'candidate live'),
                      (days.month, 'change of taste')):
        axes.axvline(day + 0.5, color='black', linewidth=1, linestyle=':')
        axes.annotate(text, (day + 0.5, 0), xytext=(4, 6),
                      textcoords='offset points')
    axes.set_title('Clicks on a page of ten products', loc='left',
                   weight='bold')
    chart.savefig(path, dpi=110)
