"""Two viewers who like different movies."""

import numpy as np


def two_viewers(goods):
    """Return the ids of the two active viewers whose tastes differ most.

    Active is who has rated at least as much as half of the viewers.
    """
    ids, counts = np.unique(goods.ratings['user'], return_counts=True)
    active = np.isin(goods.users, ids[counts >= np.median(counts)])
    users, tastes = goods.users[active], goods.tastes[active]
    likeness = tastes @ tastes.T
    np.fill_diagonal(likeness, np.inf)
    return [int(users[place]) for place in
            np.unravel_index(np.argmin(likeness), likeness.shape)]


def favourites(goods, viewer, count=3):
    """Return the titles a viewer gave most stars, much rated ones first."""
    hers = goods.ratings[goods.ratings['user'] == viewer]
    stars = dict(zip(hers['movie'].tolist(), hers['rating'].tolist()))
    rated = [movie for movie in goods.movies if movie.id in stars]
    rated.sort(key=lambda movie: -stars[movie.id])
    return [movie.title for movie in rated[:count]]
