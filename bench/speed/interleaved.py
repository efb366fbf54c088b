"""Many models in one statement, interleaved row by row.

The rows are the same each time, in the order of the table; row i is for model
i modulo their number. A call that kept too few models, or dropped those that
it needs next, would prepare one for each row.
"""

from bench import samples
from bench.measure import BLOCKS, alternate, ratio
from bench.report import Result, at_most

TITLE = 'Models interleaved row by row'
ROWS = 100000
COUNTS = (1, 8, 9, 12, 100, 1000)
ROUNDS = 20
BARS = {9: 2, 1000: 4}

MODELS = f"""
    CREATE TABLE model AS
    SELECT f.id % {COUNTS[-1]} AS id, m.policy,
           dlints_evidence(m.state, f.features, f.reward) AS state
    FROM   feedback f, (SELECT p, dlints_new({samples.CONTEXT_DIM},
                                             {samples.REDUCED_DIM},
                                             policy => p, {samples.PAPER})
                        FROM   unnest('{{thompson,ucb}}'::text[]) AS p)
                       m (policy, state)
    GROUP  BY 1, 2"""

PREDICT = """
    SELECT sum(dlints_predict(m.state, f.features))
    FROM   feedback f, model m
    WHERE  m.id = f.id % {count} AND m.policy = 'thompson'"""
RECOMMEND = """
    SELECT count(best) FROM (
        SELECT dlints_recommend(m.state, f.id, f.features) AS best
        FROM   feedback f, model m
        WHERE  m.id = f.id % {count} AND m.policy = '{policy}'
        GROUP  BY m.id) each"""
FORMS = {
    'dlints_predict': PREDICT,
    'dlints_recommend, GROUP BY model':
        RECOMMEND.replace('{policy}', 'thompson'),
    'the same, ucb': RECOMMEND.replace('{policy}', 'ucb')}


def run(cursor, share, advance):
    """Return the results."""
    rows = max(10 * COUNTS[-1], int(ROWS * share))
    samples.create_feedback(cursor,
                            samples.contexts(rows, samples.CONTEXT_DIM))
    samples.keep_in_memory(cursor, 'feedback')
    cursor.execute(MODELS)
    cursor.execute('VACUUM ANALYZE model')
    # Sorted by model the rows would not be interleaved.
    cursor.execute('SET enable_sort = off')
    results = []
    for number, (name, statement) in enumerate(FORMS.items(), 1):
        tasks = {count: lambda task=statement.format(count=count):
                 cursor.execute(task) for count in COUNTS}
        results += _compare(name, rows, alternate(
            tasks, max(BLOCKS, int(ROUNDS * share))))
        advance(number / len(FORMS))
    return results


def _compare(name, rows, seconds):
    """Return the results of one form."""
    ratios = {count: ratio(seconds[count], seconds[1], min) for count in BARS}
    calls = [f'{seconds[count].min() / rows * 1e6:.2f}' for count in COUNTS]
    return [
        *(at_most(f'{name}, {rows:,} rows, {count:,} models: times one model',
                  found.value, BARS[count], f'{found}')
          for count, found in ratios.items()),
        Result(f'    {", ".join(f"{count:,}" for count in COUNTS)} models',
               f'{", ".join(calls)} us a call')]
