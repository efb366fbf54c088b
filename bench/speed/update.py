"""One reward at a time, against an UPDATE that writes as many bytes.

Both statements read, change and write one row through TOAST, and both are sent
features: to read 120 numbers as text takes about as long as to learn from
them. Also shown: against a statement that is sent none, and with features
that is in a table already.
"""

from bench import samples
from bench.measure import against, ratio
from bench.report import Result, at_most
from bench.server import value
from bench.speed.latency import Client

TRANSACTIONS = 1500
BAR = 1.3

TABLES = f"""
    CREATE TABLE bytes (name text PRIMARY KEY, state bytea NOT NULL)
    WITH {samples.QUIET};
    ALTER TABLE bytes ALTER state SET STORAGE external;
    INSERT INTO bytes
    SELECT name, decode(repeat('a5', pg_column_size(state)), 'hex')
    FROM   model"""

LEARN = """\
UPDATE model
SET    state = dlints_update(state, :features::real[], :reward)
WHERE  name = :model;"""
REWRITE = """\
UPDATE bytes SET state = set_byte(state, 1000, :byte) WHERE name = :model;"""
LEARN_ROW = """\
UPDATE model m SET state = dlints_update(m.state, i.features, :reward)
FROM   item i WHERE m.name = :model;"""
REWRITE_ROW = """\
UPDATE bytes b SET state = set_byte(b.state, cardinality(i.features), :byte)
FROM   item i WHERE b.name = :model;"""
REWRITE_SENT = """\
UPDATE bytes
SET    state = set_byte(state, cardinality(:features::real[]), :byte)
WHERE  name = :model;"""

SCRIPTS = {
    'learn in transaction': f'BEGIN;\n{LEARN}\nCOMMIT;',
    'rewrite in transaction': f'BEGIN;\n{REWRITE_SENT}\nCOMMIT;',
    'rewrite unsent in transaction': f'BEGIN;\n{REWRITE}\nCOMMIT;',
    'learn': LEARN,
    'rewrite': REWRITE_SENT,
    'learn, row': LEARN_ROW,
    'rewrite, row': REWRITE_ROW}

RANDOM = '\\set byte random(0, 255)\n\\set reward random(0, 1)\n'


def run(cursor, share, advance):
    """Return the results."""
    features = samples.random_features(1, samples.DIM)
    samples.create_items(cursor, features)
    samples.create_model(cursor)
    cursor.execute(TABLES)
    size = value(cursor, 'SELECT pg_column_size(state) FROM bytes')

    features = '{' + ','.join(f'{number:.7g}' for number in features[0]) + '}'
    scripts = {name: RANDOM + script for name, script in SCRIPTS.items()}
    seconds = Client(cursor).run(
        scripts, max(100, int(TRANSACTIONS * share)), advance,
        before='VACUUM model, bytes', model=samples.MODEL, features=features)

    def versus(learn, rewrite):
        return ratio(seconds[learn], seconds[rewrite])

    def information(what, learn, rewrite):
        return Result(f'    {what}', f'{versus(learn, rewrite)}, '
                      f'{against(seconds, learn, rewrite)}')

    main = versus('learn in transaction', 'rewrite in transaction')
    return [
        at_most('dlints_update in a transaction: times an UPDATE of a bytea '
                f'of {size:,} bytes', main.value, BAR, f'{main}'),
        Result('    BEGIN, UPDATE, COMMIT; both sent features',
               against(seconds, 'learn in transaction',
                       'rewrite in transaction')),
        information('only one of them sent features', 'learn in transaction',
                    'rewrite unsent in transaction'),
        information('without BEGIN and COMMIT', 'learn', 'rewrite'),
        information('... the features from a table row', 'learn, row',
                    'rewrite, row')]
