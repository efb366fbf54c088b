"""Demonstration: a film service with a recommender.

DATA is a folder of MovieLens data, OUT a folder for the chart.
"""

from bench.program import number, show

VISITS, FEWEST_VISITS = 3000, 60


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--visits', type=number(FEWEST_VISITS),
                        default=VISITS, metavar='N',
                        help='at most, and at most ten of each person '
                        '(default %(default)s)')
    show(parser, 'who comes and who clicks what')
