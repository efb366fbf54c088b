"""Simulated visitors, who like one genre each, or all the same genre."""

import itertools
import random
import threading
from dataclasses import dataclass

PAGES_OF_EACH = 8
PAUSE = 0.2             # seconds between pages
AT_ONCE = 5
LIKES_TASTE, LIKES_OTHER = 0.8, 0.03    # how likely a film is liked
OWN_TASTE = 'a genre each'


@dataclass
class Visit:
    """A robot's visit."""

    visitor: str
    taste: str
    pages: int = PAGES_OF_EACH      # left to see


class Robots:
    """A thread that simulates visits while it is switched on."""

    def __init__(self, service, films, tastes):
        self._service = service
        self._films = films         # by id
        self._tastes = tastes
        self._on = threading.Event()
        self._end = threading.Event()
        self._visits = []
        self._numbers = itertools.count(1)
        self._chance = random.Random()
        self.taste = OWN_TASTE
        self.pages = 0
        self.problem = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def on(self):
        """Are the robots switched on?"""
        return self._on.is_set()

    def switch(self, on, taste):
        """Switch the robots on or off, and set their taste."""
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

    def _likes(self, taste, film):
        """Does a robot of a taste like a film, this time?"""
        return self._chance.random() < (
            LIKES_TASTE if taste in film.genres else LIKES_OTHER)

    def _visit(self):
        """Show a page to one robot, which likes the films of its taste."""
        with self._service.session() as session:
            if len(self._visits) < AT_ONCE:
                self._visits.append(Visit(f'robot {next(self._numbers)}',
                                          self._chance.choice(self._tastes)))
            visit = self._chance.choice(self._visits)
            taste = visit.taste if self.taste == OWN_TASTE else self.taste
            session.visit(visit.visitor,
                          lambda film: self._likes(taste, self._films[film]))
        self.pages += 1
        visit.pages -= 1
        if visit.pages == 0:
            self._visits.remove(visit)
