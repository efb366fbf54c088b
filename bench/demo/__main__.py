"""dlints at work: a movie service that knows its visitors, in PostgreSQL.

DATA names a folder of MovieLens data, OUT one for the chart.
"""

import numpy as np

from bench import program, server, source
from bench.demo import chart, report, statements, stream
from bench.demo.people import STRANGERS, regulars
from bench.demo.service import Services
from bench.demo.world import from_ratings
from bench.movielens import RATING, Movie, read_folder
from examples.play.films import made_up

VISITS, FEWEST_VISITS = 3000, 60
CHART = 'demo.png'


def main():
    """Run the demonstration."""
    options = parse_arguments()
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


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('demo', __doc__)
    parser.add_argument('--visits', type=program.number(FEWEST_VISITS),
                        default=VISITS, metavar='N',
                        help='at most, and at most ten of each person '
                        '(default %(default)s)')
    parser.add_argument('--seed', type=program.number(0), default=1,
                        metavar='N', help='of who comes and who clicks what '
                        '(default %(default)s)')
    return parser.parse_args()


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


program.run('demo', main)
