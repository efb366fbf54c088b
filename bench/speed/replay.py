"""A log replayed in PL/pgSQL: a variable that learns row by row.

Since PostgreSQL 18 it learns in place. In the loop that it is compared to the
call is in a CASE, where PL/pgSQL does not look for it: a row copies the model.
"""

from bench import samples
from bench.measure import BLOCKS, alternate, ratio
from bench.report import Result, at_most
from bench.server import value

REDUCED_DIMS = (24, 60)
ROWS = 2000
ROUNDS = 30
BAR = 0.5
IN_PLACE_SINCE = 180000

FUNCTION = """
    CREATE FUNCTION {name}(state dlints) RETURNS float8 LANGUAGE plpgsql AS
    $$
    DECLARE
        row record;
        predicted float8 := 0;
    BEGIN
        FOR row IN SELECT features, reward FROM feedback LOOP
            {body}
        END LOOP;
        RETURN predicted + dlints_predict(state, row.features);
    END
    $$"""
LEARN = 'state := dlints_update(state, row.features, row.reward);'
COPY = """
    state := CASE WHEN state IS NOT NULL
             THEN dlints_update(state, row.features, row.reward) END;"""
PREDICT = 'predicted := predicted + dlints_predict(state, row.features);'
FUNCTIONS = {'learn': LEARN, 'copy': COPY, 'predict_learn': PREDICT + LEARN,
             'predict_copy': PREDICT + COPY}


def run(cursor, share, advance):
    """Return the results."""
    if value(cursor, "SELECT current_setting('server_version_num')::integer"
             ) < IN_PLACE_SINCE:
        return [Result('replay in PL/pgSQL, in place',
                       'not before PostgreSQL 18')]
    samples.create_feedback(cursor,
                            samples.contexts(ROWS, samples.CONTEXT_DIM))
    for name, body in FUNCTIONS.items():
        cursor.execute(FUNCTION.format(name=name, body=body))
    tasks = {(name, dim): lambda name=name, dim=dim: cursor.execute(
        f'SELECT {name}(dlints_new(%s, %s))', (samples.CONTEXT_DIM, dim))
        for dim in REDUCED_DIMS for name in FUNCTIONS}
    seconds = alternate(tasks, max(BLOCKS, int(ROUNDS * share)),
                        advance=advance)
    return [result for dim in REDUCED_DIMS for result in _compare(
        dim, {name: seconds[name, dim] for name in FUNCTIONS})]


def _compare(dim, seconds):
    """Return the results for one size."""
    rows = {name: f'{min(times) / ROWS * 1e6:.1f}'
            for name, times in seconds.items()}
    learned = ratio(seconds['learn'], seconds['copy'], min)
    predicted = ratio(seconds['predict_learn'], seconds['predict_copy'], min)
    return [
        at_most(f'replay in PL/pgSQL, d = {dim}, in place: times the same '
                'with copies', learned.value, BAR, f'{learned}'),
        Result('    one row', f'{rows["learn"]} against {rows["copy"]} us'),
        Result('    predicted before it is learned',
               f'{predicted}, {rows["predict_learn"]} against '
               f'{rows["predict_copy"]} us')]
