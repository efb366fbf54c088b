-- The recommender: a schema "home" with its own tables and functions
SELECT dlints_create_recommender('home', 'film', ARRAY['genres', 'year'],
    clicks => 'SELECT visitor, film, at FROM watched',
    candidates => 'i.id NOT IN (SELECT s.film FROM seen s WHERE s.visitor = user_id)',
    attribution_window => '0')
