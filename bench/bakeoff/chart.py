"""The chart: loss of each policy on each set."""

from bench import figure
from bench.report import error


def draw(path, rows):
    """Write a PNG: a line for each set, a mark for each policy."""
    chart, axes = figure.marks(
        [row.set.name for row in rows],
        {name: ([row.losses[name].mean() for row in rows],
                [error(row.losses[name]) for row in rows])
         for name in rows[0].shown}, 'share of wrong choices')
    axes.set_xlim(left=0)
    chart.savefig(path, dpi=100)
