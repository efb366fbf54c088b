"""The data of ParetoBandit, with one model at a tenth of its cost after some requests."""

from dataclasses import replace

import numpy as np

from bench.judge.budget import play
from bench.records import routing

TITLE = 'The most expensive model costs a tenth after 900 requests: its share of each hundred'
SOURCE = routing.SOURCE
FOLDER, FILES = routing.FOLDER, routing.FILES
MODEL = 'google/gemini-2.5-pro'
FIRST, WINDOW, WINDOWS = 900, 100, 6
BUDGETS = .0006637, .0018779
ORDERS = 2


def rows(cursor, folder, _, advance):
    """Return the rows of the table."""
    prompts = routing.read(folder / 'test.jsonl')
    costs = routing.mean_costs(folder / 'val.jsonl')
    table = [('budget', 'new price', 'order', 'before',
              *(f'to {WINDOW * n}' for n in range(1, WINDOWS + 1)))]
    tasks = [(budget, is_announced, seed) for budget in BUDGETS
             for is_announced in (True, False) for seed in range(ORDERS)]
    for done, (budget, is_announced, seed) in enumerate(tasks, 1):
        requests = cheaper(routing.requests(prompts, costs, seed), is_announced)
        chosen, _, _ = play(cursor, budget, requests)
        shares = (np.array(chosen) == MODEL)[FIRST - WINDOW:].astype(float)
        shares = shares[:WINDOW * (WINDOWS + 1)].reshape(-1, WINDOW).mean(1)
        table.append((f'{budget:.7f}', 'announced' if is_announced else 'not announced', seed,
                      *(f'{share:.2f}' for share in shares)))
        advance(done / len(tasks))
    return table


def cheaper(requests, is_announced):
    """Yield requests, with lower costs from the request FIRST on."""
    for number, request in enumerate(requests):
        if number >= FIRST:
            request = replace(
                request, cost=tenth(request.cost),
                estimated=(tenth(request.estimated) if is_announced
                           else request.estimated))
        yield request


def tenth(costs):
    """Return costs, with that of MODEL divided by ten."""
    return {**costs, MODEL: costs[MODEL] / 10}
