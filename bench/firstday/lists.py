"""First lists of ten: of a recommender, and of others."""

import numpy as np

PLACES = 10


def compare(cursor, world, items, others, people):
    """Return {policy: what it earned of each of the people}."""
    log = {}
    for person, item in world.clicks:
        log.setdefault(person, []).append(item)
    random = np.random.default_rng(1)
    found = {policy: [] for policy in ('recommender', *others)}
    for person, session in people:
        cursor.execute(
            'SELECT item FROM firstday.recommend(%s, %s, %s) ORDER BY place',
            (None if session is not None else int(person), PLACES,
             session or []))
        found['recommender'].append(
            world.earned(person, [item for item, in cursor.fetchall()]))
        what = log[person] if session is None else session
        clicked = np.bincount(np.array(what, int), minlength=items).astype(float)
        for policy, score in others.items():
            scores = score(clicked) + 1e-9 * random.random(items)
            if not world.sessions:
                scores = np.where(clicked > 0, -np.inf, scores)
            found[policy].append(
                world.earned(person, np.argsort(-scores)[:PLACES]))
    return {policy: np.array(earned) for policy, earned in found.items()}
