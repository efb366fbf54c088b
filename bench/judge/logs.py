"""The logs in tables of the server."""

import numpy as np

from bench.server import copy

BLOCKS = 5

TABLES = """
CREATE TABLE item (
    campaign text,
    id       integer,
    features real[] NOT NULL,
    itself   real[] NOT NULL,   -- 1 at its own number
    PRIMARY KEY (campaign, id)
);
CREATE TABLE round (
    campaign text,
    policy   text,              -- that chose
    number   integer,           -- in the order of time
    block    integer NOT NULL,  -- a fifth of them, from 1
    item     integer NOT NULL,
    place    integer NOT NULL,
    clicked  float8 NOT NULL,
    logged   float8 NOT NULL,   -- probability of the item at the place
    PRIMARY KEY (campaign, policy, number)
)"""


def load(cursor, campaigns):
    """Make the tables and fill them."""
    cursor.execute(TABLES)
    for name, campaign in campaigns.items():
        count = len(campaign.features)
        copy(cursor, 'item', zip([name] * count, range(count),
                                 campaign.features, np.eye(count)))
        for policy, log in campaign.logs.items():
            copy(cursor, 'round', _rows(name, policy, log))
    cursor.execute('ANALYZE item, round')


def _rows(name, policy, log):
    """Return the rows of a log, oldest first."""
    count = len(log.items)
    for number, place in enumerate(np.argsort(log.times, kind='stable')):
        yield (name, policy, number, 1 + number * BLOCKS // count,
               log.items[place], log.places[place], log.clicks[place],
               repr(float(log.probabilities[place])))
