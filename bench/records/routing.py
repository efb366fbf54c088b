"""Requests to language models under a budget: the data of ParetoBandit."""

import json
from collections import defaultdict
from time import perf_counter

import numpy as np

from bench.judge.budget import Request, play, summary
from bench.report import with_error

TITLE = 'Requests to three language models, under a budget for each'
SOURCE = ('ParetoBandit (Taberner-Miller, arXiv 2604.00136): 1,824 test prompts; '
          'its figures are means of 20 seeds')
FOLDER = 'paretobandit'
FILES = 'test.jsonl', 'val.jsonl'
# pairs (budget, quality)
PUBLISHED = ((.0000829, .813), (.0002345, .859), (.0006637, .898),
             (.0018779, .917), (.0053139, .924), (.0150366, .929))


def rows(cursor, folder, options, advance):
    """Return the rows of the table."""
    prompts, costs = read(folder / 'test.jsonl'), mean_costs(folder / 'val.jsonl')
    table = [('budget', 'theirs', 'ours', 'spent of it', 'its range',
              'most expensive thousand', 'time of a request')]
    for done, (budget, theirs) in enumerate(PUBLISHED):
        start = perf_counter()
        spent, worst, quality = np.array([
            summary(budget, *play(cursor, budget, requests(prompts, costs, seed)))
            for seed in range(options.seeds)]).T
        took = (perf_counter() - start) / len(prompts) / options.seeds
        table.append((f'{budget:.7f}', f'{theirs:.3f}', with_error(quality, 4),
                      f'{spent.mean():.3f}', f'{spent.min():.3f} to {spent.max():.3f}',
                      f'{worst.max():.3f}', f'{took * 1e3:.1f} ms'))
        advance((done + 1) / len(PUBLISHED))
    return table


def read(path):
    """Return the prompts of a file."""
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def mean_costs(path):
    """Return the mean cost of each model, by task and in total."""
    costs = defaultdict(list)
    for prompt in read(path):
        for name, arm in prompt['arms'].items():
            costs[prompt['source'], name].append(arm['cost'])
            costs[name].append(arm['cost'])
    return {key: float(np.mean(found)) for key, found in costs.items()}


def requests(prompts, costs, seed):
    """Yield the prompts in random order."""
    for number in np.random.default_rng(seed).permutation(len(prompts)):
        prompt = prompts[number]
        task, arms = prompt['source'], prompt['arms']
        rewards = {name: arm['reward'] for name, arm in arms.items()}
        yield Request(
            {'task': task},
            {name: costs.get((task, name), costs[name]) for name in arms},
            {name: arm['cost'] for name, arm in arms.items()}, rewards, rewards)
