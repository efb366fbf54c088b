"""The chart of click-through rates."""

import logging

import numpy as np

# Where there is no home to keep its cache in, matplotlib need not say so.
logging.getLogger('matplotlib').setLevel(logging.ERROR)

from matplotlib import ticker  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

COLOURS = ('#0072b2', '#009e73', '#d55e00', '#767676')


def draw(path, rewards, change, window, subject):
    """Write a PNG: a line for each policy, the change of taste marked.

    The lines are averages over a window of visits.
    """
    figure = Figure(figsize=(9, 5), constrained_layout=True)
    axes = figure.subplots()
    steps = len(next(iter(rewards.values())))
    ends = []
    for colour, values in zip(COLOURS, rewards.values()):
        rates = moving_average(values, window)
        visits = np.arange(1, steps + 1)
        axes.plot(visits[window // 2:], rates[window // 2:], color=colour,
                  linewidth=2)
        ends.append(rates[-1])
    top = 1.05 * axes.get_ylim()[1]
    axes.set(xlim=(0, steps), ylim=(0, top), xlabel='visits',
             ylabel=f'click-through rate, last {window:,} visits')
    axes.axvline(change, color='black', linewidth=1, linestyle='--')
    axes.annotate('change of taste', (change, top), xytext=(5, -5),
                  textcoords='offset points', va='top')
    heights = spread(ends, top / 20)
    for colour, name, height in zip(COLOURS, rewards, heights):
        axes.annotate(name, (steps, height), xytext=(6, 0), color=colour,
                      textcoords='offset points', va='center', weight='bold')
    axes.set_title(f'Recommending {subject}', loc='left', weight='bold')
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter('{x:,.0f}'))
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(1, decimals=0))
    axes.grid(axis='y', color='#dddddd')
    axes.set_axisbelow(True)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)
    figure.savefig(path, dpi=150)


def moving_average(values, window):
    """Return the mean of the last values, fewer of them at the start."""
    sums = np.concatenate([[0], np.cumsum(values, dtype=float)])
    upper = np.arange(1, len(values) + 1)
    lower = np.maximum(upper - window, 0)
    return (sums[upper] - sums[lower]) / (upper - lower)


def spread(heights, gap):
    """Return the heights moved up where they are closer than a gap."""
    moved = np.array(heights, dtype=float)
    order = np.argsort(moved)
    for lower, upper in zip(order, order[1:]):
        moved[upper] = max(moved[upper], moved[lower] + gap)
    return moved
