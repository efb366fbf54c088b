"""A model of those of ParetoBandit that costs a tenth from some request on."""

from dataclasses import replace

import numpy as np

from bench.judge.budget import play
from bench.records import routing

TITLE = 'The dearest model costs a tenth after 900 requests: its share of each hundred'
SOURCE = routing.SOURCE
FOLDER, FILES = routing.FOLDER, routing.FILES
DEAREST = 'google/gemini-2.5-pro'
FIRST, WINDOW, WINDOWS = 900, 100, 6
BUDGETS = .0006637, .0018779
ORDERS = 2


def rows(cursor, folder, _, advance):
    """Return the rows of the table."""
    prompts = routing.read(folder / 'test.jsonl')
    told = routing.mean_costs(folder / 'val.jsonl')
    table = [('budget', 'the price', 'order', 'before',
              *(f'to {WINDOW * n}' for n in range(1, WINDOWS + 1)))]
    tasks = [(budget, is_told, seed) for budget in BUDGETS
             for is_told in (True, False) for seed in range(ORDERS)]
    for done, (budget, is_told, seed) in enumerate(tasks, 1):
        requests = cheaper(routing.requests(prompts, told, seed), is_told)
        chosen, _, _ = play(cursor, budget, requests)
        shares = (np.array(chosen) == DEAREST)[FIRST - WINDOW:].astype(float)
        shares = shares[:WINDOW * (WINDOWS + 1)].reshape(-1, WINDOW).mean(1)
        table.append((f'{budget:.7f}', 'told' if is_told else 'not told', seed,
                      *(f'{share:.2f}' for share in shares)))
        advance(done / len(tasks))
    return table


def cheaper(requests, is_told):
    """Return requests that cost less from one of them on."""
    for number, request in enumerate(requests):
        if number >= FIRST:
            request = replace(
                request, paid=tenth(request.paid),
                told=tenth(request.told) if is_told else request.told)
        yield request


def tenth(costs):
    """Return costs of which one is a tenth."""
    return {**costs, DEAREST: costs[DEAREST] / 10}
