-- Whether lists are learned by contrast.  It has a table of its own: to add a column to one that pages read would
-- lock it before the views that a renewal replaces.
DO $body$
BEGIN
    IF to_regclass(format('%I.contrast', {name})) IS NULL THEN
        CREATE TABLE {s}.contrast (
            single boolean PRIMARY KEY DEFAULT true CHECK (single),
            is_on  boolean NOT NULL DEFAULT false,
            since  timestamptz CHECK (NOT is_on OR since IS NOT NULL));      -- NULL: it was never changed
        INSERT INTO {s}.contrast DEFAULT VALUES;
    END IF;
END
$body$;
