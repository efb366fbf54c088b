"""The chart: loss of each policy on each set."""

from bench import figure
from bench.bakeoff.play import BOUND, CURVES, DEFAULT
from bench.bakeoff.vw import GIVEN
from bench.report import error

DRAWN = DEFAULT, 'arms', CURVES, *GIVEN, BOUND


def draw(path, rows):
    """Write a PNG: a line for each set, a mark for each policy."""
    chart, axes = figure.marks(
        [row.set.name for row in rows],
        {name: ([row.losses[name].mean() for row in rows],
                [error(row.losses[name]) for row in rows])
         for name in DRAWN if name in rows[0].losses},
        'share of wrong choices')
    axes.set_xlim(left=0)
    chart.savefig(path, dpi=100)
