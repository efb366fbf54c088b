"""What a decision, a reward and learning cost, and what that says for loads.

A shop with a log of several months is made up. Unit costs are those of single
statements on it; the loads are these units, multiplied. Then clients bring
traffic without a pause.

With --rewards many clients reward at once instead, straight into the model or
through a queue. The forms take turns, in a new order each time; a ratio is one
of two runs in the same turn. Ends with an error if a reward was lost or
counted twice.
"""

from bench.program import number


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--log-rows', type=number(100000), default=1000000,
                        metavar='N', help='rows in the log of what was shown; '
                        'one takes about 120 bytes (default %(default)s)')
    parser.add_argument('--seconds', type=number(5), default=30, metavar='N',
                        help='how long the traffic lasts '
                        '(default %(default)s)')
    parser.add_argument('--rewards', type=number(1), metavar='TURNS',
                        help='measure rewards of many clients instead; the '
                        'traffic is then 100 rewards a second')
