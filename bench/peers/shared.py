"""What the programs under bench share; bench/speed measures the same way."""

import sys
from importlib import import_module
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path += [str(BENCH / 'common'), str(BENCH / 'speed')]

UserError = import_module('errors').UserError
machine = import_module('machine')
measure = import_module('measure')
reference = import_module('reference')
report = import_module('report')
server = import_module('server')
