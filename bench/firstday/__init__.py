"""First lists of a recommender, and lists of eight or twenty days, against others."""

from bench.program import number

SEEDS = 3


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--seeds', type=number(1), default=SEEDS,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--first', type=number(1), default=1, metavar='N',
                        help='the first seed (default %(default)s)')
    parser.add_argument('--worlds', metavar='NAME', nargs='+',
                        help='only these worlds')
    parser.add_argument('--frozen', action='store_true',
                        help='play twenty days in the worlds instead, learning '
                        'and not learning')
    parser.add_argument('--arrivals', action='store_true',
                        help='play eight days in a world to which items are added '
                        'instead')
    parser.add_argument('--picture', metavar='FILE',
                        help='with --arrivals, write a chart to this file')
