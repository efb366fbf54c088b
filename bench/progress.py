"""How far it is: a bar on a terminal, elsewhere a line now and then."""

import sys
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from tqdm import tqdm

SECONDS = 15


class Bar:
    """What the kinds of progress share."""

    def __init__(self, total, **settings):
        self._total = total
        self._terminal = sys.stderr.isatty()
        self._bar = tqdm(total=total, disable=not self._terminal, **settings)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._bar.close()


class Themes(Bar):
    """Measurements done; elsewhere one line for each."""

    def __init__(self, total):
        super().__init__(total, leave=False,
                         bar_format='{l_bar}{bar}| {elapsed}')
        self._started = 0

    def start(self, title):
        """Begin the next theme."""
        self._started += 1
        self._bar.set_description(title)
        if not self._terminal:
            print(f'[{self._started}/{self._total}] {title}',
                  file=sys.stderr, flush=True)

    def advance(self, share):
        """Show which share of the theme is done."""
        self._bar.n = self._started - 1 + share
        self._bar.refresh()


class Steps(Bar):
    """Steps done, steps per second and the time left."""

    def __init__(self, total):
        super().__init__(total, unit='step', unit_scale=True, smoothing=0.05)
        self._done = 0
        self._start = self._told = monotonic()
        self._name = ''

    def name(self, name):
        """Say what is running now."""
        self._name = name
        self._bar.set_description_str(name)

    def advance(self, steps):
        """Count steps."""
        self._done += steps
        self._bar.update(steps)
        now = monotonic()
        if not self._terminal and now - self._told >= SECONDS:
            self._told = now
            rate = self._done / (now - self._start)
            left = tqdm.format_interval((self._total - self._done) / rate)
            print(f'{self._done:,} of {self._total:,} steps, {rate:,.0f} a '
                  f'second, {left} left   {self._name}', flush=True)


def play_all(play, tasks):
    """Return {task: play(*task)}, two at a time; tasks are tuples."""
    with Themes(len(tasks)) as done, ThreadPoolExecutor(2) as pool:
        futures = {task: pool.submit(play, *task) for task in tasks}
        try:
            for task, future in futures.items():
                done.start(', '.join(map(str, task)))
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {task: future.result() for task, future in futures.items()}
