"""What the demonstration prints."""

import textwrap
from collections import Counter, namedtuple

import numpy as np

from bench.demo.services import PLACES
from bench.demo.world import PAYING
from bench.report import at_least, each, print_heading, table
from bench.world import ELSEWHERE

# What there are bars for: clicks of matched, times those of two others; earnings
# of earning, times those of similar
Found = namedtuple('Found', 'popular plain similar')
BARS = Found(1.2, 1.2, 1.1)

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


def beginning(people):
    """Say what has been loaded and what is compared."""
    coming = set(people.visits)
    strangers = sum(not people.known[person].any() for person in coming)
    print(f'\n{len(people.movies):,} movies and a log of {len(people.log):,} '
          'ratings by other people, of which one statement\nmade vectors. '
          f'{len(coming):,} people come, {strangers:,} of them strangers.')
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
    print(ABOUT_GAINS)


def times_others(clicks, earnings):
    """Return what was Found."""
    def times(amounts, name, other):
        return amounts[name].mean() / amounts[other].mean()

    return Found(times(clicks, 'matched', 'popular'),
                 times(clicks, 'matched', 'plain'),
                 times(earnings, 'earning', 'similar'))


def bars(found):
    """Return the means over seeds with their bars."""
    return [at_least(what, np.mean(values), bar, each(values))
            for what, values, bar in zip((
                'clicks of matched, times those of popular',
                'clicks of matched, times those of plain',
                'earnings of earning, times those of similar'),
                zip(*found), BARS)]


def lists(pages, strangers, regulars, people):
    """Print what people are offered, with a mark where they would click."""
    print_heading('Three strangers and three regulars, the five best for each')
    print('By the service matched, after the last visit; * would be clicked')
    heads = [[f'stranger {number + 1}'] for number in range(strangers)]
    heads += [[f'regular {person}', *(
        f'likes {genre}' for genre in _tastes(person, people))]
        for person in regulars]
    offered = [[line for film in page for line in (
        '* ' * (number >= strangers
                and people.likes[regulars[number - strangers], film['id']])
        + film['title'], '  ' + ', '.join(film['genres']))]
        for number, page in enumerate(pages)]
    for group in slice(strangers), slice(strangers, None):
        print()
        for line in zip(*(head + [''] + films for head, films
                          in zip(heads[group], offered[group]))):
            print(' '.join(f'{_short(text):{COLUMN}}'
                           for text in line).rstrip())


def _tastes(person, people):
    """Return the genres that somebody watches more than others do."""
    def shares(counts):
        genres = Counter()
        for movie, count in zip(people.movies, counts.tolist()):
            for genre in movie.genres:
                genres[genre] += count / counts.sum()
        return genres

    own = shares(people.known[person].astype(int))
    own.subtract(shares(people.known.sum(axis=0)))
    return [genre for genre, _ in own.most_common(3)]


def worth(rows, visitors, regulars):
    """Print what genres are worth to a stranger, first, and to regulars."""
    found = {(row['model'], row['visitor'], row['genre']):
             (100 * row['worth'], 100 * row['error']) for row in rows}
    stranger, *known = visitors
    print_heading('What a genre is worth, in clicks of a hundred')
    print(ABOUT_WORTH)
    print(table([('', 'to strangers', *(f'to {person}' for person in regulars),
                  'earned, strangers')] + [
        (genre, _give_or_take(found['matched', stranger, genre]),
         *(f'{found["matched", visitor, genre][0]:+.1f}'
           for visitor in known),
         _give_or_take(found['earning', stranger, genre])
         + ('  pays' if genre in PAYING else ''))
        for model, visitor, genre in found
        if (model, visitor) == ('matched', stranger)]))


def decision(person, page):
    """Print one decision of a service."""
    print_heading(f'The decision for {person}, by dlints_choose')
    print('How likely each was to be shown, and clicks of a hundred, as expected')
    print(table([('', 'probability', 'expected')] + [
        (film['title'], f'{film["probability"]:.2f}',
         f'{_hundred(film["expected"])} ± {_hundred(film["error"])}')
        for film in page]))


def models(memories):
    """Print what the models remember."""
    print_heading('Memory')
    for name, row in memories.items():
        print(f'{name}: memory {row["memory"]} of {row["memories"]} is in use, '
              + ('which forgets nothing' if row['window'] is None else
                 f'of the last {row["window"]:,.0f} observations')
              + f'; {row["updates"]:,} learned, {row["bytes"] / 1024:,.0f} kB')


def sql(statements):
    """Print the statements of the service matched, for the reader to paste."""
    print_heading('The SQL that did it')
    print('For the service matched, each as it was executed first; the rows '
          'are yours\nto bring. The files are those of examples/play/sql.')
    for statement in statements:
        print(f'\n{statement.rstrip(";")};')


def times(milliseconds, movies):
    """Print what a visit to a service took."""
    print_heading('Time')
    for name, spent in milliseconds.items():
        print(f'{name}: {np.median(spent):.1f} ms (median of {len(spent):,} '
              f'statements; {movies:,} movies)')


def _give_or_take(numbers):
    """Return a number and its standard error."""
    return '{:+.1f} ± {:.1f}'.format(*numbers)


def _hundred(share):
    """Return a share as a number out of a hundred."""
    return f'{100 * share:.1f}'


def _short(text):
    """Return a text, shortened to fit; spaces in front are kept."""
    indent = text[:len(text) - len(text.lstrip())]
    return indent + textwrap.shorten(text, COLUMN - len(indent),
                                     placeholder='...')
