"""A page of a recommender: chosen, logged and returned, for random users.

Every page scores blocks of all items; from 2,000 items on, eligible items are
looked up for a shortlist. The floor is a scan that reads one number of each
item vector. The first page of a session plans its statements and reads the
models.

A page writes .9 kB of write-ahead log. Its row of the log takes .54 kB; the
rest is indexes and the pending decision. Disk usage is the row and its entry
in the index of decision numbers.
"""

from contextlib import closing
from statistics import median

import psycopg2

from bench import machine
from bench.measure import prepared
from bench.server import value, written
from bench.speed.bars import Bar

FEW, MEDIUM, LETTER, MANY = 1000, 3000, 20000, 100000
TIMES_FEW = {MEDIUM: 1.1, 100000: 2, 1000000: 4}     # maximum ratio by number of items
USERS = 4000
PAGES = 500
ROUNDS = 300
TIMES_FLOOR = 6
FIRST_PAGES = 10
MAX_FIRST = 10          # ms
MAX_REFRESH = 1         # MB
MAX_REFRESH_CPU = 0.3   # s
REFRESHES = 5
TIMES_SHORT = 1.5
TIMES_LIST = 1.2
TIMES_ONE = 1.1
READERS = 100           # number of lists per statement
TIMES_SINGLE = 0.3
MAX_LOG = 1.2           # kB
MAX_DISK = 1.0          # kB
# recommenders whose creation is measured: items, users, clicks, maximum seconds
MAKINGS = ((LETTER, 20000, 1000000, 12), (MANY, 2000, 40000, 15),
           (MANY, 200000, 10000000, 40))
MAX_PEAK = 300          # MB
TESTED = 64, 576        # users of two backtests, whose difference is the time per user
MAX_TESTED = 20         # ms

TABLES = """
    SELECT setseed(0.5);
    CREATE TABLE {name}_product (
        id integer PRIMARY KEY, category text, price float8, added timestamptz);
    INSERT INTO {name}_product
    SELECT i, 'c' || hashint4(i) %% 20, exp(3 + 2 * random()),
           now() - random() * interval '400 days'
    FROM   generate_series(1, {items}) i;
    CREATE TABLE {name}_sale (customer integer, product integer, at timestamptz);
    INSERT INTO {name}_sale
    SELECT i %% {users}, 1 + floor({items} * random() ^ 2),
           now() - random() * interval '60 days'
    FROM   generate_series(1, {clicks}) i;
    CREATE INDEX ON {name}_sale (customer, at);
    ANALYZE {name}_product, {name}_sale"""
CREATE = """
    SELECT dlints_create_recommender(
        '{name}', '{name}_product', '{{category,price,added}}',
        clicks => 'SELECT customer, product, at FROM {name}_sale')"""
PAGE = 'SELECT count(*) FROM {name}.recommend((random() * {users})::integer)'
LETTERS = ('SELECT count(*) FROM generate_series(1, {readers}) i, LATERAL '
           '{name}.recommend((random() * {users} + 0 * i)::integer) r')
LISTS = {
    'more_like()': 'SELECT count(*) FROM {name}.more_like('
                         '1 + (random() * 900)::integer,'
                         ' user_id => (random() * {users})::integer)',
    'trending()': 'SELECT count(*) FROM {name}.trending('
                   'user_id => (random() * {users})::integer)',
    'next()': 'SELECT count(*) FROM (SELECT id, user_id FROM {name}.decision'
              " WHERE treatment = 'personal' OFFSET random() * 100 LIMIT 1)"
              ' d, {name}.next(d.id, user_id => d.user_id)'}
TRAIN = """
    SELECT count(r.reward)
    FROM   generate_series(1, 200) i,
           LATERAL (SELECT {name}.reward(decision, item)
                    FROM   {name}.recommend(i) WHERE random() < 0.05) r;
    SELECT {name}.learn('0'); VACUUM {name}.item_vector, {name}.block"""
