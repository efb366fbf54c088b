"""Run a benchmark program after checking its arguments.

python3 -m bench [--here] NAME [ARGUMENT ...]

python3 -m bench lists the programs.

The options of a program are defined in its folder's __init__.py, which imports
only the standard library. After they have been checked, packages and a build
are prepared and a private server is started; with --here the program uses the
server of libpq's environment variables.
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
    """Check the arguments, and run the program, here or in a private server.
    """
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
    """Print the list of programs, and return the exit status."""
    out = sys.stderr if wrong else sys.stdout
    if wrong:
        print(f'There is no program "{wrong}".', file=out)
    for name, package in PROGRAMS.items():
        line = import_module(package).__doc__.splitlines()[0]
        print(f'{name:<10}{line}', file=out)
    return 2 if wrong else 0


def parse(name, package, arguments):
    """Return a program's options; exit if they are invalid."""
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
