"""Serve the page over HTTP, on this machine only."""

import errno
import itertools
import json
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg2

from bench.program import UserError
from examples.play.service import Gone

ADDRESS = '127.0.0.1'
PAGE = Path(__file__).parent / 'page'
FILES = {'/': ('index.html', 'text/html'), '/play.css': ('play.css', 'text/css'),
         '/play.js': ('play.js', 'text/javascript')}
LONGEST = 10_000        # bytes of a request


class Refused(Exception):
    """An invalid request; the text is the reason."""


class Site(ThreadingHTTPServer):
    """The HTTP server; set `service` and `robots` before it serves."""

    daemon_threads = True

    def __init__(self, port):
        try:
            super().__init__((ADDRESS, port), Handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise UserError(f'port {port} is taken. Another one: make play '
                            f'ARGS="--port {port + 1}"') from None
        self.service = None
        self.robots = None
        self.tastes = []
        self.numbers = itertools.count(1)       # of visitors
        # Identifies this run: visitor numbers of an earlier run are not valid
        self.run = secrets.token_hex(8)

    @property
    def url(self):
        """Return the address of the page."""
        return f'http://{ADDRESS}:{self.server_port}/'


class Handler(BaseHTTPRequestHandler):
    """One connection of a browser."""

    protocol_version = 'HTTP/1.1'
    timeout = 60

    def do_GET(self):
        """Answer with a file, or with statistics over all visitors."""
        self._answer({'/api/crowd': crowd}, parse_query)

    def do_POST(self):
        """Answer a visitor's action."""
        self._answer({'/api/visit': visit, '/api/like': like,
                      '/api/next': turn, '/api/robots': switch}, self._body)

    def log_message(self, *_):
        """Say nothing."""

    def _answer(self, calls, read):
        path = urlsplit(self.path).path
        try:
            self._check_host()
            if path in calls:
                answer = calls[path](self.server, read(self.path))
                self._send(200, 'application/json', json.dumps(answer).encode())
            elif self.command == 'GET' and path in FILES:
                file, kind = FILES[path]
                self._send(200, kind, (PAGE / file).read_bytes())
            else:
                self._fail(404, f'there is no {path}')
        except Refused as error:
            self.close_connection = True
            self._fail(400, str(error))
        except Gone as error:
            self._fail(410, str(error))
        except psycopg2.Error as error:
            self._fail(500, f'PostgreSQL: {error}'.strip())

    def _check_host(self):
        """Refuse other host names: pages of other sites may resolve theirs to this address."""
        if urlsplit(f'//{self.headers.get("Host", "")}').hostname not in (
                ADDRESS, 'localhost'):
            raise Refused('this is for visitors on this machine')

    def _body(self, _):
        """Return a request's JSON object.

        Browsers do not send JSON for pages of other sites without a preflight request.
        """
        try:
            length = max(0, int(self.headers.get('Content-Length', '')))
        except ValueError:
            raise Refused('the request has no length') from None
        # An unread body would reset the connection before the answer.
        content = self.rfile.read(min(length, LONGEST + 1))
        if length > LONGEST:
            raise Refused('the request is too long')
        if self.headers.get_content_type() != 'application/json':
            raise Refused('the request is not JSON')
        try:
            body = json.loads(content)
        except ValueError:
            raise Refused('the request is not JSON') from None
        if not isinstance(body, dict):
            raise Refused('the request is not a JSON object')
        return body

    def _fail(self, status, text):
        self._send(status, 'application/json',
                   json.dumps({'error': text}).encode())

    def _send(self, status, kind, content):
        self.send_response(status)
        self.send_header('Content-Type', f'{kind}; charset=utf-8')
        self.send_header('Content-Length', str(len(content)))
        self.send_header('Cache-Control', 'no-store')
        self.send_header('Content-Security-Policy', 
                         "default-src 'self'; img-src 'self' data:")
        self.end_headers()
        self.wfile.write(content)


def parse_query(path):
    """Return the parameters of an address."""
    return {name: values[0]
            for name, values in parse_qs(urlsplit(path).query).items()}


def number(request, field, end=2**31):
    """Return a number of a request."""
    try:
        found = int(request[field])
    except (KeyError, TypeError, ValueError, OverflowError):
        found = -1
    if not 0 <= found < end:
        raise Refused(f'{field} must be a number')
    return found


def visit(site, request):
    """Open the page, for a visitor of this run or a new visitor."""
    known = request.get('run') == site.run
    visitor = number(request, 'visitor') if known else next(site.numbers)
    with site.service.session() as session:
        decision = session.open_page(user_name(visitor))
        if decision is None:
            decision = session.decide(user_name(visitor))[0]
        answer = page(session, visitor, decision)
    return {'run': site.run, 'tastes': site.tastes, **answer}


def turn(site, request):
    """Choose the visitor's next page."""
    visitor = number(request, 'visitor')
    with site.service.session() as session:
        check_visitor(session, visitor)
        session.learn()
        return page(session, visitor, session.decide(user_name(visitor))[0])


def like(site, request):
    """Report a like, or take a like back."""
    visitor = number(request, 'visitor')
    with site.service.session() as session:
        session.like(user_name(visitor), number(request, 'decision', 2**53),
                     number(request, 'film'), int(bool(request.get('likes'))))
        executed = session.executed[:]
        return {'liked': session.liked(user_name(visitor)), 'executed': executed}


def page(session, visitor, decision):
    """Return a page with its explanations, and the statements behind it."""
    films = session.explain(decision)
    executed = session.executed[:]
    return {'visitor': visitor, 'decision': decision, 'films': films,
            'liked': session.liked(user_name(visitor)), 'executed': executed}


def crowd(site, request):
    """Return statistics over all visitors, and the state of model and robots."""
    with site.service.session() as session:
        answer = session.crowd(user_name(number(request, 'visitor')))
        return {**answer, 'robots': robots(site),
                'executed': session.executed}


def switch(site, request):
    """Switch the robots on or off, and set their taste."""
    if request.get('taste') not in site.tastes:
        raise Refused('the taste does not exist')
    site.robots.switch(bool(request.get('on')), request['taste'])
    return {'robots': robots(site)}


def robots(site):
    """Return the state of the robots."""
    state = site.robots
    return {'on': state.on, 'taste': state.taste, 'pages': state.pages,
            'problem': state.problem}


def check_visitor(session, visitor):
    """Raise Gone unless the visitor exists."""
    if session.open_page(user_name(visitor)) is None:
        raise Gone('the visitor does not exist any more: reload the page')


def user_name(visitor):
    """Return a visitor's user_id in the recommender."""
    return f'visitor {visitor}'
