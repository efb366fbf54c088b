"""Break the templates of recommenders and rankers, one place at a time.

Every constant, comparison and clause of sql/layer is changed; a change that no
test of the layer notices is printed.  "make mutants ARGS='--every 7 --first 3'"
takes every seventh place from the third on, and names of files below sql take
those (ARGS='layer/ranker/76_winner.sql functions/judge.sql').  Not all that
survive matter: some say the same, others only cost time, and some are seen by
programs of test/t.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import threading
import time

SQL = pathlib.Path('sql')
TESTS = sorted(pathlib.Path('test/pgtap').glob('4[56]_*.sql'))

# What is changed, and into what
CHANGES = [
    (r'(?<![\w.$:{])(\d+)(?![\w.}])', lambda m: str(2 * int(m[1]) or 1)),
    (r'(?<![<>=!-])<(?![<>=@])', lambda m: '<='),
    (r'(?<![<>=|-])>(?![>=@])', lambda m: '>='),
    (r'<=', lambda m: '<'),
    (r'>=', lambda m: '>'),
    (r'<>', lambda m: '='),
    (r'IS DISTINCT FROM', lambda m: '='),
    (r'IS NOT NULL', lambda m: 'IS NULL'),
    (r'NOT EXISTS', lambda m: 'EXISTS'),
    (r' DESC\b', lambda m: ''),
    (r'\bgreatest\b', lambda m: 'least'),
    (r'\bleast\b', lambda m: 'greatest'),
    (r'^( *AND +)((?:[^()]|\([^()]*\))+)$', lambda m: m[1] + 'true'),
    (r'^ +(PERFORM|DELETE|UPDATE) .*;$', lambda m: '    NULL;'),
]


def places(files):
    """Yield file, line number, the line, and what becomes of it."""
    for file in files:
        for number, line in enumerate(file.read_text().split('\n')):
            code = line.split(' -- ')[0]
            if code.startswith(('--', 'CREATE', 'COMMENT', '\tIS ', 'REVOKE',
                                'LANGUAGE')):
                continue
            for pattern, change in CHANGES:
                for match in re.finditer(pattern, code):
                    changed = (line[:match.start()] + change(match)
                               + line[match.end():])
                    if changed != line:
                        yield file, number, line, changed


def psql(*arguments, **options):
    """Run psql, and return what it says."""
    return subprocess.run(
        ['psql', '-X', '-q', '-At', '-d', 'pgtap', *arguments],
        capture_output=True, text=True, check=False, **options)


def install():
    """Put the templates as they are now into the server."""
    subprocess.run(['make', '-s', 'install'], check=True,
                   stdout=subprocess.DEVNULL)
    # what was stopped may still be at work
    psql('-c', 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity '
               'WHERE datname = current_database() AND pid <> pg_backend_pid()',
         '-c', 'DROP EXTENSION IF EXISTS dlints CASCADE',
         '-c', 'CREATE EXTENSION dlints')


def fails(test, seconds):
    """Whether a test fails, or takes longer; it is stopped then."""
    failed = False
    with subprocess.Popen(
            ['psql', '-X', '-q', '-At', '-d', 'pgtap', '-f', str(test)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        timer = threading.Timer(seconds, run.kill)
        timer.start()
        for line in run.stdout:
            if re.search('^not ok|ERROR|^# Looks like', line):
                failed = True
                run.kill()
                break
        run.wait()
        timer.cancel()
        return failed or run.returncode != 0


def without_change():
    """Return the tests, the quickest first, with how long each may take."""
    took = {}
    for test in TESTS:
        start = time.monotonic()
        if fails(test, 3600):
            sys.exit(f'{test.name} fails without a change')
        took[test] = time.monotonic() - start
    return {test: 60 + 3 * took[test] for test in sorted(TESTS, key=took.get)}


def main():
    """Try the places that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('files', nargs='*')
    arguments = parser.parse_args()
    files = [SQL / file for file in arguments.files] \
        or sorted(SQL.glob('layer/*/**/*.sql'))
    subprocess.run(['createdb', 'pgtap'], check=True)
    psql('-c', 'CREATE EXTENSION pgtap')
    install()
    tests = without_change()
    tried = survived = 0
    for file, number, line, changed in \
            list(places(files))[arguments.first - 1::arguments.every]:
        text = file.read_text()
        lines = text.split('\n')
        lines[number] = changed
        file.write_text('\n'.join(lines))
        try:
            install()
            tried += 1
            if not any(fails(test, tests[test]) for test in tests):
                survived += 1
                print(f'{file}:{number + 1}\n- {line}\n+ {changed}', flush=True)
        finally:
            file.write_text(text)
    print(f'{tried} changes, of which {survived} were not noticed')


main()
