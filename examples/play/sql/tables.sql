-- Films, views before the service began, and films that visitors have seen since
CREATE TABLE film (
    id     integer PRIMARY KEY,
    title  text NOT NULL,
    genres text[] NOT NULL,
    year   integer GENERATED ALWAYS AS (substring(title from '\((\d{4})\)')::integer) STORED
);
CREATE TABLE watched (
    visitor text NOT NULL,
    film    integer NOT NULL,
    -- the times in the data are years apart
    at      timestamptz NOT NULL DEFAULT now() - random() * interval '14 days'
);
CREATE INDEX ON watched (visitor, at);
CREATE TABLE seen (visitor text, film integer, PRIMARY KEY (visitor, film));
