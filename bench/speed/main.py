"""Measure speed and memory, and print a table with the required ratios."""

from importlib import import_module

from bench import machine
from bench.speed import THEMES
from bench.speed.bars import MISSED, NOISY, Table, Theme


def main(options):
    """Run the benchmark; return False if a required bar is missed."""
    with machine.session() as cursor:
        machine.describe(cursor)
    table = Table()
    for row in options.rows:
        with machine.session() as cursor:
            theme = import_module(f'bench.speed.{[*THEMES][row - 1]}')
            theme.run(Theme(cursor, options.share, table))
    return conclude(table.left, options.strict)


def conclude(left, strict):
    """Print the bars that are missed or cannot be judged."""
    print('\nRatios are medians, (a to b) their spread; times are those of '
          'the two that are compared.\n"120 to 24" is dlints_new(120, 24), '
          '"plain 64" dlints_new(64), "matched 64" has\nprofiles besides.')
    for row in left:
        print(f'{row[-1]}: {row[0]}: {row[1] or row[2] or row[3]}')
    missed, noisy = ([row[-1] for row in left].count(kind)
                     for kind in (MISSED, NOISY))
    print(f'{missed or "No"} bar{"s" * (missed != 1)} missed, '
          f'{noisy} too noisy to tell.')
    return not (missed and strict)
