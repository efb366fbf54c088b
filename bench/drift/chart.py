"""The chart: the default and fixed discounts on each problem."""

from bench import figure
from bench.drift.play import DEFAULT, FIXED

COLOURS = ('#d55e00', '#9ecae1', '#4292c6', '#2171b5', '#08306b')
LEAST = 0.5


def draw(path, rows):
    """Write a PNG: a line for each problem, a mark for each policy."""
    chart = figure.create(8, 0.25 * len(rows) + 1.2)
    axes = chart.subplots()
    heights = range(len(rows), 0, -1)
    for name, colour in zip([DEFAULT, *FIXED], COLOURS):
        shares = [max(row.shares[name], LEAST) for row in rows]
        is_default = name == DEFAULT
        axes.scatter(shares, heights, s=60 if is_default else 28,
                     marker='D' if is_default else 'o', color=colour,
                     zorder=4 if is_default else 3, clip_on=False,
                     label=name if is_default else f'discount {name}')
    axes.set_yticks(heights, [row.problem.key for row in rows])
    axes.set_xlim(LEAST, 1.05)
    axes.axvline(1, color='#767676', linewidth=1)
    axes.set_xlabel('reward, as a share of the best fixed discount\'s '
                    f'({LEAST:g} or less at the left edge)')
    figure.finish(axes)
    axes.xaxis.set_major_formatter(figure.ticker.StrMethodFormatter('{x:.1f}'))
    axes.legend(loc='lower center', bbox_to_anchor=(0.5, 1), ncols=5,
                frameon=False, handletextpad=0.1, columnspacing=1)
    chart.savefig(path, dpi=100)
