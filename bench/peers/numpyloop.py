"""A well-written numpy loop in this process."""

from bench.peers.contender import Contender
from bench.reference import CarefulRule


class NumpyLoop(Contender):
    """The same algorithm on arrays that this process holds."""

    NAME = 'numpy loop'
    ABOUT = ('in the process that asks; all items projected beforehand, '
             'Cholesky factors instead of inverse and square root')
    LACKS = ('Nothing is stored: the model ends with the process. One '
             'process only: others neither see it nor may write to it. No '
             'WHERE clause: a filter, or a new or changed item, is code to '
             'write. No transaction: a reward stays learned where its '
             'transaction is rolled back.')

    def __init__(self, task):
        rule = CarefulRule(task.features.astype(float),
                           task.shape.reduced_dim)
        self.choose = rule.choose
        self.learn = rule.learn
