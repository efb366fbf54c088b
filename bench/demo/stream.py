"""The stream of visits: who comes, what is shown, what is clicked."""

import numpy as np

from bench.progress import Bar

LINES = 6


class World:
    """The viewers: they visit in turns and click what they like."""

    def __init__(self, catalogue, steps):
        self.movie_ids = [movie.id for movie in catalogue.movies]
        self.change = steps // 2
        self._viewers = catalogue.users.tolist()
        self._liked = catalogue.liked
        self._liked_later = catalogue.liked_later
        self._arm = {movie: arm for arm, movie in enumerate(self.movie_ids)}

    def viewer(self, step):
        """Return the id of the viewer who comes at a step."""
        return self._viewers[step % len(self._viewers)]

    def reward(self, step, movie):
        """Return 1 if the viewer of a step clicks the movie, else 0."""
        liked = self._liked if step < self.change else self._liked_later
        return int(liked[step % len(self._viewers), self._arm[movie]])


class Learner:
    """A policy that asks dlints and tells it what came of it."""

    def __init__(self, service, kind, model):
        self._service = service
        self._kind = kind
        self._model = model

    def choose(self, viewer):
        """Return the id of a movie."""
        return self._service.recommend(self._kind, self._model, viewer)

    def learn(self, viewer, movie, reward):
        """Pass on a visit's reward."""
        self._service.learn(self._kind, self._model, viewer, movie, reward)


class RandomChoice:
    """A policy that learns nothing, but keeps a log of its visits."""

    def __init__(self, movie_ids, seed):
        self._movie_ids = movie_ids
        self._random = np.random.default_rng(seed)
        self.log = []

    def choose(self, viewer):
        """Return the id of a movie."""
        return self._movie_ids[self._random.integers(len(self._movie_ids))]

    def learn(self, viewer, movie, reward):
        """Keep a visit and its reward for later."""
        self.log.append((viewer, movie, reward))


def run(world, policies, rewards, steps, progress):
    """Stream the visits of a range of steps past every policy.

    rewards[name][step] takes what each policy's recommendation earned.
    """
    for step in steps:
        viewer = world.viewer(step)
        for name, policy in policies.items():
            movie = policy.choose(viewer)
            reward = world.reward(step, movie)
            policy.learn(viewer, movie, reward)
            rewards[name][step] = reward
        progress.advance(step)


class Progress(Bar):
    """Click-through rates while the stream runs.

    A bar on a terminal; elsewhere a line now and then.
    """

    def __init__(self, steps, rewards):
        super().__init__(steps, unit='visit')
        self._rewards = rewards
        self._window = max(1, steps // (2 * LINES))

    def advance(self, step):
        """Count a visit."""
        self._bar.update()
        done = step + 1
        if self._terminal and done % 50 == 0:
            self._bar.set_postfix_str(self._rates(done), refresh=False)
        if not self._terminal and self._line(done) > self._line(step):
            print(f'{done:7,} of {self._total:,} visits   '
                  f'{self._rates(done)}', flush=True)

    def _line(self, done):
        """Return how many lines are due."""
        return done * LINES // self._total

    def _rates(self, done):
        """Return the click-through rates of the last visits."""
        last = slice(max(0, done - self._window), done)
        return ', '.join(f'{name} {rewards[last].mean():.0%}'
                         for name, rewards in self._rewards.items())
