-- The share of events that it decides; go_live sets it.
ALTER TABLE {s}.setting ADD live float8 NOT NULL DEFAULT {live} CHECK (live BETWEEN 0 AND 1);

-- What was asked and answered.  The arrays are in the order of the ranking.
CREATE TABLE {s}.decision (
    id            bigint PRIMARY KEY,
    event         text NOT NULL,
    arm           text NOT NULL,            -- live, or present: the caller's first action
    at            timestamptz NOT NULL,
    active        boolean NOT NULL,         -- false until it is activated
    context       jsonb NOT NULL,
    actions       jsonb NOT NULL,           -- as they were given
    ranking       integer[] NOT NULL,       -- their places among those given; the first is chosen
    probabilities float8[] NOT NULL,        -- of being the first, under the decision's arm
    expected      float8[] NOT NULL,        -- rewards
    imitated      boolean,                  -- did the imitation choose as the present system?
    prices        jsonb,                    -- of promises, then
    costs         jsonb                     -- what each action was to cost of them
) PARTITION BY RANGE (id);

CREATE TABLE {s}.decision_rest PARTITION OF {s}.decision DEFAULT;

-- Months are made like it: an event has one answer, whatever a transaction sees.
CREATE UNIQUE INDEX ON {s}.decision_rest (event);

-- those that promises are kept in, which may be few
CREATE INDEX ON {s}.decision_rest (id) WHERE costs IS NOT NULL;

-- Rewards refer to nothing, so that they can come in any order.
CREATE TABLE {s}.reward (
    event   text PRIMARY KEY,
    value   float8 NOT NULL CHECK (abs(value) <= 1e50),
    at      timestamptz NOT NULL DEFAULT now(),
    learned float8);                        -- what the model knows of it

CREATE INDEX ON {s}.reward (event) WHERE learned IS DISTINCT FROM value;

CREATE INDEX ON {s}.reward (at);

-- What events really cost, of what is promised
CREATE TABLE {s}.paid (
    event text PRIMARY KEY,
    costs jsonb NOT NULL,
    at    timestamptz NOT NULL DEFAULT now());

CREATE INDEX ON {s}.paid (at);

-- What an action costs of a promise for what was told of it, as it turned out lately: so many times that,
-- or, of one of which nothing is told, so much
CREATE TABLE {s}.estimate (
    promise text REFERENCES {s}.promise ON DELETE CASCADE,
    action  text,
    times   float8 NOT NULL,
    cost    float8 NOT NULL,
    PRIMARY KEY (promise, action));

-- Decisions that are not learned yet, and since when a reward is waited for
CREATE TABLE {s}.due (decision bigint PRIMARY KEY, since timestamptz NOT NULL);
