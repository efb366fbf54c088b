"""Create a recommender from a world's log."""

import numpy as np

from bench import server
from bench.firstday.worlds import DAYS

NOT_CLICKED = 'i.id <> ALL (ARRAY(SELECT c.item FROM click c WHERE c.visitor = user_id))'


def create(cursor, world, candidates, epsilon=0):
    """Create and fill the tables, and create the recommender."""
    columns = ''.join(f', {name} {kind}'
                      for name, (kind, _) in world.columns.items())
    cursor.execute(f"""
        CREATE TABLE item (id integer PRIMARY KEY{columns});
        CREATE TABLE click (visitor integer, item integer, at timestamptz)""")
    server.copy(cursor, 'item', zip(range(len(world.kinds)), *(
        values for _, values in world.columns.values())))
    server.copy(cursor, 'click', (
        (user, item, stamp(day))
        for (user, item), day in zip(world.clicks, world.days)))
    cursor.execute("""
        UPDATE click SET at = at + (now() - '2020-03-01');
        CREATE INDEX ON click (visitor, at); CREATE INDEX ON click (at);
        ANALYZE""")
    cursor.execute(
        """SELECT dlints_create_recommender('firstday', 'item', %s,
            clicks => 'SELECT visitor, item, at FROM click',
            candidates => %s, control => 0, epsilon => %s)""",
        (list(world.columns), candidates, epsilon))


def stamp(day):
    """Return the time of a day of the log; the last day ends the log."""
    return str(np.datetime64('2020-03-01T00:00:00')
               + np.timedelta64(int((day - DAYS) * 86400), 's'))
