"""What the demonstration prints."""

import textwrap

import numpy as np

from bench.demo.statements import CHOICES, PLACES
from bench.demo.world import ELSEWHERE, MOVIES, PAYING
from bench.report import print_heading, table

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
    print(table([('', 'clicked', 'by strangers', 'by regulars', 'in 2nd half',
                  'earned', 'in 2nd half')] + [
        (name, *(_hundred(part.mean() / PLACES) for part in (
            values, values[is_new], values[~is_new], values[half:],
            earnings[name], earnings[name][half:])))
        for name, values in clicks.items()]))
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
        offered.setdefault(viewer, []).extend(
            (mark + title, '  ' + ', '.join(genres)))
    print_heading('Three strangers and three regulars, the five best for each')
    print('By the service matched, after the last visit; * would be clicked')
    for heads, people in (
            ([[f'stranger {number}']
              for number in range(1, len(strangers) + 1)], strangers),
            ([[f'regular {viewer}', *(f'likes {genre}' for genre in genres)]
              for viewer, genres in zip(regulars, likes)], regulars)):
        print()
        for line in zip(*(head + [''] + offered[viewer]
                          for head, viewer in zip(heads, people))):
            print(' '.join(f'{_short(text):{COLUMN}}'
                           for text in line).rstrip())


def worth(rows, stranger, regulars):
    """Print what genres are worth to whom, the best for strangers first."""
    found = {(service, viewer, genre): (100 * value, 100 * sure)
             for service, viewer, genre, sure, value in rows}
    print_heading('What a genre is worth, in clicks of a hundred')
    print(ABOUT_WORTH)
    print(table([('', 'to strangers', *(f'to {viewer}' for viewer in regulars),
                  'earned, strangers')] + [
        (genre, '{:+.1f} ± {:.1f}'.format(*found[service, viewer, genre]),
         *(f'{found[service, regular, genre][0]:+.1f}'
           for regular in regulars),
         '{:+.1f} ± {:.1f}'.format(*found['earning', viewer, genre])
         + ('  pays' if genre in PAYING else ''))
        for service, viewer, genre, _, _ in rows
        if (service, viewer) == ('matched', stranger)]))


def decision(viewer, rows):
    """Print one decision of a service."""
    print_heading(f'A decision for {viewer}, by dlints_choose')
    print('The first one is shown; how likely each was to be, by 1,000 draws')
    print(table([('', 'probability', 'expected')] + [
        (title, f'{probability:.3f}',
         f'{_hundred(expected)} ± {_hundred(sure)}')
        for title, probability, expected, sure in rows]))


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


def _hundred(share):
    """Return a share as a number out of a hundred."""
    return f'{100 * share:.1f}'


def _short(text):
    """Return a text, shortened to fit; spaces in front are kept."""
    indent = text[:len(text) - len(text.lstrip())]
    return indent + textwrap.shorten(text, COLUMN - len(indent),
                                     placeholder='...')
