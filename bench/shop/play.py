"""Simulate the days of the shop, with visitors in parallel sessions."""

import heapq
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from threading import local
from time import perf_counter

import numpy as np
from psycopg2 import errors
from psycopg2.extras import Json, execute_values
from scipy.sparse import csr_matrix

from bench.opponents import one_hot, opponents
from bench.server import SCHEMA, session
from bench.shop.truth import (BUYS, CANCELS, CATEGORIES, COLOURS, DAYS_TO_BUY,
                              DAYS_TO_CANCEL, TAGS, capped)

START = datetime(2026, 3, 2, tzinfo=timezone.utc)      # a Monday
RUNS = 8                # calls of run() per day
CRONS = 2               # sessions that call run() at the same time
# Lists that are computed every night from all clicks: by field of a visit
OTHERS = {'categories': 'your categories', 'cosine': 'cosine', 'svd': 'SVD 16'}
BROKEN = 0.02           # fraction of visits with an invalid or repeated report
# The simulation replaces now() of its private server with a function that returns the
# simulated time.
PATH = f'{SCHEMA}, pg_catalog, public'
CLOCK = """
DO $$ BEGIN
    IF to_regprocedure('pg_catalog.server_now()') IS NULL THEN
        ALTER FUNCTION pg_catalog.now() RENAME TO server_now;
        CREATE FUNCTION pg_catalog.now() RETURNS timestamptz LANGUAGE sql STABLE
        AS 'SELECT coalesce(pg_catalog.current_setting(''shop.now'', true)::timestamptz,
                            pg_catalog.server_now())';
    END IF;
END $$"""
# Largest difference of an element, relative to the largest element of its
# matrix or vector
DIFFERENCE = """
WITH number AS (
    SELECT m.name, e.memory, kind, v.n, v.value::text::float8 AS value
    FROM   state m,
           jsonb_path_query(m.state::jsonb, '$.evidence[*]')
               WITH ORDINALITY e (evidence, memory),
           unnest('{b, G}'::text[]) kind,
           jsonb_path_query(e.evidence -> kind, '$[*][*] ? (@ != null)')
               WITH ORDINALITY v (value, n))
SELECT max(difference) + (SELECT count(*) FROM home.decision WHERE user_id = %s)
FROM  (SELECT max(abs(a.value - b.value)) / max(abs(b.value)) AS difference
       FROM   number a JOIN number b USING (memory, kind, n)
       WHERE  a.name = 'erased' AND b.name = 'never seen'
       GROUP  BY memory, kind) d"""


@dataclass
class Visit:
    """A page with its clicks and expected clicks."""

    day: int
    customer: int
    at: datetime
    seed: int
    decision: int = 0
    clicked: int = 0
    seconds: float = 0
    # expected clicks: of the list, of the best list for this customer, of the
    # best list for all customers, of the bestsellers, and of OTHERS
    truth: float = 0
    best: float = 0
    common: float = 0
    sellers: float = 0
    categories: float = 0
    cosine: float = 0
    svd: float = 0


@dataclass(order=True)
class Later:
    """A report in the future."""

    at: datetime
    customer: int = field(compare=False)
    report: tuple = field(compare=False)


