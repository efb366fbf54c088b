"""dlints at work: a movie service that knows its visitors, in PostgreSQL."""

import numpy as np

from bench import program, server, source
from bench.demo import chart, report, statements, stream
from bench.demo.people import STRANGERS, regulars
from bench.demo.service import Services
from bench.demo.world import from_ratings
from bench.movielens import RATING, Movie, read_folder
from examples.play.films import made_up

CHART = 'demo.png'


def main(options):
    """Run the demonstration."""
    folder = program.make_folder('demo')
    world = from_ratings(*load_ratings(), options.seed,
                         options.visits)
    with server.connect(synchronous_commit='off') as cursor:
        services = Services(cursor)
        services.set_up(world)
        report.beginning(world, services.seconds)
        clicks, earnings = stream.run(world, services,
                                      list(statements.CHOICES))
        report.gains(clicks, earnings, world.is_new)
        chart.draw(folder / CHART, [('Clicks', clicks),
                                    ('Earnings', earnings)])
        print(f'\nChart: {folder / CHART}')
        show_people(services, world)
    report.sql(services.executed)
    report.times(services.seconds)


def load_ratings():
    """Return ratings and movies: of MovieLens, or made up if need be."""
    try:
        folder = source.find_folder()
    except (program.UserError, OSError) as error:
        print(f'No data: {program.describe(error)}.\n'
              'Made-up ratings take its place.')
        films = made_up()
        ratings = np.array([(*pair, 1, 0) for pair in films.history], RATING)
        return ratings, {movie[0]: Movie(*movie) for movie in films.movies}
    print(f'Data: {folder}\n{source.LICENCE}')
    return read_folder(folder)


def show_people(services, world):
    """Print what people are offered, and what the models know."""
    known = regulars(services)
    likes = [[genre for genre, in services.ask(
        'What somebody likes', statements.LIKES, viewer=viewer)]
        for viewer in known]
    report.lists(services.ask('The five best for each', statements.LISTS,
                              viewers=STRANGERS + known),
                 STRANGERS, known, likes, world.likes)
    report.worth(services.ask('What a genre is worth', statements.WORTH,
                              viewers=STRANGERS[:1] + known),
                 STRANGERS[0], known)
    report.decision(known[0], services.ask(
        'One decision, its probabilities, and how sure the model is',
        statements.DECISION, viewer=known[0]))
    report.models(services.ask('What the models remember', statements.MODEL))
