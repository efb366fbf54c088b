"""Running the contenders' streams alternately."""

from contextlib import ExitStack
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from bench.measure import BLOCKS

WARM_UP = 10
ROUND_SECONDS = 0.025
MOST_STEPS = 20


@dataclass
class Times:
    """Seconds of each of a stream's steps."""

    select: np.ndarray
    update: np.ndarray

    @property
    def step(self):
        """Return the seconds of selection and update together."""
        return self.select + self.update


class _Runner:
    """A contender with its stream."""

    def __init__(self, contender, rewards):
        self._contender = contender
        self._rewards = rewards
        self._seconds = []
        self._in_turn = self._pause = 1

    @property
    def times(self):
        """Return what was measured."""
        return Times(*np.transpose(self._seconds))

    def warm_up(self, rounds):
        """Take steps that do not count, and plan those that do.

        A turn is as many steps as fit into a fixed time. Who needs longer
        for one step has a turn in some rounds only, evenly spread.
        """
        seconds = []
        while (len(seconds) < WARM_UP
               and sum(seconds) < WARM_UP * ROUND_SECONDS):
            seconds.append(sum(self._step()))
        turns = np.median(seconds) / ROUND_SECONDS
        self._in_turn = int(np.clip(1 / turns, 1, MOST_STEPS))
        self._pause = int(np.clip(turns, 1, rounds // BLOCKS))

    def take_turn(self, number):
        """Take the steps of a round."""
        if number % self._pause:
            return
        self._contender.tidy()
        self._seconds += [self._step() for _ in range(self._in_turn)]

    def _step(self):
        """Take one step; return the seconds of selection and of update."""
        start = perf_counter()
        choice = self._contender.choose()
        chosen = perf_counter()
        self._contender.learn(choice, self._rewards[choice])
        return chosen - start, perf_counter() - chosen


def run(makers, task, rewards, rounds, advance):
    """Run all contenders on a task; return their times by name.

    They take turns, so that other work on the machine meets all of them
    alike.
    """
    rewards = rewards.tolist()
    with ExitStack() as stack:
        runners = {}
        for make in makers:
            contender = make(task)
            stack.callback(contender.close)
            runners[contender.NAME] = _Runner(contender, rewards)
        for runner in runners.values():
            runner.warm_up(rounds)
        for number in range(rounds):
            for runner in runners.values():
                runner.take_turn(number)
            advance((number + 1) / rounds)
        return {name: runner.times for name, runner in runners.items()}
