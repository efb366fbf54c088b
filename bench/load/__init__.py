"""Many clients at once: rewards straight into the model, or through a queue.

The series take turns, in a new order each time; a ratio is one of two runs in
the same turn. Ends with an error if a reward was lost or counted twice.
"""

# clients, seconds of a run, rounds, seconds at a steady rate
FULL = (1, 2, 4, 8, 16), 2, 3, 70
QUICK = (1, 8), 1, 1, 3


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--quick', dest='work', action='store_const',
                        default=FULL, const=QUICK,
                        help='a tenth of the work, and less certain figures')
