"""Compare a recommender of films with lists that are not trained on impressions."""

from contextlib import closing
from itertools import count

import numpy as np

from bench import program, server, world
from bench.demo import report
from bench.demo.world import from_ratings, visitor
from bench.opponents import List, opponents
from bench.progress import Steps
from bench.report import judge
from examples.play.service import STATEMENTS, Service

CHART = 'demo.png'
PLACES = 5
MOST_KNOWN = 50         # visitors with the most known films


def main(options):
    """Run the demonstration once per seed, and judge the results."""
    data = world.load()
    return judge(options, lambda seed: run(data, options.visits, seed),
                 report.bars)


def run(data, visits, seed):
    """Play a world, print the results, and return those that have bars."""
    chart_path = program.make_folder('demo') / CHART
    people = from_ratings(*data, seed, visits)
    with closing(Service(people.films, people.watched(),
                         seed=seed)) as service, \
            server.session() as cursor:
        report.beginning(people, STATEMENTS['recommender'])
        clicks, executed = play(people, service)
        personal = ~np.isin(people.visits, control(cursor))
        clicks = {name: values[personal] for name, values in clicks.items()}
        report.gains(clicks, people.is_new()[personal], PLACES)
        report.draw_chart(chart_path, clicks)
        print(f'\nChart: {chart_path}')
        with service.session() as session:
            judged = session.rows('report')
            report.judgement(judged)
            regulars = unlike(people, set(people.visits[personal]))
            report.lists(personal_page(session, map('stranger {}'.format,
                                                    count(1))),
                         {person: personal_page(session, repeat(person))
                          for person in regulars}, people)
            report.models(session.rows('memory')[0])
        report.sql(executed, len(people.films))
    return report.found(clicks, judged)


def play(people, service):
    """Play all visits with the recommender and with each list.

    Return {name: clicks of each visit}, and the executed statements by name.
    """
    compared = lists(people)
    clicks = {name: np.zeros(len(people.visits))
              for name in ('personal', *compared)}
    executed = {}
    with Steps(len(people.visits)) as progress:
        for step, person in enumerate(people.visits.tolist()):
            likes = people.likes[person]
            with service.session() as session:
                clicks['personal'][step] = sum(session.visit(
                    visitor(person), likes.__getitem__, PLACES).values())
            for statement in session.executed:
                executed.setdefault(statement['name'], []).append(statement)
            for name, shown in compared.items():
                clicks[name][step] = likes[
                    shown.visit(person, likes, PLACES)].sum()
            progress.advance(1)
    return clicks, executed


def lists(people):
    """Return {name: List}, from the log of watched films."""
    genres = sorted({genre for film in people.films for genre in film.genres})
    kinds = np.array([[genre in film.genres for genre in genres]
                      for film in people.films], float)
    watched = np.argwhere(people.known) + [people.log[:, 0].max() + 1, 0]
    made = opponents(np.concatenate([people.log, watched]), len(people.films),
                     kinds)
    return {name: List(score, people.known) for name, score in made.items()}


def control(cursor):
    """Return the visitors of the control group, who get popular films."""
    cursor.execute("SELECT DISTINCT split_part(user_id, ' ', 2)::integer "
                   "FROM home.decision WHERE treatment = 'control'")
    return [person for person, in cursor.fetchall()]


def repeat(person):
    """Yield a visitor's name repeatedly."""
    return (visitor(person) for _ in count())


def personal_page(session, names):
    """Return the first personal page of visitors of these names."""
    for name in names:
        page = session.explain(session.decide(name, PLACES)[0])
        if page[0]['treatment'] == 'personal':
            return page


def unlike(people, visitors):
    """Return the two least similar of the visitors with the most known films."""
    best = [person for person in np.argsort(-people.known.sum(axis=1),
                                            kind='stable').tolist()
            if person in visitors][:MOST_KNOWN]
    rows = people.known[best].astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    chosen = np.unravel_index(np.argmin(cosines), cosines.shape)
    return [best[index] for index in chosen]
