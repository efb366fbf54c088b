"""Films, people, what is known of them, and what they click on.

Ratings are those of MovieLens, or made up. Half of the users are the others:
what they rated says which movies go together. The rest come to the service.
Half of what each of them rated is known beforehand, the history; the other half
is what they click on when it is shown to them.
"""

from dataclasses import dataclass

import numpy as np

from bench import source
from bench.movielens import (RATING, Movie, most_rated, positions,
                             read_folder)
from bench.program import UserError, describe

PEOPLE = 500                # at most; so many come
FEWEST = 20                 # people and movies
FEWEST_CLICKS = 5           # of who comes
MOST_VISITS = 10            # of one person
GENRES = 6
ELSEWHERE = 0.25            # a click's worth in other genres
RANDOM, TIME = 'random order', 'order of time'
ORDERS = RANDOM, TIME
CLICKS, WORTH = 'clicks', 'six genres pay'

# Words for titles; each film has those of its first genre.
NOUNS = {
    'Animation': 'Teapot Penguin Kite Robot Dragon Button Mouse Acorn',
    'Comedy': 'Wedding Butler Holiday Neighbour Diet Tuba Landlord Waiter',
    'Crime': 'Heist Alibi Witness Inspector Ledger Safe Bridge Informer',
    'Documentary': 'Glacier Orchestra Harbour Census River Potter Bees Atlas',
    'Drama': 'Letter Winter Orchard Daughter Silence Farewell Station Oath',
    'Horror': 'Cellar Scarecrow Mirror Fog Lodger Well Staircase Doll',
    'Musical': 'Trumpet Chorus Encore Ballroom Piano Waltz Songbird Overture',
    'Romance': 'Kiss Garden Stranger Summer Promise Violin Café Postcard',
    'Sci-Fi': 'Orbit Android Comet Signal Colony Paradox Engine Nebula',
    'Western': 'Canyon Sheriff Stagecoach Ranch Dust Marshal Saloon Trail',
}
ADJECTIVES = ['Last', 'Second', 'Silent', 'Broken', 'Golden', 'Wandering']
RATERS = 400
OFFERED_TO_EACH = 160
RECENT = 1990               # films from this year on are of another era
# How likely a film of a taste is liked: of the user's era, or of the other
LIKES_ERA, LIKES_TASTE, LIKES_OTHER = 0.8, 0.3, 0.03


@dataclass
class World:
    """Pairs are arrays with a row (person, position of the movie) for each."""

    movies: list            # of Movie, the most rated first
    log: np.ndarray         # pairs: what the others rated
    history: np.ndarray     # pairs: what is known of who comes
    clicks: np.ndarray      # pairs: what each of them clicks on
    visits: np.ndarray      # who comes, in order
    worths: np.ndarray      # of a click, for each movie, where genres pay
    runs: float             # visits by whom the one before was, a share


def load(made_up=False):
    """Return ratings and {id: Movie}: of MovieLens, or made up if need be."""
    try:
        if made_up:
            return make_up()
        folder = source.find_folder()
    except (UserError, OSError) as error:
        print(f'No data: {describe(error)}.\n'
              'Made-up ratings take its place.')
        return make_up()
    print(f'Data: {folder}\n{source.LICENCE}')
    return read_folder(folder)


def make_up(seed=1):
    """Return films, and ratings by people who like two genres and an era."""
    random = np.random.default_rng(seed)
    genres = list(NOUNS)
    movies, years = {}, {}
    for genre, nouns in NOUNS.items():
        for noun in nouns.split():
            for adjective in ADJECTIVES:
                second = random.choice([other for other in genres
                                        if other != genre])
                year = random.integers(1950, 2026)
                movie = Movie(len(movies) + 1,
                              f'The {adjective} {noun} ({year})',
                              [genre] + [second] * (random.random() < 0.3))
                movies[movie.id], years[movie.id] = movie, year
    ratings = []
    for person in range(RATERS):
        tastes = set(random.choice(genres, 2, replace=False))
        is_recent = random.random() < 0.5
        ratings += [
            (person, movie, 5, 0)
            for movie in random.permutation(list(movies))[:OFFERED_TO_EACH]
            if random.random() < (
                LIKES_OTHER if tastes.isdisjoint(movies[movie].genres) else
                LIKES_ERA if is_recent == (years[movie] >= RECENT) else
                LIKES_TASTE)]
    return np.array(ratings, RATING), movies


