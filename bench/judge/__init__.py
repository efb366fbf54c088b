"""Policies judged from logs: Open Bandit's, and simulated ones.

DATA names the folder of the Open Bandit logs.
"""

from bench.program import number

ROUNDS = 10000


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--rounds', type=number(1000), default=ROUNDS,
                        metavar='N', help='of each log, the first '
                        '(default %(default)s)')
    parser.add_argument('--quick', action='store_true',
                        help='a tenth of the simulations')
