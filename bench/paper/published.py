"""The paper's own results: cumulative rewards of five times 100,000 steps.

The editions it used are MovieLens 10M, Jester, and Amazon Books of 2018.
"""

REWARDS = {
    'movielens': {
        ('D-LinTS', 120): 74771.6,
        ('D-LinTS-RP', 6): 59379.8,
        ('D-LinTS-RP', 12): 66628.6,
        ('D-LinTS-RP', 24): 70130.0,
        ('D-LinTS-RP', 60): 74294.6,
        ('D-LinTS-RP', 120): 74379.8,
    },
    'jester': {
        ('D-LinTS', 300): 44134.6,
        ('D-LinTS-RP', 15): 34681.8,
        ('D-LinTS-RP', 30): 41278.6,
        ('D-LinTS-RP', 60): 43382.8,
        ('D-LinTS-RP', 150): 43693.2,
        ('D-LinTS-RP', 300): 43747.8,
    },
    'amazon': {
        ('D-LinTS', 200): 35018.2,
        ('D-LinTS-RP', 10): 20989.6,
        ('D-LinTS-RP', 20): 26544.0,
        ('D-LinTS-RP', 40): 34118.0,
        ('D-LinTS-RP', 100): 34654.0,
        ('D-LinTS-RP', 200): 34788.6,
    },
}