LOGGED = """
    CREATE TABLE logged AS
    SELECT k, dlints_pack(array_agg(x)) AS packed
    FROM   unnest(ARRAY[100, 1000]) k, generate_series(1, k),
           LATERAL (SELECT array_agg(random()::real) AS x
                    FROM generate_series(1, 64 + 0 * k)) v GROUP BY k"""
READ = """
    SELECT count(dlints_unpack(packed, n))
    FROM   generate_series(1, {times}), logged, generate_series(1, k) n
    WHERE  k = {k}"""
DISK = """
    SELECT sum(pg_total_relation_size(relid))::float8
    FROM   pg_partition_tree('{name}.decision')"""


def run(theme):
    """Compare pages with the floor and with each other."""
    many = int(MANY * theme.share)
    for name, items in (('few', FEW), ('other', FEW), ('medium', MEDIUM),
                        ('letter', LETTER), ('many', many)):
        names = {'name': name, 'items': items, 'users': USERS,
                 'clicks': 100000}
        theme.cursor.execute(TABLES.format(**names), ())
        theme.cursor.execute(CREATE.format(**names))
        for statement in TRAIN.format(**names).split(';'):
            theme.cursor.execute(statement)
    pages = {name: PAGE.format(name=name, users=USERS)
             for name in ('few', 'other', 'medium', 'letter', 'many')}
    theme.compare(
        prepared(theme.cursor, {
            'few': pages['few'],
            'floor': 'SELECT max(features[1]) FROM few.item_vector'}),
        [Bar(f'a page of ten, {FEW:,} items: times max(features[1])',
             'few', 'floor', TIMES_FLOOR)], ROUNDS)
    theme.compare(
        prepared(theme.cursor,
                 {name: pages[name] for name in ('few', 'medium', 'many')}),
        [Bar(f'a page of ten, {items:,} items: times {FEW:,} items',
             name, 'few', TIMES_FEW.get(items))
         for name, items in (('medium', MEDIUM), ('many', many))], ROUNDS)
    _turns(theme, pages)
    _letters(theme, pages['letter'])
    for name, items in ('few', FEW), ('many', many):
        _first(theme, pages[name], items)
    _refresh(theme, many)
    for name, items in ('few', FEW), ('many', many):
        lists = {kind: text.format(name=name, users=USERS)
                 for kind, text in LISTS.items()}
        theme.compare(
            prepared(theme.cursor, {name: pages[name], **lists}),
            [Bar(f'{kind}, {items:,} items: times a page of ten',
                 kind, name, TIMES_LIST) for kind in LISTS], ROUNDS)
    theme.cursor.execute(LOGGED)
    theme.compare(
        prepared(theme.cursor, {'long': READ.format(times=1, k=1000),
                                'short': READ.format(times=10, k=100)}),
        [Bar('unpack the vectors of a list of 1,000: times ten lists of 100',
             'long', 'short', TIMES_SHORT)], ROUNDS)
    _space(theme, pages['few'])
    _backtest(theme)
    for making in MAKINGS:
        _making(theme, *making)


def _turns(theme, pages):
    """Compare pages of two recommenders in turns with pages of one.

    A session keeps plans for each recommender, so a change of recommender must
    not discard them.
    """
    tasks = prepared(theme.cursor, {'one': pages['few'], 'other': pages['other']})

    def one():
        tasks['one']()
        tasks['one']()

    def turns():
        tasks['one']()
        tasks['other']()

    theme.compare(
        {'one': one, 'turns': turns},
        [Bar('two recommenders in turns in one session: times one', 'turns',
             'one', TIMES_ONE)], ROUNDS)


def _letters(theme, page):
    """Compare a statement that returns many lists with single pages."""
    tasks = prepared(theme.cursor, {
        'single': page,
        'letters': LETTERS.format(name='letter', users=USERS, readers=READERS)})

    def single():
        for _ in range(READERS):
            tasks['single']()

    theme.compare(
        {'single': single, 'letters': tasks['letters']},
        [Bar(f'{READERS} lists in one statement, {LETTER:,} items: times single '
             'pages', 'letters', 'single', TIMES_SINGLE)], 10)


