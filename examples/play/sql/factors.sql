-- vectors of the films, from what others liked
UPDATE movie m
SET    factors = f.factors
FROM   dlints_factors('SELECT person_id, movie_id FROM history', 32,
                      previous => 'SELECT id, factors FROM movie')
       AS f (id integer, factors real[])
WHERE  f.id = m.id
