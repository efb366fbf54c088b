"""A page of a recommender: chosen, logged and returned, for people by chance.

Of many items a list is chosen of a shortlist. The floor is what the executor
takes to read one number of each vector.

Of the 1.6 kB of write-ahead log that a page leaves, 1.3 are its row of the log, of
which two thirds are the features of its items, and the others its indexes and
what is due. A row and its place in the index of the numbers is what stays.
"""

from bench.measure import prepared
from bench.server import value, written
from bench.speed.bars import Bar

FEW, MANY = 1000, 100000
TIMES_FEW = {100000: 6, 1000000: 36}     # by how many there are
PEOPLE = 4000
PAGES = 500
ROUNDS = 300
TIMES_FLOOR = 12
TIMES_SHORT = 1.5
TIMES_BOX = 1.2
MOST_LOG = 1.5
MOST_DISK = 1.3

SHOP = """
    CREATE TABLE {name}_product (
        id integer PRIMARY KEY, category text, price float8, added timestamptz);
    INSERT INTO {name}_product
    SELECT i, 'c' || hashint4(i) %% 20, exp(3 + 2 * random()),
           now() - random() * interval '400 days'
    FROM   generate_series(1, {items}) i;
    CREATE TABLE {name}_sale (person integer, product integer, at timestamptz);
    INSERT INTO {name}_sale
    SELECT i %% {people}, 1 + floor({items} * random() ^ 2),
           now() - random() * interval '60 days'
    FROM   generate_series(1, 100000) i;
    CREATE INDEX ON {name}_sale (person, at);
    ANALYZE {name}_product, {name}_sale;
    SELECT dlints_create_recommender(
        '{name}', '{name}_product', '{{category,price,added}}',
        clicks => 'SELECT person, product, at FROM {name}_sale')"""
PAGE = 'SELECT count(*) FROM {name}.recommend((random() * {people})::integer)'
BOXES = {
    'more like an item': 'SELECT count(*) FROM {name}.more_like('
                         '1 + (random() * 900)::integer,'
                         ' person => (random() * {people})::integer)',
    'what trends': 'SELECT count(*) FROM {name}.trending('
                   'person => (random() * {people})::integer)',
    'the next page': 'SELECT count(*) FROM {name}.next(('
                     "SELECT id FROM {name}.decision WHERE arm = 'personal'"
                     ' LIMIT 1))'}
LEARNED = """
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
KEPT = """
    SELECT sum(pg_total_relation_size(relid))::float8
    FROM   pg_partition_tree('{name}.decision')"""


def run(theme):
    """Compare pages with the floor, and with each other."""
    many = int(MANY * theme.share)
    for name, items in ('few', FEW), ('many', many):
        names = {'name': name, 'items': items, 'people': PEOPLE}
        theme.cursor.execute(SHOP.format(**names), ())
        for statement in LEARNED.format(**names).split(';'):
            theme.cursor.execute(statement)
    pages = {name: PAGE.format(name=name, people=PEOPLE)
             for name in ('few', 'many')}
    tasks = prepared(theme.cursor, {
        **pages, 'floor': 'SELECT max(features[1]) FROM few.item_vector'})
    theme.compare(
        tasks,
        [Bar(f'a page of ten, {FEW:,} items: times max(features[1])',
             'few', 'floor', TIMES_FLOOR),
         Bar(f'a page of ten, {many:,} items: times {FEW:,} items',
             'many', 'few', TIMES_FEW.get(many))], ROUNDS)
    for name, items in ('few', FEW), ('many', many):
        boxes = {box: text.format(name=name, people=PEOPLE)
                 for box, text in BOXES.items()}
        theme.compare(
            prepared(theme.cursor, {name: pages[name], **boxes}),
            [Bar(f'{box}, {items:,} items: times a page of ten',
                 box, name, TIMES_BOX) for box in BOXES], ROUNDS)
    theme.cursor.execute(LOGGED)
    theme.compare(
        prepared(theme.cursor, {'long': READ.format(times=1, k=1000),
                                'short': READ.format(times=10, k=100)}),
        [Bar('vectors of a list of 1,000: times those of ten of 100',
             'long', 'short', TIMES_SHORT)], ROUNDS)
    _space(theme, pages['few'])


def _space(theme, page):
    """Look at what pages write, and at what is kept of them."""
    theme.cursor.execute('CHECKPOINT')
    kept = KEPT.format(name='few')
    before = []
    for calls in 10, PAGES:
        before = written(theme.cursor), value(theme.cursor, kept)
        for _ in range(calls):
            theme.cursor.execute(page)
    after = written(theme.cursor), value(theme.cursor, kept)
    log, disk = ((now - was) / PAGES / 1000 for now, was in zip(after, before))
    theme.at_most('write-ahead log of a page of ten', log, MOST_LOG, ' kB')
    theme.at_most('disk of a page of ten, once learned', disk, MOST_DISK, ' kB')
