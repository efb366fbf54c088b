"""Measure dlints and print a table of what it has to reach."""

from importlib import import_module

from bench import machine, progress, report
from bench.speed import THEMES


def main(options):
    """Run the benchmark; return False if a bar is missed that matters."""
    results = measure(options)
    report.print_results(results)
    missed = sum(result.met is False for result in results)
    print('\nTimes are medians, for many rows minima; (a to b) is a ratio\'s '
          f'spread.\n{missed or "No"} bar{"s" * (missed != 1)} missed.')
    return not (missed and options.strict)


def measure(options):
    """Measure the chosen themes and return their results."""
    results = []
    with machine.session() as cursor:
        machine.describe(cursor)
    with progress.Themes(len(options.rows)) as done:
        for row in options.rows:
            theme, title = list(THEMES.items())[row - 1]
            done.start(title)
            with machine.session() as cursor:
                run = import_module(f'bench.speed.{theme}').run
                results += run(cursor, options.share, done.advance)
    return results
