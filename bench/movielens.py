"""Read a MovieLens folder, whichever edition it is.

The small and the recent editions hold ratings.csv and movies.csv with a
header; the 1M and 10M editions hold ratings.dat and movies.dat, without a
header and with "::" between fields.
"""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.program import UserError

RATING = np.dtype([('user', np.int64), ('movie', np.int64),
                   ('rating', np.float32), ('time', np.int64)])
NO_GENRES = '(no genres listed)'
ARTICLE = re.compile(r'([^(]+), (The|A|An|La|Le|Les|Il|El|Die|Der|Das)( \(.*)')
# Genres of all editions, and a name for movies without genres
GENRES = ['Action', 'Adventure', 'Animation', 'Children', 'Comedy', 'Crime',
          'Documentary', 'Drama', 'Fantasy', 'Film-Noir', 'Horror', 'IMAX',
          'Musical', 'Mystery', 'Romance', 'Sci-Fi', 'Thriller', 'War',
          'Western', NO_GENRES]


@dataclass
class Movie:
    """What the data says about one movie."""

    id: int
    title: str
    genres: list


def most_rated(items, size):
    """Return the ids that occur most often, the most frequent first."""
    ids, counts = np.unique(items, return_counts=True)
    return ids[np.argsort(-counts, kind='stable')][:size]


def positions(ids, values):
    """Return where in ids each of the values stands."""
    order = np.argsort(ids)
    return order[np.searchsorted(ids, values, sorter=order)]


def read_folder(folder):
    """Return (ratings, movies): a RATING array and a dict of Movie by id."""
    for suffix in ('csv', 'dat'):
        ratings_path, movies_path = (Path(folder, f'{name}.{suffix}')
                                     for name in ('ratings', 'movies'))
        if ratings_path.is_file() and movies_path.is_file():
            break
    else:
        raise UserError(f'{folder} is no folder with ratings.csv and '
                        'movies.csv or ratings.dat and movies.dat')
    ratings = read_table(ratings_path, RATING, skiprows=int(suffix == 'csv'))
    movies = _read_movies(movies_path)
    unknown = np.setdiff1d(ratings['movie'], list(movies))
    if unknown.size:
        raise UserError(f'{ratings_path} rates movie {unknown[0]}, '
                        f'which {movies_path.name} does not list')
    return ratings, movies


def read_table(path, fields, **settings):
    """Return a text file of numbers as an array with these fields."""
    try:
        with open(path, encoding='utf-8-sig') as file:
            rows = np.loadtxt((line.replace('::', ',') for line in file),
                              fields, delimiter=',', ndmin=1, **settings)
    except ValueError as error:
        raise UserError(f'{path} is malformed: {error}') from None
    if not rows.size or not np.isfinite(rows['rating']).all():
        raise UserError(f'{path} holds no ratings, or one that is no number')
    return rows


def _read_movies(path):
    """Return the movies file as a dict of Movie by id."""
    content = path.read_bytes()
    try:
        lines = content.decode('utf-8-sig').splitlines()
    except UnicodeDecodeError:      # files of the 1M edition
        lines = content.decode('latin-1').splitlines()
    rows = (list(csv.reader(lines))[1:] if path.suffix == '.csv'
            else [line.split('::') for line in lines])
    try:
        return {int(number): Movie(int(number), _title(title), _split(genres))
                for number, title, genres in rows}
    except ValueError:
        raise UserError(f'{path} is malformed: a row is not an id, a title '
                        'and genres') from None


def _title(title):
    """Return 'The Matrix (1999)' for 'Matrix, The (1999)'."""
    found = ARTICLE.fullmatch(title)
    return f'{found[2]} {found[1]}{found[3]}' if found else title


def _split(text):
    """Return the genres of a field such as 'Comedy|Drama'."""
    genres = text.strip().replace("Children's", 'Children')
    return [] if genres in ('', NO_GENRES) else genres.split('|')
