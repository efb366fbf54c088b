"""Generate a shop: a click log, two recommenders, and a log of several months."""

from bench.server import value

USERS = 100000
CLICKS = 500000
ITEMS = {'shop': 1000, 'large': 10000}
SHOWN = 10
MONTHS = 6
CLICKED = 0.02          # fraction of impressions with a click
LOG = 'decision', 'reward'

CREATE = f"""
    SELECT setseed(0.5);
    CREATE TABLE click AS
    SELECT 1 + floor({USERS} * random())::integer AS user_id,
           1 + floor({ITEMS['shop']} * random() ^ 2)::integer AS item,
           now() - random() * interval '60 days' AS at
    FROM   generate_series(1, {CLICKS});
    CREATE INDEX ON click (user_id, at);
    CREATE INDEX ON click (at);
    ANALYZE click"""
RECOMMENDER = """
    CREATE TABLE {name}_item AS
    SELECT i AS id, 'category ' || i %% 12 AS category,
           'brand ' || i %% 40 AS brand, 10 + i %% 400 AS price,
           current_date - i %% 200 AS added, true AS in_stock
    FROM   generate_series(1, {items}) i;
    ALTER TABLE {name}_item ADD PRIMARY KEY (id);
    ANALYZE {name}_item;
    DROP SCHEMA IF EXISTS {name} CASCADE;
    SELECT dlints_create_recommender('{name}', '{name}_item',
        '{{category, brand, price, added}}', control => 0, epsilon => 0,
        attribution_window => '10 seconds',
        clicks => 'SELECT user_id, item, at FROM click')"""

# Partitions like those of run(), without indexes until they are filled
MONTH = """
    CREATE TABLE shop.decision_{month} (
        LIKE shop.decision INCLUDING CONSTRAINTS);
    CREATE TABLE shop.reward_{month} (
        LIKE shop.reward INCLUDING DEFAULTS INCLUDING CONSTRAINTS)"""
FILL = """
    INSERT INTO shop.decision_{month} (
        id, at, seed, user_id, treatment, context, profile,
        items, probabilities, expected, versions, features)
    SELECT _dlints_first_decision(t.at) + n %% 4194304, t.at, n,
           1 + floor({users} * random()), 'personal', '{{}}', p.profile,
           l.items, array_fill(0.1, ARRAY[{shown}]),
           array_fill(0.02, ARRAY[{shown}]), l.versions, l.features
    FROM   generate_series(1, {decisions}) n,
           LATERAL (SELECT timestamptz '{first}'
                           + (n - 1) / {decisions}::float8
                           * (timestamptz '{last}' - '{first}') AS at) t,
           (SELECT dlints_pack(shop.profile(1), 8) AS profile OFFSET 0) p,
           (SELECT array_agg(items ORDER BY n) AS lists,
                   array_agg(versions ORDER BY n) AS versions,
                   array_agg(features ORDER BY n) AS features
            FROM  (SELECT n, array_agg(item ORDER BY position)::text AS items,
                          array_agg(i.version ORDER BY position)::text
                          AS versions,
                          dlints_pack(array_agg(v.features[s.liked + 1:]
                                                ORDER BY position), 8)
                          AS features
                   FROM   generate_series(0, {items} - 1) n,
                          generate_series(1, {shown}) position,
                          shop.item_features v
                          JOIN shop.item_vector i USING (item),
                          shop.setting s
                   WHERE  item = 1 + (n * 7 + position * 37) %% {items}
                   GROUP  BY n) list) a,
           LATERAL (SELECT a.lists[1 + n %% {items}]::integer[] AS items,
                           a.versions[1 + n %% {items}]::bigint[] AS versions,
                           a.features[1 + n %% {items}] AS features) l;
    INSERT INTO shop.reward_{month}
    SELECT d.id, item, 'click', 1, now(), 1
    FROM   shop.decision_{month} d, unnest(d.items) item
    WHERE  random() < {clicked}"""
ATTACH = """
    ALTER TABLE shop.{table} ATTACH PARTITION shop.{table}_{month}
    FOR VALUES FROM (_dlints_first_decision('{first}'))
                 TO (_dlints_first_decision('{end}'))"""
CALENDAR = """
    SELECT to_char(m, 'YYYY_MM'), m::text || ' UTC',
           least(m + interval '1 month', now() AT TIME ZONE 'UTC'
                                         - interval '1 hour')::text || ' UTC',
           (m + interval '1 month')::text || ' UTC'
    FROM   generate_series(date_trunc('month', now() AT TIME ZONE 'UTC')
                           - interval '1 month' * %(months)s,
                           now() AT TIME ZONE 'UTC', '1 month') m"""


def create(cursor, rows):
    """Generate the shop, with a given number of impressions in its log."""
    cursor.execute(CREATE)
    for name, items in ITEMS.items():
        cursor.execute(RECOMMENDER.format(name=name, items=items), ())
    cursor.execute(CALENDAR, {'months': MONTHS - 1})
    for month, first, last, end in cursor.fetchall():
        _fill(cursor, rows // SHOWN // MONTHS, month, first, last, end)
        print(f'the log of {month.replace("_", "-")} is generated', flush=True)
    for table in LOG:
        cursor.execute(f'VACUUM ANALYZE shop.{table}')


def drop(cursor):
    """Remove the recommenders."""
    for name in ITEMS:
        cursor.execute(f'DROP SCHEMA IF EXISTS {name} CASCADE')


def oldest(cursor):
    """Return the oldest month of the log, as in the names of partitions."""
    return value(cursor, """
        SELECT min(substr(relname, 10)) FROM pg_class
        WHERE  relnamespace = 'shop'::regnamespace
        AND    relname ~ '^decision_[0-9_]{7}$'""")


def _fill(cursor, decisions, month, first, last, end):
    """Create and fill a month; the current one exists, with indexes."""
    exists = value(cursor, 'SELECT to_regclass(%(name)s) IS NOT NULL',
                   name=f'shop.decision_{month}')
    if not exists:
        cursor.execute(MONTH.format(month=month))
    cursor.execute(FILL.format(
        month=month, first=first, last=last, decisions=decisions,
        users=USERS, shown=SHOWN, items=ITEMS['shop'], clicked=CLICKED), ())
    for table in () if exists else LOG:
        cursor.execute(ATTACH.format(table=table, month=month, first=first,
                                     end=end))
