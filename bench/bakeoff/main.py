"""Classification sets as bandits, and how often a choice was wrong."""

from bench import machine, program, server
from bench.bakeoff import (DRAWS, LARGEST, ROWS, chart, play, report,
                           sets, vw)
from bench.progress import play_all

CHART = 'bakeoff.png'


def main(options):
    """Play, report, and return whether all bars are met."""
    folder = program.make_folder('bakeoff')
    every = sets.find()
    chosen = choose(every, options)
    with server.connect() as cursor:
        machine.describe(cursor)
        found = play_all(
            lambda name, draw: play.play(chosen[name], draw, options.rows),
            [(name, draw) for name in chosen
             for draw in range(1, options.draws + 1)])
    rows = [report.Row(each, options.rows,
                       [found[name, draw]
                        for draw in range(1, options.draws + 1)])
            for name, each in chosen.items()]
    vw.choose(rows)
    chart.draw(folder / CHART, rows)
    usual = (every.keys() >= {report.KNOWN[0]} and not options.sets
             and (options.rows, options.draws, options.largest)
             == (ROWS, DRAWS, LARGEST))
    sound = report.print_all(rows, every, usual)
    print(f'\nChart: {folder / CHART}')
    return sound


def choose(every, options):
    """Return the sets that are named, or those that are not too large."""
    try:
        chosen = {name: every[name] for name in options.sets or every}
    except KeyError as error:
        raise program.UserError(f'there is no set {error}') from None
    large = [name for name, each in chosen.items()
             if each.coordinates > options.largest]
    if large:
        print(f'Left out, with more than {options.largest} coordinates: '
              f'{", ".join(large)}')
    if len(large) == len(chosen):
        raise program.UserError('no set is left')
    return {name: each for name, each in chosen.items() if name not in large}
