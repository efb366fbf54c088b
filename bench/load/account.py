"""What was committed, against what the models have learned."""

from dataclasses import dataclass

from bench.load import statements

# More than rounding can make of a sum of integers, less than one of them.
TOLERANCE = 0.1


@dataclass
class Amount:
    """A number of rewards and their sum."""

    rewards: int = 0
    total: float = 0

    def __add__(self, other):
        return Amount(self.rewards + other.rewards, self.total + other.total)

    def __sub__(self, other):
        return Amount(self.rewards - other.rewards, self.total - other.total)

    def __str__(self):
        return f'{self.rewards:,} rewards, {self.total:,.0f} in sum'

    def is_none(self):
        """Is it nothing at all?"""
        return self.rewards == 0 and abs(self.total) < TOLERANCE


class Account:
    """Rewards that pgbench counts as committed, and where they are now."""

    def __init__(self, cursor):
        self._cursor = cursor
        self._committed = self._stored()

    def add(self, rewards):
        """Add how many of each reward were committed."""
        for reward, count in rewards.items():
            self._committed += Amount(count, count * reward)

    def missing(self):
        """Return what is neither learned nor queued; below 0 if doubled."""
        return self._committed - self._stored()

    def queued(self):
        """Return what waits in the queue."""
        return self._amount(statements.QUEUED)

    def _stored(self):
        """Return what is learned or queued."""
        return self._amount(statements.LEARNED) + self.queued()

    def _amount(self, statement):
        """Return the result of a statement."""
        self._cursor.execute(statement)
        count, total = self._cursor.fetchone()
        return Amount(int(count), float(total))
