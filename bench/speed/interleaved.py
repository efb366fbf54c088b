"""Many models in one statement, interleaved row by row.

The rows are the same for each number of models, in the order of the table; row
i is for model i modulo their number. With a cache that is too small, or that
evicts models needed next, each row would prepare a model. Most cached models
have to be fetched from main memory; the rows of the largest number of models
are therefore compared with the same rows sorted by model.

Models are stored out of line, or returned in line by a subquery. Matched
models have a profile each. The key of an inline model is a copy of it, and the
largest number of inline models exceeds the cache: two rows of three prepare a
model again, against one of ten sorted by model. That is the only higher bar.
"""

import numpy as np

from bench import samples
from bench.measure import statements
from bench.speed.bars import Bar

ROWS = 100000
COUNTS = MANY, MOST = 1000, 10000
ROUNDS = 10

TABLES = f"""
    CREATE TABLE run AS SELECT * FROM feedback ORDER BY id % {MOST}, id;
    CREATE TABLE model AS
    SELECT f.id % {MOST} AS id, 'plain' AS kind, NULL::real[] AS profile,
           dlints_evidence(fresh, f.features, f.reward) AS state
    FROM   feedback f,
           dlints_new({samples.DIM}, {samples.REDUCED_DIM}) AS fresh
    GROUP  BY 1;
    INSERT INTO model
    SELECT p.id - 1, 'matched', p.features,
           dlints_evidence(fresh, f.features, f.reward, p.features)
    FROM   feedback f JOIN feedback p ON p.id = f.id % {MOST} + 1,
           dlints_new({samples.DIM}, {samples.REDUCED_DIM},
                      interactions => 'matched') AS fresh
    GROUP  BY p.id, p.features"""

MODELS = """
    FROM   {rows} f, {models} m
    WHERE  m.id = f.id % {count} AND m.kind = '{kind}'"""
ROW_BY_ROW = 'SELECT sum({call})' + MODELS
BY_GROUP = f'SELECT count(best) FROM (SELECT {{call}} AS best {MODELS} ' \
    'GROUP BY m.id) each'
PREDICT = 'dlints_predict(m.state, f.features)'
STORED = 'model'
IN_LINE = """(SELECT id, kind, profile, dlints_set(state) AS state
              FROM   model WHERE kind = '{kind}' AND id < {count}
              OFFSET 0)"""
# Statement, call, kind of models and their storage; maximum ratio of many
# models to one model; and maximum ratio of the most models to the same models
# in runs
FORMS = {
    'dlints_predict': ((ROW_BY_ROW, PREDICT, 'plain', STORED), 4, 3),
    'dlints_predict, in line': (
        (ROW_BY_ROW, PREDICT, 'plain', IN_LINE), 6, 5),
    'dlints_stddev': ((ROW_BY_ROW, 'dlints_stddev(m.state, f.features)',
                       'plain', STORED), 4, 3),
    'dlints_recommend, GROUP BY model': (
        (BY_GROUP, 'dlints_recommend(m.state, f.id, f.features)', 'plain',
         STORED), 4, 3),
    'the same, matched': (
        (BY_GROUP, 'dlints_recommend(m.state, f.id, f.features, 1, m.profile)',
         'matched', STORED), 4, 3)}


def run(theme):
    """Compare many models with one, and with sorted rows."""
    cursor = theme.cursor
    samples.create_feedback(cursor,
                            samples.random_features(ROWS, samples.DIM))
    cursor.execute("SET work_mem = '512MB'")
    cursor.execute(TABLES)
    samples.keep_in_memory(cursor, 'feedback')
    samples.keep_in_memory(cursor, 'run')
    cursor.execute('VACUUM ANALYZE model')
    # Sorting by model would undo the interleaving.
    cursor.execute('SET enable_sort = off')
    for name, (form, most, runs_most) in FORMS.items():
        theme.compare(
            statements(cursor, _tasks(*form)),
            [Bar(f'{name}, {MANY:,} models: times one', MANY, 1, most),
             Bar(f'    {MOST:,} models: times rows model by model', MOST,
                 'in runs', runs_most)],
            ROUNDS, np.min)


def _tasks(statement, call, kind, models):
    """Return the statements to compare, by number of models."""
    def task(rows, count):
        return statement.format(
            call=call, rows=rows, count=count, kind=kind,
            models=models.format(count=count, kind=kind))

    return {**{count: task('feedback', count) for count in (1, *COUNTS)},
            'in runs': task('run', MOST)}
