"""The films to choose from: MovieLens, or made-up ones."""

import random
import re
from collections import Counter
from dataclasses import dataclass

from bench import source
from bench.movielens import read_folder
from bench.program import UserError, describe

FILMS = 1200
LIKED = 3.5     # stars
ARTICLE = re.compile(r'(.+), (The|A|An|La|Le|Les|Il|El|Die|Der|Das)\b(.*)')

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
PEOPLE = 400
FILMS_OF_EACH = 40


@dataclass
class Films:
    """Films as rows (id, title, genres) and likes as (person, film)."""

    origin: str
    movies: list
    history: list


def find():
    """Return the films of MovieLens or, without it, made-up ones."""
    try:
        folder = source.find_folder()
    except (UserError, OSError) as error:
        print(f'No data: {describe(error)}. Made-up films take its place.')
        return made_up()
    print(f'Data: {folder}\n{source.LICENCE}')
    return from_ratings(*read_folder(folder))


def from_ratings(ratings, movies):
    """Return the most rated films, and who liked which."""
    rated = Counter(ratings['movie'].tolist())
    top = [movie for movie, _ in rated.most_common(FILMS)]
    chosen = set(top)
    liked = ratings[ratings['rating'] >= LIKED]
    history = [pair for pair in zip(liked['user'].tolist(),
                                    liked['movie'].tolist())
               if pair[1] in chosen]
    return Films('MovieLens',
                 [(movie, _title(movies[movie].title), movies[movie].genres)
                  for movie in top], history)


def made_up(seed=1):
    """Return films of ten genres, and people who like two genres each."""
    chance = random.Random(seed)
    genres = list(NOUNS)
    movies = []
    for genre, nouns in NOUNS.items():
        for noun in nouns.split():
            for adjective in ADJECTIVES:
                others = [other for other in genres if other != genre]
                second = chance.choice(others)
                movies.append((
                    len(movies) + 1,
                    f'The {adjective} {noun} ({chance.randint(1950, 2025)})',
                    [genre] + [second] * (chance.random() < 0.3)))
    history = []
    for person in range(1, PEOPLE + 1):
        taste = chance.sample(genres, 2)
        for movie, _, of in chance.sample(movies, FILMS_OF_EACH * 4):
            if chance.random() < (0.9 if of[0] in taste else 0.05):
                history.append((person, movie))
    return Films('made-up films', movies, history)


def _title(title):
    """Return 'The Matrix (1999)' for 'Matrix, The (1999)'."""
    found = ARTICLE.fullmatch(title)
    return f'{found[2]} {found[1]}{found[3]}' if found else title
