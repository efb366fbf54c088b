"""The chart: the default and fixed discounts on each problem."""

from bench import figure
from bench.drift.play import DEFAULT, FIXED

LEAST = 0.5


def draw(path, rows):
    """Write a PNG: a line for each problem, a mark for each policy."""
    names = {DEFAULT: DEFAULT, **{name: f'discount {name}' for name in FIXED}}
    chart, axes = figure.marks(
        [row.problem.key for row in rows],
        {text: ([max(row.shares[name], LEAST) for row in rows], None)
         for name, text in names.items()},
        'reward, as a share of the best fixed discount\'s '
        f'({LEAST:g} or less at the left edge)')
    axes.set_xlim(LEAST, 1.05)
    axes.axvline(1, color='#767676', linewidth=1)
    chart.savefig(path, dpi=100)
