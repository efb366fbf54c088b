"""Measure what there is data for, and print it beside what was published."""

from pathlib import Path

from bench import machine, report, server
from bench.program import UserError
from bench.progress import Themes
from bench.records import coat, cut, films, libraries, routing, yahoo

SETS = {'libraries': libraries, 'films': films, 'routing': routing, 'cut': cut, 'coat': coat,
        'yahoo': yahoo}


def main(options):
    """Print a table for each set."""
    found = []
    for published in map(SETS.get, options.sets or SETS):
        folder = Path(options.data, published.FOLDER)
        lacking = missing(folder, published.FILES)
        if lacking:
            print(f'Left out: {folder} has no {", ".join(lacking)}')
        else:
            found.append((published, folder))
    if not found:
        raise UserError('there is nothing to measure')
    with server.connect() as cursor:
        machine.describe(cursor)
        cursor.execute('CREATE EXTENSION IF NOT EXISTS dlints')
        with Themes(len(found)) as done:
            for published, folder in found:
                done.start(published.TITLE)
                rows = published.rows(cursor, folder, options, done.advance)
                print(f'\n{published.TITLE}\n{published.SOURCE}\n\n'
                      + report.table(rows), flush=True)


def missing(folder, files):
    """Return which files a folder has not; there may be other forms of all of them."""
    forms = [files] if isinstance(files[0], str) else files
    return min(([name for name in form if not Path(folder, name).is_file()] for form in forms),
               key=len)
