"""A shop for six weeks: personal lists against the most popular products.

The shop is examples/shop/*.sql, and is asked in its own SQL: a month in which
people want what they want, then a change of taste. OUT names a folder for the
chart.
"""

from bench.program import number, show

SESSIONS = 4


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--visitors', type=number(50), default=300,
                        metavar='N', help='each day (default %(default)s)')
    parser.add_argument('--sessions', type=number(1, 64),
                        default=SESSIONS, metavar='N',
                        help='at once (default %(default)s)')
    parser.add_argument('--taste', type=float, default=1.0, metavar='X',
                        help='how much people differ in what they want: the '
                        'standard deviation of the log-odds of a click over '
                        'categories (default %(default)s)')
    parser.add_argument('--clicks', type=float, default=1.0, metavar='X',
                        help='how likely a click on a page is, times what it '
                        'is otherwise: 0.2 makes 2 in a hundred products '
                        'shown (default %(default)s, which the bars are for)')
    show(parser, 'the truth')
