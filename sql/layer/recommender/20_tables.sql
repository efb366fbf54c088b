-- An item as numbers: what is clicked along with it, its columns, how popular it is (1: the
-- most popular one), and how far its dates were when it was last refreshed.
CREATE TABLE {s}.item_vector (
    item       {item_type} PRIMARY KEY,
    factors    real[],
    encoded    real[] NOT NULL,
    popularity real NOT NULL DEFAULT 0,
    ages       real[] NOT NULL,
    features   real[] NOT NULL GENERATED ALWAYS AS (
                   coalesce(factors, array_fill(0::real, ARRAY[{factors}]))
                   || encoded || popularity || ages) STORED);

CREATE TABLE {s}.decision (
    id      bigint PRIMARY KEY,
    person  {person_type},
    arm     text NOT NULL,              -- personal, control (the most popular) or chance
    at      timestamptz NOT NULL,
    profile real[] NOT NULL,            -- as it was then
    context jsonb NOT NULL,
    session text) PARTITION BY RANGE (id);

CREATE INDEX ON {s}.decision (person, id);

CREATE TABLE {s}.shown (
    decision    bigint,
    item        {item_type},
    place       integer NOT NULL,
    probability float8 NOT NULL,        -- of being shown, under the decision's arm
    expected    float8 NOT NULL,        -- the reward that the model expected
    features    real[] NOT NULL,        -- as they were then
    PRIMARY KEY (decision, item)) PARTITION BY RANGE (decision);

-- Rewards refer to nothing, so that they can come in any order.
CREATE TABLE {s}.reward (
    decision bigint,
    item     {item_type},
    outcome  text,
    value    float8 NOT NULL,
    at       timestamptz NOT NULL DEFAULT now(),
    learned  float8,                    -- what the models know of it
    PRIMARY KEY (decision, item, outcome)) PARTITION BY RANGE (decision);

CREATE INDEX ON {s}.reward (decision) WHERE learned IS DISTINCT FROM value;

-- Decisions that are not learned yet
CREATE TABLE {s}.due (decision bigint PRIMARY KEY);

-- Examples from the click log, by which the models begin: what was clicked (1), and
-- items by chance that stand for what was not (0).
CREATE TABLE {s}.beginning (
    person   {person_type},
    item     {item_type} NOT NULL,
    at       timestamptz NOT NULL,
    reward   float8 NOT NULL,
    features real[] NOT NULL,
    profile  real[] NOT NULL);

CREATE TABLE {s}.decision_rest PARTITION OF {s}.decision DEFAULT;

CREATE TABLE {s}.shown_rest PARTITION OF {s}.shown DEFAULT;

CREATE TABLE {s}.reward_rest PARTITION OF {s}.reward DEFAULT;
