"""The results as Markdown tables in the paper's form."""

import numpy as np

from bench.paper import experiment, published
from bench.report import table

READING = """\
# The paper's experiments

Contexts are [item; user] under one linear model. The user's part adds the same
to every item's score (only the widths of LinUCB and CBRAP, and DeepFM, depend
on it otherwise), so every user is shown the same ranking at a time: what these
numbers measure is how well a policy tracks which items are popular at present,
not personalisation.

Factors come from the singular value decomposition of all ratings, missing ones
as 0, and are scaled to length 1; a step is one rating; DeepFM's embedding
size, epochs and batch size are ours.

Runtime is that of choosing and learning over one connection, `VACUUM` of the
model's table included, the computation of NDCG@5 left out; the median of the
repetitions. LinUCB and CBRAP draw nothing: with the same projection every
repetition would take the same course, so they are run once.
"""


def section(data, found):
    """Return the tables of a data set; found is {Spec: [Outcome, ...]}."""
    steps = len(data.stream)
    changes = [f'{change:,}' for change in experiment.ends(steps)[1:-1]]
    lines = [f'{data.arms:,} arms, n = {data.context_dim}, {steps:,} steps; '
             + (f'rewards turn by {int(experiment.TURN * data.arms)} arms '
                f'at {", ".join(changes)}' if changes else 'no change'),
             *data.notes]
    return '\n\n'.join([
        f'## {data.name}', '\n'.join(f'- {line}' for line in lines),
        _totals(found), _losses(data, found),
        'Click-through rate between the changes:',
        _between_changes(found, experiment.ends(steps))]) + '\n'


def _totals(found):
    """Return the table in the form of the paper's."""
    rows = [['Policy', 'Context dimension', 'Runtime (s)',
             'Cumulative reward', 'Cumulative NDCG@5', 'Repetitions']]
    for spec, outcomes in found.items():
        rows.append([
            spec.policy, spec.dim or '–',
            f'{np.median([each.seconds for each in outcomes]):.1f}',
            _with_spread([each.rewards.sum() for each in outcomes]),
            _with_spread([each.ndcg.sum() for each in outcomes]),
            len(outcomes)])
    return ('Means of the repetitions ± standard deviation.\n\n'
            + table(rows))


def _with_spread(values):
    """Return a mean, with the spread if there are several values."""
    text = f'{np.mean(values):,.1f}'
    return (f'{text} ± {np.std(values, ddof=1):.1f}' if len(values) > 1
            else text)


def _losses(data, found):
    """Return the table of what each reduction costs."""
    rewards = {(spec.policy, spec.dim):
               np.mean([each.rewards.sum() for each in outcomes])
               for spec, outcomes in found.items()}
    paper = published.REWARDS[data.key]
    bases = [(policy, data.context_dim) for policy in ('D-LinTS', 'D-LinTS-RP')]
    rows = [['d', 'against D-LinTS', 'against d = n',
             'paper: against D-LinTS', 'paper: against d = n']]
    for key in rewards:
        if key[0] == 'D-LinTS-RP':
            rows.append([
                f'{key[1]} ({round(100 * key[1] / data.context_dim)} % of n)',
                *(f'{100 * (1 - source[key] / source[base]):.1f} %'
                  if key in source and base in source else ''
                  for source in (rewards, paper) for base in bases)])
    return f'Reward that D-LinTS-RP loses:\n\n{table(rows)}'


def _between_changes(found, ends):
    """Return the table of click-through rates between the change points."""
    rows = [['Policy', 'Context dimension'] + [
        f'{first:,} to {after:,}' for first, after in zip(ends, ends[1:])]]
    for spec, outcomes in found.items():
        clicks = np.mean([each.rewards for each in outcomes], axis=0)
        rows.append([spec.policy, spec.dim or '–', *(
            f'{part.mean():.1%}' for part in np.split(clicks, ends[1:-1]))])
    return table(rows)
