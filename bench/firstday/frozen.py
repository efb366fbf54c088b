"""Twenty days of lists: a recommender that learns, and one that does not.

Both begin equal. Users come in proportion to their clicks in the log, and see a list
of each. Clicks on the list of the learning one enter the click log, which both read
for profiles; rewards are reported to the learning one, and run() is called for it.
"""

from datetime import timedelta

import numpy as np

from bench.firstday.days import EPSILON, RUNS, START
from bench.firstday.lists import LENGTH, NOT_CLICKED, create, recommender
from bench.progress import Themes
from bench.report import table, with_error
from bench.shop.play import CLOCK

DAYS = 20
VISITS = 50
LAST = 5                # days of the last column


def show(cursor, worlds, seeds):
    """Play the days in each world, and print a row of each seed."""
    cursor.execute(CLOCK)
    rows = [('world', 'seed', 'not learning', 'learning less not learning', 'last five days')]
    with Themes(len(worlds) * len(seeds)) as done:
        for name, make in worlds.items():
            for seed in seeds:
                done.start(f'{name}, {seed}')
                learning, frozen = play(cursor, make(seed), seed)
                rows.append((name, seed, f'{frozen.mean():.2f}', with_error(learning - frozen),
                             with_error((learning - frozen)[-LAST * VISITS:])))
    print(f'\nExpected clicks per list of {LENGTH}; standard errors are of lists\n')
    print(table(rows))


def play(cursor, world, seed):
    """Return the expected clicks of each visit's lists: learning, and not."""
    random = np.random.default_rng([seed, DAYS])
    activity = np.bincount(world.clicks[:, 0])
    at(cursor, 0)
    cursor.execute('SELECT setseed(0.5)')
    create(cursor, world, NOT_CLICKED, EPSILON)
    cursor.execute('SELECT setseed(0.5)')       # the examples of both are the same
    recommender(cursor, world, NOT_CLICKED, EPSILON, 'frozen')
    rewards = []
    for visit in range(DAYS * VISITS):
        at(cursor, visit / VISITS)
        if visit and visit % VISITS % (VISITS // RUNS + 1) == 0:
            cursor.execute('CALL firstday.run()')
        user = int(random.choice(len(activity), p=activity / activity.sum()))
        lists = [recommend(cursor, name, user) for name in ('firstday', 'frozen')]
        rewards.append([world.reward(user, [item for _, item in rows]) for rows in lists])
        items = np.array([item for _, item in lists[0]], int)
        clicked = random.random(len(items)) < world.chance(np.full(len(items), user), items)
        for decision, item in np.array(lists[0])[clicked].tolist():
            cursor.execute('INSERT INTO click VALUES (%s, %s, now());'
                           'SELECT firstday.reward(%s, %s)', (user, item, decision, item))
    cursor.execute('DROP SCHEMA firstday, frozen CASCADE; DROP TABLE item, click')
    return np.array(rewards).T


def at(cursor, day):
    """Set the simulated time."""
    cursor.execute("SELECT set_config('shop.now', %s, false)", (str(START + timedelta(days=day)),))


def recommend(cursor, name, user):
    """Return the decision and the item of each position of a list."""
    cursor.execute(f'SELECT decision, item FROM {name}.recommend(%s, %s)', (user, LENGTH))
    return cursor.fetchall()
