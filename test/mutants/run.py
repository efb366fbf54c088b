"""Break the templates of recommenders and rankers, one place at a time.

Every constant, comparison and clause of sql/layer is changed; a change that no
test of the layer notices is printed.  "make mutants ARGS='--every 7 --first 3'"
takes every seventh place from the third on.  Not all that survive matter: some
say the same, others only cost time.
"""

import argparse
import pathlib
import re
import subprocess
import sys

LAYER = pathlib.Path('sql/layer')
TESTS = sorted(pathlib.Path('test/pgtap').glob('4[56]_*.sql'))
SECONDS = 60

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


def places():
    """Yield file, line number, the line, and what becomes of it."""
    for file in sorted(LAYER.glob('*/**/*.sql')):
        for number, line in enumerate(file.read_text().split('\n')):
            code = line.split(' -- ')[0]
            if code.startswith(('--', 'CREATE', 'REVOKE', 'LANGUAGE')):
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
    psql('-c', 'DROP EXTENSION IF EXISTS dlints CASCADE',
         '-c', 'CREATE EXTENSION dlints')


def noticed():
    """Return the first test that fails."""
    for test in TESTS:
        try:
            said = psql('-f', str(test), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return test.name
        if re.search('^not ok|ERROR|^# Looks like', said.stdout + said.stderr,
                     re.MULTILINE):
            return test.name
    return None


def main():
    """Try the places that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--first', type=int, default=1)
    arguments = parser.parse_args()
    subprocess.run(['createdb', 'pgtap'], check=True)
    psql('-c', 'CREATE EXTENSION pgtap')
    install()
    if noticed():
        sys.exit(f'{noticed()} fails without a change')
    tried = survived = 0
    for file, number, line, changed in \
            list(places())[arguments.first - 1::arguments.every]:
        text = file.read_text()
        lines = text.split('\n')
        lines[number] = changed
        file.write_text('\n'.join(lines))
        try:
            install()
            tried += 1
            if not noticed():
                survived += 1
                print(f'{file}:{number + 1}\n- {line}\n+ {changed}', flush=True)
        finally:
            file.write_text(text)
    print(f'{tried} changes, of which {survived} were not noticed')


main()
