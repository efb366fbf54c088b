"""A simulated shop for six weeks: personal lists against the most popular products.

The shop is examples/shop/*.sql. Tastes are constant for a month, and then
change. OUT names a folder for the chart.
"""

from bench.program import number, show

SESSIONS = 4


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--visitors', type=number(50), default=300,
                        metavar='N', help='visits per day (default %(default)s)')
    parser.add_argument('--sessions', type=number(1, 64),
                        default=SESSIONS, metavar='N',
                        help='parallel sessions (default %(default)s)')
    parser.add_argument('--taste', type=float, default=1.0, metavar='X',
                        help='diversity of tastes: the standard deviation of the '
                        'log-odds of a click over categories '
                        '(default %(default)s)')
    parser.add_argument('--clicks', type=float, default=1.0, metavar='X',
                        help='factor of the click probabilities: 0.2 makes two '
                        'clicks per hundred impressions (default %(default)s, '
                        'which the bars are for)')
    show(parser, 'the simulated truth')
