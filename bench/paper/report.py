"""The results as Markdown tables in the paper's form."""

from collections import defaultdict

import numpy as np

from bench.paper import experiment, policies, published
from bench.report import table

NAME = 'results.md'
LABELS = {'e-greedy': 'ε-greedy',
          'D-LinTS-RP+interactions': 'D-LinTS-RP + interactions',
          'D-LinTS-RP+intercept': 'D-LinTS-RP + intercept',
          'D-LinTS-RP+both': 'D-LinTS-RP + interactions + intercept'}
READING = """\
Contexts are [item; user] under one linear model, as in the paper. The user's
part adds the same to every item's score (only the widths of LinUCB and CBRAP,
and DeepFM, depend on it otherwise), so every user is shown the same ranking at
a time: what these numbers measure is how well a policy tracks which items are
popular at present, not personalisation.

With interactions the contexts are the items' features alone, and the user's,
scaled to length 1, are the shared context: every user has a ranking of her
own. Interactions and intercept are not the paper's; their parameters are those
of D-LinTS-RP, untuned.

Differences from the paper's text: factors come from the singular value
decomposition of all ratings, missing ones as 0, and are scaled to length 1; a
step is one rating; DeepFM's embedding size, epochs and batch size are ours.
"""
RUNTIME = """\
Runtime is that of choosing and learning over one connection, `VACUUM` of the
model's table included, the computation of NDCG@5 left out; the median of the
repetitions. LinUCB and CBRAP draw nothing: with the same projection every
repetition would take the same course, so they are run once. DeepFM runs in the
client and chooses at random for the first 1000 steps.
"""


def write(folder, runs, results):
    """Write all tables to a file and print them."""
    parts = ['# The paper\'s experiments\n', READING, RUNTIME]
    for data, plans in runs:
        if not plans:
            continue
        summary = _summarise(plans, results)
        parts += [f'## {data.name}\n', _setting(data),
                  _main_table(data, summary), _losses(data, summary),
                  _gains(summary),
                  _between_changes(data, plans, results)]
    text = '\n'.join(part for part in parts if part)
    path = folder / NAME
    path.write_text(text, encoding='utf-8')
    print(f'\n{text}\nWritten to {path}')


def label(spec):
    """Return the policy's name in tables and figures."""
    return LABELS.get(spec.policy, spec.policy)


def group(plans):
    """Return {(policy, dimension): (spec, rows)} in the order of plans."""
    groups = {}
    for spec, row in plans:
        groups.setdefault((spec.policy, spec.dim), (spec, []))[1].append(row)
    return groups


def _summarise(plans, results):
    """Return {(policy, dimension): (spec, totals as an array)}.

    A row per repetition, of seconds, reward and NDCG@5.
    """
    summary = {}
    for key, (spec, rows) in group(plans).items():
        totals = [results.total(row) for row in rows]
        summary[key] = spec, np.array([
            [float(total[name] or 'nan')
             for name in ('seconds', 'reward', 'ndcg_at_5')]
            for total in totals])
    return summary


def _setting(data):
    """Return the list of what was run on what."""
    steps = len(data.stream)
    changes = [f'{change:,}' for change in experiment.CHANGES
               if change < steps]
    lines = [f'{data.arms:,} arms, n = {data.context_dim}, {steps:,} steps; '
             + (f'rewards turn by {int(experiment.TURN * data.arms)} arms '
                f'at {", ".join(changes)}' if changes else 'no change'),
             *data.notes]
    return ''.join(f'- {line}\n' for line in lines)


