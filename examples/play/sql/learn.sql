-- learn what was seen, by whomever: 1 for what was liked, 0 for the rest
SELECT home.learn()
