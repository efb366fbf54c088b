"""The chart: loss of each policy on each set."""

from bench import figure
from bench.bakeoff.play import DEFAULT, POLICIES
from bench.report import error

COLOURS = '#d55e00', '#4292c6', '#08306b', '#767676'


def draw(path, rows):
    """Write a PNG: a line for each set, a mark for each policy."""
    chart = figure.create(8, 0.3 * len(rows) + 1.2)
    axes = chart.subplots()
    heights = range(len(rows), 0, -1)
    for name, colour in zip(POLICIES, COLOURS):
        losses = [row.losses[name] for row in rows]
        axes.errorbar([values.mean() for values in losses], heights,
                      xerr=[error(values) for values in losses], color=colour,
                      linestyle='', marker='D' if name == DEFAULT else 'o',
                      markersize=7 if name == DEFAULT else 5, label=name)
    axes.set_yticks(heights, [row.set.name for row in rows])
    axes.set_xlim(left=0)
    axes.set_xlabel('share of wrong choices')
    figure.finish(axes)
    axes.xaxis.set_major_formatter(figure.ticker.StrMethodFormatter('{x:.1f}'))
    axes.legend(loc='lower center', bbox_to_anchor=(0.5, 1), ncols=4,
                frameon=False)
    chart.savefig(path, dpi=100)
