-- The shop of the programs in this folder: products, a model, and the log of decisions, impressions
-- and rewards
CREATE EXTENSION IF NOT EXISTS dlints;

CREATE TABLE product (
    id       integer PRIMARY KEY,
    category text NOT NULL,
    brand    text NOT NULL,
    in_stock boolean NOT NULL DEFAULT true,
    features real[] NOT NULL GENERATED ALWAYS AS (
        dlints_encode(24, 'category', category, 'brand', brand)) STORED
);
INSERT INTO product (id, category, brand)
SELECT i, (ARRAY['shoes', 'shirts', 'hats'])[1 + i % 3], 'brand ' || i % 7
FROM   generate_series(1, 500) i;

CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
INSERT INTO model VALUES
    ('shop', dlints_new(24, interactions => 'matched', half_life => '14 days'));

CREATE TABLE decision (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model     text NOT NULL REFERENCES model,
    member_id integer NOT NULL,
    profile   real[] NOT NULL,                      -- at the time of the decision
    made_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON decision (member_id, made_at);
CREATE TABLE impression (
    decision_id bigint REFERENCES decision,
    product_id  integer REFERENCES product,
    rank        integer NOT NULL,
    probability float8 NOT NULL,
    trained     float8,                             -- the reward that the model was trained on
    PRIMARY KEY (decision_id, product_id)
);
CREATE TABLE reward (
    decision_id bigint,
    product_id  integer,
    reward      float8 NOT NULL,
    PRIMARY KEY (decision_id, product_id),
    FOREIGN KEY (decision_id, product_id) REFERENCES impression
);
