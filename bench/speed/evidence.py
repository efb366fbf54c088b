"""Learning from many rows at once.

The table is all in shared buffers, where the aggregate to measure against is
fastest. Just loaded it is not: it waits in the system's cache, and sequential
scans bring it in little by little. That is measured too.
"""

import numpy as np

from bench import reference, samples
from bench.measure import BLOCKS, alternate, ratio
from bench.report import Result, at_least, at_most

ROWS = 100000
ROUNDS = 60
REFERENCE_ROWS = 250
REFERENCE_ROUNDS = 40
WIDE = 60
BAR = 8
REFERENCE_BAR = 40

BASE = 'SELECT max(reward) FROM feedback'
JOIN = f"""
    SELECT dlints_evidence(m.state, f.features, f.reward) IS NOT NULL
    FROM   model m, feedback f WHERE m.name = '{samples.MODEL}'"""
SUBQUERY = """
    SELECT dlints_evidence((SELECT state FROM model WHERE name = '{}'),
                           features, reward) IS NOT NULL
    FROM   feedback"""
FORMS = {'join': JOIN,
         'subquery': SUBQUERY.format(samples.MODEL),
         'wide': SUBQUERY.format('wide')}


def run(cursor, share, advance):
    """Return the results."""
    rows = max(10000, int(ROWS * share))
    dim, reduced_dim = samples.DIM, samples.REDUCED_DIM
    samples.create_models(cursor, (samples.MODEL, dim, reduced_dim),
                         ('wide', dim, WIDE))
    features = samples.random_features(rows, dim)
    samples.create_feedback(cursor, features)
    rounds = max(BLOCKS, int(ROUNDS * share))

    def against_aggregate(name):
        """Return seconds of a form and of the aggregate, and their ratio."""
        times = alternate({name: lambda: cursor.execute(FORMS[name]),
                           'base': lambda: cursor.execute(BASE)}, rounds)
        return (times[name], times['base'],
                ratio(times[name], times['base'], np.min))

    pages = samples.blocks(cursor, BASE, 'Shared Read')
    loaded = against_aggregate('subquery')
    advance(0.2)
    samples.keep_in_memory(cursor, 'feedback')
    compared = {}
    for number, name in enumerate(FORMS, 2):
        compared[name] = against_aggregate(name)
        advance(0.2 * number)
    best = min('join', 'subquery', key=lambda name: compared[name][2].value)
    gain, rates = _against_numpy(cursor, FORMS[best], features,
                                 max(BLOCKS, int(REFERENCE_ROUNDS * share)))
    advance(1)

    shape = f'{rows:,} rows, n = {dim}, d = {reduced_dim}'
    main = compared[best][2]
    return [
        at_most(f'dlints_evidence, {shape}: times max(reward)',
                main.value, BAR, f'{main}'),
        _line('FROM model, feedback', rows, *compared['join']),
        _line('model in a subquery', rows, *compared['subquery']),
        _line(f'the same, d = {WIDE}', rows, *compared['wide']),
        _line(f'd = {reduced_dim}, at first {pages:,} pages outside shared '
              'buffers', rows, *loaded),
        at_least('the same: times the rate of Algorithm 1, row by row in '
                 'numpy', gain.value, REFERENCE_BAR, f'{gain}'),
        Result('    numpy: Z, Z~, b and psi-hat; without psi-hat',
               '; '.join(f'{rate:,.0f} rows/s' for rate in rates))]


def _line(what, rows, seconds, base_seconds, quotient):
    """Return the information on one comparison with the aggregate."""
    return Result(f'    {what}',
                  f'{quotient}, {base_seconds.min() * 1e3:.1f} ms; '
                  f'{rows / seconds.min() / 1e6:.2f} million rows/s')


def _against_numpy(cursor, statement, features, rounds):
    """Compare with the paper's rule, applied to one row after the other.

    Return the ratio, and the rule's rates with and without the estimate that
    Algorithm 1 computes at each step.
    """
    rewards = samples.rewards(features)
    some = features[:REFERENCE_ROWS].astype(float)
    rule = reference.PaperRule(some.shape[1], samples.REDUCED_DIM)

    def learn():
        for row, reward in zip(some, rewards):
            rule.update(row, reward)

    def learn_and_estimate():
        for row, reward in zip(some, rewards):
            rule.update(row, reward)
            rule.estimate()

    seconds = alternate({'sql': lambda: cursor.execute(statement),
                         'rule': learn,
                         'estimate': learn_and_estimate}, rounds)
    return (ratio(seconds['estimate'] / len(some),
                  seconds['sql'] / len(features), np.min),
            [len(some) / seconds[name].min()
             for name in ('estimate', 'rule')])
