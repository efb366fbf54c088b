"""Serve the demo page on this machine."""

from collections import Counter

from bench import world
from examples.play.robots import OWN_TASTE, Robots
from examples.play.service import Service
from examples.play.web import Site

FILMS = 1000
MIN_FILMS = 15      # of a genre, to be a taste of robots


def main(options):
    """Serve the page until interrupted."""
    with Site(options.port) as site:
        films, watched = world.films(*world.load(options.made_up), FILMS)
        site.service = Service(films, watched)
        counts = Counter(genre for film in films for genre in film.genres)
        tastes = sorted(genre for genre, count in counts.items()
                        if count >= MIN_FILMS)
        site.tastes = [OWN_TASTE, *tastes]
        site.robots = Robots(site.service, {film.id: film for film in films},
                             tastes)
        print(f'{len(films)} films, watched {len(watched):,} times by other '
              f'users\nThe page: {site.url} (Ctrl-C ends it)', flush=True)
        try:
            site.serve_forever()
        finally:
            site.robots.close()
            site.service.close()
