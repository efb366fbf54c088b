"""Common parts of the charts."""

import logging

import numpy as np

# matplotlib would warn if there is no home directory for its cache.
logging.getLogger('matplotlib').setLevel(logging.ERROR)

from matplotlib import ticker  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

__all__ = ['create', 'finish', 'lines', 'marks', 'ticker']

GAP = 0.045     # gap between names, as a fraction of the height
COLOURS = ('#d55e00', '#9ecae1', '#4292c6', '#2171b5', '#08306b', '#636363')


def create(width, height):
    """Return an empty figure; sizes are in inches."""
    return Figure(figsize=(width, height), constrained_layout=True)


def finish(axes):
    """Set scale, grid and frame of axes over numbers of visits."""
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter('{x:,.0f}'))
    axes.grid(axis='y', color='#dddddd')
    axes.set_axisbelow(True)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)


def lines(axes, drawn):
    """Draw {name: (values, colour, style)}, with each name at its line's end.
    """
    for values, colour, style in drawn.values():
        axes.plot(np.arange(1, len(values) + 1), values, style, color=colour,
                  linewidth=2)
        axes.set_xlim(1, len(values))
    top = axes.set_ylim(bottom=0)[1]
    heights = _apart([values[-1] for values, *_ in drawn.values()], GAP * top)
    for (name, (values, colour, _)), height in zip(drawn.items(), heights):
        axes.annotate(name, (len(values), height), xytext=(6, 0), color=colour,
                      textcoords='offset points', va='center', weight='bold',
                      annotation_clip=False)
    finish(axes)


def marks(labels, drawn, title, apart=0):
    """Return a figure and its axes: a line per label, with a mark for each
    {name: (values, errors)}, each below the previous one. The first series is
    emphasized.
    """
    chart = create(8, 0.25 * len(labels) + 1.2)
    axes = chart.subplots()
    heights = np.arange(len(labels), 0, -1)
    for lower, ((name, (values, errors)), colour) in enumerate(
            zip(drawn.items(), COLOURS)):
        first = lower == 0
        axes.errorbar(values, heights - apart * lower, xerr=errors,
                      color=colour, linestyle='',
                      marker='D' if first else 'o', clip_on=False,
                      markersize=7.5 if first else 5,
                      zorder=4 if first else 3, label=name)
    axes.set_yticks(heights, labels)
    axes.set_xlabel(title)
    finish(axes)
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter('{x:.1f}'))
    axes.legend(loc='lower center', bbox_to_anchor=(0.5, 1), ncols=len(drawn),
                frameon=False, handletextpad=0.1, columnspacing=1)
    return chart, axes


def _apart(heights, gap):
    """Return the heights, moved apart to a minimum distance."""
    moved = np.array(heights, dtype=float)
    order = np.argsort(moved)
    for lower, upper in zip(order, order[1:]):
        moved[upper] = max(moved[upper], moved[lower] + gap)
    return moved
