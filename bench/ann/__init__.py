"""Indexes of pgvector against a look at all items.

Catalogues are made up; draws are from models that learned 20,000 clicks, with
the default parameters. What is found is compared with the scores of all items.
"""

from argparse import ArgumentTypeError
from pathlib import Path

from bench.program import number, numbers

KINDS = 'clustered', 'random', 'uneven'
METHODS = 'ivfflat', 'hnsw'
LISTS = 4


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--items', type=numbers(100000),
                        metavar='N,...')
    parser.add_argument('--dims', type=numbers(24),
                        metavar='N,...', help='numbers of an item')
    parser.add_argument('--kinds', nargs='+', choices=KINDS)
    parser.add_argument('--methods', nargs='+', choices=METHODS,
                        default=METHODS)
    parser.add_argument('--lists', type=number(1), metavar='N',
                        help='of IVFFlat, in roots of the number of items '
                        f'(default {LISTS}, 1 where lengths differ)')
    parser.add_argument('--all', action='store_true',
                        help='all catalogues, and HNSW over the longest '
                        'features, which takes hours')
    parser.add_argument('--pgvector', type=checkout, required=True,
                        metavar='FOLDER', help='make ann PGVECTOR=FOLDER')


def checkout(path):
    """Check that this is the folder of a source checkout of pgvector."""
    if not Path(path, 'vector.control').is_file():
        raise ArgumentTypeError(
            'PGVECTOR=FOLDER names a source checkout of pgvector')
    return path
