"""The default against fixed discounts, on problems that change or do not.

Each problem is played under each seed by all policies, which differ in their
memories alone. Where rewards come late, memories by time play, too. Draws are
seeded: the figures can be had again.
"""

from bench.program import number

VISITS, QUICK_VISITS = 10000, 2000
SEEDS = 5


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--visits', type=number(1000), metavar='N',
                        help=f'of each problem (default {VISITS})')
    parser.add_argument('--seeds', type=number(1), default=SEEDS,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--problems', metavar='NAME', nargs='+',
                        help='some of them')
    parser.add_argument('--quick', action='store_true',
                        help=f'{QUICK_VISITS} visits, and less certain '
                        'figures')