def _first(theme, page, items):
    """Measure the first page of a session, and the memory of its backend."""
    times, memory = [], {}
    for _ in range(FIRST_PAGES):
        with closing(psycopg2.connect('')) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            machine.share_core(cursor)
            clock = machine.backend_clock(cursor)
            before = clock()
            cursor.execute(page)
            wall, cpu = clock() - before
            times.append(cpu or wall)
            for _ in range(PAGES // FIRST_PAGES):
                cursor.execute(page)
            memory = machine.memory(cursor)
    preloaded = value(theme.cursor, 'SHOW shared_preload_libraries')
    theme.at_most(f'first page of a session, {items:,} items, preloaded: '
                  f'{preloaded or "nothing"}', median(times) * 1000, MAX_FIRST,
                  ' ms')
    theme.tell(f'    memory of its backend after {PAGES // FIRST_PAGES} pages',
               ', '.join(f'{name} {size / 2 ** 20:.0f} MB'
                         for name, size in memory.items()))


def _refresh(theme, items):
    """Measure a refresh if nothing has changed: its log, and its time."""
    clock = machine.backend_clock(theme.cursor)
    times = []
    for _ in range(REFRESHES):
        theme.cursor.execute('CHECKPOINT')
        before = written(theme.cursor)
        start = clock()
        theme.cursor.execute('SELECT many.refresh()')
        wall, cpu = clock() - start
        times.append(cpu or wall)
    theme.at_most(f'refresh(), {items:,} items, nothing changed but ages',
                  median(times), MAX_REFRESH_CPU, ' s')
    theme.at_most(f'write-ahead log of refresh(), {items:,} items, nothing '
                  'changed but ages', (written(theme.cursor) - before) / 1e6,
                  MAX_REFRESH, ' MB')


def _space(theme, page):
    """Measure the write-ahead log and the disk usage of pages."""
    theme.cursor.execute('CHECKPOINT')
    disk = DISK.format(name='few')
    before = []
    for calls in 10, PAGES:
        before = written(theme.cursor), value(theme.cursor, disk)
        for _ in range(calls):
            theme.cursor.execute(page)
    after = written(theme.cursor), value(theme.cursor, disk)
    log, used = ((end - start) / PAGES / 1000 for end, start in zip(after, before))
    theme.at_most('write-ahead log of a page of ten', log, MAX_LOG, ' kB')
    theme.at_most('disk of a page of ten, after training', used, MAX_DISK, ' kB')


def _backtest(theme):
    """Measure the CPU time that a backtest takes per user."""
    clock = machine.backend_clock(theme.cursor)
    times = []
    for users in TESTED:
        start = clock()
        theme.cursor.execute('SELECT count(*) FROM letter.backtest(%s)', (users,))
        wall, cpu = clock() - start
        times.append(cpu or wall)
    theme.at_most(f'backtest, {LETTER:,} items: a user',
                  (times[1] - times[0]) / (TESTED[1] - TESTED[0]) * 1000,
                  MAX_TESTED, ' ms')


def _making(theme, items, users, clicks, seconds):
    """Measure the CPU time and the peak memory of making a recommender."""
    names = {'name': f'made_{clicks}', 'items': items, 'users': users,
             'clicks': int(clicks * theme.share)}
    theme.cursor.execute(TABLES.format(**names), ())
    with closing(psycopg2.connect('')) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute('SET search_path = '
                       + value(theme.cursor, 'SHOW search_path'))
        machine.share_core(cursor)
        clock = machine.backend_clock(cursor)
        before = clock()
        cursor.execute(CREATE.format(**names))
        wall, cpu = clock() - before
        peak = machine.memory(cursor)['VmHWM']
    theme.at_most(f'making a recommender: {items:,} items, '
                  f'{names["clicks"]:,} clicks', cpu or wall, seconds, ' s')
    theme.at_most('    peak memory of its backend, with shared buffers',
                  peak / 1e6, MAX_PEAK, ' MB')
