"""The experiments of the paper, through the extension."""

import re
from importlib.util import find_spec

from bench import program, server, source
from bench.paper import (STEPS, charts, datasets, experiment, policies, report,
                         statements, timing)
from bench.progress import Steps


def main(options):
    """Do what the command line says."""
    sets = list(load(options))
    with server.connect(**statements.SETTINGS) as cursor:
        if options.timing:
            for data in sets:
                timing.measure(cursor, data, options)
            return
        folder = program.make_folder('paper')
        text = '\n'.join([report.READING] + [
            run(cursor, data, options, folder) for data in sets])
    (folder / 'results.md').write_text(text, encoding='utf-8')
    print(f'\n{text}\nWritten to {folder / "results.md"}')


def load(options):
    """Yield the data sets that the options name."""
    wanted = {datasets.movielens: options.movielens,
              datasets.jester: options.jester,
              datasets.amazon: options.amazon}
    if not any(wanted.values()):
        wanted[datasets.movielens] = source.find_folder()
        print(source.LICENCE)
    for read, place in wanted.items():
        if place:
            data = read(place, options.steps or STEPS, options.seed)
            print(f'{data.name}: {data.arms:,} arms, n = {data.context_dim}, '
                  f'{len(data.stream):,} steps', *data.notes, sep='\n  ')
            yield data


def run(cursor, data, options, folder):
    """Make the runs that are not there yet, draw and report all of them."""
    names = options.policies
    if 'DeepFM' in names and not find_spec('torch'):
        print('DeepFM is left out: there is no torch (Debian: python3-torch)')
        names = [name for name in names if name != 'DeepFM']
    plans = [(spec, repetition) for spec in policies.specs(data, names)
             for repetition in range(1, options.repetitions + 1)
             if repetition == 1 or not spec.deterministic]
    experiment.load(cursor, data)
    found = {}
    with Steps(len(plans) * len(data.stream)) as done:
        for spec, repetition in plans:
            done.name(f'{data.key} {spec} {repetition}/{options.repetitions}')
            name = (f'{data.name} {len(data.stream)} {spec} {options.seed} '
                    f'{repetition}')
            path = folder / f'{re.sub("[^A-Za-z0-9]+", "-", name)}.npz'
            found.setdefault(spec, []).append(experiment.outcome(
                path, cursor, data, spec, options.seed, repetition,
                done.advance))
    charts.draw(folder, data, found)
    return report.section(data, found)
