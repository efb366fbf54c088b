"""The recommendation service: what an application would run against dlints."""

from datetime import datetime, timezone
from time import perf_counter

from bench import server
from bench.demo import statements


class Service:
    """Recommends movies and learns from rewards, one statement for each."""

    def __init__(self, cursor):
        self._cursor = cursor
        self.executed = {}      # title: the first such statement, as executed
        self.seconds = {}       # title: what each execution took

    def set_up(self):
        """Make the tables."""
        self._run('The extension', statements.EXTENSION)
        self._run('Tables', statements.TABLES)

    def load(self, catalogue):
        """Load movies, users and ratings."""
        server.copy(self._cursor, 'movie (id, title, genres, features)', (
            (movie.id, movie.title, movie.genres, features)
            for movie, features in zip(catalogue.movies, catalogue.features)))
        server.copy(self._cursor, 'viewer (id, features)',
                    zip(catalogue.users, catalogue.tastes))
        server.copy(self._cursor, 'rating (viewer_id, movie_id, stars, rated_at)', (
            (user, movie, stars, datetime.fromtimestamp(time, timezone.utc))
            for user, movie, stars, time in catalogue.ratings.tolist()))
        self._cursor.execute('ANALYZE movie, viewer, rating')

    def new_model(self, **parameters):
        """Create a model in a row of its own."""
        self._run('A model in a row', statements.NEW_MODEL, **parameters)

    def prepare(self, kind):
        """Have the server plan the two statements of the stream once."""
        self._run_for(kind, f'Prepare to recommend, {kind}',
                      statements.PREPARE_RECOMMEND)
        self._run_for(kind, f'Prepare to learn, {kind}',
                      statements.PREPARE_LEARN)

    def recommend(self, kind, model, viewer):
        """Return the id of the movie to show."""
        self._run_for(kind, 'Recommend', statements.RECOMMEND,
                      model=model, viewer=viewer)
        return self._cursor.fetchone()[0]

    def learn(self, kind, model, viewer, movie, reward):
        """Record a visit's reward and learn from it."""
        self._run_for(kind, 'Record a reward and learn from it',
                      statements.LEARN, model=model, viewer=viewer,
                      movie=movie, reward=reward)

    def five_each(self, kind, model, viewers):
        """Return (title, genres) of each viewer's five best movies.

        Movies that any of the viewers has rated are left out for all.
        """
        self._run_for(kind, f'The five best for each viewer, {kind}',
                      statements.FIVE_EACH, model=model, viewers=viewers)
        lists = {viewer: [] for viewer in viewers}
        for viewer, title, genres in self._cursor.fetchall():
            lists[viewer].append((title, genres))
        return list(lists.values())

    def learn_later(self, model, visits):
        """Queue rewards, then learn from the whole queue in one statement."""
        server.copy(self._cursor,
                    'feedback (model, viewer_id, movie_id, reward)',
                    ((model, *visit) for visit in visits))
        self._run('Learn from a queue of rewards', statements.LEARN_QUEUE)

    def _run_for(self, kind, title, statement, **values):
        """Execute a statement, completed for a kind of model."""
        contexts = statements.CONTEXTS[kind]
        self._run(title, statement.format(kind=kind, contexts=contexts),
                  **values)

    def _run(self, title, statement, **values):
        """Execute a statement; keep its text and the time it took."""
        start = perf_counter()
        self._cursor.execute(statement, values)
        self.seconds.setdefault(title, []).append(perf_counter() - start)
        self.executed.setdefault(title, self._cursor.query.decode())
