"""Measure dlints against what one would otherwise run, on the same stream.

All sides take turns in one run, on the same items and rewards; a ratio is a
peer's time for a step as a multiple of dlints' time.
"""

from bench.program import numbers

ARMS = (100, 1000, 10000)
ROUNDS, QUICK_ROUNDS = 50, 10


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--arms', type=numbers(2), metavar='N,...',
                        default=ARMS, help='numbers of items (default '
                        f'{",".join(map(str, ARMS))})')
    parser.add_argument('--quick', dest='rounds', action='store_const',
                        default=ROUNDS, const=QUICK_ROUNDS,
                        help='a fifth of the work, less certain figures')
    parser.add_argument('--authors', metavar='DIR',
                        help="a checkout of the authors' D-LinTS-RP")
