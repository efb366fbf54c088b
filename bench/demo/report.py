"""What the demonstration prints when it is done."""

import textwrap

import numpy as np

POLICIES = """\
personal        learns which viewers like which movies, from features of both
plain           the same without the viewer's features: one ranking for all
no forgetting   personal, but the oldest clicks count as much as the latest
random          shows any movie"""
CANDIDATES = """
Their lists after the last visit, from one SQL statement for each model. It
leaves out movies that either viewer has rated."""
READING = """\
Features and clicks come from the same ratings: the rates compare policies,
and are higher than a service would see. Draws are random, so another run
differs."""
STRETCHES = 6
COLUMN = 45


def heading(text):
    """Print a heading."""
    print(f'\n{text}\n{"-" * len(text)}')


def policies():
    """Say what is compared."""
    heading('What chose the movies')
    print(POLICIES)


def click_through_rates(rewards, change, description):
    """Print a table of click-through rates, a line for each stretch."""
    steps = len(next(iter(rewards.values())))
    edges = np.linspace(0, steps, STRETCHES + 1).astype(int)
    edges[STRETCHES // 2] = change
    heading('Click-through rate')
    print(f'{"visits":>17}' + ''.join(f'{name:>16}' for name in rewards))
    for start, stop in zip(edges, edges[1:]):
        if start == change:
            print(f'{"":5}' + ' the taste changes '.center(
                12 + 16 * len(rewards), '-'))
        print(_row(f'{start + 1:,} - {stop:,}', rewards, start, stop))
    print(f'{"":5}' + '-' * (12 + 16 * len(rewards)))
    print(_row('all', rewards, 0, steps))
    print(f'\nThe change: {description}.')


def two_favourites(titles, liked):
    """Print what each of two viewers gave most stars, side by side."""
    _print_pair('', titles)
    for pair in zip(*liked):
        _print_pair('', [f'likes {title}' for title in pair])


def two_lists(titles, columns):
    """Print two viewers' lists of (title, genres) side by side."""
    _print_pair('', titles)
    for place, movies in enumerate(zip(*columns), start=1):
        _print_pair(f'{place}.', [title for title, _ in movies])
        if any(genres for _, genres in movies):
            _print_pair('', [', '.join(genres) for _, genres in movies])


def in_common(lists):
    """Say how many movies the two viewers' lists share under each model."""
    print('\nMovies on both lists: ' + ', '.join(
        f'{sum(movie in right for movie in left)} of {len(left)} ({kind})'
        for kind, (left, right) in lists.items()))


def sql(executed):
    """Print statements, for the reader to paste."""
    for title, statement in executed.items():
        print(f'\n-- {title}\n{statement};')


def times(seconds, queued):
    """Print what a step of the stream and what a queue of rewards took."""
    for title in ('Recommend', 'Record a reward and learn from it'):
        median = 1000 * np.median(seconds[title])
        print(f'{title}: {median:.2f} ms (median of {len(seconds[title]):,} '
              'statements)')
    batch = 1000 * seconds['Learn from a queue of rewards'][0]
    print(f'Learn from a queue of {queued:,} rewards, those of random choice: '
          f'{batch:.0f} ms (one statement)')


def _row(label, rewards, start, stop):
    """Return a line of the table of click-through rates."""
    return f'{label:>17}' + ''.join(
        f'{values[start:stop].mean():>16.1%}' for values in rewards.values())


def _print_pair(label, texts):
    """Print a label and two texts in columns, shortened to fit."""
    left, right = (textwrap.shorten(text, COLUMN, placeholder='...')
                   for text in texts)
    print(f'{label:<3}{left:<{COLUMN}}   {right}'.rstrip())
