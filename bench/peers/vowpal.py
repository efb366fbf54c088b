"""Vowpal Wabbit as a child process that reads and writes text."""

import os
import subprocess
import tempfile
from contextlib import suppress
from select import select

import numpy as np

from bench.peers.contender import Contender
from bench.program import UserError

ARGUMENTS = ('--cb_explore_adf', '--quiet', '-p', '/dev/stdout')
PATIENCE = 30
CHUNK = 1 << 20


class Vowpal(Contender):
    """One vw process; the lines that describe the items are kept.

    Each request is all items, one line each, and an empty line. The answer
    is one line of item:probability pairs.
    """

    NAME = 'Vowpal Wabbit'
    ABOUT = ('vw --cb_explore_adf over pipes, text protocol, the items\' '
             'lines prepared beforehand; another algorithm (epsilon-greedy '
             'over a linear model in n dimensions, so d means nothing)')
    LACKS = ('One process and one client at a time; the model is stored when '
             'the process saves it, not with the reward. No WHERE clause: '
             'all candidates are sent at each selection and again at each '
             'update. No transaction. No discount.')

    def __init__(self, task, binary):
        self._lines = [_line(features) for features in task.features]
        self._text = b''.join(self._lines) + b'\n'
        self._offsets = np.cumsum([0] + [len(line) for line in self._lines])
        self._random = np.random.default_rng(1)
        self._probability = None
        self._unread = b''
        self._binary = binary
        self._complaints = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [binary, *ARGUMENTS], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=self._complaints, bufsize=0)
        except OSError as error:
            raise UserError(f'--vw: {binary}: {error.strerror}') from None
        # Not bound to the core that this program shares with the backend
        with suppress(OSError, AttributeError):
            os.sched_setaffinity(self._process.pid, range(os.cpu_count()))

    def choose(self):
        """Return the item to show next."""
        return self._draw(self._ask(self._text))

    def _draw(self, answer):
        """Draw an item by the probabilities of an answer."""
        numbers = np.fromstring(answer.replace(b':', b','), sep=',')
        items, probabilities = numbers[::2].astype(int), numbers[1::2]
        if (numbers.size != 2 * len(self._lines)
                or not probabilities.sum() > 0):
            raise UserError('--vw: this is no answer with a probability for '
                            f'each item: {answer[:60]!r}')
        sums = np.cumsum(probabilities)
        place = np.searchsorted(sums, self._random.uniform(0, sums[-1]))
        self._probability = probabilities[place]
        return int(items[place])

    def learn(self, choice, reward):
        """Learn from the reward of the item that was shown last."""
        start = self._offsets[choice]
        label = b'0:%.6g:%.6g ' % (-reward, self._probability)
        self._ask(self._text[:start] + label + self._text[start:])

    def _ask(self, request):
        """Send a request and return the answer's line."""
        try:
            unsent = memoryview(request)
            while unsent:
                unsent = unsent[self._process.stdin.write(unsent):]
        except BrokenPipeError:
            raise self._ended() from None
        line = b''
        while not line:
            line = self._read_line().strip()
        return line

    def _read_line(self):
        """Return the next line of output, which may be empty."""
        output = self._process.stdout
        while b'\n' not in self._unread:
            if not select([output], [], [], PATIENCE)[0]:
                raise UserError(
                    f'--vw: {self._binary} gave no answer in {PATIENCE} s; '
                    'some releases 8.9 answer only at the end of input')
            chunk = output.read(CHUNK)
            if not chunk:
                raise self._ended()
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b'\n')
        return line

    def _ended(self):
        """Return the error that the process has ended, with its reason."""
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors='replace').split('\n')
        reason = next(filter(str.strip, lines), 'it gave no reason')
        return UserError(f'--vw: {self._binary} has ended: {reason.strip()}')

    def close(self):
        """End the process."""
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._complaints.close()


def _line(features):
    """Return the line that describes an item."""
    pairs = ' '.join(f'{number}:{value:.7g}'
                     for number, value in enumerate(features))
    return f'|x {pairs}\n'.encode()
