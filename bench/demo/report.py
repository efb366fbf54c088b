"""Print the results of the demonstration."""

import textwrap
from collections import Counter, namedtuple

import numpy as np

from bench import figure
from bench.report import at_least, at_most, each, print_heading, table
from bench.demo.world import visitor
from bench.opponents import SIMPLE
from examples.play.service import STATEMENTS

# Results with bars.  "popular" and "best" are ratios of the clicks of personal
# lists to those of popular films, and to those of the best simple list.  "off"
# is the difference of the recommender's report from "popular", in standard
# errors (above two in one run of twenty).
Found = namedtuple('Found', 'popular best off')
BARS = Found(1.3, 1, 3)

LISTS = """\
personal         the recommender; one list of fifty is random
popular          the most watched films
your categories  the most watched films of the genres that the visitor watched
cosine, SVD, EASE
                 films that the same users watched: cosines between films, 16 or
                 64 latent factors, and a regression. They use the films that the
                 visitor watched and clicked, but no impressions without clicks.
                 Visitors without a log get popular films."""
ABOUT_GAINS = """\
Each visit is played with each of the lists. The recommender's control group, a
tenth of all users, is left out. Clicks are from ratings that are hidden from all
lists. No film is shown to a visitor twice, so rates fall as visitors run out of
films they like. Draws depend on --seed."""
COLUMN = 25
COLOURS = {'personal': '#0072b2', 'popular': '#767676',
           'your categories': '#e69f00', 'cosine': '#d55e00',
           'SVD 16': '#009e73', 'SVD 64': '#56b4e9', 'EASE': '#cc79a7'}


def beginning(people, statement):
    """Print the size of the data, and the statement that made the recommender."""
    coming = set(people.visits.tolist())
    unknown = sum(not people.known[person].any() for person in coming)
    print(f'\n{len(people.films):,} films, watched {len(people.watched()):,} '
          f'times before. {len(coming):,} visitors come, {unknown:,} of them\n'
          'without a log. One statement makes the recommender:\n\n'
          f'{statement};')


def gains(clicks, is_new, places):
    """Print clicks per hundred impressions."""
    half = len(is_new) // 2
    print_heading('Lists of five films for each visit')
    print(LISTS)
    print_heading('Clicks per hundred impressions')
    print(table([('', 'all', 'without a log', 'with a log', 'second half')] + [
        (name, *(_hundred(part.mean() / places) for part in (
            values, values[is_new], values[~is_new], values[half:])))
        for name, values in clicks.items()]))
    print('\n' + ABOUT_GAINS)


def judgement(rows):
    """Print the recommender's report."""
    print_heading('Is it working? SELECT * FROM home.report()')
    for row in rows:
        print(f'{row["measure"]}: {_give_or_take(row["value"], row["error"])}')
        print(textwrap.indent(textwrap.fill(row['meaning'], 74), '    '))


def lists(unknown, regulars, people):
    """Print lists of a visitor without a log and of regulars, with an explanation."""
    print_heading('The five best, after the last visit')
    print('* the visitor would click\n')
    heads = [['without a log'] + [''] * 3]
    heads += [[visitor(person), *(f'likes {genre}' for genre
                                  in _tastes(person, people))]
              for person in regulars]
    pages = [unknown, *regulars.values()]
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
    print('Probability of each film, and expected clicks per hundred impressions')
    print(table([('', 'probability', 'expected')] + [
        (film['title'], f'{film["probability"]:.2f}',
         f'{_hundred(film["expected"])} ± {_hundred(film["error"])}')
        for film in page]))


def _tastes(person, people):
    """Return the three genres that a visitor watches more than others do."""
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
    """Print the state of the model."""
    print_heading('The model')
    print(f'Memory {memory["memory"]} of {memory["memories"]} is in use; '
          f'{memory["updates"]:,} training examples, '
          f'{memory["bytes"] / 1024:,.0f} kB')


def sql(executed, films):
    """Print the statements, to copy, with their times."""
    print_heading('The SQL')
    print('The first execution of each statement; the files are in '
          'examples/play/sql.')
    for statement in STATEMENTS['tables'], STATEMENTS['recommender']:
        print(f'\n{statement.rstrip(";")};')
    for steps in executed.values():
        spent = np.median([step['milliseconds'] for step in steps])
        print(f'\n{steps[0]["sql"]}\n-- {spent:.1f} ms, the median of '
              f'{len(steps):,}; {films:,} films')


def found(clicks, rows):
    """Return the results with bars."""
    reported = next(row for row in rows
                    if row['measure'] == 'ratio to control')
    mean = {name: values.mean() for name, values in clicks.items()}
    ratio = mean['personal'] / mean['popular']
    off = (abs(reported['value'] - ratio) / reported['error']
           if reported['error'] else np.nan)
    best = max(mean[name] for name in SIMPLE if name in mean)
    return Found(ratio, mean['personal'] / best, off)


def bars(results):
    """Return the means over seeds with their bars."""
    popular, best, off = zip(*results)
    return [at_least('clicks of personal, times those of popular',
                     np.mean(popular), BARS.popular, each(popular)),
            at_least('clicks of personal, times those of the best simple list',
                     np.mean(best), BARS.best, each(best)),
            at_most('difference of home.report(), in its standard errors',
                    np.mean(off), BARS.off, each(off))]


def _give_or_take(value, error):
    """Format a number with its standard error, if known."""
    if value is None:
        return 'unknown'
    return f'{value:,.4g}' + (f' ± {error:.2g}' if error is not None else '')


def _hundred(share):
    """Format a fraction per hundred."""
    return f'{100 * share:.1f}'


def _short(text):
    """Shorten a text to the width of a column; keep its indentation."""
    indent = text[:len(text) - len(text.lstrip())]
    return indent + textwrap.shorten(text, COLUMN - len(indent),
                                     placeholder='...')


def draw_chart(path, clicks):
    """Write a chart, a PNG, of {name: clicks of each visit}."""
    chart = figure.create(7, 4.2)
    axes = chart.subplots()
    figure.lines(axes, {name: (np.cumsum(values), COLOURS[name], '-')
                        for name, values in clicks.items()})
    axes.set_xlabel('visits')
    axes.set_title('Clicks', loc='left', weight='bold')
    axes.yaxis.set_major_formatter(
        figure.ticker.StrMethodFormatter('{x:,.0f}'))
    chart.savefig(path, dpi=110)
