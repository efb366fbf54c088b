"""What dlints_policy_value computes, in numpy and straight from the formulas."""

import numpy as np

COLUMNS = ('observations', 'mean_reward', 'mean_reward_stderr', 'ips',
           'ips_stderr', 'snips', 'snips_stderr', 'dr', 'dr_stderr',
           'mean_weight', 'mean_weight_stderr', 'effective_sample_size',
           'max_weight')


def policy_value(reward, logged, target, predicted, expected):
    """Return {column: value} of rows that are given as arrays."""
    weights = target / logged
    snips = weights @ reward / weights.sum()
    return {
        'observations': len(reward),
        **_mean('mean_reward', reward),
        **_mean('ips', weights * reward),
        'snips': snips,
        'snips_stderr': _stderr(weights * (reward - snips)) / weights.mean(),
        **_mean('dr', expected + weights * (reward - predicted)),
        **_mean('mean_weight', weights),
        'effective_sample_size': weights.sum() ** 2 / (weights @ weights),
        'max_weight': weights.max()}


def difference(found, expected):
    """Return the largest difference of two results, relative to the value.

    A standard error of zero counts as what the doubles can hold of its value.
    """
    return max(abs(found[name] - expected[name])
               / max(abs(expected[name]), 1e-12) for name in COLUMNS)


def _mean(name, values):
    """Return a mean and its standard error."""
    return {name: values.mean(), f'{name}_stderr': _stderr(values)}


def _stderr(values):
    """Return the standard error of a mean."""
    return values.std(ddof=1) / np.sqrt(len(values))
