"""A movie service that knows its visitors, against others that do not."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np

from bench import program, world
from bench.demo import chart, report, services
from bench.demo.world import from_ratings
from bench.progress import Steps
from bench.report import judge
from examples.play.service import Service

CHART = 'demo.png'
STRANGERS = 3
KNOWN_BEST = 50         # of whom most is known
# The service that is told what a click earns
TOLD = 'earning'


def main(options):
    """Run the demonstration, once for each seed."""
    data = world.load()
    return judge(options, lambda seed: run(data, options.visits, seed),
                 report.bars)


def run(data, visits, seed):
    """Show a world, and return what there are bars for."""
    chart_path = program.make_folder('demo') / CHART
    people = from_ratings(*data, seed, visits)
    with closing(Service(people.movies, people.log.tolist())) as service:
        report.beginning(people)
        compared = services.create(service, people)
        clicks, earnings = play(people, compared)
        report.gains(clicks, earnings, people.is_new)
        chart.draw(chart_path, [('Clicks', clicks), ('Earnings', earnings)])
        print(f'\nChart: {chart_path}')
        matched = compared['matched']
        show_people(matched, people)
        report.sql([services.STATEMENTS['schema'],
                    services.STATEMENTS['factors'], *matched.executed.values()])
        report.times(matched.milliseconds, len(people.movies))
    return report.times_others(clicks, earnings)


def play(people, compared):
    """Have everybody visit each service.

    Return {name: clicks of each visit} and the same of earnings.
    """
    clicks, earnings = ({name: np.zeros(len(people.visits))
                         for name in compared} for _ in range(2))

    def visit(name, step, person):
        worths = people.likes[person] * people.worths
        rewards = worths if name == TOLD else people.likes[person]
        shown = list(compared[name].visit(
            person, lambda movie: float(rewards[movie])))
        clicks[name][step] = people.likes[person, shown].sum()
        earnings[name][step] = worths[shown].sum()

    with Steps(len(people.visits)) as progress, ThreadPoolExecutor() as pool:
        for step, person in enumerate(people.visits):
            list(pool.map(lambda name: visit(name, step, person), compared))
            progress.advance(1)
    return clicks, earnings


def show_people(matched, people):
    """Print what people are offered, and what the models know."""
    regulars = unlike(people)
    with matched.session() as session:
        visitors = [session.new_visitor('matched') for _ in range(STRANGERS)]
        visitors += [matched.visitors[person] for person in regulars]
        pages = [session.why(session.decide(visitor, services.PLACES)[0])
                 for visitor in visitors]
        report.lists(pages, STRANGERS, regulars, people)
        report.worth(session.rows('worth', visitors=visitors[STRANGERS - 1:]),
                     visitors[STRANGERS - 1:], regulars)
        report.decision(regulars[0], pages[STRANGERS])
        report.models({name: session.rows('memory', model=name)[0]
                       for name in ('plain', 'matched', 'earning')})


def unlike(people):
    """Return three known visitors who are as unlike as can be."""
    best = np.argsort(-people.known.sum(axis=1), kind='stable')[:KNOWN_BEST]
    rows = people.known[best].astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = rows @ rows.T
    chosen = list(np.unravel_index(np.argmin(likeness), likeness.shape))
    chosen.append(np.argmin(likeness[:, chosen].max(axis=1)))
    return best[chosen].tolist()
