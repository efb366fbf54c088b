"""What the demonstration prints."""

import textwrap
from collections import Counter, namedtuple

import numpy as np

from bench.report import at_least, at_most, each, print_heading, table
from bench.demo.world import visitor
from bench.opponents import SIMPLE
from examples.play.service import STATEMENTS

# What there are bars for: clicks of the personal lists, times those of popular
# and of the best that a few lines of SQL make; and how far off the recommender's own report
# was, in its errors, of which one run in twenty is more than two off by chance
Found = namedtuple('Found', 'popular best off')
BARS = Found(1.3, 1, 3)

LISTS = """\
personal         the recommender: what this visitor is expected to click; one
                 list of fifty is left to chance, to judge by
popular          what others watched most
your categories  the same, of the genres that this visitor watched
cosine, SVD, EASE
                 what the same people watched: cosines between films, the first 16
                 or 64 directions of who watched what, and a regression. They
                 go by what this visitor watched and clicked, and learn nothing
                 from what was not clicked; to strangers they are popular"""
ABOUT_GAINS = """\
Each of these visits is made to all of them. The recommender keeps a tenth of
all people for its own comparison; they are left out. Clicks are from ratings
that none of them has seen. Nobody is shown a film twice, so that rates fall as
visitors run out of films they like. Draws are random: another run differs."""
COLUMN = 25


def beginning(people, statement):
    """Say what has been loaded and made."""
    coming = set(people.visits.tolist())
    strangers = sum(not people.known[person].any() for person in coming)
    print(f'\n{len(people.films):,} films, watched {len(people.watched()):,} '
          f'times before. {len(coming):,} people come, {strangers:,} of them\n'
          'strangers. One statement makes the recommender:\n\n'
          f'{statement};')


def gains(clicks, is_new, places):
    """Print what was clicked, of a hundred shown."""
    half = len(is_new) // 2
    print_heading('Who chooses the five films that each visitor is shown')
    print(LISTS)
    print_heading('Clicks, of a hundred films shown')
    print(table([('', 'all', 'strangers', 'regulars', 'second half')] + [
        (name, *(_hundred(part.mean() / places) for part in (
            values, values[is_new], values[~is_new], values[half:])))
        for name, values in clicks.items()]))
    print('\n' + ABOUT_GAINS)


def judgement(rows):
    """Print what the recommender's own report says."""
    print_heading('Is it working? SELECT * FROM home.report()')
    for row in rows:
        print(f'{row["measure"]}: {_give_or_take(row["value"], row["error"])}')
        print(textwrap.indent(textwrap.fill(row['meaning'], 74), '    '))


def lists(stranger, regulars, people):
    """Print what a stranger and regulars are offered, and why."""
    print_heading('The five best, after the last visit')
    print('* would be clicked\n')
    heads = [['a stranger'] + [''] * 3]
    heads += [[visitor(person), *(f'likes {genre}' for genre
                                  in _tastes(person, people))]
              for person in regulars]
    pages = [stranger, *regulars.values()]
    offered = [[line for film in page for line in (
        '* ' * bool(liked[film['id']]) + film['title'],
        '  ' + ', '.join(film['genres']))]
        for page, liked in zip(pages, [
            np.zeros(len(people.films)), *people.likes[list(regulars)]])]
    for line in zip(*(head + [''] + films
                      for head, films in zip(heads, offered))):
        print(' '.join(f'{_short(text):{COLUMN}}' for text in line).rstrip())
    person, page = next(iter(regulars.items()))
    print_heading(f'The decision for {visitor(person)}')
    print('How likely each was to be shown, and clicks of a hundred, as '
          'expected')
    print(table([('', 'probability', 'expected')] + [
        (film['title'], f'{film["probability"]:.2f}',
         f'{_hundred(film["expected"])} ± {_hundred(film["error"])}')
        for film in page]))


def _tastes(person, people):
    """Return the genres that somebody watches more than others do."""
    def shares(counts):
        genres = Counter()
        for film, times in zip(people.films, counts.tolist()):
            for genre in film.genres:
                genres[genre] += times / counts.sum()
        return genres

    own = shares(people.known[person].astype(int))
    own.subtract(shares(people.known.sum(axis=0)))
    return [genre for genre, _ in own.most_common(3)]


def models(memory):
    """Print what the model remembers."""
    print_heading('Memory')
    print(f'Memory {memory["memory"]} of {memory["memories"]} is in use; '
          f'{memory["updates"]:,} observations learned, '
          f'{memory["bytes"] / 1024:,.0f} kB')


def sql(executed, films):
    """Print the statements for the reader to paste, and what they took."""
    print_heading('The SQL that did it')
    print('Each as it was executed first; the files are those of '
          'examples/play/sql.')
    for statement in STATEMENTS['tables'], STATEMENTS['recommender']:
        print(f'\n{statement.rstrip(";")};')
    for steps in executed.values():
        spent = np.median([step['milliseconds'] for step in steps])
        print(f'\n{steps[0]["sql"]}\n-- {spent:.1f} ms, the median of '
              f'{len(steps):,}; {films:,} films')


def found(clicks, rows):
    """Return what was Found."""
    reported = next(row for row in rows
                    if row['measure'] == 'times the control')
    mean = {name: values.mean() for name, values in clicks.items()}
    times = mean['personal'] / mean['popular']
    off = (abs(reported['value'] - times) / reported['error']
           if reported['error'] else np.nan)
    best = max(mean[name] for name in SIMPLE if name in mean)
    return Found(times, mean['personal'] / best, off)


def bars(results):
    """Return the means over seeds with their bars."""
    popular, best, off = zip(*results)
    return [at_least('clicks of personal, times those of popular',
                     np.mean(popular), BARS.popular, each(popular)),
            at_least('clicks of personal, times those of the best simple list',
                     np.mean(best), BARS.best, each(best)),
            at_most('how far off home.report() was, in its errors',
                    np.mean(off), BARS.off, each(off))]


def _give_or_take(value, error):
    """Return a number, perhaps with its standard error."""
    if value is None:
        return 'not known'
    return f'{value:,.4g}' + (f' ± {error:.2g}' if error is not None else '')


def _hundred(share):
    """Return a share as a number out of a hundred."""
    return f'{100 * share:.1f}'


def _short(text):
    """Return a text, shortened to fit; spaces in front are kept."""
    indent = text[:len(text) - len(text.lstrip())]
    return indent + textwrap.shorten(text, COLUMN - len(indent),
                                     placeholder='...')
