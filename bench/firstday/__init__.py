"""First lists of a recommender, and ten days, against what a few lines of SQL can do."""

from bench.program import number

SEEDS = 3


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--seeds', type=number(1), default=SEEDS,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--first', type=number(1), default=1, metavar='N',
                        help='the first seed (default %(default)s)')
    parser.add_argument('--worlds', metavar='NAME', nargs='+',
                        help='some of them')
    parser.add_argument('--picture', metavar='FILE',
                        help='ten days of live lists on MovieLens, drawn here; '
                        'in ten seeds everybody comes on each day once')
