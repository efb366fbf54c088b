"""What the charts have in common."""

import logging

import numpy as np

# Where there is no home to keep its cache in, matplotlib need not say so.
logging.getLogger('matplotlib').setLevel(logging.ERROR)

from matplotlib import ticker  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

__all__ = ['apart', 'create', 'finish', 'ticker']


def create(width, height):
    """Return an empty figure; sizes are in inches."""
    return Figure(figsize=(width, height), constrained_layout=True)


def finish(axes):
    """Give axes over numbers of visits their scale, grid and frame."""
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter('{x:,.0f}'))
    axes.grid(axis='y', color='#dddddd')
    axes.set_axisbelow(True)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)


def apart(heights, gap):
    """Return the heights moved up where they are closer than a gap."""
    moved = np.array(heights, dtype=float)
    order = np.argsort(moved)
    for lower, upper in zip(order, order[1:]):
        moved[upper] = max(moved[upper], moved[lower] + gap)
    return moved
