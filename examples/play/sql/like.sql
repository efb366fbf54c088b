-- the visitor likes a film on the page, which the model has not learned yet
INSERT INTO reward (decision_id, movie_id, reward)
SELECT s.decision_id, s.movie_id, %(reward)s
FROM   shown s JOIN decision d ON d.id = s.decision_id
WHERE  d.id = %(decision)s AND d.visitor_id = %(visitor)s AND s.movie_id = %(movie)s AND s.learned IS NULL
ON CONFLICT (decision_id, movie_id) DO UPDATE SET reward = excluded.reward
