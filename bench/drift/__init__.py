"""The default memories against fixed discounts, on simulated problems with and without changes.

All policies play each problem with each seed, and differ in their memories alone.
Draws are seeded, so results are reproducible.
"""

from bench.program import number

VISITS, QUICK_VISITS = 10000, 2000
SEEDS = 5


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--visits', type=number(1000), metavar='N',
                        help=f'of each problem (default {VISITS})')
    parser.add_argument('--seeds', type=number(1), default=SEEDS,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--problems', metavar='NAME', nargs='+',
                        help='only these problems')
    parser.add_argument('--quick', action='store_true',
                        help=f'{QUICK_VISITS} visits, with less precise '
                        'results')
