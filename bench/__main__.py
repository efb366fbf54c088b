"""Run one of the programs, once its arguments are known to be right.

    python3 -m bench [--here] NAME [ARGUMENT ...]
    python3 -m bench                                what programs there are

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

PROGRAMS = {folder.parent.name: f'bench.{folder.parent.name}' for folder
            in sorted(Path(__file__).parent.glob('*/__init__.py'))}
PROGRAMS['play'] = 'examples.play'
SERVE = 'scripts/install.sh {} server && exec scripts/with-server.sh "$@"'


def main(*words):
    """Look at the arguments, and run the program or have it run."""
    here = words[:1] == ('--here',)
    name, *arguments = words[here:] or [None]
    if name not in PROGRAMS:
        sys.exit(programs(name))
    package = import_module(PROGRAMS[name])
    options = parse(name, package, arguments)
    if here:
        work = import_module(f'{package.__name__}.main').main
        program.run(name, lambda: work(options))
    command = [sys.executable, '-m', 'bench', '--here', *words]
    serve = SERVE.format('play' if name == 'play' else 'bench')
    os.execlp('sh', 'sh', '-c', serve, 'sh', *command)


def programs(wrong):
    """Print what programs there are; return the exit status."""
    out = sys.stderr if wrong else sys.stdout
    if wrong:
        print(f'There is no program "{wrong}".', file=out)
    for name, package in PROGRAMS.items():
        line = import_module(package).__doc__.splitlines()[0]
        print(f'{name:<10}{line}', file=out)
    return 2 if wrong else 0


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
