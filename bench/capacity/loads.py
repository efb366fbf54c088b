"""Estimated loads: multiples of the units, relative to the limits of a machine."""

from math import ceil

from bench.capacity import world
from bench.report import table

PER_MINUTE = 10 ** 3, 10 ** 5, 10 ** 7
REWARDS = world.CLICKED * world.SHOWN       # rewards per decision
CORES, WAL, DISK = 64, 200e6, 10e12         # limits of a large machine
DAY, MONTH = 86400, 30 * 86400
HEADINGS = ('decisions a minute', 'cores: decide', 'cores: log, reward',
            'training sessions', 'WAL MB/s', 'disk GB a day',
            'TB a month', 'first limit of a machine', 'primaries')


def print_loads(units):
    """Print a table of loads, and how they are computed."""
    print(table([HEADINGS, *(_load(units, rate / 60)
                             for rate in PER_MINUTE)]))
    wal, disk = _bytes(units, 'wal'), _bytes(units, 'disk')
    items = world.ITEMS['shop']
    print(f"""
A decision here is recommend() over {items:,} items and {REWARDS:g} rewards.
cores: decide = rate x CPU of recommend().
cores: log, reward = work of the primary if replicas choose lists
= rate x (CPU of logging + {REWARDS:g} x that of reward()).
training sessions = rate x CPU of learn(). Sessions of one model wait for each
other, so one model allows at most 1.
WAL = rate x {wal:,.0f} bytes: recommend(), learn(), {REWARDS:g} x reward().
disk = rate x {disk:,.0f} bytes: recommend(), {REWARDS:g} x reward().
Full pages after checkpoints and dead rows are not included.
A machine has {CORES} cores, {WAL / 1e6:.0f} MB/s of WAL, and \
{DISK / 1e12:.0f} TB for a month.
primaries = the largest of WAL, disk of a month, and cores to log, reward and
train, each relative to its limit: machines if replicas choose lists and evidence
is computed on each. A replica of each primary also replays its WAL.""")


def _load(units, rate):
    """Return the row of the table for a rate of decisions per second."""
    decide = rate * units['shop'].seconds
    log = rate * (units['log'].seconds + REWARDS * units['reward'].seconds)
    learn = rate * units['learn'].seconds
    wal = rate * _bytes(units, 'wal')
    disk = rate * _bytes(units, 'disk')
    shares = {'WAL': wal / WAL, 'disk': disk * MONTH / DISK,
              'cores': (decide + log + learn) / CORES,
              'one training session': learn}
    first = max(shares, key=shares.get)
    shared = max(wal / WAL, disk * MONTH / DISK, (log + learn) / CORES)
    return (f'{rate * 60:,.0f}', f'{decide:,.2f}', f'{log:,.2f}',
            f'{learn:,.3f}', f'{wal / 1e6:,.2f}', f'{disk * DAY / 1e9:,.1f}',
            f'{disk * MONTH / 1e12:,.3f}',
            f'{first}, {shares[first]:,.1f} times' if shares[first] > 1
            else f'none; {first} at {shares[first]:.0%}',
            ceil(shared))


def _bytes(units, kind):
    """Return the bytes of a decision with its rewards and training."""
    learned = units['learn'].wal if kind == 'wal' else 0
    return (getattr(units['shop'], kind) + learned
            + REWARDS * getattr(units['reward'], kind))
