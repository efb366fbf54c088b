"""dlints at work: a film service that knows its visitors, in PostgreSQL.

DATA names a folder of MovieLens data, OUT one for the chart.
"""

from bench.program import number, show

VISITS, FEWEST_VISITS = 3000, 60


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--visits', type=number(FEWEST_VISITS),
                        default=VISITS, metavar='N',
                        help='at most, and at most ten of each person '
                        '(default %(default)s)')
    show(parser, 'who comes and who clicks what')
