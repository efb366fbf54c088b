"""The policy that the paper's authors published, from the user's checkout.

Expected in the folder: policies/dlintsrp.py with a class D_LinTS_RP, made by
D_LinTS_RP(context_dimension, red_dim, a, gamma, lambda_param, seed), that has
get_action(contexts, trial) and reward(reward), contexts being a dictionary.
"""

import importlib
import sys
from itertools import count
from pathlib import Path
from types import ModuleType

from bench import reference
from bench.program import UserError


def find_policy(folder):
    """Return the policy's class out of a checkout."""
    # The package itself would import all policies, and torch with one of them.
    package = sys.modules['policies'] = ModuleType('policies')
    package.__path__ = [str(Path(folder, 'policies'))]
    try:
        module = importlib.import_module('policies.dlintsrp')
        return next(found for name, found in vars(module).items()
                    if isinstance(found, type)
                    and name.replace('_', '').lower() == 'dlintsrp')
    except (ImportError, StopIteration) as error:
        raise UserError(f'--authors: no D_LinTS_RP in policies/dlintsrp.py of '
                        f'{folder}: {error}') from None


def create(policy, features, sizes):
    """Return how to choose and to learn; contexts are built beforehand.

    Only the reward of the item that was shown last can be learned.
    """
    contexts = dict(enumerate(features.astype(float)))
    trials = count()
    made = policy(context_dimension=sizes[0], red_dim=sizes[1],
                  a=reference.EXPLORATION, gamma=reference.DISCOUNT,
                  lambda_param=reference.RIDGE, seed=1)
    return (lambda: made.get_action(contexts, next(trials))[0],
            lambda choice, reward: made.reward(reward))
