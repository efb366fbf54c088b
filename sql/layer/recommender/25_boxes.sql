-- What trends, the best first: how many times its share of the clicks an item got lately, where that is at
-- least two, else how popular it is, which is at most one; and the lists of a session, whose name may be long.
-- One that was made before there were these gets them when it is renewed.
DO $body$
BEGIN
    IF to_regclass(format('%I.trend', {name})) IS NULL THEN
        CREATE TABLE {s}.trend (
            item  {item_type} PRIMARY KEY,
            score real NOT NULL);
    END IF;
    IF to_regclass(format('%I.decision_session', {name})) IS NULL THEN
        CREATE INDEX decision_session ON {s}.decision (hashtextextended(session, 0), id) WHERE session IS NOT NULL;
    END IF;
END
$body$;
