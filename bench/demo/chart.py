"""The chart of click-through rates."""

import numpy as np

from bench import figure

COLOURS = ('#0072b2', '#009e73', '#d55e00', '#767676')


def draw(path, rewards, change, window, subject):
    """Write a PNG: a line for each policy, the change of taste marked.

    The lines are averages over a window of visits.
    """
    chart = figure.create(9, 5)
    axes = chart.subplots()
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
    axes.yaxis.set_major_formatter(
        figure.ticker.PercentFormatter(1, decimals=0))
    figure.finish(axes)
    chart.savefig(path, dpi=150)


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
