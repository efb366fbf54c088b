"""The paper's experiments on your ratings, through the extension.

Without a data set named, MovieLens latest-small is looked for beside the
checkout. An interrupted run goes on where it was when it is started again with
the same options. OUT names the folder for the results.
"""

import re
from importlib.util import find_spec

from bench import program, server, source
from bench.paper import (charts, datasets, experiment, policies, report,
                         statements, timing)
from bench.progress import Steps

LARGEST_SEED = 2 ** 63 - 1      # what numpy and dlints both take
STEPS = 100000


def main():
    """Do what the command line says."""
    options = parse_arguments()
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


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('paper', __doc__)
    parser.add_argument('--movielens', metavar='FOLDER',
                        help='folder of a MovieLens edition, .csv or .dat')
    parser.add_argument('--jester', metavar='FILE',
                        help='CSV of user,joke,rating from -10 to 10')
    parser.add_argument('--amazon', metavar='FILE',
                        help='CSV of item,user,rating,timestamp')
    parser.add_argument('--steps', type=program.number(1), metavar='N',
                        help='visits, of a data set in order of time the last '
                        f'(default {STEPS}, or what there is)')
    parser.add_argument('--repetitions', type=program.number(1), default=5,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--policies', metavar='NAME', nargs='+',
                        choices=policies.POLICIES, default=policies.POLICIES,
                        help=f'some of {" ".join(policies.POLICIES)}')
    parser.add_argument('--seed', type=program.number(0, LARGEST_SEED),
                        default=1, metavar='N',
                        help='of the projection and of what is drawn at '
                        'random outside of the server (default %(default)s)')
    parser.add_argument('--timing', action='store_true',
                        help='time D-LinTS-RP at a fifth of the dimension, '
                        'and a numpy loop')
    return parser.parse_args()


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


program.run('paper', main, interrupted='interrupted; start it again to go on')
