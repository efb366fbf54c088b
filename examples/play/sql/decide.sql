-- choose films that the visitor has not seen, log them, and note that they are seen now
WITH page AS (
    SELECT decision, item FROM home.recommend(%(visitor)s, %(films)s)),
noted AS (
    INSERT INTO seen SELECT %(visitor)s, item FROM page)
SELECT decision, item FROM page
