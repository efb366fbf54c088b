"""A page on this machine to play with."""

from collections import Counter

import numpy as np

from bench import world
from bench.movielens import most_rated
from examples.play.robots import OWN_TASTE, Robots
from examples.play.service import Service
from examples.play.web import Site

FILMS = 1200
LIKED = 3.5     # stars
FEWEST = 15     # films of a genre that is offered as a taste


def main(options):
    """Serve the page until interrupted."""
    with Site(options.port) as site:
        ratings, films = world.load(options.made_up)
        top = most_rated(ratings['movie'], FILMS)
        liked = ratings[(ratings['rating'] >= LIKED)
                        & np.isin(ratings['movie'], top)]
        films = {film: films[film] for film in top.tolist()}
        site.service = Service(films.values(),
                               liked[['user', 'movie']].tolist())
        counts = Counter(genre for film in films.values()
                         for genre in film.genres)
        tastes = sorted(genre for genre, count in counts.items()
                        if count >= FEWEST)
        site.tastes = [OWN_TASTE, *tastes]
        site.robots = Robots(site.service, films, tastes)
        print(f'{len(films)} films, {len(liked):,} likes of other people\n'
              f'The page: {site.url} (Ctrl-C ends it)', flush=True)
        try:
            site.serve_forever()
        finally:
            site.robots.close()
            site.service.close()
