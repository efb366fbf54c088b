"""What the demonstration prints when it is done."""

import textwrap

import numpy as np

READING = """\
The model sees features of movies only: it follows what is popular now, with
all viewers alike; what sets a viewer apart is the WHERE clause. Features and
rewards come from the same ratings: the rates compare policies, and are higher
than a service would see. Draws are random, so another run differs."""
STRETCHES = 6
WIDTH = 78


def heading(text):
    """Print a heading."""
    print(f'\n{text}\n{"-" * len(text)}')


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


def two_columns(left_title, left, right_title, right):
    """Print two lists of titles side by side."""
    width = WIDTH // 2 - 5
    print(f'   {left_title:<{width}}   {right_title}')
    for place, pair in enumerate(zip(left, right), start=1):
        first, second = (textwrap.shorten(title, width, placeholder='...')
                         for title in pair)
        print(f'{place}. {first:<{width}}   {second}')


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
