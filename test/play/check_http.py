"""Test the page of "make play" over HTTP, without a browser."""

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
MAX_CONTROL = 20        # successive visitors of the control group
LATEST = 40             # likes of robots, from at least four pages
PATIENCE = 60           # seconds

tap = Tap()


class Visitor:
    """A visitor of the page."""

    def __init__(self, url):
        self.url = url
        self.page = self.call('visit', {})
        self.shown = [film['id'] for film in self.page['films']]

    def call(self, name, request=None, **headers):
        """Send a request, GET if it is None, and return the answer."""
        content = None
        if request is not None:
            content = (request if isinstance(request, bytes)
                       else json.dumps(request).encode())
            headers = {'Content-Type': 'application/json', **headers}
        with urlopen(Request(f'{self.url}api/{name}', content, headers),
                     timeout=PATIENCE) as reply:
            return json.load(reply)

    def status(self, name, request=None, **headers):
        """Return the status and the error of an answer."""
        try:
            self.call(name, request, **headers)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)['error']
        return 200, None

    def like(self, film, likes=True):
        """Like a film of the page, or take the like back."""
        return self.call('like', {
            'visitor': self.page['visitor'], 'decision': self.page['decision'],
            'film': film['id'], 'likes': likes})

    def next(self):
        """Go to the next page."""
        self.page = self.call('next', {'visitor': self.page['visitor']})
        self.shown += [film['id'] for film in self.page['films']]

    def crowd(self):
        """Return the statistics over all visitors."""
        return self.call(f'crowd?visitor={self.page["visitor"]}')

    def of(self, genre):
        """Return the page's films of a genre."""
        return [film for film in self.page['films']
                if genre in film['genres']]

    def finds(self, genre):
        """Like all films of a genre; return whether two pages have at least seven of them."""
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
    """Test a running program."""
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
           'an interrupt ends the program with status 130', f'{status}: {complaint}')


def check_files(url, port):
    """Test the files of the page."""
    for path, kind in (('', 'text/html'), ('play.css', 'text/css'),
                       ('play.js', 'text/javascript')):
        with urlopen(url + path) as reply:
            content = reply.read().decode()
            found = (reply.headers.get_content_type(),
                     reply.headers['Content-Security-Policy'])
        tap.ok(found[0] == kind and found[1].startswith("default-src 'self'"),
               f'/{path} is served with its type and a content security policy', found)
        tap.ok('https:' not in content,
               f'/{path} loads nothing from other hosts')
    with socket.socket() as elsewhere:
        refused = elsewhere.connect_ex(('127.0.0.2', port)) != 0
    tap.ok(refused, 'the program listens on one address only')


def check_refusals(visitor):
    """Test invalid requests, and requests of other sites."""
    number = visitor.page['visitor']
    for name, expected, answer in (
            ('another host name',
             400, visitor.status('visit', {}, Host='elsewhere.example')),
            ('a form of another site', 400, visitor.status(
                'visit', b'{}', **{'Content-Type': 'text/plain'})),
            ('malformed JSON', 400, visitor.status('next', b'{')),
            ('a JSON array', 400, visitor.status('next', b'[]')),
            ('a long body', 400, visitor.status('next', b' ' * 10_001)),
            ('a missing visitor', 400, visitor.status('next', {})),
            ('a visitor that is no number', 400, visitor.status(
                'next', {'visitor': "1'; DROP TABLE film"})),
            ('a visitor who does not exist', 410,
             visitor.status('next', {'visitor': 10**6})),
            ('a film that is on no page', 410, visitor.status(
                'like', {'visitor': number, 'decision': 10**6, 'film': 1,
                         'likes': True})),
            ('an unknown taste', 400,
             visitor.status('robots', {'on': True, 'taste': 'Opera'})),
            ('an unknown address', 404, visitor.status('nothing'))):
        tap.ok(answer[0] == expected and answer[1], f'the program refuses {name}', answer)


def check_page(visitor):
    """Test the first page of a visitor."""
    page = visitor.page
    films = page['films']
    tap.ok(len({film['id'] for film in films}) == 10, 'a page has ten films')
    tap.ok(all(0 < film['probability'] <= 1 and film['error'] is None
               and film['nearest'] is None for film in films),
           'films have probabilities, and before the first reward no errors', films)
    again = visitor.call('visit', {'run': page['run'],
                                   'visitor': page['visitor']})
    tap.ok((again['visitor'], again['decision'])
           == (page['visitor'], page['decision'])
           and [film['id'] for film in again['films']]
           == [film['id'] for film in films],
           'a visitor who returns gets the same page')
    other = visitor.call('visit', {'run': 'earlier',
                                   'visitor': page['visitor']})
    tap.ok(other['visitor'] != page['visitor'],
           'a visitor of an earlier run becomes a new visitor')


