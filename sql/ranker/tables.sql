-- Tables and views of a ranker --------------------------------------------------
--
-- A template, executed with the new schema first in the search_path.

CREATE FUNCTION _dlints_ranker_tables() RETURNS text LANGUAGE sql IMMUTABLE
RETURN @extschema@._dlints_common_tables() OPERATOR(pg_catalog.||) $tables$
-- The arguments of the ranker
CREATE TABLE setting (
    single        boolean PRIMARY KEY DEFAULT true CHECK (single),
    kind          text NOT NULL DEFAULT 'ranker',
    attribution_window interval NOT NULL,
    default_reward float8,                  -- NULL: events without a reward are no training examples
    repeated      text NOT NULL,            -- which of several rewards counts: first, last or sum
    apprentice    boolean NOT NULL,
    epsilon       float8 NOT NULL,
    half_life     interval NOT NULL,
    retention     interval NOT NULL,
    vectors       jsonb NOT NULL,           -- lengths of the context's vectors, by key
    constraints   jsonb NOT NULL,
    value_limit   float8 NOT NULL,
    user_key      text NOT NULL,            -- key of the context that holds the user; no feature
    empty_model   @extschema@.dlints(192) NOT NULL,
    -- columns that maintenance changes, and _dlints_write_settings() does not write
    live_share    float8 NOT NULL DEFAULT 1 CHECK (live_share BETWEEN 0 AND 1),   -- share that the ranker decides
    trained_from  bigint NOT NULL DEFAULT 0,        -- first decision in the models
    -- secret key that permutes decision numbers
    secret        bigint NOT NULL DEFAULT ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint);

INSERT INTO job (name, done_at)
SELECT unnest('{run,learn,rebuild,months}'::text[]), now()
UNION ALL SELECT 'prices', '-infinity';

-- 1: a request was cancelled while computing prices, so that only run() computes them.  A sequence keeps its value
-- although the transaction of the request is rolled back.
CREATE SEQUENCE cancelled_prices MINVALUE 0 MAXVALUE 1 START 0;

-- The log of decisions, one partition per month.  Arrays are in the order of the ranking.
CREATE TABLE decision (
    id            bigint PRIMARY KEY,
    event         text NOT NULL,
    treatment     text NOT NULL,            -- live, or baseline (the caller's first action is chosen)
    at            timestamptz NOT NULL,
    active        boolean NOT NULL,         -- false until a deferred event is activated
    activated_at  timestamptz,              -- start of the attribution window; NULL: the column "at"
    context       jsonb NOT NULL,
    actions       jsonb NOT NULL,           -- as passed by the caller
    ranking       integer[] NOT NULL,       -- indexes into "actions"; the first one is chosen
    probabilities float8[] NOT NULL,        -- propensity of each action under the treatment
    expected      float8[] NOT NULL,        -- expected reward of each action
    imitated      boolean,                  -- the model "imitation" predicted the baseline's choice
    prices        jsonb,                    -- dual price of each constraint
    costs         jsonb                     -- an object per action: expected cost for each constraint
) PARTITION BY RANGE (id);

CREATE TABLE decision_rest PARTITION OF decision DEFAULT;

-- New partitions are created like decision_rest, with this index
CREATE INDEX ON decision_rest (id) WHERE costs IS NOT NULL;

-- The decision of each event.  The primary key makes events unique over all partitions of the log.
CREATE TABLE event (
    event    text PRIMARY KEY,
    decision bigint NOT NULL);

CREATE INDEX ON event (decision);

-- The log of rewards.  A reward may arrive before its event, so there is no foreign key.
CREATE TABLE reward (
    event   text PRIMARY KEY,
    value   float8 NOT NULL CHECK (abs(value) <= 1e50),
    at      timestamptz NOT NULL DEFAULT now(),
    applied float8);                        -- value that the models were trained on

CREATE INDEX ON reward (event) WHERE applied IS DISTINCT FROM value;
CREATE INDEX ON reward (at);

-- Costs of events as reported afterwards, by constraint
CREATE TABLE event_cost (
    event text PRIMARY KEY,
    costs jsonb NOT NULL,
    at    timestamptz NOT NULL DEFAULT now());

CREATE INDEX ON event_cost (at);

-- Reported costs of an action: their ratio to the announced costs, and the mean cost for actions that announce none
CREATE TABLE action_cost (
    constraint_name text REFERENCES constraint_price ON DELETE CASCADE,
    action  text,
    ratio   float8 NOT NULL,
    cost    float8 NOT NULL,
    PRIMARY KEY (constraint_name, action));

-- Decisions that the models have not been trained on yet
CREATE TABLE pending (
    decision bigint PRIMARY KEY,
    since    timestamptz NOT NULL);         -- start of the attribution window

CREATE TABLE model (
    name   text PRIMARY KEY,                -- reward, or imitation (of the baseline's choices)
    learns boolean NOT NULL,
    state  @extschema@.dlints(192) NOT NULL);
$tables$;
