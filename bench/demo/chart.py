"""The chart of the clicks of each list over visits."""

import numpy as np

from bench import figure

COLOURS = {'personal': '#0072b2', 'popular': '#767676',
           'your categories': '#e69f00', 'cosine': '#d55e00',
           'SVD 16': '#009e73', 'SVD 64': '#56b4e9', 'EASE': '#cc79a7'}


def draw(path, clicks):
    """Write a PNG of {name: clicks of each visit}."""
    chart = figure.create(7, 4.2)
    axes = chart.subplots()
    figure.lines(axes, {name: (np.cumsum(values), COLOURS[name], '-')
                        for name, values in clicks.items()})
    axes.set_xlabel('visits')
    axes.set_title('Clicks', loc='left', weight='bold')
    axes.yaxis.set_major_formatter(
        figure.ticker.StrMethodFormatter('{x:,.0f}'))
    chart.savefig(path, dpi=110)
