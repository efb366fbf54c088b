"""Common parts of the charts."""

import logging

import numpy as np

# matplotlib would warn if there is no home directory for its cache.
logging.getLogger('matplotlib').setLevel(logging.ERROR)

from matplotlib import ticker  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

__all__ = ['create', 'finish', 'lines', 'ticker']

GAP = 0.045     # gap between names, as a fraction of the height


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


def _apart(heights, gap):
    """Return the heights, moved apart to a minimum distance."""
    moved = np.array(heights, dtype=float)
    order = np.argsort(moved)
    for lower, upper in zip(order, order[1:]):
        moved[upper] = max(moved[upper], moved[lower] + gap)
    return moved
