-- Films, what people watched before, and what visitors have seen here.
CREATE TABLE film (
    id     integer PRIMARY KEY,
    title  text NOT NULL,
    genres text[] NOT NULL,
    year   integer GENERATED ALWAYS AS (substring(title from '\((\d{4})\)')::integer) STORED
);
CREATE TABLE watched (
    person text NOT NULL,
    film   integer NOT NULL,
    -- the data's own times are years apart
    at     timestamptz NOT NULL DEFAULT now() - random() * interval '14 days'
);
CREATE INDEX ON watched (person, at);
CREATE TABLE seen (visitor text, film integer, PRIMARY KEY (visitor, film));
