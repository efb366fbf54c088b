"""Classification sets as bandits: the classes are arms, the right one pays 1.

The sets are those of Debian's r-cran-mlbench, or ARFF files in the folder that
DATA names. Each is played in one pass over a shuffle; what is counted is how
often a choice was wrong. VW may name a program of Vowpal Wabbit, which is then
given the same rows.
"""

from bench.program import number

ROWS, DRAWS, LARGEST = 1500, 5, 450


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--rows', type=number(100), default=ROWS, metavar='N',
                        help='of each set, at most (default %(default)s)')
    parser.add_argument('--draws', type=number(1), default=DRAWS, metavar='N',
                        help='shuffles of each set (default %(default)s)')
    parser.add_argument('--largest', type=number(10, 1024), default=LARGEST,
                        metavar='N', help='leave out sets that need more '
                        'coordinates (default %(default)s)')
    parser.add_argument('--sets', metavar='NAME', nargs='+',
                        help='some of them')
