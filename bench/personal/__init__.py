"""Models that tell people apart against those that do not, on MovieLens.

Item vectors are made from one half of the users, the other half comes to be
recommended to: half of what each of them rated is known, the other half is
what they click on. At each visit one of the 1,000 most rated movies is shown,
none that the visitor has seen. All vectors, choices and lessons are SQL. Some
policies also play where no more than one click in twenty counts. Afterwards
people come of whom nothing is known, with profiles made in several ways.

DATA names a folder of MovieLens data.
"""

from bench.program import number

MOVIES, QUICK_MOVIES = 1000, 300
SEEDS = 5


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--seeds', type=number(1), default=SEEDS,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--movies', type=number(100), default=MOVIES,
                        metavar='N',
                        help='the most rated ones (default %(default)s)')
    parser.add_argument('--quick', action='store_true',
                        help=f'one seed, {QUICK_MOVIES} movies, and less '
                        'certain figures')