class Shop:
    """The shop: sessions of web servers, customers and maintenance."""

    def __init__(self, truth, random, sessions):
        self._truth = truth
        self._random = random
        self._local = local()
        self._open = ExitStack()
        self._pool = ThreadPoolExecutor(sessions)
        self._later = []
        self.refused = 0
        self._bought = {}
        self._in_stock = np.ones(truth.products, bool)
        self._listed = np.zeros(truth.products, bool)
        self._sold = np.zeros(truth.products)
        self._others = {}
        self._clicked = None

    def close(self):
        """Close all sessions."""
        self._pool.shutdown(wait=True)
        self._open.close()

    def at(self, when, statement, *parameters):
        """Execute a statement at a simulated time."""
        cursor = self._cursor()
        cursor.execute("SELECT set_config('shop.now', %s, false);" + statement,
                       (when.isoformat(), *parameters))
        return cursor

    def call(self, when, procedure):
        """Call a procedure, outside a transaction, at a simulated time."""
        self.at(when, '').execute(f'CALL {procedure}()')

    def _cursor(self):
        """Return the cursor of this thread's session."""
        if not hasattr(self._local, 'cursor'):
            self._local.cursor = self._open.enter_context(session(
                search_path=PATH, jit='off', synchronous_commit='off'))
        return self._local.cursor

    def _insert(self, target, rows):
        """Insert rows, if there are any."""
        if rows:
            execute_values(self._cursor(), f'INSERT INTO {target} VALUES %s',
                           rows)

    # ---------- maintenance ----------

    def list_products(self, when, numbers):
        """Add products."""
        truth = self._truth
        self._insert(
            'product (id, category, brand, price, tags, details, added_at)',
            [(n, CATEGORIES[truth.category[n]], f'brand {truth.brand[n]}',
              float(truth.price[n]),
              [tag for tag, has in zip(TAGS, truth.tags[n]) if has],
              Json({'colour': COLOURS[truth.colour[n]]}), when)
             for n in numbers])
        self._listed[list(numbers)] = True

    def register(self, numbers):
        """Add customers."""
        self._insert('customer (id, name)',
                     [(n, f'customer {n}') for n in numbers])

    def night(self, when, share_sold_out):
        """Change which products are sold out, and compute the lists of others."""
        self._in_stock = (self._random.random(self._truth.products)
                          >= share_sold_out)
        sold_out = np.flatnonzero(~self._in_stock).tolist()
        self.at(when, """
            UPDATE product
            SET    stock = CASE WHEN id = ANY (%s) THEN 0 ELSE 100 END
            WHERE  (stock = 0) <> (id = ANY (%s))""", sold_out, sold_out)
        self._sold[:] = 0
        for product, sold in self.at(when, """
                SELECT product_id, count(*) FROM event
                WHERE  found_by = 'search' AND at > now() - interval '14 days'
                GROUP  BY 1""").fetchall():
            self._sold[product] = sold
        clicks = np.array(self.at(
            when, 'SELECT customer_id, product_id FROM event').fetchall())
        others = opponents(clicks, self._truth.products,
                           one_hot(self._truth.category))
        self._others = {field: others[name] for field, name in OTHERS.items()}
        self._clicked = csr_matrix(
            (np.ones(len(clicks)), clicks.T),
            (len(self._truth.activity), self._truth.products))
        # Simulated days are too short for autovacuum.
        self._cursor().execute('VACUUM product, home.item_vector, home.model')
        if when.weekday() == 6:
            self._cursor().execute('ANALYZE')

    def value(self, when, until, candidate):
        """Return the estimated value of a candidate, and its slates."""
        self.at(when, f"""
            CREATE TABLE candidate AS
            SELECT trained({candidate}, %s) AS state""", until)
        return named(self.at(when, """
            SELECT v.* FROM candidate, value(state, %s) v""", until))[0], (
                self.at(when, """
            SELECT d.user_id, s.item, s.probability
            FROM   candidate, would_show(state, %s) s
                   JOIN home.decision d ON d.id = s.decision""", until).fetchall())

    def report(self, when, since):
        """Return the rows of the recommender's report."""
        return named(self.at(when, 'SELECT * FROM home.report(%s)', since))

    def erase(self, when):
        """Erase the customer with the most pages.

        Return the number of pages, and the largest relative difference of the
        model from a model that was trained on all other customers only.
        """
        customer, pages = self.at(when, """
            SELECT user_id, count(*) FROM home.decision GROUP BY 1
            ORDER BY 2 DESC, 1 LIMIT 1""").fetchone()
        self._truth.activity[customer] = 0
        return pages, self.at(when, f"""
            DELETE FROM customer WHERE id = %s;
            SELECT home.erase(%s);
            CREATE TABLE state AS
            SELECT 'erased' AS name, state FROM home.model
            WHERE  name = 'personal';
            SELECT home.rebuild();
            INSERT INTO state
            SELECT 'never seen', state FROM home.model
            WHERE  name = 'personal';
            {DIFFERENCE}""", customer, customer, customer).fetchone()[0]

    # ---------- customers ----------

    def search(self, day, count):
        """Simulate clicks and purchases from searches."""
        truth, random, rows = self._truth, self._random, []
        customers = self._visitors(count)
        sums = np.cumsum(truth.chances(customers) * truth.exposure
                         * self._listed, axis=1)
        points = random.random(count) * sums[:, -1]
        for customer, chances, point in zip(customers.tolist(), sums, points):
            product = int(np.searchsorted(chances, point))
            at = START + timedelta(days=day + random.random())
            rows.append((customer, product, 'click', 'search', at))
            if random.random() < BUYS:
                rows.append((customer, product, 'purchase', 'search', at))
                self._buy(customer, product)
        self._insert('event', rows)

    def day(self, day, count, advance):
        """Simulate a day; return its visits."""
        truth = self._truth
        popular = truth.chances(self._visitors(300)).sum(axis=0)
        common = capped(np.argsort(-popular * self._offered()), truth.brand)
        sellers = capped(np.argsort(-self._sold * self._offered()),
                         truth.brand)
        seeds = self._random.integers(2 ** 62, size=count).tolist()
        visits = [
            Visit(day, customer, START + timedelta(days=day + n / count), seed)
            for n, (customer, seed) in enumerate(
                zip(self._visitors(count).tolist(), seeds))]
        for part in np.array_split(np.array(visits, object), RUNS):
            for laters in self._pool.map(
                    lambda visit: self._visit(visit, common, sellers), part):
                advance(1)
                for later in laters:
                    heapq.heappush(self._later, later)
            now = part[-1].at + timedelta(seconds=1)
            self._report_late(now)
            list(self._pool.map(
                lambda _: self.call(now, 'home.run'), range(CRONS)))
        return visits

    def _visitors(self, count):
        """Draw customers by their activity."""
        activity = self._truth.activity
        return self._random.choice(len(activity), count,
                                   p=activity / activity.sum())

    def _offered(self):
        """Return which products are on sale and in stock."""
        return self._in_stock & self._listed

    def _buy(self, customer, product):
        self._bought.setdefault(customer, set()).add(product)

    def _visit(self, visit, common, sellers):
        """Show a page, report clicks, and return the reports of later outcomes."""
        truth, random = self._truth, np.random.default_rng(visit.seed)
        start = perf_counter()
        rows = self.at(
            visit.at, 'SELECT decision, item FROM home.recommend(%s)',
            visit.customer).fetchall()
        visit.seconds = perf_counter() - start
        visit.decision = rows[0][0]
        products = np.array([product for _, product in rows])

        chances = truth.chances(visit.customer)
        allowed = self._offered()
        allowed[list(self._bought.get(visit.customer, ()))] = False
        visit.truth, visit.best, visit.common, visit.sellers = (
            chances[which].sum() for which in (
                products, truth.best(chances, allowed), common, sellers))
        for name, products_of in self._lists(visit.customer, allowed).items():
            setattr(visit, name, chances[products_of].sum())

        luck = random.random(len(products))
        clicked = products[luck < chances[products]].tolist()
        visit.clicked = len(clicked)
        reports = [(visit.decision, product) for product in clicked]
        if random.random() < BROKEN:
            reports += _broken(random, visit, int(products[0]), reports)
        self._report(visit.at, reports)
        self._insert('event', [
            (visit.customer, product, 'click', 'page', visit.at)
            for product in clicked])
        return [later for product in clicked
                for later in _purchase(random, visit, product)]

    def _lists(self, customer, allowed):
        """Return the lists of others, under the rules of the page."""
        clicked = np.zeros(self._truth.products)
        if customer < self._clicked.shape[0]:       # not a new customer
            clicked = self._clicked[customer].toarray().ravel()
        return {name: capped(np.argsort(-np.where(allowed, score(clicked),
                                                  -np.inf), kind='stable'),
                             self._truth.brand)
                for name, score in self._others.items()}

    def _report_late(self, now):
        """Report the purchases and cancellations until now."""
        reports, events = [], []
        while self._later and self._later[0].at <= now:
            later = heapq.heappop(self._later)
            reports.append(later.report)
            _, product, kind = later.report
            if kind == 'purchase' and self._truth.activity[later.customer]:
                events.append((later.customer, product, kind, 'page',
                               later.at))
                self._buy(later.customer, product)
        self._report(now, reports)
        self._insert('event', events)

    def _report(self, when, reports):
        """Report rewards; count the reports that are refused."""
        for report in reports:
            parameters = ', '.join(['%s'] * len(report))
            try:
                self.at(when, f'SELECT home.reward({parameters})', *report)
            except (errors.InvalidParameterValue,
                    errors.NumericValueOutOfRange):
                self.refused += 1


def _broken(random, visit, product, reports):
    """Return invalid or repeated reports."""
    return ([(visit.decision, -1)], [(-visit.decision, product)],
            [(visit.decision, product, 'click', float('nan'))],
            [(visit.decision, product, 'smile')],
            reports)[random.integers(5)]


def _purchase(random, visit, product):
    """Yield reports days after a click: perhaps a purchase and its cancellation."""
    if random.random() < BUYS:
        at = visit.at + timedelta(days=random.exponential(DAYS_TO_BUY))
        yield Later(at, visit.customer,
                    (visit.decision, product, 'purchase'))
        if random.random() < CANCELS:
            at += timedelta(days=random.exponential(DAYS_TO_CANCEL))
            yield Later(at, visit.customer,
                        (visit.decision, product, 'cancel'))


def named(cursor):
    """Return rows as dictionaries."""
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]