def films(ratings, catalogue, size):
    """Return the most rated films, and who watched them: (person, film id)."""
    top = most_rated(ratings['movie'], size)
    rated = ratings[np.isin(ratings['movie'], top)]
    return [catalogue[film] for film in top], [
        (f'user {user}', film)
        for user, film in rated[['user', 'movie']].tolist()]


def make_world(ratings, catalogue, seed, order, size):
    """Return a World; people and movies depend on the seed alone."""
    random = np.random.default_rng(seed)
    users = random.permutation(np.unique(ratings['user']))
    others, coming = np.array_split(users, 2)
    log = ratings[np.isin(ratings['user'], others)]
    top = most_rated(log['movie'], size)
    log = log[np.isin(log['movie'], top)]
    movies = [catalogue[movie] for movie in top]
    worths = worth(movies, random)

    known = _distinct(ratings[np.isin(ratings['user'], coming)
                              & np.isin(ratings['movie'], top)])
    keys = known['time'] if order == TIME else random.random(len(known))
    places, counts = _places(known['user'], keys)
    later = 2 * places >= counts
    ids, clicks = np.unique(known['user'][later], return_counts=True)
    welcome = ids[clicks >= FEWEST_CLICKS]
    people = coming[np.isin(coming, welcome)][:PEOPLE]
    if min(len(people), len(top)) < FEWEST:
        raise UserError(f'the data is too small: {len(people)} people who '
                        f'come and {len(top)} movies, {FEWEST} of each are '
                        'needed')
    mine = np.isin(known['user'], people)
    history, clicked = known[mine & ~later], known[mine & later]
    visits = _visits(clicked, order, random)
    return World(movies, _pairs(log, others, top),
                 _pairs(history, people, top), _pairs(clicked, people, top),
                 positions(people, visits), worths,
                 np.mean(visits[1:] == visits[:-1]))


def worth(movies, random):
    """Return 1 for movies of six random genres, a quarter for others."""
    genres = sorted({genre for movie in movies for genre in movie.genres})
    paying = set(random.permutation(genres)[:GENRES])
    return np.array([1 if paying.intersection(movie.genres) else ELSEWHERE
                     for movie in movies])


def _distinct(ratings):
    """Return one rating of each movie by a user, sorted by both."""
    return ratings[np.unique(ratings[['user', 'movie']],
                             return_index=True)[1]]


def _places(groups, keys):
    """Return for each row its place in its group by key, and its size."""
    order = np.lexsort((keys, groups))
    _, starts, numbers, sizes = np.unique(
        groups[order], return_index=True, return_inverse=True,
        return_counts=True)
    places, counts = np.empty((2, len(groups)), dtype=int)
    places[order] = np.arange(len(groups)) - starts[numbers]
    counts[order] = sizes[numbers]
    return places, counts


def _visits(clicked, order, random):
    """Return the user of each visit.

    Each comes when she rated one of the movies that she clicks on; where time
    is not to matter the visits are shuffled.
    """
    places, _ = _places(clicked['user'], random.random(len(clicked)))
    chosen = random.permutation(clicked[places < MOST_VISITS])
    if order == TIME:
        chosen = chosen[np.argsort(chosen['time'], kind='stable')]
    return chosen['user']


def _pairs(ratings, users, movies):
    """Return ratings as pairs of positions."""
    return np.column_stack([positions(users, ratings['user']),
                            positions(movies, ratings['movie'])])
