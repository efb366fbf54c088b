"""First lists of ten of a recommender and of others."""

import numpy as np

LENGTH = 10


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
            if not world.sessions:
                scores = np.where(clicked > 0, -np.inf, scores)
            found[policy].append(
                world.reward(user, np.argsort(-scores)[:LENGTH]))
    return {policy: np.array(rewards) for policy, rewards in found.items()}
