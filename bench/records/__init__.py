"""Published figures of others beside ours, on data that you have.

A folder holds what there is of these, each as its authors give it:

    citeulike/users.dat                     libraries of articles
    movielens/ratings.dat, movies.dat       or .csv; of any edition
    paretobandit/test.jsonl, val.jsonl      rewards and costs of language models
    coat/train.ascii, test.ascii, user_features.ascii, item_features.ascii
    yahoo/train.txt, test.txt               rows of person, song and rating

Sets that are missing are left out. The demonstration (make demo) also uses MovieLens.
"""

import os

from bench.program import number

SETS = 'libraries', 'films', 'routing', 'cut', 'coat', 'yahoo'


def arguments(parser):
    """Say what the command line may hold."""
    folder = os.environ.get('DATA')
    parser.add_argument('--data', metavar='FOLDER', default=folder,
                        required=not folder, help='(default: DATA)')
    parser.add_argument('--seeds', type=number(2), default=20, metavar='N',
                        help='orders of the requests (default %(default)s)')
    parser.add_argument('--draws', type=number(2), default=5, metavar='N',
                        help='of the ratings of songs that are known (default %(default)s)')
    parser.add_argument('--sets', nargs='+', choices=SETS, metavar='NAME',
                        help=f'some of {", ".join(SETS)}')
