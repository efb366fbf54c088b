"""Costs of decisions, rewards and training, and estimated loads of a server.

A shop with a log of several months is generated. Unit costs are measured with
single statements; loads are multiples of them. Then clients send requests without
a pause.

With --rewards many clients report rewards instead, directly to the model or
through a queue. The forms take turns in random order; a ratio compares two runs
of the same turn. The program fails if a reward was lost or counted twice.
"""

from bench.program import number


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--log-rows', type=number(100000), default=1000000,
                        metavar='N', help='impressions in the log, about 120 bytes '
                        'each (default %(default)s)')
    parser.add_argument('--seconds', type=number(5), default=30, metavar='N',
                        help='duration of the traffic (default %(default)s)')
    parser.add_argument('--rewards', type=number(1), metavar='TURNS',
                        help='measure rewards of many clients instead; the '
                        'steady traffic is then 100 rewards per second')
