"""The stream of visits: who comes, what is shown, what is clicked."""

import numpy as np

from bench.demo.statements import PLACES
from bench.progress import Bar

LINES = 8


# Who is told what a click is worth; to the others all are worth the same
TOLD = 'earning'


def run(world, services, names):
    """Have everybody visit each service.

    Return {name: clicks of each visit} and the same of earnings.
    """
    clicks, earnings = ({name: np.zeros(len(world.visits)) for name in names}
                        for _ in range(2))
    with Progress(len(world.visits), clicks) as progress:
        for step, viewer in enumerate(world.visits):
            for name in names:
                movies = services.recommend(name, viewer)
                clicked = np.array([(viewer, movie) in world.likes
                                    for movie in movies], dtype=float)
                earned = clicked * world.worths[movies]
                rewards = earned if name == TOLD else clicked
                services.note(name, viewer, movies, rewards.tolist())
                clicks[name][step] = clicked.sum()
                earnings[name][step] = earned.sum()
            progress.advance(step)
    return clicks, earnings


class Progress(Bar):
    """Click rates while the stream runs.

    A bar on a terminal; elsewhere a line now and then.
    """

    def __init__(self, visits, clicks):
        super().__init__(visits, unit='visit')
        self._clicks = clicks
        self._window = max(1, visits // LINES)

    def advance(self, step):
        """Count a visit."""
        self._bar.update()
        done = step + 1
        if self._terminal and done % 20 == 0:
            self._bar.set_postfix_str(self._last(done), refresh=False)
        if not self._terminal and done % self._window == 0:
            print(f'{done:6,} of {self._total:,} visits   {self._last(done)}',
                  flush=True)

    def _last(self, done):
        """Return the click rates of the last visits."""
        last = slice(max(0, done - self._window), done)
        return ', '.join(f'{name} {clicks[last].mean() / PLACES:.0%}'
                         for name, clicks in self._clicks.items())
