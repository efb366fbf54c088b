"""Predict an article of each library of CiteULike from the others."""

import numpy as np

from bench.firstday.worlds import DAYS
from bench.records import last

TITLE = 'A hidden article of each library'
SOURCE = ('CiteULike-a (Wang, Chen, Li: Collaborative topic regression with social regularization, '
          'IJCAI 2013)')
FOLDER = 'citeulike'
FILES = ('users.dat',)
USERS = 1000            # number of users whose lists are compared


class Libraries:
    """Libraries of users, with one article of each hidden."""

    columns = {}
    sessions = {}

    def __init__(self, libraries, random):
        self.then = [random.choice(library) for library in libraries]
        self.clicks = np.array([(user, item) for user, library in enumerate(libraries)
                                for item in library if item != self.then[user]])
        self.days = np.full(len(self.clicks), float(DAYS))

    def reward(self, user, items):
        """Return the normalised discounted cumulative gain of the hidden article."""
        return sum(1 / np.log2(index + 2) for index, item in enumerate(items)
                   if item == self.then[user])


def rows(cursor, folder, _, advance):
    """Return the rows of the table, the best first."""
    # each line has the number of articles, and their numbers
    with open(folder / 'users.dat', encoding='ascii') as lines:
        libraries = [[int(number) for number in line.split()[1:]] for line in lines]
    random = np.random.default_rng(1)
    world = Libraries(libraries, random)
    items = 1 + max(map(max, libraries))
    world.kinds = range(items)
    users = random.permutation(len(libraries))[:USERS].tolist()
    return last.rows(cursor, world, items, users, advance)
