"""Measure dlints and print a table of what it has to reach.

Each number is a ratio, or a growth, measured in one run on one machine.
"""

import argparse

from bench import machine, program, progress, report
from bench.speed import (decide, evidence, factors, groups, growth,
                         interleaved, judge, memories, memory, rebuild,
                         recommend, reduced, replay, sessions, shared, stream,
                         update, wal)

THEMES = (recommend, evidence, update, stream, growth, memory, shared,
          interleaved, rebuild, reduced, sessions, memories, judge, decide,
          factors, wal, replay, groups)
QUICK = 0.1


def main():
    """Run the benchmark; return False if a bar is missed that matters."""
    options = parse_arguments()
    results = measure(options)
    report.print_results(results)
    missed = sum(result.met is False for result in results)
    print('\nTimes are medians, for many rows minima; (a to b) is a ratio\'s '
          f'spread.\n{missed or "No"} bar{"s" * (missed != 1)} missed.')
    return not (missed and options.strict)


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser(
        'speed', __doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='\n'.join(f'  {number}  {theme.TITLE}' for number, theme
                         in enumerate(THEMES, 1)))
    parser.add_argument('--rows', type=program.numbers(1, len(THEMES)),
                        metavar='N,...', default=range(1, len(THEMES) + 1),
                        help='which of the rows below to measure')
    work = parser.add_mutually_exclusive_group()
    work.add_argument('--quick', dest='share', action='store_const', default=1,
                      const=QUICK,
                      help='a tenth of the work, and less certain figures')
    work.add_argument('--times', dest='share', type=program.number(1),
                      metavar='N', help='so many times the work: '
                      f'--rows {THEMES.index(factors) + 1} --times 20 for '
                      '20 million clicks')
    parser.add_argument('--strict', action='store_true',
                        help='exit with an error if a bar is missed')
    return parser.parse_args()


def measure(options):
    """Measure the chosen themes and return their results."""
    results = []
    with program.session() as cursor:
        machine.describe(cursor)
    with progress.Themes(len(options.rows)) as done:
        for row in options.rows:
            theme = THEMES[row - 1]
            done.start(theme.TITLE)
            with program.session() as cursor:
                results += theme.run(cursor, options.share, done.advance)
    return results


program.run('speed', main)
