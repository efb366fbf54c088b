"""The chart: what each service has earned so far."""

import numpy as np

from bench import figure

COLOURS = {'matched': '#0072b2', 'earning': '#009e73', 'similar': '#d55e00',
           'plain': '#56b4e9', 'popular': '#767676'}
GAP = 0.045     # between labels, as a share of the height


def draw(path, panels):
    """Write a PNG: a panel for each (title, {name: amount of each visit})."""
    chart = figure.create(10, 4.2)
    for axes, (title, amounts) in zip(
            np.ravel(chart.subplots(1, len(panels))), panels):
        _draw_panel(axes, title, amounts)
    chart.savefig(path, dpi=110)


def _draw_panel(axes, title, amounts):
    """Draw how amounts add up, a line for each service."""
    totals = {name: np.cumsum(values) for name, values in amounts.items()}
    visits = len(next(iter(totals.values())))
    for name, total in totals.items():
        axes.plot(np.arange(1, visits + 1), total, color=COLOURS[name],
                  linewidth=2)
    axes.set(xlim=(0, visits), xlabel='visits')
    axes.set_ylim(bottom=0)
    axes.set_title(title, loc='left', weight='bold')
    figure.finish(axes)
    axes.yaxis.set_major_formatter(
        figure.ticker.StrMethodFormatter('{x:,.0f}'))
    ends = [total[-1] for total in totals.values()]
    heights = figure.apart(ends, GAP * axes.get_ylim()[1])
    for name, height in zip(totals, heights):
        axes.annotate(name, (visits, height), xytext=(6, 0), va='center',
                      textcoords='offset points', color=COLOURS[name],
                      weight='bold', annotation_clip=False)
