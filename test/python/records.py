"""Test "make records" on made-up data in the formats of the authors.

Prints the Test Anything Protocol; exits with 1 if a test fails.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench import movielens
from bench.program import UserError
from bench.records import SETS, coat, films, libraries, main, routing, yahoo
from tap import run_checks

SIZE, EACH = 24, 12     # users and items; ratings of each user
MODELS = {'small': .0001, 'large': .01}
TITLES = libraries.TITLE, films.TITLE, routing.TITLE, coat.TITLE, yahoo.TITLE


def check(tap, _):
    """Run all tests."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        ratings = write(folder)
        check_prompts(tap, folder / 'paretobandit')
        check_songs(tap, folder / 'yahoo')
        check_films(tap, folder / 'movielens', ratings)
        check_libraries(tap, ratings)
        check_command(tap, folder)


def write(folder):
    """Write all sets; return rows of user, item, rating and time."""
    random = np.random.default_rng(1)
    ratings = np.array([(user, item, random.integers(1, 6), time)
                        for user in range(SIZE) for time, item in enumerate(
                            random.choice(SIZE, EACH, replace=False))])
    for name in ('citeulike', 'paretobandit', 'coat', 'yahoo', 'movielens'):
        (folder / name).mkdir()
    lines(folder / 'citeulike/users.dat', (
        ' '.join(map(str, [EACH, *ratings[ratings[:, 0] == user, 1]])) for user in range(SIZE)))
    prompts = [json.dumps({'prompt': f'"{n}"', 'source': f's{n % 2}', 'arms': {
        model: {'reward': n / 10, 'cost': cost * (1 + n)} for model, cost in MODELS.items()}})
        for n in range(8)]
    for name in routing.FILES:
        lines(folder / 'paretobandit' / name, prompts)
    table = np.zeros((SIZE, SIZE), int)
    table[tuple(ratings[:, :2].T)] = ratings[:, 2]
    for name in ('train', 'test'):
        np.savetxt(folder / f'coat/{name}.ascii', table, '%d')
    for name, columns in (('user', 3), ('item', 5)):
        np.savetxt(folder / f'coat/{name}_features.ascii',
                   random.integers(0, 2, (SIZE, columns)), '%d')
    lines(folder / 'yahoo/train.txt', ('\t'.join(map(str, row[:3])) for row in ratings))
    lines(folder / 'yahoo/test.txt', (','.join(map(str, row[:3])) for row in ratings))
    lines(folder / 'movielens/ratings.dat', ('::'.join(map(str, row)) for row in ratings[::-1]))
    lines(folder / 'movielens/movies.dat', (f'{n}::Film {n} (1999)::Drama' for n in range(SIZE)))
    return ratings


def lines(path, rows):
    """Write a file."""
    path.write_text(''.join(f'{row}\n' for row in rows), encoding='utf-8')


def check_prompts(tap, folder):
    """Test the prompts."""
    costs = routing.mean_costs(folder / 'val.jsonl')
    tap.ok(np.isclose(costs['s1', 'large'], .05) and np.isclose(costs['small'], .00045),
           'mean costs are computed by kind of prompt and in total', costs)
    made = list(routing.requests(routing.read(folder / 'test.jsonl'), costs, 1))
    tap.ok(sorted(request.reward['small'] for request in made) == [n / 10 for n in range(8)]
           and all(np.isclose(request.estimated['large'], costs[request.context['task'], 'large'])
                   for request in made), 'each prompt is one request, with estimated costs')


def check_songs(tap, folder):
    """Test the ratings of songs."""
    tabs, commas = (yahoo.read(folder / name) for name in yahoo.FILES)
    tap.ok(tabs.shape == (SIZE * EACH, 3) and (tabs == commas).all(),
           'ratings of songs can be separated by tabs or commas')
    lines(folder / 'bad.txt', ['1,2,3', '1,2'])
    try:
        problem = yahoo.read(folder / 'bad.txt')
    except UserError as error:
        problem = str(error)
    tap.ok('bad.txt is malformed' in problem, 'the error for a malformed file names the file', problem)


def check_films(tap, folder, ratings):
    """Test the films."""
    read, titles = movielens.read_folder(folder)
    counts = {item: np.count_nonzero(ratings[:, 1] == item) for item in range(SIZE)}
    kept = films.often(np.concatenate([read, np.array([(0, 99, 3, 99)], read.dtype)]))
    tap.ok(set(kept['movie']) == {item for item in counts if counts[item] >= films.FEWEST},
           'films with few ratings are left out')
    world = films.Last(read, titles)
    last = ratings[ratings[:, 3] == EACH - 1]
    order = np.unique(ratings[:, 1])
    shown = [[(item + 1) % SIZE, item] for item in np.searchsorted(order, last[:, 1])]
    tap.ok(len(world.clicks) == len(ratings) - SIZE and all(
        np.isclose(world.reward(user, shown[user]), 1 / np.log2(3)) for user in range(SIZE)),
           'the last film of each user is hidden, and its reward is lower at position 2')


def check_libraries(tap, ratings):
    """Test the libraries."""
    articles = [ratings[ratings[:, 0] == user, 1].tolist() for user in range(SIZE)]
    world = libraries.Libraries(articles, np.random.default_rng(1))
    kept = [world.clicks[world.clicks[:, 0] == user, 1].tolist() for user in range(SIZE)]
    tap.ok(all(sorted([*kept[user], world.then[user]]) == sorted(articles[user])
               and np.isclose(world.reward(user, [-1, world.then[user]]), 1 / np.log2(3))
               for user in range(SIZE)), 'one article of each library is hidden')


def check_command(tap, folder):
    """Test the command, with all sets and with a missing file."""
    done = run(folder, *(name for name in SETS if name != 'cut'))
    tap.ok(done.returncode == 0 and all(f'\n{title}\n' in done.stdout for title in TITLES),
           'the command measures all sets', done.stderr[-500:])
    tap.ok(main.missing(folder / 'movielens', films.FILES) == []
           and main.missing(folder / 'coat', films.FILES) == ['ratings.dat', 'movies.dat'],
           'films can be in files of either format')
    (folder / 'coat/test.ascii').unlink()
    done = run(folder, 'coat')
    tap.ok(done.returncode == 1 and f'Left out: {folder}/coat has no test.ascii\n' in done.stdout
           and 'nothing to measure' in done.stderr, 'the command names a missing file', done.stderr[-500:])


def run(folder, *sets):
    """Run the command."""
    return subprocess.run(
        [sys.executable, '-B', '-m', 'bench', '--here', 'records', '--data', folder, '--seeds', '2',
         '--draws', '2', '--sets', *sets], capture_output=True, text=True, check=False)


run_checks(check)
