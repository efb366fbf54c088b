-- An ordinary shop before it has recommendations
CREATE TABLE product (
    id       integer PRIMARY KEY,
    category text NOT NULL,
    brand    text NOT NULL,
    price    numeric NOT NULL CHECK (price > 0),
    tags     text[] NOT NULL DEFAULT '{}',
    details  jsonb NOT NULL DEFAULT '{}',
    stock    integer NOT NULL DEFAULT 100,
    boost    float8 NOT NULL DEFAULT 0,        -- of a campaign, in units of a click
    added_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE customer (id integer PRIMARY KEY, name text);
CREATE TABLE event (
    customer_id integer NOT NULL REFERENCES customer ON DELETE CASCADE,
    product_id  integer NOT NULL REFERENCES product,
    kind        text NOT NULL CHECK (kind IN ('click', 'purchase')),
    found_by    text NOT NULL DEFAULT 'search',    -- or 'page': from one of our lists
    at          timestamptz NOT NULL DEFAULT now());
CREATE INDEX ON event (customer_id, at);
