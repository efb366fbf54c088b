"""Speed and memory, in a table with bars.

Each number is a ratio, measured in one run on one machine. A row whose spread
crosses its bar is measured longer, up to three times.
"""

from bench.program import number, numbers

# Title of each theme.  A theme is a file, which measures some rows of the
# table.
THEMES = {
    'recommend': 'Recommend',
    'choose': 'Choose, with probabilities',
    'users': 'The best for many users at once',
    'evidence': 'Train on many rows',
    'update': 'Train on one reward',
    'stream': 'Stream of recommendations and rewards',
    'arms': 'Arms with a model each',
    'growth': 'Growth with sizes',
    'interleaved': 'Models interleaved row by row',
    'judge': 'Judge policies and models',
    'factors': 'Item vectors from clicks',
    'reduced': 'Reduced features in a column',
    'memory': 'Memory of a backend',
    'wal': 'Write-ahead log',
    'sessions': 'New sessions and parallel workers',
    'page': 'Pages of a recommender',
    'rank': 'Requests to a ranker'}
QUICK = 0.1


def arguments(parser):
    """Add the command line options."""
    parser.epilog = '\n'.join(f'  {row}  {title}' for row, title
                              in enumerate(THEMES.values(), 1))
    parser.add_argument('--rows', type=numbers(1, len(THEMES)),
                        metavar='N,...', default=range(1, len(THEMES) + 1),
                        help='themes to measure, of the list below')
    work = parser.add_mutually_exclusive_group()
    work.add_argument('--quick', dest='share', action='store_const', default=1,
                      const=QUICK,
                      help='a tenth of the work, with less precise results')
    work.add_argument('--times', dest='share', type=number(1),
                      metavar='N', help='multiply the work: --rows '
                      f'{[*THEMES].index("factors") + 1} --times 20 for 20 '
                      'million clicks')
    parser.add_argument('--strict', action='store_true',
                        help='exit with an error if a bar is missed')
