"""The paper's experiments on your ratings, through the extension.

Without a data set named, MovieLens latest-small is looked for beside the
checkout. An interrupted run goes on where it was when it is started again with
the same options. OUT names the folder for the results.
"""

from bench.program import number

LARGEST_SEED = 2 ** 63 - 1      # what numpy and dlints both take
STEPS = 100000
POLICIES = ('D-LinTS', 'LinTS', 'D-LinTS-RP', 'LinUCB', 'CBRAP', 'DeepFM',
            'e-greedy', 'random')


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--movielens', metavar='FOLDER',
                        help='folder of a MovieLens edition, .csv or .dat')
    parser.add_argument('--jester', metavar='FILE',
                        help='CSV of user,joke,rating from -10 to 10')
    parser.add_argument('--amazon', metavar='FILE',
                        help='CSV of item,user,rating,timestamp')
    parser.add_argument('--steps', type=number(1), metavar='N',
                        help='visits, of a data set in order of time the last '
                        f'(default {STEPS}, or what there is)')
    parser.add_argument('--repetitions', type=number(1), default=5,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--policies', metavar='NAME', nargs='+',
                        choices=POLICIES, default=POLICIES,
                        help=f'some of {" ".join(POLICIES)}')
    parser.add_argument('--seed', type=number(0, LARGEST_SEED),
                        default=1, metavar='N',
                        help='of the projection and of what is drawn at '
                        'random outside of the server (default %(default)s)')
    parser.add_argument('--timing', action='store_true',
                        help='time D-LinTS-RP at a fifth of the dimension, '
                        'and a numpy loop')
