"""Read a MovieLens folder, whichever edition it is.

The small and the recent editions hold ratings.csv and movies.csv with a
header; the 1M and 10M editions hold ratings.dat and movies.dat, without a
header and with "::" between fields.
"""

import csv
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.program import UserError

RATING = np.dtype([('user', np.int64), ('movie', np.int64),
                   ('rating', np.float32), ('time', np.int64)])
RATINGS_HEADER = 'userId,movieId,rating,timestamp'
NO_GENRES = '(no genres listed)'
# Those of every edition, and a place for movies that have none.
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


def read_folder(folder):
    """Return (ratings, movies): a RATING array and a dict of Movie by id."""
    folder = Path(folder)
    ratings_path, movies_path = _find_files(folder)
    ratings = read_ratings(ratings_path)
    movies = read_movies(movies_path)
    unknown = np.setdiff1d(ratings['movie'], list(movies))
    if unknown.size:
        raise UserError(f'{ratings_path} rates movie {unknown[0]}, '
                        f'which {movies_path.name} does not list')
    return ratings, movies


def read_ratings(path):
    """Return the ratings file as an array with the fields of RATING."""
    try:
        with path.open(encoding='utf-8-sig') as file, \
                warnings.catch_warnings():
            # An empty file is reported below.
            warnings.simplefilter('ignore')
            ratings = np.loadtxt(_comma_separated(path, file), dtype=RATING,
                                 delimiter=',', ndmin=1, comments=None)
    except ValueError:
        raise UserError(f'{path} is malformed: {_complaint(path)}') from None
    if not ratings.size:
        raise UserError(f'{path} holds no ratings')
    if not np.isfinite(ratings['rating']).all():
        raise UserError(f'{path} is malformed: a rating is not a number')
    return ratings


def read_movies(path):
    """Return the movies file as a dict of Movie by id."""
    lines = _lines(path)
    if path.suffix == '.csv':
        try:
            rows = list(csv.reader(lines))[1:]
        except csv.Error as error:
            raise UserError(f'{path}: {error}') from None
        first = 2
    else:
        rows = [line.split('::') for line in lines]
        first = 1
    movies = {}
    for number, row in enumerate(rows, start=first):
        try:
            movie_id, title, genres = row
            movies[int(movie_id)] = Movie(int(movie_id), title,
                                          _split_genres(genres))
        except ValueError:
            raise UserError(f'{path} is malformed: row {number} is not '
                            'an id, a title and genres') from None
    if not movies:
        raise UserError(f'{path} holds no movies')
    return movies


def _find_files(folder):
    """Return the paths of the ratings and the movies in a folder."""
    if not folder.is_dir():
        raise UserError(f'there is no folder {folder}')
    for suffix in ('.csv', '.dat'):
        ratings = folder / f'ratings{suffix}'
        movies = folder / f'movies{suffix}'
        if ratings.is_file() and movies.is_file():
            return ratings, movies
    raise UserError(f'{folder} holds neither ratings.csv and movies.csv '
                    'nor ratings.dat and movies.dat')


def _comma_separated(path, file):
    """Return the lines of ratings with commas between fields, no header."""
    if path.suffix == '.dat':
        return (line.replace('::', ',') for line in file)
    header = file.readline().strip()
    if header and header != RATINGS_HEADER:
        raise ValueError('no header')
    return file


def _complaint(path):
    """Say what is wrong with a ratings file that could not be read."""
    with path.open(encoding='utf-8-sig', errors='replace') as file:
        try:
            lines = _comma_separated(path, file)
        except ValueError:
            return f'its first line is not {RATINGS_HEADER}'
        first = 1 if path.suffix == '.dat' else 2
        for number, line in enumerate(lines, start=first):
            try:
                user, movie, rating, time = line.split(',')
                int(user), int(movie), float(rating), int(time)
            except ValueError:
                if line.strip():
                    return f'line {number} is not user, movie, rating, time'
    return 'its numbers are out of range'


def _lines(path):
    """Return the lines of a text file; the 1M edition is in Latin-1."""
    content = path.read_bytes()
    try:
        text = content.decode('utf-8-sig')
    except UnicodeDecodeError:
        text = content.decode('latin-1')
    return text.splitlines()


def _split_genres(text):
    """Return the genres of a field such as 'Comedy|Drama'."""
    genres = text.strip().replace("Children's", 'Children')
    return [] if genres in ('', NO_GENRES) else genres.split('|')
