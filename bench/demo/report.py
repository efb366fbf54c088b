"""What the demonstration prints."""

import textwrap

import numpy as np

from bench.demo.statements import CHOICES, PLACES
from bench.demo.world import ELSEWHERE, MOVIES, PAYING
from bench.report import print_heading

SERVICES = """\
popular   shows what others watched most
similar   shows what is most like the visitor (x·u), and learns nothing;
          to strangers what is popular
plain     learns what movies are clicked; one ranking for all
matched   learns what movies are clicked by whom
earning   the same, told what a click earns"""
ABOUT_GAINS = """\
The vectors are from other people's ratings, and clicks from ratings that no
service has seen. Nobody is shown a movie twice, so that rates fall as visitors
run out of movies they like. Draws are random: another run differs."""
ABOUT_WORTH = """\
To the service matched, and in earnings to the service earning; more or less
than the mean of all genres, ± the standard error that the model states
"""
COLUMN = 25


def beginning(world, seconds):
    """Say what has been loaded and what is compared."""
    people = set(world.visits)
    strangers = people - {person for person, _ in world.known}
    print(f'\n{len(world.movies):,} movies and a log of {len(world.log):,} '
          'ratings by other people; vectors of 32 numbers\nfrom it took '
          f'{seconds["Vectors of the log"][0]:.1f} s, in one statement. '
          f'{len(people):,} people come, {len(strangers):,} of them '
          'strangers.')
    print_heading('Who chooses the five movies that each visitor is shown')
    print(SERVICES + '\n')


def gains(clicks, earnings, is_new):
    """Print what was clicked and what it earned, of a hundred shown."""
    half = len(is_new) // 2
    print_heading('Of a hundred movies shown')
    _figures('', 'were clicked', 'clicked by', 'clicked by', 'clicked in',
             'earned', 'earned in')
    _figures('', '', 'strangers', 'regulars', '2nd half', '', '2nd half')
    for name, values in clicks.items():
        _figures(name, *(_hundred(part.mean() / PLACES) for part in (
            values, values[is_new], values[~is_new], values[half:],
            earnings[name], earnings[name][half:])))
    print(f'\nA click earns 1 on {", ".join(sorted(PAYING))};\n'
          f'{ELSEWHERE} on others.\n')
    for line in sentences(clicks, earnings):
        print(line)
    print(ABOUT_GAINS)


def sentences(clicks, earnings):
    """Say how a model does against what does without."""
    def times(amounts, name, other):
        return f'{amounts[name].mean() / amounts[other].mean():.2f} times'

    yield (f'Clicks: matched had {times(clicks, "matched", "popular")} those '
           f'of popular, {times(clicks, "matched", "plain")}\nthose of plain '
           f'and {times(clicks, "matched", "similar")} those of similar.')
    yield (f'Earnings: earning had '
           f'{times(earnings, "earning", "popular")} those of popular and '
           f'{times(earnings, "earning", "similar")}\nthose of similar.')


def lists(rows, strangers, regulars, likes, clicked):
    """Print what people are offered, with a mark where they would click."""
    offered = {}
    for viewer, movie, title, genres in rows:
        mark = '* ' if (viewer, movie) in clicked else ''
        offered.setdefault(viewer, []).append(
            (mark + title, ', '.join(genres)))
    print_heading('Three strangers and three regulars, the five best for each')
    print('By the service matched, after the last visit; * would be clicked')
    _columns('', [f'stranger {number}'
                  for number in range(1, len(strangers) + 1)], '\n')
    _print_lists([offered[viewer] for viewer in strangers])
    _columns('', [f'regular {viewer}' for viewer in regulars], '\n')
    for genres in zip(*likes):
        _columns('', [f'likes {genre}' for genre in genres])
    _print_lists([offered[viewer] for viewer in regulars])


def worth(rows, stranger, regulars):
    """Print what genres are worth to whom, the best for strangers first."""
    found = {(service, viewer, genre): (100 * value, 100 * sure)
             for service, viewer, genre, sure, value in rows}
    genres = [genre for service, viewer, genre, _, _ in rows
              if (service, viewer) == ('matched', stranger)]
    print_heading('What a genre is worth, in clicks of a hundred')
    print(ABOUT_WORTH)
    print(f'{"":14}{"to strangers":>14}' + ''.join(
        f'{f"to {viewer}":>9}' for viewer in regulars)
        + f'{"earned, strangers":>21}')
    for genre in genres:
        value, sure = found['matched', stranger, genre]
        earns, sure_of_it = found['earning', stranger, genre]
        print(f'  {genre:12}{value:>+8.1f} ± {sure:<4.1f}' + ''.join(
            f'{found["matched", viewer, genre][0]:>+9.1f}'
            for viewer in regulars)
            + f'{earns:>+14.1f} ± {sure_of_it:.1f}'
            + ('  pays' if genre in PAYING else ''))


def decision(viewer, rows):
    """Print one decision of a service."""
    print_heading(f'A decision for {viewer}, by dlints_choose')
    print('The first one is shown; how likely each was to be, by 1,000 draws')
    print(f'\n{"":44}{"probability":>12}{"expected":>16}')
    for title, probability, expected, sure in rows:
        print(f'  {_short(title, 42):42}{probability:>12.3f}'
              f'{_hundred(expected):>10} ± {100 * sure:.1f}')


def models(rows):
    """Print what the models remember."""
    print_heading('Memory')
    for name, updates, memory, windows, size in rows:
        reach = windows[memory - 1]
        print(f'{name}: memory {memory} of {len(windows)} is in use, '
              + ('which forgets nothing' if reach is None else
                 f'of the last {reach:,.0f} observations')
              + f'; {updates:,} learned, {size / 1024:,.0f} kB')


def sql(executed):
    """Print the statements of the service matched, for the reader to paste."""
    print_heading('The SQL that did it')
    print('For the service matched, each as it was executed first; the rows '
          'are yours\nto bring.')
    others = tuple(f', {name}' for name in CHOICES if name != 'matched')
    for title, statement in executed.items():
        if not title.endswith(others):
            print(f'\n-- {title}\n{statement};')


def times(seconds):
    """Print what a visit to a service took."""
    print_heading('Time')
    for title in ('Recommend, matched', 'Note and learn, matched'):
        print(f'{title}: {1000 * np.median(seconds[title]):.1f} ms (median of '
              f'{len(seconds[title]):,} statements; {MOVIES:,} movies)')


def _figures(name, *figures):
    """Print a line of the table of clicks and earnings."""
    print(f'{name:8}' + ''.join(f'{figure:>12}' for figure in figures))


def _hundred(share):
    """Return a share as a number out of a hundred."""
    return f'{100 * share:.1f}'


def _print_lists(columns):
    """Print lists of (title, genres) side by side."""
    for place, movies in enumerate(zip(*columns), start=1):
        _columns(f'{place}.', [title for title, _ in movies])
        _columns('', [f'  {genres}' for _, genres in movies])


def _columns(label, texts, before=''):
    """Print a label and texts in columns, shortened to fit."""
    print(before + f'{label:<3}' + ' '.join(
        f'{_short(text, COLUMN):<{COLUMN}}' for text in texts).rstrip())


def _short(text, width):
    """Return a text, shortened to fit; spaces in front are kept."""
    indent = text[:len(text) - len(text.lstrip())]
    return indent + textwrap.shorten(text, width - len(indent),
                                     placeholder='...')
