"""Run one of the programs, once its arguments are known to be right.

    python3 -m bench [--here] NAME [ARGUMENT ...]

What a program takes stands in its folder's __init__.py, which needs nothing but
Python. After a look at that come packages, a build and a private server; with
--here the program works with the server that libpq's environment names.
"""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from importlib import import_module
from pathlib import Path

from bench import program

FOLDERS = {'bench': 'bench.speed', 'play': 'examples.play'}
PROFILES = {'play': 'play', 'peers': 'bench peers',
            'bakeoff': 'bench bakeoff'}
SERVE = 'scripts/install.sh {} server && exec scripts/with-server.sh "$@"'


def main(*words):
    """Look at the arguments, and run the program or have it run."""
    here = words[0] == '--here'
    name, *arguments = words[here:]
    package = import_module(FOLDERS.get(name, f'bench.{name}'))
    options = parse(name, package, arguments)
    if here:
        work = import_module(f'{package.__name__}.main').main
        program.run(name, lambda: work(options))
    command = [sys.executable, '-m', 'bench', '--here', *words]
    if 'pgvector' in options:
        command = ['scripts/with-pgvector.sh', options.pgvector, *command]
    serve = SERVE.format(PROFILES.get(name, 'bench'))
    os.execlp('sh', 'sh', '-c', serve, 'sh', *command)


def parse(name, package, arguments):
    """Return a program's options; ends this one if they are not right."""
    parser = ArgumentParser(
        prog=f'make {name}', usage=f'make {name} ARGS="..."',
        description=package.__doc__,
        formatter_class=RawDescriptionHelpFormatter)
    package.arguments(parser)
    options = parser.parse_args(arguments)
    data = os.environ.get('DATA')
    if data and not Path(data).is_dir():
        parser.error(f'DATA={data} is no folder')
    return options


main(*sys.argv[1:])
