"""Break the code of recommenders and rankers, one place at a time.

Every constant, comparison, condition and check of the layer is changed; a
change that no test of the layer notices is printed.  "make mutants
ARGS='--every 7 --first 3'" takes every seventh place from the third on, and
names of files select these (ARGS='sql/ranker/winner.sql src/page/reward.c').
Some survivors do not matter: they are equivalent, cost only time, or are
noticed by programs of test/t.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import threading
import time

LAYER = ('sql/common/*.sql', 'sql/recommender/*.sql', 'sql/ranker/*.sql',
         'sql/manage.sql', 'src/page/*.c')
TESTS = sorted(pathlib.Path('test/pgtap').glob('4[56]_*.sql'))

# A condition within a line: an operand, an operator and an operand
OPERAND = r"""(?:NOT )?[\w.]+(?:\([^()]*\))?(?: ->>? '\w+')?"""
CONDITION = (OPERAND + r'(?: (?:=|<>|<=?|>=?|~|\?|IS(?: NOT)?(?: DISTINCT FROM)?)'
             r" (?:[\w.:']+(?:\([^()]*\))?))?(?!\s*[-+*/(|:])")

# Patterns, and what replaces them
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
    (r'^(\s*AND +)((?:[^()]|\([^()]*\))+)$', lambda m: m[1] + 'true'),
    # a condition within a longer line
    (r'\bAND ' + CONDITION, lambda m: 'AND true'),
    (r'\bOR ' + CONDITION, lambda m: 'OR false'),
    (r'\b(WHERE\s+)' + CONDITION, lambda m: m[1] + 'true'),
    # a check, which raises an error
    (r'\b((?:ELS)?IF) .* THEN$', lambda m: m[1] + ' false THEN'),
    (r'^\s+(PERFORM|DELETE|UPDATE) .*;$', lambda m: '    NULL;'),
    (r'\bSECURITY DEFINER\b', lambda m: ''),
    (r'\bp\.prosecdef\b', lambda m: 'true'),
]

# changes of C code, besides those of SQL statements in its strings
C_CHANGES = CHANGES + [
    (r'\bif \((.*)\)$', lambda m: 'if (false)'),
    (r' && [^&|()]+(?:\([^()]*\))?', lambda m: ''),
    (r' \|\| [^&|()]+(?:\([^()]*\))?', lambda m: ''),
    (r'&& !', lambda m: '&& '),
]


def places(files):
    """Yield file, line number, the line, and the changed line."""
    for file in files:
        for number, line in enumerate(file.read_text().split('\n')):
            is_c = file.suffix == '.c'
            code = re.split(r'(?<!\S)-- |/\*', line)[0]
            if code.startswith(('CREATE', 'COMMENT', '\tIS ', 'REVOKE',
                                '#')) or is_c and re.match(r'\s*\*\s', code):
                continue
            for pattern, change in C_CHANGES if is_c else CHANGES:
                for match in re.finditer(pattern, code):
                    changed = (line[:match.start()] + change(match)
                               + line[match.end():])
                    if changed != line:
                        yield file, number, line, changed


def psql(*arguments, **options):
    """Run psql, and return its output."""
    return subprocess.run(
        ['psql', '-X', '-q', '-At', '-d', 'pgtap', *arguments],
        capture_output=True, text=True, check=False, **options)


def install():
    """Build and install; whether that succeeds."""
    built = subprocess.run(['make', '-s', 'install'], check=False,
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    if built.returncode != 0:
        return False
    # a stopped test may still be running
    psql('-c', 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity '
               'WHERE datname = current_database() AND pid <> pg_backend_pid()',
         '-c', 'DROP EXTENSION IF EXISTS dlints CASCADE')
    return psql('-c', 'CREATE EXTENSION dlints').returncode == 0


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
    """Try the places that the arguments select."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('files', nargs='*')
    arguments = parser.parse_args()
    files = [pathlib.Path(file) for file in arguments.files] \
        or sorted(file for pattern in LAYER
                  for file in pathlib.Path().glob(pattern))
    subprocess.run(['createdb', 'pgtap'], check=True)
    psql('-c', 'CREATE EXTENSION pgtap')
    if not install():
        sys.exit('the extension cannot be built without a change')
    tests = without_change()
    tried = survived = 0
    for file, number, line, changed in \
            list(places(files))[arguments.first - 1::arguments.every]:
        text = file.read_text()
        lines = text.split('\n')
        lines[number] = changed
        file.write_text('\n'.join(lines))
        try:
            tried += 1
            if install() and not any(fails(test, tests[test]) for test in tests):
                survived += 1
                print(f'{file}:{number + 1}\n- {line}\n+ {changed}', flush=True)
        finally:
            file.write_text(text)
    print(f'{survived} of {tried} changes were not noticed')


main()
