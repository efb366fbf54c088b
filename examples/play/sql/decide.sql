-- Choose films that the visitor has not seen, log the list, and mark its films as seen
WITH page AS (
    SELECT decision, item FROM home.recommend(%(visitor)s, %(films)s)),
marked AS (
    INSERT INTO seen SELECT %(visitor)s, item FROM page)
SELECT decision, item FROM page
