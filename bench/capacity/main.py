"""Measure units, estimate loads and run traffic, or rewards of many clients."""

import os

from bench import machine, report, server
from bench.capacity import loads, rewards, traffic, units, world
from bench.server import value

HEADINGS = 'what', 'of', 'CPU us', 'wall us', 'WAL bytes', 'disk bytes'


def main(options):
    """Print all results; return False if a reward is missing."""
    with server.connect() as cursor:
        machine.describe(cursor)
        if options.rewards:
            sound = rewards.measure(cursor, options.rewards, options.seconds)
        else:
            sound = show(cursor, options)
    print(f'Load average at the end: {os.getloadavg()[0]:.1f}')
    return sound


def show(cursor, options):
    """Generate the shop and print all measurements."""
    try:
        world.create(cursor, options.log_rows)
        size = value(cursor, 'SELECT pg_database_size(current_database())')
        print(f'{options.log_rows:,} impressions in '
              f'{world.MONTHS} months; {size / 1e9:.1f} GB')
        found = units.measure(cursor)
        report.print_heading('Unit costs')
        report_units(found)
        report.print_heading('Loads')
        loads.print_loads(found)
        report.print_heading(f'Traffic for {options.seconds} s')
        traffic.run(cursor, options.seconds)
    finally:
        world.drop(cursor)


def report_units(found):
    """Print the units as a table."""
    print(report.table([HEADINGS, *(
        (unit.what, unit.of, *(f'{number:,.2f}' if number < 10
                               else f'{number:,.0f}' for number in
                               (unit.seconds * 1e6, unit.wall * 1e6,
                                unit.wal, unit.disk)))
        for unit in found.values())]))
