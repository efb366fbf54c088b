"""Many models in one statement, interleaved row by row.

The rows are the same each time, in the order of the table; row i is for model
i modulo their number. A call that kept too few models, or dropped those that
it needs next, would prepare one for each row. What is kept of most models has
to come from main memory, too: the rows of the most models are therefore
measured against the same rows model after model.

Models are stored (out of line), or come in line from a subquery. A matched one
has a profile of its own.
"""

from bench import samples
from bench.measure import BLOCKS, alternate, ratio
from bench.report import Result, at_most

ROWS = 100000
COUNTS = (1, 1000, 10000)
MANY, MOST = COUNTS[1:]
ROUNDS = 10
RUNS_BAR = 3
IN_RUNS = 'in runs'

TABLES = f"""
    CREATE TABLE run AS SELECT * FROM feedback ORDER BY id % {MOST}, id;
    CREATE TABLE model AS
    SELECT f.id % {MOST} AS id, 'thompson' AS policy, NULL::real[] AS profile,
           dlints_evidence(fresh, f.features, f.reward) AS state
    FROM   feedback f, dlints_new({samples.DIM}, {samples.REDUCED_DIM},
                                  {samples.PAPER}) AS fresh
    GROUP  BY 1;
    INSERT INTO model
    SELECT id, 'ucb', NULL, dlints_set(state, policy => 'ucb') FROM model;
    INSERT INTO model
    SELECT p.id - 1, 'matched', p.features,
           dlints_evidence(fresh, f.features, f.reward, p.features)
    FROM   feedback f JOIN feedback p ON p.id = f.id % {MOST} + 1,
           dlints_new({samples.DIM}, {samples.REDUCED_DIM},
                      {samples.PAPER}, policy => 'ucb',
                      interactions => 'matched') AS fresh
    GROUP  BY p.id, p.features"""

MODELS = """
    FROM   {rows} f, {models} m
    WHERE  m.id = f.id % {count} AND m.policy = '{policy}'"""
STORED = 'model'
IN_LINE = """(SELECT id, policy, profile, dlints_set(state) AS state
              FROM   model WHERE policy = '{policy}' AND id < {count}
              OFFSET 0)"""
# from where, and how many times one model many may take
SOURCES = {'': (STORED, 4), ', in line': (IN_LINE, 6)}
ROW_BY_ROW = 'SELECT sum({call})' + MODELS
BY_GROUP = f'SELECT count(best) FROM (SELECT {{call}} AS best {MODELS} ' \
    'GROUP BY m.id) each'
RECOMMEND = 'dlints_recommend(m.state, f.id, f.features)'
FORMS = {
    'dlints_predict':
        (ROW_BY_ROW, 'dlints_predict(m.state, f.features)', 'thompson'),
    'dlints_stddev':
        (ROW_BY_ROW, 'dlints_stddev(m.state, f.features)', 'thompson'),
    'dlints_recommend, GROUP BY model': (BY_GROUP, RECOMMEND, 'thompson'),
    'the same, ucb': (BY_GROUP, RECOMMEND, 'ucb'),
    'the same, matched': (
        BY_GROUP, 'dlints_recommend(m.state, f.id, f.features, 1, m.profile)',
        'matched')}


def run(cursor, share, advance):
    """Return the results."""
    rows = max(10 * MOST, int(ROWS * share))
    samples.create_feedback(cursor,
                            samples.random_features(rows, samples.DIM))
    cursor.execute("SET work_mem = '512MB'")
    cursor.execute(TABLES)
    samples.keep_in_memory(cursor, 'feedback')
    samples.keep_in_memory(cursor, 'run')
    cursor.execute('VACUUM ANALYZE model')
    # Sorted by model the rows would not be interleaved.
    cursor.execute('SET enable_sort = off')
    results = []
    forms = [(f'{name}{where}', source, form) for name, form in FORMS.items()
             for where, source in SOURCES.items()]
    for number, (name, (models, bar), form) in enumerate(forms, 1):
        seconds = alternate(
            {key: lambda task=task: cursor.execute(task)
             for key, task in _tasks(models, *form).items()},
            max(BLOCKS, int(ROUNDS * share)))
        results += _compare(name, rows, bar, seconds)
        advance(number / len(forms))
    return results


def _tasks(models, statement, call, policy):
    """Return the statements to compare, by how many models they are about."""
    def task(rows, count):
        return statement.format(
            call=call, rows=rows, count=count, policy=policy,
            models=models.format(count=count, policy=policy))

    return {**{count: task('feedback', count) for count in COUNTS},
            IN_RUNS: task('run', MOST)}


def _compare(name, rows, bar, seconds):
    """Return the results of one form."""
    many = ratio(seconds[MANY], seconds[1], min)
    most = ratio(seconds[MOST], seconds[IN_RUNS], min)
    calls = [f'{seconds[count].min() / rows * 1e6:.2f}' for count in COUNTS]
    return [
        at_most(f'{name}, {rows:,} rows, {MANY:,} models: times one model',
                many.value, bar, f'{many}'),
        at_most(f'    {MOST:,} models: times the same rows model by model',
                most.value, RUNS_BAR, f'{most}'),
        Result(f'    {", ".join(f"{count:,}" for count in COUNTS)} models',
               f'{", ".join(calls)} us a call')]
