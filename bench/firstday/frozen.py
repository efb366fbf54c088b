"""Twenty days of lists: a recommender that learns, and one that does not.

Both begin equal, each in a copy of the world. Users come in proportion to their clicks
in the log. Clicks on a list enter its copy's log. Rewards are reported to the learning
recommender, and run() is called for it. If both had one log, users would have clicked
what they like on the learning one's lists, but not all of it on the other lists.
"""

from datetime import datetime, timedelta, timezone

import numpy as np

from bench.firstday.lists import LENGTH, NOT_CLICKED, create, recommender
from bench.progress import Themes
from bench.report import table, with_error
from bench.shop.play import CLOCK

START = datetime(2020, 3, 1, tzinfo=timezone.utc)     # end of the log
EPSILON = 0.02          # default fraction of random lists
DAYS = 20
RUNS = 3                # calls of run() per day
VISITS = 50
LAST = 5                # days of the last column
LOGS = {'firstday': 'click', 'frozen': 'frozen_click'}


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
    cursor.execute('CREATE TABLE frozen_click AS TABLE click;'
                   'CREATE INDEX ON frozen_click (visitor, at); ANALYZE frozen_click;'
                   'SELECT setseed(0.5)')       # the examples of both are the same
    recommender(cursor, world, NOT_CLICKED, EPSILON, 'frozen', 'frozen_click')
    rewards = np.zeros((2, DAYS * VISITS))
    for visit in range(DAYS * VISITS):
        at(cursor, visit / VISITS)
        if visit and visit % VISITS % (VISITS // RUNS + 1) == 0:
            cursor.execute('CALL firstday.run()')
        user = int(random.choice(len(activity), p=activity / activity.sum()))
        luck = random.random(len(world.kinds))
        for row, (name, log) in enumerate(LOGS.items()):
            decisions, items = recommend(cursor, name, user)
            chance = world.chance(np.full(len(items), user), items)
            rewards[row, visit] = chance.sum()
            clicked = luck[items] < chance
            for decision, item in zip(decisions[clicked].tolist(), items[clicked].tolist()):
                cursor.execute(f'INSERT INTO {log} VALUES (%s, %s, now())', (user, item))
                if name == 'firstday':
                    cursor.execute('SELECT firstday.reward(%s, %s)', (decision, item))
    cursor.execute('DROP SCHEMA firstday, frozen CASCADE; DROP TABLE item, click, frozen_click')
    return rewards


def at(cursor, day):
    """Set the simulated time."""
    cursor.execute("SELECT set_config('shop.now', %s, false)", (str(START + timedelta(days=day)),))


def recommend(cursor, name, user, length=LENGTH):
    """Return decisions and items of the positions of a list."""
    cursor.execute(f'SELECT decision, item FROM {name}.recommend(%s, %s)', (user, length))
    return np.array(cursor.fetchall(), int).reshape(-1, 2).T
