"""Simulate the shop of examples/shop."""

import json
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np

from bench import program, server
from bench.progress import Steps
from bench.report import judge
from bench.shop import report
from bench.shop.play import CLOCK, PATH, START, Shop
from bench.shop.truth import Truth

SQL = Path(__file__).parents[2] / 'examples' / 'shop'
PRODUCTS, CUSTOMERS = 1200, 3000
NEW_PRODUCTS, NEW_CUSTOMERS = 3, 20         # per day
HISTORY, MONTH, AFTER = 30, 30, 14          # days
TRAIN, JUDGE = 14, 21       # days on which the candidate is trained and compared
SEARCHES = 3                                # per page
SOLD_OUT = 0.03             # fraction of the products
CONTROL = 0.4               # fraction of the customers; large, for precise comparisons
CANDIDATE = ('(SELECT dlints_set(empty_model, exploration => 0.1) '
             'FROM home.setting)')
CHART = 'shop.png'


def main(options):
    """Run the shop once per seed, and judge the results."""
    return judge(options, lambda seed: run(options, seed), report.bars)


def run(options, seed):
    """Run a shop, print the results, and return those that have bars."""
    chart_path = program.make_folder('shop') / CHART
    days = report.Days(MONTH, AFTER)
    with server.connect() as cursor, dropped(cursor):
        random = np.random.default_rng(seed)
        truth = Truth(random, PRODUCTS + NEW_PRODUCTS * (MONTH + AFTER),
                      CUSTOMERS, options.taste, options.clicks)
        install(cursor)
        shop = Shop(truth, random, options.sessions)
        try:
            open_doors(shop, options.visitors)
            visits, facts = play(shop, truth, options.visitors)
            found = report.everything(shop, visits, days, facts)
            report.draw_chart(chart_path, report.by_day(shop, visits), days)
        finally:
            shop.close()
    print(f'\nChart: {chart_path}')
    return found


@contextmanager
def dropped(cursor):
    """Drop the recommender before and after."""
    drop = 'DROP SCHEMA IF EXISTS home CASCADE'
    cursor.execute(drop)
    yield
    cursor.execute(drop)


def install(cursor):
    """Create the shop without a recommender."""
    cursor.execute(f'SET search_path = {PATH}')
    cursor.execute(CLOCK)
    cursor.execute("SELECT set_config('shop.now', %s, false)",
                   ((START - timedelta(days=HISTORY)).isoformat(),))
    cursor.execute((SQL / '01_shop.sql').read_text())


def open_doors(shop, visitors):
    """Simulate a month without lists, and create the recommender from its click log."""
    shop.list_products(START - timedelta(days=HISTORY), range(PRODUCTS))
    shop.register(range(CUSTOMERS))
    for day in range(-HISTORY, 0):
        shop.search(day, SEARCHES * visitors)
    eve = START - timedelta(minutes=1)
    for file in sorted(SQL.glob('*.sql'))[1:]:
        shop.at(eve, file.read_text())
    shop.at(eve, "SELECT dlints_alter_recommender('home', %s)",
            json.dumps({'control': CONTROL}))
    shop.night(eve, SOLD_OUT)


def play(shop, truth, visitors):
    """Simulate the days; return their visits, and results by name."""
    visits, facts = [], {}
    with Steps((MONTH + AFTER) * visitors) as progress:
        for day in range(MONTH + AFTER):
            progress.name(f'day {day + 1}')
            if day == MONTH:
                truth.change_taste()
            shop.search(day, SEARCHES * visitors)
            visits += shop.day(day, visitors, progress.advance)
            evening = START + timedelta(days=day + 1, minutes=-1)
            if day + 1 == JUDGE:
                facts['worth'], slates = shop.value(
                    evening, START + timedelta(days=TRAIN), CANDIDATE)
                facts['true'] = expected(truth, slates)
            if day + 1 == MONTH:
                facts['month'] = shop.report(evening, START)
                facts['erased'] = shop.erase(evening)
            shop.night(evening, SOLD_OUT)
            first = PRODUCTS + NEW_PRODUCTS * day
            shop.list_products(evening, range(first, first + NEW_PRODUCTS))
            shop.register(truth.add_customers(NEW_CUSTOMERS))
    facts['after'] = shop.report(evening, START + timedelta(days=MONTH))
    facts['refused'] = shop.refused
    return visits, facts


def expected(truth, slates):
    """Return the expected clicks per position of slates."""
    customer, product, probability = map(np.array, zip(*slates))
    return np.average(truth.chances(customer)[
        np.arange(len(customer)), product], weights=probability)
