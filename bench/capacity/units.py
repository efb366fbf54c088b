"""Unit costs of one call: CPU of the backend, write-ahead log and disk."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.capacity import world
from bench.program import UserError
from bench.server import value, written

CALLS = 500
PLAIN = 200
# Tables with indexes and TOAST, without versions of models
STORED = """
    SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE  relnamespace IN ('shop'::regnamespace, 'large'::regnamespace)
    AND    relkind = 'r' AND relname <> 'model'"""
PREPARE = """
    PREPARE decide_shop AS SELECT * FROM shop.recommend($1);
    PREPARE decide_large AS SELECT * FROM large.recommend($1);
    PREPARE reward AS SELECT shop.reward($1, $2);
    PREPARE log_choice AS
    WITH made AS (SELECT _dlints_first_decision(now())
                         + nextval('shop.decision_number') AS id),
    d AS (INSERT INTO shop.decision (
              id, at, seed, user_id, treatment, context, profile,
              items, probabilities, expected, versions, features)
          SELECT m.id, now(), d.seed, $2, d.treatment, d.context, d.profile,
                 d.items, d.probabilities, d.expected, d.versions,
                 d.features
          FROM   made m, shop.decision d WHERE d.id = $1)
    INSERT INTO shop.pending SELECT id FROM made;
    PREPARE best AS
    SELECT dlints_recommend((SELECT state FROM shop.model
                             WHERE name = 'personal'),
                            item, features, 10, $1)
    FROM   shop.item_features;
    PREPARE decide AS
    SELECT d.*
    FROM   shop.model m,
           (SELECT array_agg(item) AS items, array_agg(features) AS features
            FROM   shop.item_features) c,
           LATERAL dlints_decide(m.state, c.items, c.features, k => 10,
                                 profile => $1, draws => 20) d
    WHERE  m.name = 'personal';
    CREATE TABLE feedback (id bigint GENERATED ALWAYS AS IDENTITY,
                           features real[], profile real[], reward float8,
                           at timestamptz DEFAULT now());
    PREPARE queue AS
    INSERT INTO feedback (features, profile, reward)
    SELECT features, $1, 1 FROM shop.item_features WHERE item = $2"""
FOLD = """
    WITH batch AS (DELETE FROM feedback RETURNING *)
    UPDATE shop.model m SET state = m.state || (
        SELECT dlints_evidence(p.state, b.features, b.reward, b.profile,
                               b.at)
        FROM   batch b JOIN shop.model p ON p.name = 'personal')
    WHERE  m.name = 'personal'"""
DELETE = """
    DELETE FROM shop.reward WHERE decision IN (
        SELECT id FROM shop.decision_{0} ORDER BY id LIMIT {1});
    DELETE FROM shop.decision WHERE id IN (
        SELECT id FROM shop.decision_{0} ORDER BY id LIMIT {1})"""


@dataclass
class Unit:
    """Cost of one call or row in seconds and bytes."""

    what: str
    of: str
    seconds: float = 0      # CPU of the backend
    wall: float = 0
    wal: float = 0
    disk: float = 0
    count: int = 1


def measure(cursor):
    """Return the units by name."""
    clock = Path(f'/proc/{value(cursor, "SELECT pg_backend_pid()")}/schedstat')
    if not clock.exists():
        raise UserError('the server must run on this machine, for its CPU times')
    units = {}

    @contextmanager
    def meter(name, what, of, count):
        unit = units[name] = Unit(what, of, count=count)
        before = _now(cursor, clock)
        yield unit
        after = _now(cursor, clock)
        unit.seconds, unit.wall, unit.wal, unit.disk = (
            (end - start) / unit.count for end, start in zip(after, before))

    cursor.execute(PREPARE)
    _decide(cursor, meter)
    _learn(cursor, meter)
    _plain(cursor, meter)
    _remove(cursor, meter)
    return units


def _now(cursor, clock):
    """Return CPU and wall clock in seconds, and bytes of log and of tables."""
    log = written(cursor)
    stored = value(cursor, STORED)
    seconds = int(clock.read_text(encoding='ascii').split()[0]) / 1e9
    return seconds, perf_counter(), log, float(stored)


def _decide(cursor, meter):
    """Measure decisions of recommenders, and rewards."""
    for name, items in world.ITEMS.items():
        calls = CALLS * 1000 // items
        for user in range(1, 11):           # prepare plans and fill caches
            cursor.execute(f'EXECUTE decide_{name}(%s)', (user,))
        with meter(name, f'recommend(), {items:,} items, k = {world.SHOWN}',
                   'a decision', calls):
            for user in range(1, calls + 1):
                cursor.execute(f'EXECUTE decide_{name}(%s)', (user,))
    cursor.execute('SELECT decision, item FROM shop.pending JOIN shop.impression '
                   'USING (decision) WHERE position <= 2')
    clicked = cursor.fetchall()
    with meter('reward', 'reward()', 'a reward', len(clicked)):
        for pair in clicked:
            cursor.execute('EXECUTE reward(%s, %s)', pair)
    made = clicked[0][0]
    with meter('log', 'log a list of a replica', 'a decision', CALLS):
        for user in range(1, CALLS + 1):
            cursor.execute('EXECUTE log_choice(%s, %s)', (made, user))


def _learn(cursor, meter):
    """Measure training, fits of factors, and rebuilds of the models."""
    pending = value(cursor, 'SELECT count(*) FROM shop.pending')
    with meter('learn', 'learn()', 'a decision', pending) as unit:
        unit.count = value(cursor, "SELECT shop.learn('0')")
    with meter('refit', 'refit()', 'a click', world.CLICKS):
        cursor.execute('SELECT shop.refit()')
    with meter('rebuild', 'rebuild()', 'a decision', 1) as unit:
        cursor.execute('SELECT shop.rebuild()')
        unit.count = value(cursor, 'SELECT count(*) FROM shop.decision')


def _plain(cursor, meter):
    """Measure plain statements over the same items."""
    cursor.execute('SELECT shop.profile(1)')
    profile, = cursor.fetchone()
    for name, what in (('best', 'dlints_recommend'),
                       ('decide', 'dlints_decide, 20 draws')):
        with meter(name, f'{what}, {world.ITEMS["shop"]:,} items',
                   'a list', PLAIN):
            for _ in range(PLAIN):
                cursor.execute(f'EXECUTE {name}(%s::real[])', (profile,))
    with meter('queue', 'a reward into a queue', 'a reward', PLAIN):
        for item in range(1, PLAIN + 1):
            cursor.execute('EXECUTE queue(%s::real[], %s)', (profile, item))
    with meter('fold', f'train on a queue of {PLAIN}', 'a reward',
               PLAIN):
        cursor.execute(FOLD)


def _remove(cursor, meter):
    """Measure the report, and removals of a user and of a month."""
    with meter('report', 'report() of seven days', 'a report', 1):
        cursor.execute('SELECT shop.report()')
    with meter('erase', 'erase()', 'a user', 10) as unit:
        erased = [value(cursor, 'SELECT shop.erase(%(who)s)', who=user)
                  for user in range(101, 111)]
    unit.what = f'erase(), {sum(erased) / len(erased):.0f} decisions each'
    month = world.oldest(cursor)
    rows = value(cursor, f'SELECT count(*) FROM shop.decision_{month}')
    some = min(rows // 10, 10000)
    with meter('delete', 'DELETE of old decisions', 'a decision', some):
        cursor.execute(DELETE.format(month, some))
    retention = f'{world.MONTHS - 2} months'
    cursor.execute("SELECT dlints_alter_recommender('shop', "
                   "jsonb_build_object('retention', %s))",
                   (retention,))
    # The models contain nothing of the generated log, so nothing is retracted.
    cursor.execute('UPDATE shop.setting SET trained_from = '
                   '_dlints_first_decision(now() - %s::interval)',
                   (retention,))
    with meter('drop', 'run() that drops months', 'a decision', rows - some):
        cursor.execute("SELECT shop.run_part('months')")
