"""What is compared: the interface that all sides share."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, order=True)
class Shape:
    """The sizes of one comparison."""

    arms: int
    context_dim: int
    reduced_dim: int

    def __str__(self):
        """Return the sizes in words."""
        return (f'{self.arms:,} arms, n = {self.context_dim}, '
                f'd = {self.reduced_dim}')


@dataclass
class Task:
    """One stream: the items, and the session that has them in a table."""

    cursor: object
    shape: Shape
    features: np.ndarray


class Contender:
    """One way to choose items and to learn from rewards.

    Items are known by their number, from 0.
    """

    NAME = ''
    ABOUT = ''
    LACKS = ''

    def choose(self):
        """Return the item to show next."""
        raise NotImplementedError

    def learn(self, choice, reward):
        """Learn from the reward of the item that was shown last."""
        raise NotImplementedError

    def tidy(self):
        """Clear up, while no clock runs."""

    def close(self):
        """Give back what is held."""
