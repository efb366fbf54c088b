-- What has been learned is a row.  Days count, since purchases come days later and may be
-- cancelled, and persons may be erased: a half-life.  The bestseller list is a model that knows
-- nothing and never learns, so that one statement makes both lists.
CREATE TABLE model (name text PRIMARY KEY, learns boolean NOT NULL, state dlints(57, matched) NOT NULL);
INSERT INTO model VALUES
    ('personal', true, dlints_new(57, interactions => 'matched', half_life => '7 days')),
    ('bestseller', false, dlints_new(57, interactions => 'matched', half_life => '7 days', policy => 'greedy'));

-- The A/B test: a customer falls into one of 100 buckets for good, an arm takes some of these.
ALTER TABLE customer ADD bucket integer NOT NULL DEFAULT floor(100 * random());
CREATE TABLE arm (name text PRIMARY KEY, model text NOT NULL REFERENCES model, buckets int4range NOT NULL);
INSERT INTO arm VALUES ('A', 'bestseller', '[0,40)'), ('B', 'personal', '[40,70)'), ('C', 'personal', '[70,100)');

-- The log.  For each page: for whom, when, by what model, the profile as it was then, and what
-- was no candidate, being sold out or bought already.
CREATE TABLE decision (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customer ON DELETE CASCADE,
    model text NOT NULL REFERENCES model, made_at timestamptz NOT NULL DEFAULT now(),
    profile real[] NOT NULL, excluded integer[] NOT NULL);
-- For each product on it: how likely that was, the reward that the model expected, the features as
-- they were then, the reward that came of it until now, and the one that the models know of.
CREATE TABLE shown (
    decision_id bigint REFERENCES decision ON DELETE CASCADE, product_id integer REFERENCES product,
    place integer NOT NULL, probability float8 NOT NULL, expected float8 NOT NULL, features real[] NOT NULL,
    reward float8 NOT NULL DEFAULT 0, learned float8, PRIMARY KEY (decision_id, product_id));
CREATE INDEX ON decision (made_at);
CREATE INDEX ON decision (customer_id);
CREATE INDEX ON shown (decision_id) WHERE learned IS DISTINCT FROM reward;
