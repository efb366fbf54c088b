"""Visit the page of "make play" without a browser."""

import json
import socket
import sys
import threading
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import program
from tap import Tap

LONGEST_VISIT = 30      # pages
LATEST = 40             # likes, more than fit a few pages
PATIENCE = 60           # seconds

tap = Tap()


class Visitor:
    """Somebody with a browser."""

    def __init__(self, url):
        self.url = url
        self.page = self.call('visit', {})
        self.shown = [film['id'] for film in self.page['films']]

    def call(self, name, request=None, **headers):
        """Return the answer to a request, of which None is a GET."""
        content = None
        if request is not None:
            content = (request if isinstance(request, bytes)
                       else json.dumps(request).encode())
            headers = {'Content-Type': 'application/json', **headers}
        with urlopen(Request(f'{self.url}api/{name}', content, headers),
                     timeout=PATIENCE) as reply:
            return json.load(reply)

    def status(self, name, request=None, **headers):
        """Return the status of an answer, and its error."""
        try:
            self.call(name, request, **headers)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)['error']
        return 200, None

    def like(self, film, likes=True):
        """Like one of the page's films, or take that back."""
        return self.call('like', {
            'visitor': self.page['visitor'], 'decision': self.page['decision'],
            'film': film['id'], 'likes': likes})

    def next(self):
        """Go to the next page."""
        self.page = self.call('next', {'visitor': self.page['visitor']})
        self.shown += [film['id'] for film in self.page['films']]

    def crowd(self):
        """Return what everybody does."""
        return self.call(f'crowd?visitor={self.page["visitor"]}')

    def of(self, genre):
        """Return the page's films of a genre."""
        return [film for film in self.page['films']
                if genre in film['genres']]

    def finds(self, genre):
        """Like all of a genre until pages are full of it, or for too long."""
        full = 0
        for _ in range(LONGEST_VISIT):
            films = self.of(genre)
            full += len(films) >= 7
            if full == 2:
                return True
            for film in films:
                self.like(film)
            self.next()
        return False


def check(process, url, port):
    """Make all checks of a running program."""
    visitor = Visitor(url)
    check_files(url, port)
    check_refusals(visitor)
    check_page(visitor)
    check_likes(visitor)
    check_statements(visitor)
    check_tastes(url)
    check_crowd(url)
    check_robots(visitor)
    check_learned(visitor)
    check_port(port)
    status, complaint = program.interrupt(process)
    tap.ok(status == 130 and complaint.strip() == 'play: stopped',
           'Ctrl-C ends it', f'{status}: {complaint}')


def check_files(url, port):
    """The page comes with all it needs, to this machine only."""
    for path, kind in (('', 'text/html'), ('play.css', 'text/css'),
                       ('play.js', 'text/javascript')):
        with urlopen(url + path) as reply:
            content = reply.read().decode()
            found = (reply.headers.get_content_type(),
                     reply.headers['Content-Security-Policy'])
        tap.ok(found[0] == kind and found[1].startswith("default-src 'self'"),
               f'/{path} is there', found)
        tap.ok('https:' not in content,
               f'/{path} wants nothing from elsewhere')
    with socket.socket() as elsewhere:
        refused = elsewhere.connect_ex(('127.0.0.2', port)) != 0
    tap.ok(refused, 'no other address leads to it')