def _main_table(data, summary):
    """Return the table in the form of the paper's."""
    compared = len(data.stream) == published.STEPS
    head = ['Policy', 'Context dimension', 'Runtime (s)', 'Cumulative reward',
            'Cumulative NDCG@5', 'Repetitions']
    if compared:
        head += ['Paper: reward', 'Paper: NDCG@5']
    rows = []
    for key, (spec, totals) in summary.items():
        means = totals.mean(axis=0)
        spread = totals.std(axis=0, ddof=1) if len(totals) > 1 else None
        row = [label(spec), spec.dim or '–', f'{np.median(totals[:, 0]):.1f}',
               *(_with_spread(means, spread, column) for column in (1, 2)),
               len(totals)]
        if compared:
            row += [f'{value:,.1f}' for value
                    in published.RESULTS[data.key].get(key, ())] or ['', '']
        rows.append(row)
    text = 'Means of the repetitions ± standard deviation.'
    if compared:
        text += (' The paper\'s figures are from its own edition of the '
                 'data; only their order and ratios can be compared.')
    return f'{text}\n\n{_table(head, rows)}'


def _with_spread(means, spread, column):
    """Return a mean, with its spread if there is one."""
    if np.isnan(means[column]):
        return '–'
    text = f'{means[column]:,.1f}'
    return f'{text} ± {spread[column]:.1f}' if spread is not None else text


def _losses(data, summary):
    """Return the table of what each reduction costs."""
    dims = [key for key in summary if key[0] == 'D-LinTS-RP']
    proper = ('D-LinTS', data.context_dim)
    full = ('D-LinTS-RP', data.context_dim)
    if not dims or proper not in summary:
        return ''
    rewards = {key: totals[:, 1].mean()
               for key, (_, totals) in summary.items()}
    paper = {key: values[0]
             for key, values in published.RESULTS[data.key].items()}
    rows = []
    for key in dims:
        row = [f'{key[1]} ({round(100 * key[1] / data.context_dim)} % of n)']
        for source in (rewards, paper):
            row += [f'{100 * (1 - source[key] / source[base]):.1f} %'
                    if key in source and base in source else ''
                    for base in (proper, full)]
        rows.append(row)
    return 'Reward that D-LinTS-RP loses:\n\n' + _table(
        ['d', 'against D-LinTS', 'against d = n',
         'paper: against D-LinTS', 'paper: against d = n'], rows)


def _gains(summary):
    """Return the table of what interactions and an intercept gain."""
    rewards = {key: totals[:, 1].mean()
               for key, (_, totals) in summary.items()}
    names = [name for name in policies.EXTENDED
             if any(policy == name for policy, _ in summary)]
    dims = [dim for policy, dim in summary if policy == 'D-LinTS-RP']
    if not names or not dims:
        return ''
    rows = [[dim, *(f'{rewards[name, dim] / rewards["D-LinTS-RP", dim]:.2f}'
                    if (name, dim) in rewards else '' for name in names)]
            for dim in dims]
    return 'Reward, times that of D-LinTS-RP:\n\n' + _table(
        ['d', *(LABELS[name] for name in names)], rows)


def _between_changes(data, plans, results):
    """Return the click-through rates between the change points."""
    steps = len(data.stream)
    ends = [0, *(change for change in experiment.CHANGES if change < steps),
            steps]
    found = results.stretches([row for _, row in plans])
    sums = defaultdict(float)
    for (key, first), row in found.items():
        part = int(np.searchsorted(ends, first, side='right')) - 1
        sums[key, part] += float(row['reward'])
    rows = []
    for spec, group_rows in group(plans).values():
        row = [label(spec), spec.dim or '–']
        for part, (first, after) in enumerate(zip(ends, ends[1:])):
            mean = np.mean([sums[results.key(run), part]
                            for run in group_rows])
            row.append(f'{mean / (after - first):.1%}')
        rows.append(row)
    head = ['Policy', 'Context dimension'] + [
        f'{first:,} to {after:,}' for first, after in zip(ends, ends[1:])]
    return ('Click-through rate between the changes:\n\n'
            + _table(head, rows))


def _table(head, rows):
    """Return a table, and the empty line that ends it."""
    return table([head, *rows]) + '\n'
