"""The policies: what each knows, and the model that learns from it."""

from dataclasses import dataclass, field

from bench.world import CLICKS, ORDERS, RANDOM, WORTH

FACTORS = 32
CODE = 32                   # numbers that stand for a movie's genres
REDUCED = 24

# matched: x/2, the products of matching coordinates and the sum of them; the
# intercept comes on top, here as there
COORDINATES = 2 * FACTORS + 1

# Of the clicks so many count, and people come so many times as often.
KEPT, ROUNDS = 0.05, 4
THINNED = 'thinned'
KINDS = CLICKS, WORTH, THINNED
FULL = [(order, reward) for order in ORDERS for reward in (CLICKS, WORTH)]
THIN = (RANDOM, THINNED)
COLUMNS = [*FULL, THIN]


@dataclass
class Policy:
    """One policy; a model takes the defaults of dlints_new but for sizes."""

    name: str
    about: str
    choice: str             # of statements.CHOICES
    items: str = 'factors'  # kind of vector
    profiles: str = None    # kind of profile
    model: dict = field(default_factory=dict)
    beginning: str = 'nothing'      # of statements.BEGINNINGS
    columns: list = field(default_factory=lambda: FULL)     # where it plays
    personal: bool = False  # is it to be as good as a plain model?
    control: bool = False   # is it to gain nothing?


def _plain(name, about, items, count, columns=FULL):
    return Policy(name, about, 'plain', items,
                  model={'dim': count}, columns=columns)


def _personal(name, about, items, count, profiles=None, control=False,
              columns=FULL, **model):
    return Policy(name, about, 'personal', items, profiles or items,
                  {'dim': count, **model}, columns=columns,
                  personal=not control, control=control)


def _begun(name, about, beginning):
    return Policy(name, about, 'personal', profiles='factors',
                  model={'dim': FACTORS, 'interactions': 'matched'},
                  beginning=beginning, columns=[(RANDOM, CLICKS), THIN],
                  personal=True)


POPULAR, SIMILARITY = 'popular', 'similarity'
PLAIN, WIDE, MATCHED = 'plain', 'plain, as wide', 'matched'
LOG, PRIOR = 'matched, begins with a log', 'matched, a log as its prior'
EVERY = [
    Policy('random', 'any movie', 'random', 'popularity'),
    Policy(POPULAR, 'most rated by the others', 'popular', 'popularity'),
    Policy(SIMILARITY, 'x·u, learns nothing', 'similarity',
           profiles='factors'),
    _plain(PLAIN, f'{FACTORS} factors', 'factors', FACTORS),
    _plain(WIDE, f'{COORDINATES} factors', 'wide', COORDINATES,
           COLUMNS),
    _plain('plain, encoded', f'{FACTORS} factors, genres in {CODE}',
           'encoded', FACTORS + CODE),
    _personal(MATCHED, f'{FACTORS} factors', 'factors', FACTORS,
              columns=COLUMNS, interactions='matched'),
    _begun(LOG, 'the log of the others', 'log'),
    _begun(PRIOR, 'the log of the others', 'prior'),
    _personal('matched, encoded', f'{FACTORS} factors, genres in {CODE}',
              'encoded', FACTORS + CODE, columns=COLUMNS,
              interactions='matched'),
    _personal('matched, projected',
              f'the same, projected to {REDUCED}', 'encoded', FACTORS + CODE,
              reduced_dim=REDUCED, interactions='matched'),
    _personal('matched, exchanged', 'profiles of other people', 'factors',
              FACTORS, 'exchanged', control=True, interactions='matched'),
    _personal('matched, random', f'{FACTORS} random numbers for a movie',
              'random', FACTORS, control=True, interactions='matched')]
