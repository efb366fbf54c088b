"""A recommender of a world's log."""

import numpy as np

from bench import server
from bench.firstday.worlds import DAYS

SEEN = 'i.id <> ALL (ARRAY(SELECT c.item FROM click c WHERE c.person = request.person))'


def create(cursor, world, candidates, epsilon=0):
    """Make the tables, and a recommender of them."""
    columns = ', '.join(f'{name} {kind}'
                        for name, (kind, _) in world.columns.items())
    cursor.execute(f"""
        CREATE TABLE item (id integer PRIMARY KEY, {columns});
        CREATE TABLE click (person integer, item integer, at timestamptz)""")
    server.copy(cursor, 'item', zip(range(len(world.kinds)), *(
        values for _, values in world.columns.values())))
    server.copy(cursor, 'click', (
        (person, item, stamp(day))
        for (person, item), day in zip(world.clicks, world.days)))
    cursor.execute("""
        UPDATE click SET at = at + (now() - '2020-03-01');
        CREATE INDEX ON click (person, at); CREATE INDEX ON click (at);
        ANALYZE""")
    cursor.execute(
        """SELECT dlints_create_recommender('firstday', 'item', %s,
            clicks => 'SELECT person, item, at FROM click',
            candidates => %s, control => 0, epsilon => %s)""",
        (list(world.columns), candidates, epsilon))


def stamp(day):
    """Return a day of the log, which ends with the last, as a time."""
    return str(np.datetime64('2020-03-01T00:00:00')
               + np.timedelta64(int((day - DAYS) * 86400), 's'))
