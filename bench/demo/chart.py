"""The chart: what each service has earned so far."""

import numpy as np

from bench import figure

COLOURS = {'matched': '#0072b2', 'earning': '#009e73', 'similar': '#d55e00',
           'plain': '#56b4e9', 'popular': '#767676'}


def draw(path, panels):
    """Write a PNG: a panel for each (title, {name: amount of each visit})."""
    chart = figure.create(10, 4.2)
    for axes, (title, amounts) in zip(
            np.ravel(chart.subplots(1, len(panels))), panels):
        figure.lines(axes, {name: (np.cumsum(values), COLOURS[name], '-')
                            for name, values in amounts.items()})
        axes.set_xlabel('visits')
        axes.set_title(title, loc='left', weight='bold')
        axes.yaxis.set_major_formatter(
            figure.ticker.StrMethodFormatter('{x:,.0f}'))
    chart.savefig(path, dpi=110)