def check_likes(visitor):
    """Test likes: repeated, taken back, and late."""
    film, other = visitor.page['films'][:2]
    answer = visitor.like(film)
    tap.ok(answer['liked'] == [film['title']], 'a like is in the list of likes', answer['liked'])
    statement = answer['executed'][-1]['sql']
    tap.ok(f's.item = {film["id"]}' in statement
           and f'd.id = {visitor.page["decision"]}' in statement,
           'the statement of the like is shown with its values', statement)
    tap.ok(visitor.like(film)['liked'] == [film['title']],
           'a repeated like counts once')
    tap.ok(visitor.like(film, False)['liked'] == [],
           'a like can be taken back')
    visitor.like(other)
    before = visitor.page
    visitor.next()
    tap.ok(visitor.page['decision'] > before['decision']
           and visitor.page['liked'] == [other['title']],
           'the next page lists the like', visitor.page['liked'])
    tap.ok({film['nearest'] for film in visitor.page['films']}
           == {other['title']}, 'the like is the most similar film of each film on the next page')
    # The log stores features and profiles with 11 bits.
    tap.ok(all(abs(sum(part['contribution'] for part in film['parts'])
                   - film['expected'])
               < 1e-3 * sum(abs(part['contribution']) for part in film['parts'])
               and len(film['parts']) == 6
               for film in visitor.page['films']),
           'the contributions of the parts add up to the expected reward', visitor.page['films'][0])
    answer = visitor.call('like', {
        'visitor': before['visitor'], 'decision': before['decision'],
        'film': film['id'], 'likes': True})
    tap.ok(film['title'] in answer['liked'], 'a film of an earlier page can be liked',
           answer['liked'])
    stranger = Visitor(visitor.url)
    answer = visitor.status('like', {
        'visitor': stranger.page['visitor'],
        'decision': visitor.page['decision'],
        'film': visitor.page['films'][0]['id'], 'likes': True})
    tap.ok(answer[0] == 410, 'a visitor cannot like films on the page of another', answer)


def check_statements(visitor):
    """Test the statements that the page shows."""
    executed = {step['name']: step['sql'] for step in visitor.page['executed']}
    tap.ok(list(executed) == ['learn', 'decide', 'explain']
           and 'home.learn()' in executed['learn']
           and 'home.recommend(' in executed['decide']
           and not any('%(' in sql for sql in executed.values()),
           'the page shows the statements that train, choose and explain', executed)
    with program.database() as cursor:
        cursor.execute(executed['explain'])
        again = [row[0] for row in cursor.fetchall()]
    tap.ok(again == [film['id'] for film in visitor.page['films']],
           'a shown statement can be executed', again)
    tap.ok(all(film['error'] > 0 for film in visitor.page['films']),
           'expected rewards have errors after the first reward')


def personal_visitor(url):
    """Return a visitor outside of the control group, which has a tenth of all visitors."""
    for _ in range(MAX_CONTROL):
        visitor = Visitor(url)
        if visitor.page['films'][0]['treatment'] != 'control':
            break
    return visitor


def check_tastes(url):
    """Test that pages adapt to the likes of a visitor."""
    for genre in ('Animation', 'Western'):
        visitor = personal_visitor(url)
        tap.ok(visitor.finds(genre), f'a visitor who likes {genre} gets pages of this genre',
               [film['genres'] for film in visitor.page['films']])
        tap.ok(len(visitor.shown) == len(set(visitor.shown)),
               f'no film is shown to the visitor who likes {genre} twice', visitor.shown)


def check_crowd(url):
    """Test visitors in parallel."""
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
    tap.ok(not problems, 'eight visitors can use the page in parallel', problems)
    tap.ok(all(len(visitor.page['liked']) == 5 for visitor in visitors),
           'no like of eight parallel visitors is lost')


def check_robots(visitor):
    """Test robots: switched on, with another taste, and switched off."""
    for taste in ('Horror', 'Musical'):
        visitor.call('robots', {'on': True, 'taste': taste})
        tap.ok(wait(lambda: robots_like(taste)),
               f'robots like their taste {taste}', visitor.crowd()['robots'])
    visitor.call('robots', {'on': False, 'taste': 'Musical'})
    time.sleep(0.5)
    before = visitor.crowd()['robots']
    time.sleep(1)
    tap.ok(visitor.crowd()['robots'] == before and not before['on']
           and before['problem'] is None, 'robots stop when they are switched off',
           before)


def robots_like(genre):
    """Are 70 % of the robots' latest likes of a genre?"""
    with program.database() as cursor:
        cursor.execute("""
            SELECT count(*) FILTER (WHERE %s = ANY (genres)), count(*)
            FROM  (SELECT f.genres
                   FROM   home.reward r JOIN home.decision d ON d.id = r.decision
                          JOIN film f ON f.id = r.item
                   WHERE  d.user_id LIKE 'robot%%'
                   ORDER  BY r.at DESC LIMIT %s) latest""",
                       [genre, LATEST])
        of_genre, all_of_them = cursor.fetchone()
    return of_genre >= 0.7 * LATEST and all_of_them == LATEST


def check_learned(visitor):
    """Compare the model and the report with the log."""
    visitor.next()      # train the model on all earlier pages
    crowd = visitor.crowd()
    with program.database() as cursor:
        cursor.execute("""
            SELECT count(*), avg(reward), count(DISTINCT decision) FROM home.outcome
            WHERE  decision NOT IN (SELECT decision FROM home.pending)""")
        count, mean, decisions = cursor.fetchone()
    memory = crowd['memory']
    tap.ok(memory['updates'] == count > 500,
           'each impression is one training example of the model',
           (memory['updates'], count))
    tap.ok(memory['memory'] < memory['memories']
           or abs(memory['mean_reward'] - mean) < 1e-6,
           'the mean reward of the model is that of the log', (memory['mean_reward'], mean))
    report = {row['measure']: row['value'] for row in crowd['report']}
    tap.ok(report['decisions'] == decisions + 1,
           'the report counts each page', (report, decisions))


def check_port(port):
    """Test a port that is in use."""
    process = program.start('--port', str(port))
    _, complaint = process.communicate(timeout=PATIENCE)
    tap.ok(process.returncode == 1 and f'port {port} is taken' in complaint
           and '--port' in complaint, 'the error for a port in use names the port and the option', complaint)


def wait(condition):
    """Wait until a condition holds; return False after PATIENCE."""
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