def check_refusals(visitor):
    """What makes no sense, or comes from another site, is refused."""
    number = visitor.page['visitor']
    for name, expected, answer in (
            ('a name that leads here',
             400, visitor.status('visit', {}, Host='elsewhere.example')),
            ('a form of another site', 400, visitor.status(
                'visit', b'{}', **{'Content-Type': 'text/plain'})),
            ('no JSON', 400, visitor.status('next', b'{')),
            ('an array', 400, visitor.status('next', b'[]')),
            ('what is long', 400, visitor.status('next', b' ' * 10_001)),
            ('no visitor', 400, visitor.status('next', {})),
            ('a visitor of a name', 400, visitor.status(
                'next', {'visitor': "1'; DROP TABLE film"})),
            ('a visitor who never came', 410,
             visitor.status('next', {'visitor': 10**6})),
            ('a film of no page', 410, visitor.status(
                'like', {'visitor': number, 'decision': 10**6, 'film': 1,
                         'likes': True})),
            ('a taste unheard of', 400,
             visitor.status('robots', {'on': True, 'taste': 'Opera'})),
            ('what is not there', 404, visitor.status('nothing'))):
        tap.ok(answer[0] == expected and answer[1], f'refused: {name}', answer)


def check_page(visitor):
    """A visitor gets ten films, and is known by the number."""
    page = visitor.page
    films = page['films']
    tap.ok(len({film['id'] for film in films}) == 10, 'ten films')
    tap.ok(all(0 < film['probability'] <= 1 and film['error'] is None
               and film['nearest'] is None for film in films),
           'with their probabilities, for no reason yet', films)
    again = visitor.call('visit', {'run': page['run'],
                                   'visitor': page['visitor']})
    tap.ok((again['visitor'], again['decision'])
           == (page['visitor'], page['decision'])
           and [film['id'] for film in again['films']]
           == [film['id'] for film in films],
           'whoever comes back has the same page')
    other = visitor.call('visit', {'run': 'earlier',
                                   'visitor': page['visitor']})
    tap.ok(other['visitor'] != page['visitor'],
           'a number of an earlier run is nobody\'s')


def check_likes(visitor):
    """Likes can be taken back, and those that come late are learned, too."""
    film, other = visitor.page['films'][:2]
    answer = visitor.like(film)
    tap.ok(answer['liked'] == [film['title']], 'a like', answer['liked'])
    statement = answer['executed'][-1]['sql']
    tap.ok(f's.item = {film["id"]}' in statement
           and f'd.id = {visitor.page["decision"]}' in statement,
           'its statement with the values', statement)
    tap.ok(visitor.like(film)['liked'] == [film['title']],
           'twice is once')
    tap.ok(visitor.like(film, False)['liked'] == [], 'taken back')
    visitor.like(other)
    before = visitor.page
    visitor.next()
    tap.ok(visitor.page['decision'] > before['decision']
           and visitor.page['liked'] == [other['title']],
           'the next page knows of it', visitor.page['liked'])
    tap.ok({film['nearest'] for film in visitor.page['films']}
           == {other['title']}, 'and says so')
    # the log keeps features and profiles to 11 bits
    tap.ok(all(abs(sum(part['adds'] for part in film['parts'])
                   - film['expected'])
               < 1e-3 * sum(abs(part['adds']) for part in film['parts'])
               and len(film['parts']) == 5
               for film in visitor.page['films']),
           'and what adds up to what is expected', visitor.page['films'][0])
    answer = visitor.call('like', {
        'visitor': before['visitor'], 'decision': before['decision'],
        'film': film['id'], 'likes': True})
    tap.ok(film['title'] in answer['liked'], 'a like of an earlier page',
           answer['liked'])
    stranger = Visitor(visitor.url)
    answer = visitor.status('like', {
        'visitor': stranger.page['visitor'],
        'decision': visitor.page['decision'],
        'film': visitor.page['films'][0]['id'], 'likes': True})
    tap.ok(answer[0] == 410, 'nobody likes on another\'s page', answer)


def check_statements(visitor):
    """What is shown is what was executed, and can be executed again."""
    executed = {step['name']: step['sql'] for step in visitor.page['executed']}
    tap.ok(list(executed) == ['learn', 'decide', 'why']
           and 'home.learn()' in executed['learn']
           and 'home.recommend(' in executed['decide']
           and not any('%(' in sql for sql in executed.values()),
           'a page is learned, decided and explained', executed)
    with program.database() as cursor:
        cursor.execute(executed['why'])
        again = [row[0] for row in cursor.fetchall()]
    tap.ok(again == [film['id'] for film in visitor.page['films']],
           'a copied statement runs', again)
    tap.ok(all(film['error'] > 0 for film in visitor.page['films']),
           'and what is expected has an error, once something was learned')


