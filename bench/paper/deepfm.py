"""DeepFM (Guo and others, 2017), deployed as in the paper.

Arms are random for the first 1000 steps. Then, and after every further 1000,
a fresh network is trained on all that was observed, and the arm with the
highest estimate is shown. It runs in this process, not in the server.
"""

import numpy as np
import torch
from torch import nn

RETRAIN_EVERY = 1000
EMBEDDING = 8
BATCH = 256
EPOCHS = 5


class Network(nn.Module):
    """A factorisation machine and a deep network over one embedding."""

    def __init__(self, context_dim, hidden, dropout):
        super().__init__()
        self.linear = nn.Linear(context_dim, 1)
        self.embedding = nn.Parameter(
            0.1 * torch.randn(context_dim, EMBEDDING))
        layers = []
        width = context_dim * EMBEDDING
        for size in hidden:
            layers += [nn.Linear(width, size), nn.ReLU(), nn.Dropout(dropout)]
            width = size
        self.deep = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, contexts):
        """Return a logit for each context."""
        embedded = contexts[:, :, None] * self.embedding
        squares = embedded.sum(1) ** 2 - (embedded ** 2).sum(1)
        return (self.linear(contexts)[:, 0] + 0.5 * squares.sum(1)
                + self.deep(embedded.flatten(1))[:, 0])


class DeepFM:
    """The policy."""

    def __init__(self, data, random, k, dropout, rate, hidden):
        self._data = data
        self._random = random
        self._k = k
        self._dropout = dropout
        self._rate = rate
        self._hidden = hidden
        self._observed = []
        self._rewards = []
        self._network = None
        self._best = {}         # user: the best arms under this network
        torch.manual_seed(int(random.integers(2 ** 31)))

    def choose(self, user):
        """Return the arm to show a user, and the best arms in order."""
        if self._network is None:
            best = self._random.permutation(self._data.arms)[:self._k]
            return int(best[0]), best.tolist()
        if user not in self._best:
            arms = np.arange(self._data.arms)
            with torch.no_grad():
                scores = self._network(self._contexts(
                    arms, np.full(len(arms), user))).numpy()
            self._best[user] = np.argsort(
                -scores, kind='stable')[:self._k].tolist()
        best = self._best[user]
        return best[0], best

    def learn(self, arm, user, reward):
        """Remember the reward; train anew when it is time."""
        self._observed.append((arm, user))
        self._rewards.append(reward)
        if len(self._rewards) % RETRAIN_EVERY == 0:
            self._train()

    def _contexts(self, arms, users):
        """Return contexts [item; user]."""
        return torch.from_numpy(np.hstack([
            self._data.item_features[arms], self._data.user_features[users]]))

    def _train(self):
        """Train a fresh network on everything observed."""
        contexts = self._contexts(*np.array(self._observed).T)
        rewards = torch.tensor(self._rewards, dtype=torch.float32)
        network = Network(contexts.shape[1], self._hidden, self._dropout)
        optimiser = torch.optim.Adam(network.parameters(), lr=self._rate)
        loss = nn.BCEWithLogitsLoss()
        for _ in range(EPOCHS):
            order = torch.randperm(len(rewards))
            for batch in order.split(BATCH):
                optimiser.zero_grad()
                loss(network(contexts[batch]), rewards[batch]).backward()
                optimiser.step()
        network.eval()
        self._network = network
        self._best = {}
