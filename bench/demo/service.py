"""The recommendation services: what applications would run."""

from time import perf_counter

from bench import server
from bench.demo import statements


class Services:
    """Recommend movies and note what came of it, one statement for each.

    Services differ in what they go by, statements.CHOICES.
    """

    def __init__(self, cursor):
        self._cursor = cursor
        self.executed = {}      # title: the first such statement, as executed
        self.seconds = {}       # title: what each execution took

    def set_up(self, world):
        """Make tables, vectors and models, and load what is known."""
        self._run('The extension', statements.EXTENSION)
        self._run('Tables', statements.TABLES)
        server.copy(self._cursor, 'movie (id, title, genres)', (
            (number, movie.title, movie.genres)
            for number, movie in enumerate(world.movies)))
        server.copy(self._cursor, 'log', world.log)
        for service in statements.CHOICES:
            server.copy(self._cursor, 'visit', (
                (service, *pair, 1) for pair in world.known))
        self._run('Vectors of the log', statements.FACTORS)
        self._run('How often each was watched', statements.POPULARITY)
        self._run('Vectors of people', statements.PROFILE)
        self._run('Models', statements.MODELS)
        self._cursor.execute(statements.ANALYSE)
        for service in statements.CHOICES:
            self._prepare(service)

    def recommend(self, service, viewer):
        """Return the numbers of the movies to show."""
        self._run_for(service, 'Recommend', statements.RECOMMEND,
                      viewer=viewer)
        return self._cursor.fetchone()[0]

    def note(self, service, viewer, movies, rewards):
        """Note what was shown, and learn from it where there is a model."""
        self._run_for(service, 'Note and learn', statements.NOTE,
                      viewer=viewer, movies=movies, rewards=rewards)

    def ask(self, title, statement, **values):
        """Return the rows of a statement."""
        self._run(title, statement, **values)
        return self._cursor.fetchall()

    def _prepare(self, service):
        """Have the server plan a service's two statements once."""
        learns = service in statements.CONTEXTS
        self._prepare_one(
            service, 'Prepare to recommend', statements.PREPARE_RECOMMEND,
            choice=statements.CHOICES[service],
            **(statements.MODEL_SOURCE if learns else statements.NO_SOURCE))
        self._prepare_one(
            service, 'Prepare to note and learn',
            statements.PREPARE_LEARN if learns else statements.PREPARE_NOTE,
            contexts=statements.CONTEXTS.get(service))

    def _prepare_one(self, service, title, statement, **parts):
        """Have the server plan a statement, completed for a service."""
        self._run(f'{title}, {service}',
                  statement.format(service=service, **parts))

    def _run_for(self, service, title, statement, **values):
        """Execute a prepared statement of a service."""
        self._run(f'{title}, {service}', statement.format(service=service),
                  service=service, **values)

    def _run(self, title, statement, **values):
        """Execute a statement; keep its text and the time it took."""
        start = perf_counter()
        self._cursor.execute(statement, values)
        self.seconds.setdefault(title, []).append(perf_counter() - start)
        self.executed.setdefault(title, self._cursor.query.decode())
