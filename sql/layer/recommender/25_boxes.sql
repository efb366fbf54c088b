-- What trends, the best first: how many times its share of the clicks an item got lately, where that is
-- at least two; else how popular it is, which is at most one.
CREATE TABLE IF NOT EXISTS {s}.trend (
    item  {item_type} PRIMARY KEY,
    score real NOT NULL);

-- The lists of a session
CREATE INDEX IF NOT EXISTS decision_session_id_idx ON {s}.decision (session, id) WHERE session IS NOT NULL;
