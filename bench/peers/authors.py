"""The policy that the paper's authors published, from the user's checkout.

Expected in the folder: policies/dlintsrp.py with a class D_LinTS_RP, made by
D_LinTS_RP(context_dimension, red_dim, a, gamma, lambda_param, seed), that has
get_action(contexts, trial) and reward(reward), contexts being a dictionary.
"""

import importlib
import sys
from pathlib import Path
from types import ModuleType

from bench import reference
from bench.peers.contender import Contender
from bench.program import UserError

PACKAGE, MODULE = 'policies', 'dlintsrp'
CLASS = 'dlintsrp'
METHODS = ('get_action', 'reward')


def find_policy(folder):
    """Return the policy's class out of a checkout."""
    path = Path(folder, PACKAGE, f'{MODULE}.py')
    if not path.is_file():
        raise UserError(f'--authors: there is no {path}; the folder of a '
                        'checkout of D-LinTS-RP is wanted')
    # The package itself would import all policies, and torch with one of them.
    sys.modules[PACKAGE] = ModuleType(PACKAGE)
    sys.modules[PACKAGE].__path__ = [str(path.parent)]
    try:
        module = importlib.import_module(f'{PACKAGE}.{MODULE}')
    except Exception as error:  # whatever a stranger's module may raise
        raise UserError(f'--authors: {path} cannot be imported: '
                        f'{_describe(error)}') from None
    for name, found in vars(module).items():
        if isinstance(found, type) and _plain(name) == CLASS:
            break
    else:
        raise UserError(f'--authors: {path} has no class D_LinTS_RP')
    missing = [name for name in METHODS if not hasattr(found, name)]
    if missing:
        raise UserError(f'--authors: {found.__name__} in {path} has no '
                        f'method {missing[0]}')
    return found


def _plain(name):
    """Return a name's letters in lower case."""
    return ''.join(filter(str.isalpha, name)).lower()


def _describe(error):
    """Return an exception in one line."""
    text = str(error).strip().splitlines()
    return f'{type(error).__name__}: {text[0]}' if text else repr(error)


class Authors(Contender):
    """The authors' own policy, its contexts put together beforehand."""

    NAME = "authors' policy"
    ABOUT = ("the class of the authors' repository, in the process that "
             'asks; its dictionary of contexts is built beforehand')
    LACKS = ('Nothing is stored, one process only, no WHERE clause, no '
             'transaction, as with the numpy loop. Only the reward of the '
             'item shown last can be learned.')

    def __init__(self, task, policy):
        contexts = task.features.astype(float)
        self._contexts = dict(enumerate(contexts))
        self._trial = 0
        try:
            self._policy = policy(
                context_dimension=task.shape.context_dim,
                red_dim=task.shape.reduced_dim, a=reference.EXPLORATION,
                gamma=reference.DISCOUNT, lambda_param=reference.RIDGE,
                seed=1)
            self.learn(self.choose(), 0.0)
        except Exception as error:  # whatever a stranger's class may raise
            raise UserError('--authors: the policy cannot be used as '
                            f'expected: {_describe(error)}') from None

    def choose(self):
        """Return the item to show next."""
        choice, _ = self._policy.get_action(self._contexts, self._trial)
        self._trial += 1
        return choice

    def learn(self, choice, reward):
        """Learn from the reward of the item that was shown last."""
        self._policy.reward(reward)
