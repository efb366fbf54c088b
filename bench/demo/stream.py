"""The stream of visits: who comes, what is shown, what is clicked."""

import numpy as np

from bench.progress import Steps

# Who is told what a click is worth; to the others all are worth the same
TOLD = 'earning'


def run(world, services, names):
    """Have everybody visit each service.

    Return {name: clicks of each visit} and the same of earnings.
    """
    clicks, earnings = ({name: np.zeros(len(world.visits)) for name in names}
                        for _ in range(2))
    with Steps(len(world.visits)) as progress:
        for step, viewer in enumerate(world.visits):
            for name in names:
                movies = services.recommend(name, viewer)
                clicked = np.array([(viewer, movie) in world.likes
                                    for movie in movies], dtype=float)
                earned = clicked * world.worths[movies]
                rewards = earned if name == TOLD else clicked
                services.note(name, viewer, movies, rewards.tolist())
                clicks[name][step] = clicked.sum()
                earnings[name][step] = earned.sum()
            progress.advance(1)
    return clicks, earnings
