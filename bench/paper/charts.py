"""The paper's figures: click-through rate and NDCG@5 over time."""

import numpy as np

from bench import figure
from bench.paper import experiment, policies, report

KINDS = {'reward': ('ctr', 'click-through rate so far'),
         'ndcg_at_5': ('ndcg', 'mean NDCG@5 so far')}
COLOURS = {'D-LinTS': '#000000', 'LinTS': '#8c8c8c', 'D-LinTS-RP': '#0072b2',
           'LinUCB': '#cc79a7', 'CBRAP': '#d55e00', 'DeepFM': '#009e73',
           'e-greedy': '#e69f00', 'random': '#b8a88a',
           'D-LinTS-RP+interactions': '#d55e00',
           'D-LinTS-RP+intercept': '#009e73', 'D-LinTS-RP+both': '#cc79a7'}
SHADES = ('#c6dbef', '#9ecae1', '#6baed6', '#2879b9', '#08306b')


def draw(folder, runs, results):
    """Write two PNGs for each data set."""
    for data, plans in runs:
        found = results.stretches([row for _, row in plans])
        for column, (name, title) in KINDS.items():
            curves = {key: (spec, _curve(rows, found, results, column))
                      for key, (spec, rows) in report.group(plans).items()}
            if not curves or any(
                    curve is None for _, curve in curves.values()):
                continue
            path = folder / f'{data.key}-{name}.png'
            _figure(path, data, title, curves)
            print(f'Figure: {path}')


def _curve(rows, found, results, column):
    """Return (steps, means so far), averaged over repetitions."""
    keys = {results.key(row) for row in rows}
    sums = {}
    for (key, _), row in found.items():
        if key in keys:
            if not row[column]:
                return None
            after = int(row['after'])
            sums[after] = sums.get(after, 0) + float(row[column])
    steps = np.array(sorted(sums))
    gained = np.cumsum([sums[after] for after in steps]) / len(keys)
    return steps, gained / steps


def _figure(path, data, title, curves):
    """Draw the paper's policies, the effect of d, and what dlints adds."""
    panels = {'policies': _draw_policies, 'the effect of d': _draw_dims}
    if any(policy in policies.EXTENDED for policy, _ in curves):
        panels['interactions and intercept'] = _draw_extended
    chart = figure.create(6 * len(panels), 5.4)
    for axes, (subject, draw_curves) in zip(
            chart.subplots(1, len(panels), sharey=True), panels.items()):
        draw_curves(axes, data, curves)
        axes.set_title(subject, loc='left')
    # All curves first: a limit that is set holds for all that share the axis.
    for axes in chart.axes:
        _finish(axes, len(data.stream))
    chart.axes[0].set_ylabel(title)
    chart.suptitle(f'{data.name}: without interactions the same ranking for '
                   'every user, so that is tracking of popularity',
                   fontsize='medium')
    chart.savefig(path, dpi=130)


def _draw_policies(axes, data, curves):
    """Draw the paper's policies; of reduced ones, a half and a fifth of n."""
    _draw_shares(axes, data, {key: item for key, item in curves.items()
                              if key[0] not in policies.EXTENDED})


def _draw_dims(axes, data, curves):
    """Draw D-LinTS-RP at each dimension, and what is not reduced."""
    del data
    reduced = [item for item in curves.items() if item[0][0] == 'D-LinTS-RP']
    for shade, (_, (spec, curve)) in zip(SHADES[-len(reduced):], reduced):
        axes.plot(*curve, color=shade, label=_label(spec))
    for (policy, _), (spec, curve) in curves.items():
        if policy in ('D-LinTS', 'LinTS'):
            axes.plot(*curve, color=COLOURS[policy], linestyle='--',
                      label=_label(spec))


def _draw_extended(axes, data, curves):
    """Draw D-LinTS-RP with and without interactions and intercept."""
    _draw_shares(axes, data, {
        key: item for key, item in curves.items()
        if key[0] in ('D-LinTS-RP', *policies.EXTENDED)})


def _draw_shares(axes, data, curves):
    """Draw curves; of reduced ones those at a half and a fifth of n."""
    half = data.context_dim // 2
    fifth = data.context_dim // 5
    for (policy, dim), (spec, curve) in curves.items():
        if not spec.reduced or dim in (fifth, half):
            dashed = spec.reduced and dim == fifth
            axes.plot(*curve, color=COLOURS[policy],
                      linestyle='--' if dashed else '-', label=_label(spec))


def _finish(axes, steps):
    """Mark the changes and set scales, grid and legend."""
    for change in experiment.CHANGES:
        if change < steps:
            axes.axvline(change, color='black', linewidth=0.8, linestyle=':')
    axes.set(xlim=(0, steps), xlabel='steps (dotted: change points)')
    axes.set_ylim(bottom=0)
    figure.finish(axes)
    if axes.lines:
        axes.legend(fontsize='small', loc='upper center', ncol=2,
                    bbox_to_anchor=(0.5, -0.14), frameon=False)


def _label(spec):
    """Return a legend's entry."""
    name = report.label(spec)
    return f'{name}, d = {spec.dim}' if spec.reduced else name
