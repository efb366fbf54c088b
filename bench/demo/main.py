"""A film service made of one recommender, against lists that learn nothing."""

from contextlib import closing
from itertools import count

import numpy as np

from bench import program, server, world
from bench.demo import chart, lists, report
from bench.demo.world import from_ratings, visitor
from bench.progress import Steps
from bench.report import judge
from examples.play.service import STATEMENTS, Service

CHART = 'demo.png'
PLACES = 5
KNOWN_BEST = 50         # of whom most is known


def main(options):
    """Run the demonstration, once for each seed."""
    data = world.load()
    return judge(options, lambda seed: run(data, options.visits, seed),
                 report.bars)


def run(data, visits, seed):
    """Show a world, and return what there are bars for."""
    chart_path = program.make_folder('demo') / CHART
    people = from_ratings(*data, seed, visits)
    with closing(Service(people.films, people.watched())) as service, \
            server.session() as cursor:
        report.beginning(people, STATEMENTS['recommender'])
        clicks, executed = play(people, service)
        personal = ~np.isin(people.visits, control(cursor))
        clicks = {name: values[personal] for name, values in clicks.items()}
        report.gains(clicks, people.is_new()[personal], PLACES)
        chart.draw(chart_path, clicks)
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
    """Have everybody visit the recommender and see each list.

    Return {name: clicks of each visit}, and what was executed, by name.
    """
    compared = lists.create(people)
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


def control(cursor):
    """Return who got the most popular films, to compare with."""
    cursor.execute("SELECT DISTINCT split_part(person, ' ', 2)::integer "
                   "FROM home.decision WHERE arm = 'control'")
    return [person for person, in cursor.fetchall()]


def repeat(person):
    """Return somebody's name, again and again."""
    return (visitor(person) for _ in count())


def personal_page(session, names):
    """Return the page of the first visitor who gets a personal list."""
    for name in names:
        page = session.why(session.decide(name, PLACES)[0])
        if page[0]['arm'] == 'personal':
            return page


def unlike(people, visitors):
    """Return two of those who are known best, who are as unlike as can be."""
    best = [person for person in np.argsort(-people.known.sum(axis=1),
                                            kind='stable').tolist()
            if person in visitors][:KNOWN_BEST]
    rows = people.known[best].astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = rows @ rows.T
    chosen = np.unravel_index(np.argmin(likeness), likeness.shape)
    return [best[place] for place in chosen]
