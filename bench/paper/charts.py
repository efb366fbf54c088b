"""The paper's figures: click-through rate and NDCG@5 over time."""

import numpy as np

from bench import figure
from bench.paper import experiment

KINDS = {'rewards': ('ctr', 'click-through rate so far'),
         'ndcg': ('ndcg', 'mean NDCG@5 so far')}
COLOURS = {'D-LinTS': '#000000', 'LinTS': '#8c8c8c', 'D-LinTS-RP': '#0072b2',
           'LinUCB': '#cc79a7', 'CBRAP': '#d55e00', 'DeepFM': '#009e73',
           'e-greedy': '#e69f00', 'random': '#b8a88a'}
SHADES = ('#c6dbef', '#9ecae1', '#6baed6', '#2879b9', '#08306b')
POINTS = 100


def draw(folder, data, found):
    """Write two PNGs for a data set."""
    steps = np.arange(1, len(data.stream) + 1)
    shown = slice(0, None, max(1, len(steps) // POINTS))
    for measure, (name, title) in KINDS.items():
        curves = {spec: (np.mean([getattr(each, measure) for each in outcomes],
                                 axis=0).cumsum() / steps)[shown]
                  for spec, outcomes in found.items()}
        chart = figure.create(12, 5.4)
        left, right = chart.subplots(1, 2, sharey=True)
        _policies(left, data, steps[shown], curves)
        _dimensions(right, steps[shown], curves)
        # All curves first: a limit that is set holds for all that share it.
        for axes, subject in ((left, 'policies'), (right, 'the effect of d')):
            _finish(axes, subject, len(steps))
        left.set_ylabel(title)
        chart.suptitle(f'{data.name}: the same ranking for every user, so '
                       'that is tracking of popularity', fontsize='medium')
        path = folder / f'{data.key}-{name}.png'
        chart.savefig(path, dpi=130)
        print(f'Figure: {path}')


def _policies(axes, data, steps, curves):
    """Draw all policies; of reduced ones, at a half and a fifth of n."""
    half, fifth = data.context_dim // 2, data.context_dim // 5
    for spec, curve in curves.items():
        if not spec.reduced or spec.dim in (fifth, half):
            dashed = spec.reduced and spec.dim == fifth
            axes.plot(steps, curve, color=COLOURS[spec.policy],
                      linestyle='--' if dashed else '-', label=_label(spec))


def _dimensions(axes, steps, curves):
    """Draw D-LinTS-RP at each dimension, and what is not reduced."""
    shades = iter(SHADES)
    for spec, curve in curves.items():
        if spec.policy == 'D-LinTS-RP':
            axes.plot(steps, curve, color=next(shades), label=_label(spec))
        elif spec.policy in ('D-LinTS', 'LinTS'):
            axes.plot(steps, curve, color=COLOURS[spec.policy],
                      linestyle='--', label=_label(spec))


def _finish(axes, subject, steps):
    """Mark the changes and set scales, grid and legend."""
    for change in experiment.ends(steps)[1:-1]:
        axes.axvline(change, color='black', linewidth=0.8, linestyle=':')
    axes.set(xlim=(0, steps), xlabel='steps (dotted: change points)')
    axes.set_ylim(bottom=0)
    axes.set_title(subject, loc='left')
    figure.finish(axes)
    axes.legend(fontsize='small', loc='upper center', ncol=2,
                bbox_to_anchor=(0.5, -0.14), frameon=False)


def _label(spec):
    """Return a legend's entry."""
    return f'{spec.policy}, d = {spec.dim}' if spec.reduced else spec.policy
