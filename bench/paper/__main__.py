"""The paper's experiments on your ratings, through the extension.

Without a data set named, MovieLens latest-small is looked for beside the
checkout. An interrupted run goes on where it was when it is started again with
the same --out.
"""

from importlib.util import find_spec

from bench import program, server, source
from bench.paper import (charts, datasets, experiment, policies, report,
                         statements, timing, tuning)
from bench.paper.results import Results
from bench.progress import Steps

LARGEST_SEED = 2 ** 63 - 1
STEPS = 100000


def main():
    """Do what the command line says."""
    options = parse_arguments()
    sets = load(options)
    with server.connect(**statements.SETTINGS) as cursor:
        if options.tune:
            tuning.tune(cursor, sets, options.policies, options)
        elif options.timing:
            timing.measure(cursor, sets, options)
        else:
            run(cursor, sets, options)


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser(
        'paper', __doc__,
        epilog='The stream is the last --steps of a data set in order of '
        'time; what --tune uses are the steps before it.')
    parser.add_argument('--movielens', metavar='FOLDER',
                        help='folder of a MovieLens edition, .csv or .dat')
    parser.add_argument('--jester', metavar='FILE',
                        help='CSV of user,joke,rating from -10 to 10')
    parser.add_argument('--amazon', metavar='FILE',
                        help='CSV of item,user,rating,timestamp, no header')
    parser.add_argument('--steps', type=program.number(1), metavar='N',
                        help=f'visits (default: {STEPS}, or what a data set '
                        'in order of time has)')
    parser.add_argument('--repetitions', type=program.number(1), default=5,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--policies', metavar='NAMES',
                        default=','.join(policies.POLICIES),
                        help='separated by commas; default: %(default)s')
    parser.add_argument('--shares', type=program.numbers(1, 100),
                        default=policies.SHARES, metavar='N,...',
                        help='reduced dimensions in per cent of n; default: '
                        + ','.join(map(str, policies.SHARES)))
    # What numpy and dlints both take
    parser.add_argument('--seed', type=program.number(0, LARGEST_SEED),
                        default=1, metavar='N',
                        help='of the projection and of what is drawn at '
                        'random outside of the server (default %(default)s)')
    parser.add_argument('--no-ndcg', dest='ndcg', action='store_false',
                        help='rewards only')
    parser.add_argument('--out', default='paper-output', metavar='FOLDER',
                        help='(default %(default)s)')
    parser.add_argument('--tune', action='store_true',
                        help='search the paper\'s grids on the steps before '
                        'the stream')
    parser.add_argument('--tuning-steps', type=program.number(1), metavar='N',
                        help='only the last N of these (default: all, at '
                        f'most {datasets.TUNING_STEPS})')
    parser.add_argument('--timing', action='store_true',
                        help='time D-LinTS-RP at a fifth of the dimension, '
                        'and a numpy loop')
    options = parser.parse_args()
    options.policies = list(dict.fromkeys(
        map(str.strip, options.policies.split(','))))
    for name in options.policies:
        if name not in policies.POLICIES:
            parser.error(f'--policies: there is no {name}; there are '
                         + ','.join(policies.POLICIES))
    return options


def load(options):
    """Return the data sets that the options name."""
    wanted = [(datasets.movielens, options.movielens),
              (datasets.jester_jokes, options.jester),
              (datasets.amazon_ratings, options.amazon)]
    if not any(place for _, place in wanted):
        folder = source.find_folder()
        print(source.LICENCE)
        wanted = [(datasets.movielens, folder)]
    steps = options.steps or STEPS
    sets = []
    for read, place in wanted:
        if place:
            data = read(place, steps, options.seed)
            sets.append(data)
            print(f'{data.name}: {data.arms:,} arms, n = {data.context_dim}, '
                  f'{len(data.stream):,} steps')
            for note in data.notes:
                print(f'  {note}')
    return sets


def run(cursor, sets, options):
    """Make the runs that are not there yet and report all of them."""
    folder = program.make_folder(options.out)
    results = Results(folder)
    plans = {data.key: plan(data, options) for data in sets}
    possible = without_missing_torch(options.policies)
    todo = [(data, spec, row) for data in sets
            for spec, row in plans[data.key]
            if spec.policy in possible and not results.has(row)]
    finished = sum(results.has(row) for rows in plans.values()
                   for _, row in rows)
    if finished:
        print(f'{finished} runs are in {folder} already')
    loaded = None
    with Steps(sum(len(data.stream) for data, _, _ in todo)) as done:
        for data, spec, row in todo:
            if data is not loaded:
                experiment.load(cursor, data)
                loaded = data
            done.name(f'{data.key} {spec.policy} {spec.dim or ""} '
                      f'{row["repetition"]}/{options.repetitions}')
            outcome = experiment.run(
                cursor, data, spec, data.stream, options.seed,
                row['repetition'], ndcg=options.ndcg, advance=done.advance)
            results.add(row, outcome, experiment.stretches(len(data.stream)))
    runs = [(data, [(spec, row) for spec, row in plans[data.key]
                    if results.has(row)]) for data in sets]
    report.write(folder, runs, results)
    charts.draw(folder, runs, results)


def plan(data, options):
    """Return the runs to make on a data set: (Spec, row of the results)."""
    return [(spec, describe(data, spec, repetition, options))
            for spec in policies.specs(data, options.policies, options.shares)
            for repetition in range(1, options.repetitions + 1)
            if repetition == 1 or not spec.deterministic]


def without_missing_torch(names):
    """Return the names without DeepFM if there is no torch."""
    if 'DeepFM' in names and not find_spec('torch'):
        print('DeepFM is left out: there is no torch (Debian: python3-torch)')
        return [name for name in names if name != 'DeepFM']
    return names


def describe(data, spec, repetition, options):
    """Return what tells a run apart, as a row of the results."""
    parameters = ' '.join(f'{name}={value}' for name, value
                          in spec.parameters.items()).replace(',', '')
    return {'data': data.name.replace(',', ''), 'steps': len(data.stream),
            'seed': options.seed, 'ndcg': int(options.ndcg),
            'policy': spec.policy, 'dimension': spec.dim or '',
            'parameters': parameters, 'repetition': repetition}


program.run('paper', main, interrupted='interrupted; start it again to go on')
