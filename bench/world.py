"""Films, users, their logs and their clicks.

Ratings are those of MovieLens, or generated. The ratings of half of the users
are the log of others. The other half visit the service. Half of the ratings of
a visitor are in the log (the history); the others are the films that the
visitor clicks.
"""

from dataclasses import dataclass

import numpy as np

from bench import source
from bench.movielens import (RATING, Movie, most_rated, positions,
                             read_folder)
from bench.program import UserError, describe

PEOPLE = 500                # maximum number of visitors
FEWEST = 20                 # minimum ratings per person and per movie
FEWEST_CLICKS = 5           # minimum clicks per visitor
MOST_VISITS = 10            # maximum visits per person
GENRES = 6
ELSEWHERE = 0.25            # value of a click in other genres
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
RECENT = 1990               # films from this year on are of the second era
# Probabilities that a user likes a film: of a genre that the user likes and of
# the user's era, of such a genre and of the other era, and of another genre
LIKES_ERA, LIKES_TASTE, LIKES_OTHER = 0.8, 0.3, 0.03


@dataclass
class World:
    """Pairs are arrays with rows (person, index of the movie)."""

    movies: list            # Movie objects, most rated first
    log: np.ndarray         # pairs: films that others rated
    history: np.ndarray     # pairs: films in the visitors' logs
    clicks: np.ndarray      # pairs: films that visitors click
    visits: np.ndarray      # visitors, in the order of visits
    worths: np.ndarray      # value of a click on each movie, by genre
    runs: float             # fraction of visits by the previous visitor


def load(made_up=False):
    """Return ratings and {id: Movie}, of MovieLens or generated."""
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
    """Return generated films of ten genres, and ratings by people who like two
    genres and an era each.
    """
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
    """Return for each row its index within its group by key, and the group's
    size.
    """
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

    A visit takes place at the time of a rating of a clicked movie; in random
    order the visits are shuffled.
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
