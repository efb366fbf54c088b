"""A page to play with: click what you like, and see what dlints makes of it.

DATA names a folder of MovieLens data.
"""

from bench.program import number


def arguments(parser):
    """Say what the command line may hold."""
    parser.add_argument('--port', type=number(0, 65535), default=8015,
                        help='of the page, 0 for any (default %(default)s)')
    parser.add_argument('--made-up', action='store_true',
                        help='made-up films, though there may be data')
