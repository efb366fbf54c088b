-- Train on all pages until now: reward 1 for each like, 0 for the other films
SELECT home.learn()
