"""Visitors by the dozen, all of one taste."""

import random
import threading

PAGES_OF_EACH = 8
PAUSE = 0.2             # seconds between pages
AT_ONCE = 5
LIKES_TASTE = 0.8       # how likely a robot likes a film of its genre
LIKES_OTHER = 0.03


class Robots:
    """A thread that visits while it is switched on."""

    def __init__(self, service, genres, taste):
        self._service = service
        self._genres = genres       # of each film, by id
        self._on = threading.Event()
        self._end = threading.Event()
        self._visits = []           # [visitor, pages to go]
        self._chance = random.Random()
        self.taste = taste
        self.pages = 0
        self.problem = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def on(self):
        """Whether they are switched on."""
        return self._on.is_set()

    def switch(self, on, taste):
        """Switch them on or off, and set what they like."""
        self.taste = taste
        if on:
            self.problem = None
            self._on.set()
        else:
            self._on.clear()

    def close(self):
        """End the thread."""
        self._end.set()
        self._on.set()
        self._thread.join()

    def _run(self):
        while self._on.wait() and not self._end.wait(PAUSE):
            if not self.on:
                continue
            try:
                self._visit()
            except Exception as error:  # shown on the page
                self.problem = str(error).strip() or type(error).__name__
                self._visits.clear()
                self._on.clear()

    def _visit(self):
        """One robot sees a page and likes what is to its taste."""
        with self._service.session() as session:
            if len(self._visits) < AT_ONCE:
                self._visits.append([session.new_visitor(robot=True),
                                     PAGES_OF_EACH])
            visit = self._chance.choice(self._visits)
            visitor = visit[0]
            decision, movies = session.decide(visitor)
            for movie in movies:
                wanted = self.taste in self._genres[movie]
                if self._chance.random() < (LIKES_TASTE if wanted
                                            else LIKES_OTHER):
                    session.like(visitor, decision, movie)
            session.learn(visitor)
        self.pages += 1
        visit[1] -= 1
        if visit[1] == 0:
            self._visits.remove(visit)
