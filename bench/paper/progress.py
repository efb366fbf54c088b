"""How far it is: a bar on a terminal, elsewhere a line now and then."""

import sys
from time import monotonic

from tqdm import tqdm

SECONDS = 15


class Progress:
    """Steps done, steps per second and the time left."""

    def __init__(self, steps):
        self._terminal = sys.stderr.isatty()
        self._bar = tqdm(total=steps, unit='step', unit_scale=True,
                         disable=not self._terminal, smoothing=0.05)
        self._steps = steps
        self._done = 0
        self._start = self._told = monotonic()
        self._name = ''

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._bar.close()

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
            left = tqdm.format_interval((self._steps - self._done) / rate)
            print(f'{self._done:,} of {self._steps:,} steps, {rate:,.0f} a '
                  f'second, {left} left   {self._name}', flush=True)
