"""A page to play with: click what you like, and see what dlints makes of it.

DATA names a folder of MovieLens data.
"""

import argparse
from collections import Counter

from bench import program
from examples.play import films
from examples.play.robots import OWN_TASTE, Robots
from examples.play.service import Service
from examples.play.web import Site

FEWEST = 15     # films of a genre that is offered as a taste


def main():
    """Serve the page until interrupted."""
    options = parse_arguments()
    with Site(options.port) as site:
        goods = films.made_up() if options.made_up else films.find()
        site.service = Service(goods)
        counts = Counter(genre for _, _, genres in goods.movies
                         for genre in genres)
        tastes = sorted(genre for genre, count in counts.items()
                        if count >= FEWEST)
        site.tastes = [OWN_TASTE, *tastes]
        site.robots = Robots(
            site.service,
            {movie: genres for movie, _, genres in goods.movies}, tastes)
        print(f'{len(goods.movies)} films ({goods.origin}), '
              f'{len(goods.history):,} likes of other people\n'
              f'The page: {site.url} (Ctrl-C ends it)', flush=True)
        try:
            site.serve_forever()
        finally:
            site.robots.close()
            site.service.close()


def parse_arguments():
    """Return the command line's options."""
    parser = argparse.ArgumentParser(prog='python3 -m examples.play',
                                     description=__doc__.splitlines()[0])
    parser.add_argument('--port', type=program.number(0, 65535), default=8015,
                        help='of the page, 0 for any (default %(default)s)')
    parser.add_argument('--made-up', action='store_true',
                        help='made-up films, though there may be data')
    return parser.parse_args()


program.run('play', main, 'stopped')
