"""The paper's experiments on your ratings, through the extension.

Connects as libpq's environment says (PGHOST, PGDATABASE, ...) and works in a
schema of its own. Without a data set named, MovieLens latest-small is looked
for beside the checkout. An interrupted run goes on where it was when it is
started again with the same --out.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

# What the programs under bench share.
sys.path.append(str(Path(__file__).resolve().parents[1] / 'common'))

import charts  # noqa: E402
import datasets  # noqa: E402
import experiment  # noqa: E402
import policies  # noqa: E402
import report  # noqa: E402
import server  # noqa: E402
import source  # noqa: E402
import timing  # noqa: E402
import tuning  # noqa: E402
from errors import UserError  # noqa: E402
from progress import Progress  # noqa: E402
from results import Results  # noqa: E402

LARGEST_SEED = 2 ** 63 - 1
STEPS = 100000


def main():
    """Do what the command line says and return the exit status."""
    options = parse_arguments()
    try:
        sets = load(options)
        with server.connect() as cursor:
            if options.tune:
                tuning.tune(cursor, sets, names_of(options), options)
            elif options.timing:
                timing.measure(cursor, sets, options)
            else:
                run(cursor, sets, options)
    except UserError as error:
        print(f'paper: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\npaper: interrupted; start it again to go on',
              file=sys.stderr)
        return 130
    return 0


def parse_arguments():
    """Return the command line's options."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog='The stream is the last --steps of a data set in order of '
        'time; what --tune uses are the steps before it.')
    parser.add_argument('--movielens', metavar='FOLDER',
                        help='folder of a MovieLens edition, .csv or .dat')
    parser.add_argument('--jester', metavar='FILE',
                        help='CSV of user,joke,rating from -10 to 10')
    parser.add_argument('--amazon', metavar='FILE',
                        help='CSV of item,user,rating,timestamp, no header')
    parser.add_argument('--steps', type=positive, metavar='N',
                        help=f'visits (default: {STEPS}, or what a data set '
                        'in order of time has)')
    parser.add_argument('--repetitions', type=positive, default=5,
                        metavar='N', help='(default %(default)s)')
    parser.add_argument('--policies', metavar='NAMES',
                        help='separated by commas; default: '
                        + ','.join(policies.POLICIES))
    parser.add_argument('--shares', type=shares, metavar='N,...',
                        default=policies.SHARES,
                        help='reduced dimensions in per cent of n; default: '
                        + ','.join(map(str, policies.SHARES)))
    parser.add_argument('--seed', type=seed, default=1, metavar='N',
                        help='of the projection and of what is drawn at '
                        'random outside of the server (default %(default)s)')
    parser.add_argument('--no-ndcg', dest='ndcg', action='store_false',
                        help='rewards only')
    parser.add_argument('--out', type=Path, default='paper-output',
                        metavar='FOLDER', help='(default %(default)s)')
    parser.add_argument('--tune', action='store_true',
                        help='search the paper\'s grids on the steps before '
                        'the stream')
    parser.add_argument('--tuning-steps', type=positive, metavar='N',
                        help='only the last N of these (default: all, at '
                        f'most {datasets.TUNING_STEPS})')
    parser.add_argument('--timing', action='store_true',
                        help='time D-LinTS-RP at a fifth of the dimension, '
                        'and a numpy loop')
    options = parser.parse_args()
    unknown = set(names_of(options)) - set(policies.POLICIES)
    if unknown:
        parser.error(f'--policies: there is no {sorted(unknown)[0]}; there '
                     f'are {",".join(policies.POLICIES)}')
    return options


def positive(text):
    """Return a number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError('at least 1 is needed')
    return number


def shares(text):
    """Return percentages."""
    numbers = [int(part) for part in text.split(',')]
    if not all(1 <= number <= 100 for number in numbers):
        raise argparse.ArgumentTypeError('numbers from 1 to 100 are needed')
    return tuple(dict.fromkeys(numbers))


def seed(text):
    """Return a seed that numpy and dlints both take."""
    number = int(text)
    if not 0 <= number <= LARGEST_SEED:
        raise argparse.ArgumentTypeError(
            f'a number from 0 to {LARGEST_SEED} is needed')
    return number


def names_of(options):
    """Return the names of the policies to run."""
    if options.policies:
        return list(dict.fromkeys(
            name.strip() for name in options.policies.split(',')))
    return list(policies.POLICIES)


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
    make_folder(options.out)
    results = Results(options.out)
    plans = {data.key: plan(data, options) for data in sets}
    possible = without_missing_torch(names_of(options))
    todo = [(data, spec, row) for data in sets
            for spec, row in plans[data.key]
            if spec.policy in possible and not results.has(row)]
    finished = sum(results.has(row) for rows in plans.values()
                   for _, row in rows)
    if finished:
        print(f'{finished} runs are in {options.out} already')
    loaded = None
    with Progress(sum(len(data.stream) for data, _, _ in todo)) as progress:
        for data, spec, row in todo:
            if data is not loaded:
                server.load(cursor, data)
                loaded = data
            progress.name(f'{data.key} {spec.policy} {spec.dim or ""} '
                          f'{row["repetition"]}/{options.repetitions}')
            outcome = experiment.run(
                cursor, data, spec, data.stream, options.seed,
                row['repetition'], ndcg=options.ndcg,
                advance=progress.advance)
            results.add(row, outcome, experiment.stretches(len(data.stream)))
    runs = [(data, [(spec, row) for spec, row in plans[data.key]
                    if results.has(row)]) for data in sets]
    report.write(options.out, runs, results)
    charts.draw(options.out, runs, results)


def plan(data, options):
    """Return the runs to make on a data set: (Spec, row of the results)."""
    return [(spec, describe(data, spec, repetition, options))
            for spec in policies.specs(data, names_of(options),
                                       options.shares)
            for repetition in range(1, options.repetitions + 1)
            if repetition == 1 or not spec.deterministic]


def make_folder(folder):
    """Make the folder that takes the results."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f'cannot make the folder {folder}: '
                        f'{error.strerror}') from None


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


if __name__ == '__main__':
    sys.exit(main())
