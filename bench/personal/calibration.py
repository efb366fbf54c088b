"""Are clicks as frequent as a model expects?  On pairs by chance."""

from bench.report import table, with_error

LEARNED, EXPECTED = 10000, 50000
# Of clicks, which are on 5 % of the pairs
SHARES = 1, 0.4, 0.12

PAIRS = """
CREATE TEMP TABLE pair AS
SELECT row_number() OVER (ORDER BY random()) AS place, h.person, m.id AS movie,
       coalesce(luck[1], 1) AS luck
FROM  (SELECT DISTINCT person FROM history) h CROSS JOIN movie m
       LEFT JOIN click k ON (k.person, k.movie) = (h.person, m.id)
WHERE  NOT EXISTS (SELECT FROM history i
                   WHERE (i.person, i.movie) = (h.person, m.id))
ORDER  BY 1
LIMIT  %(count)s"""

# What is expected of pairs by a model that has learned the first of them:
# clicks, the slope of clicks on what was expected, expectations below 0
CALIBRATION = """
WITH observed AS (
    SELECT place, v.features, p.features AS profile,
           (luck < 1)::integer * %(kept)s::float8 AS expected,
           (luck < %(kept)s)::integer AS clicked
    FROM   pair
           JOIN vector v ON v.kind = %(items)s AND v.movie = pair.movie
           JOIN profile p ON p.kind = v.kind AND p.person = pair.person),
learned AS MATERIALIZED (
    SELECT {model} || dlints_evidence({model}, features, clicked, profile
                                      ORDER BY place) AS state
    FROM   observed WHERE place <= %(count)s)
SELECT avg(expected), regr_slope(expected, predicted),
       avg((predicted < 0)::integer)::float8
FROM  (SELECT expected, dlints_predict((SELECT state FROM learned), features,
                                       profile) AS predicted
       FROM   observed WHERE place > %(count)s) p"""

HEAD = 'clicked', 'slope of clicks on what is expected', 'expected below 0'
DIGITS = 4, 2, 3


def measure(cursor, policy, model):
    """Return the numbers of CALIBRATION for each share of clicks kept."""
    cursor.execute(PAIRS, {'count': LEARNED + EXPECTED})
    found = []
    for kept in SHARES:
        cursor.execute(CALIBRATION.format(model=model), {
            **policy.model, 'items': policy.items, 'kept': kept,
            'count': LEARNED})
        found.append(cursor.fetchone())
    return found


def print_all(name, found):
    """Print what was measured under each seed."""
    print(f'\n{name}, pairs by chance: {LEARNED:,} learned, '
          f'{EXPECTED:,} others expected\n')
    print(table([HEAD] + [
        tuple(map(with_error, zip(*rows), DIGITS)) for rows in zip(*found)]))
