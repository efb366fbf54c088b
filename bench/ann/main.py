"""Indexes of pgvector against all items, and what they find."""

from collections import defaultdict

from bench import machine, report, server
from bench.ann import KINDS, trial, ways
from bench.ann.catalogue import DRAWS, LATER, Catalogue, Judge
from bench.progress import Themes

SIZES = 100000, 1000000
DIMS = 64, 384

# Statements are planned once, as those of a busy session.
SETTINGS = {'plan_cache_mode': 'force_generic_plan', 'jit': 'off'}
ITERATIVE = """
    CREATE EXTENSION IF NOT EXISTS vector;
    LOAD 'vector';
    SET hnsw.iterative_scan = relaxed_order;
    SET ivfflat.iterative_scan = relaxed_order"""
HEAD = ('way', 'index', 'built in',
        *(model + ', 10 % pass' * filtered for model, filtered in trial.CASES))
LEGEND = f"""
Over {DRAWS} draws: median time with the draw; how often the best item is among
the ten found; how far the best one found scores above the mean of all items, as
a share of what the best of all does; how many of the ten best are found."""


def main(options):
    """Measure the catalogues and print a table of each."""
    with server.connect() as cursor:
        machine.describe(cursor)
    chosen = catalogues(options)
    with Themes(len(chosen)) as done:
        for kind, items, dim in chosen:
            title = f'{items:,} items, {kind}, {dim} numbers'
            done.start(title)
            with server.connect(**SETTINGS) as cursor:
                rows = measure(cursor, Catalogue(cursor, kind, items, dim),
                               options, done.advance)
            print(f'\n{title}\n\n{report.table([HEAD, *rows])}', flush=True)
    print(LEGEND)


def catalogues(options):
    """Return kind, number and dimension of the catalogues to measure.

    By themselves they take half an hour.
    """
    chosen = options.kinds or options.items or options.dims or options.all
    return [(kind, items, dim) for items in options.items or SIZES
            for dim in options.dims or DIMS for kind in options.kinds or KINDS
            if chosen or items * dim < (
                ways.SMALL if kind == 'uneven' else ways.LARGE)]


def measure(cursor, catalogue, options, advance):
    """Return the rows of a catalogue's table."""
    cursor.execute(ITERATIVE)
    exact = ways.exact()
    found = defaultdict(trial.Found)
    costs = {way: ('', '') for way in exact}
    indexes = ways.indexes(catalogue, options)
    for number, index in enumerate(indexes, 1):
        cost = trial.build(cursor, index)
        searches = ways.searches(index)
        costs.update(dict.fromkeys(searches, cost))
        for case in trial.CASES:
            if searches[0].takes(*case):
                trial.play(cursor, exact, searches, case, found)
        advance(number / len(indexes))
    judges = make_judges(catalogue)
    return [(way.name, *cost, *(
        found[way, case].cell(judges[case, bool(way.judged)], way in exact)
        for case in trial.CASES)) for way, cost in costs.items()]


def make_judges(catalogue):
    """Return what rates lists, for each case, by draws and by later ones."""
    judges = {}
    for later, seed in ((False, '$1'), (True, LATER)):
        for model in ways.MODELS:
            scores = catalogue.scores(model, seed)
            judges[(model, False), later] = Judge(scores)
            judges[(model, True), later] = Judge(scores, catalogue.in_stock)
    return judges
