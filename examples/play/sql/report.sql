-- Is the recommender working?
SELECT * FROM home.report()
