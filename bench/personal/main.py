"""Models that tell people apart, on people they have not met."""

from bench import machine, program, server, source
from bench.movielens import read_folder
from bench.personal import (QUICK_MOVIES, SEEDS, chart, newcomers, play,
                            report)
from bench.progress import play_all
from bench.world import ORDERS

CHART = 'personal.png'


def main(options):
    """Play, report, and return whether all bars are met."""
    if options.quick:
        options.seeds, options.movies = 1, QUICK_MOVIES
    folder = program.make_folder('personal')
    data = source.find_folder()
    print(f'Data: {data}\n{source.LICENCE}')
    ratings = read_folder(data)
    with server.connect() as cursor:
        machine.describe(cursor)
        coordinates = play.coordinates(cursor)
    plays = play_all(
        lambda order, seed: play.play(ratings, order, seed, options.movies),
        [(order, seed) for seed in range(1, options.seeds + 1)
         for order in ORDERS])
    chart.draw(folder / CHART, plays)
    sound = report.print_all(plays, coordinates)
    print(f'\nChart: {folder / CHART}')
    new = play_all(
        lambda _, seed: newcomers.play(*ratings, seed, options.movies),
        [('newcomers', seed) for seed in range(1, options.seeds + 1)])
    sound &= newcomers.print_all(list(new.values()))
    return sound or options.seeds < SEEDS
