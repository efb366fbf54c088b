"""The chart: what each policy earns."""

import numpy as np

from bench import figure
from bench.personal.policies import EVERY, KINDS
from bench.personal.report import Found, error
from bench.world import ORDERS

COLOURS = {True: '#d55e00', False: '#08519c'}
CONTROL_COLOUR = '#969696'
MARKS = dict(zip(ORDERS, ('o', 's')))
APART = 0.16


def draw(path, plays):
    """Write a PNG: a line for each policy, a mark for each order."""
    found = Found(plays)
    chart = figure.create(12, 0.33 * len(EVERY) + 1.4)
    heights = np.arange(len(EVERY), 0, -1)
    panels = chart.subplots(1, len(KINDS), sharey=True, sharex=True)
    for axes, reward in zip(panels, KINDS):
        for order, shift in zip(ORDERS, (APART, -APART)):
            _marks(axes, found, (order, reward), heights + shift)
        axes.set_xlim(left=0)
        axes.set_xlabel('reward a visit')
        axes.set_title(reward, loc='left', weight='bold')
        figure.finish(axes)
        axes.grid(axis='x', color='#dddddd')
        axes.xaxis.set_major_formatter(
            figure.ticker.StrMethodFormatter('{x:.1f}'))
    panels[0].set_yticks(heights, [policy.name for policy in EVERY])
    panels[0].legend(*_legend(axes), loc='lower right', frameon=False)
    chart.savefig(path, dpi=110)


def _marks(axes, found, column, heights):
    """Draw the rewards of all policies under one order."""
    order, _ = column
    for policy, height in zip(EVERY, heights):
        if not found.cell(column, policy.name):
            continue
        values = found.means(column, policy.name)
        axes.errorbar(values.mean(), height, xerr=error(values),
                      marker=MARKS[order], markersize=6, linewidth=1.5,
                      markerfacecolor='white' if order != ORDERS[0] else None,
                      color=CONTROL_COLOUR if policy.control
                      else COLOURS[policy.personal], zorder=3)


def _legend(axes):
    """Return handles and labels: a mark for each order."""
    handles = [axes.plot([], [], linestyle='', marker=MARKS[order],
                         color='#444444', markerfacecolor='#444444'
                         if order == ORDERS[0] else 'white')[0]
               for order in ORDERS]
    return handles, list(ORDERS)
