"""Off-policy estimates, constraints and winners, on Open Bandit logs and in simulations.

DATA names the folder of the Open Bandit logs.
"""

from bench.program import number

ROUNDS = 10000


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--rounds', type=number(1000), default=ROUNDS,
                        metavar='N', help='of each log, the first '
                        '(default %(default)s)')
    parser.add_argument('--quick', action='store_true',
                        help='a tenth of the simulations')
