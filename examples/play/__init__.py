"""A demo page of film recommendations: click films, and watch the recommender adapt.

DATA names a folder of MovieLens data.
"""

from bench.program import number


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--port', type=number(0, 65535), default=8015,
                        help='of the page; 0 chooses a free one (default %(default)s)')
    parser.add_argument('--made-up', action='store_true',
                        help='use made-up films and ratings')
