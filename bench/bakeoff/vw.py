"""Vowpal Wabbit on the same rows, where VW names its program."""

import os
import re
import subprocess
from itertools import product

import numpy as np

from bench.program import UserError

# Those that did best here of 24 variants with 7 rates
ALGORITHMS = {
    'greedy': '--epsilon 0',
    'doubly robust': '--epsilon 0 --cb_type dr',
    'epsilon-greedy': '--epsilon 0.02',
    'bag': '--bag 4 --greedify --epsilon 0',
    'cover': '--cover 4 --nounif --psi 0.01',
    'regcb': '--regcbopt --mellowness 0.001',
    'squarecb': '--squarecb --gamma_scale 1000'}
RATES = 0.5, 0.3, 2     # the first one is its default
# What it is given: column of examples
GIVEN = {'VW': 'features', 'VW, curves': 'curves'}
SETTINGS = list(product(ALGORITHMS, RATES))
ROWS = 'SELECT class, {} FROM example ORDER BY number'
LOSS = re.compile(r'^average loss = (\S+)', re.MULTILINE)


def play(cursor, arms, draw):
    """Return {what it is given: the share of wrong choices of each setting}."""
    program, found = os.environ.get('VW'), {}
    for name, column in GIVEN.items() if program else ():
        cursor.execute(ROWS.format(column))
        text = ''.join(map(_line, cursor.fetchall()))
        found[name] = [
            _run([program, '--cbify', str(arms), '--cb_explore_adf',
                  *ALGORITHMS[algorithm].split(), '--learning_rate', str(rate),
                  '--random_seed', str(draw)], text)
            for algorithm, rate in SETTINGS]
    return found


def _line(row):
    """Return an example as text; names are words, as cbify changes numbers."""
    label, features = row
    return f'{label + 1} | ' + ' '.join(
        f'f{i}:{number:.6g}' for i, number in enumerate(features)) + '\n'


def _run(command, text):
    """Return the progressive loss of one pass."""
    done = subprocess.run(command, input=text, text=True, check=True,
                          capture_output=True)
    found = LOSS.search(done.stdout + done.stderr)
    if not found:
        raise UserError(f'{" ".join(command)} tells no average loss')
    return float(found[1])


def choose(rows):
    """Put losses of all settings into losses of what each row is given: those
    of the setting that is best on the other sets, and of the first one.
    """
    for name in (each for each in GIVEN if each in rows[0].losses):
        all_losses = [row.losses[name] for row in rows]     # draw, setting
        means = np.mean(all_losses, axis=1)
        others = means.sum(axis=0) - means
        for row, losses, best in zip(rows, all_losses, others.argmin(axis=1)):
            row.losses[name] = losses[:, best]
            row.losses[f'{name}, greedy'] = losses[:, 0]