def check_tastes(url):
    """Each visitor gets what that visitor likes."""
    for genre in ('Animation', 'Western'):
        visitor = Visitor(url)
        tap.ok(visitor.finds(genre), f'who likes {genre} gets it',
               [film['genres'] for film in visitor.page['films']])
        tap.ok(len(visitor.shown) == len(set(visitor.shown)),
               'and nothing twice', visitor.shown)


def check_crowd(url):
    """Many at once do not lose each other's likes."""
    visitors = [Visitor(url) for _ in range(8)]
    problems = []

    def visit(visitor):
        try:
            for _ in range(5):
                visitor.like(visitor.page['films'][0])
                visitor.next()
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=visit, args=[visitor])
               for visitor in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tap.ok(not problems, 'eight visitors at once', problems)
    tap.ok(all(len(visitor.page['liked']) == 5 for visitor in visitors),
           'and the likes of each are there')


def check_robots(visitor):
    """Robots visit while they are switched on, and like their taste."""
    for taste in ('Horror', 'Musical'):
        visitor.call('robots', {'on': True, 'taste': taste})
        tap.ok(wait(lambda: robots_like(taste)),
               f'robots like {taste}', visitor.crowd()['robots'])
    visitor.call('robots', {'on': False, 'taste': 'Musical'})
    time.sleep(0.5)
    before = visitor.crowd()['robots']
    time.sleep(1)
    tap.ok(visitor.crowd()['robots'] == before and not before['on']
           and before['problem'] is None, 'and stay away when switched off',
           before)


def robots_like(genre):
    """Return whether most of the robots' latest likes are of a genre."""
    with program.database() as cursor:
        cursor.execute("""
            SELECT count(*) FILTER (WHERE %s = ANY (genres)), count(*)
            FROM  (SELECT f.genres
                   FROM   home.reward r JOIN home.decision d ON d.id = r.decision
                          JOIN film f ON f.id = r.item
                   WHERE  d.person LIKE 'robot%%'
                   ORDER  BY r.at DESC LIMIT %s) latest""",
                       [genre, LATEST])
        of_genre, all_of_them = cursor.fetchone()
    return of_genre >= 0.7 * LATEST and all_of_them == LATEST


def check_learned(visitor):
    """The model is what the log says, and the report is about it."""
    visitor.next()      # learns
    crowd = visitor.crowd()
    with program.database() as cursor:
        cursor.execute("""
            SELECT count(*), avg(reward), count(DISTINCT decision) FROM home.outcome
            WHERE  decision NOT IN (SELECT decision FROM home.due)""")
        count, mean, decisions = cursor.fetchone()
    memory = crowd['memory']
    tap.ok(memory['updates'] == count > 500,
           'everything that was shown is learned once',
           (memory['updates'], count))
    tap.ok(memory['memory'] < memory['memories']
           or abs(memory['mean_reward'] - mean) < 1e-6,
           'as it was liked', (memory['mean_reward'], mean))
    report = {row['measure']: row['value'] for row in crowd['report']}
    tap.ok(report['decisions'] == decisions + 1,
           'and the report knows of every page', (report, decisions))


def check_port(port):
    """A port that is taken is named, with a way out."""
    process = program.start('--port', str(port))
    _, complaint = process.communicate(timeout=PATIENCE)
    tap.ok(process.returncode == 1 and f'port {port} is taken' in complaint
           and '--port' in complaint, 'a port that is taken', complaint)


def wait(condition):
    """Return whether something comes true in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.2)
    return False


with program.running() as parts:
    check(*parts)
tap.plan()
sys.exit(int(tap.failed))
