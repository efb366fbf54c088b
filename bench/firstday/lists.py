"""Create a recommender from a world's log, and compare its first lists with others."""

import numpy as np

from bench import server
from bench.firstday.worlds import DAYS

LENGTH = 10
NOT_CLICKED = 'i.id <> ALL (ARRAY(SELECT c.item FROM {log} c WHERE c.visitor = user_id))'


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
    recommender(cursor, world, candidates, epsilon)


def recommender(cursor, world, candidates, epsilon=0, name='firstday', log='click'):
    """Create a recommender of the tables.

    Lists without a condition keep clicked items, as those of the others do.
    """
    cursor.execute(
        """SELECT dlints_create_recommender(%s, 'item', %s, clicks => %s,
            candidates => %s, repeats => %s, control => 0, epsilon => %s)""",
        (name, list(world.columns), f'SELECT visitor, item, at FROM {log}',
         candidates.format(log=log), candidates == 'true', epsilon))


def stamp(day):
    """Return the time of a day of the log; the last day ends the log."""
    return str(np.datetime64('2020-03-01T00:00:00')
               + np.timedelta64(int((day - DAYS) * 86400), 's'))


def compare(cursor, world, items, others, users):
    """Return {policy: reward of the list of each user}.

    `users` has pairs of a user and None, or a session of an unknown user.
    """
    log = {}
    for user, item in world.clicks:
        log.setdefault(user, []).append(item)
    random = np.random.default_rng(1)
    found = {policy: [] for policy in ('recommender', *others)}
    for user, session in users:
        cursor.execute(
            'SELECT item FROM firstday.recommend(%s, %s, %s) ORDER BY position',
            (None if session is not None else int(user), LENGTH,
             session or []))
        found['recommender'].append(
            world.reward(user, [item for item, in cursor.fetchall()]))
        known = log[user] if session is None else session
        clicked = np.bincount(np.array(known, int), minlength=items).astype(float)
        for policy, score in others.items():
            scores = score(clicked) + 1e-9 * random.random(items)
            if session or not world.sessions:       # recommend() leaves out "recent"
                scores = np.where(clicked > 0, -np.inf, scores)
            found[policy].append(
                world.reward(user, np.argsort(-scores)[:LENGTH]))
    return {policy: np.array(rewards) for policy, rewards in found.items()}
