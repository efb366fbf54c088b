"""A page on this machine to play with."""

from collections import Counter

from examples.play import films
from examples.play.robots import OWN_TASTE, Robots
from examples.play.service import Service
from examples.play.web import Site

FEWEST = 15     # films of a genre that is offered as a taste


def main(options):
    """Serve the page until interrupted."""
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
