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

-- The same in blocks of about a page, of which few items are chosen to be looked at.  There are none
-- where there are few items.
CREATE TABLE {s}.block (
    n       integer PRIMARY KEY,
    items   {item_type}[] NOT NULL,
    vectors real[] NOT NULL             -- a row of features for each
    ) WITH (toast_tuple_target = {row_room});

ALTER TABLE {s}.block ALTER vectors SET STORAGE EXTERNAL;

-- Lists, a row each.  Vectors are packed: they are most of the log.
CREATE TABLE {s}.decision (
    id       bigint PRIMARY KEY,
    at       timestamptz NOT NULL,
    seed     bigint NOT NULL,           -- of the draws by which the list was chosen, and of its shortlist
    weighed  integer,                   -- how long that was; NULL: all were, or it is by chance
    person   {person_type},
    arm      text NOT NULL,             -- personal, control (the most popular), chance or trending
    session  text,
    context  jsonb NOT NULL,
    profile  bytea NOT NULL,            -- as it was then
    items    {item_type}[] NOT NULL,    -- in the order of their places
    probabilities float8[] NOT NULL,    -- of being shown, under the decision's arm
    expected float8[] NOT NULL,         -- the rewards that the models expected
    features bytea NOT NULL,            -- of the items, as they were then
    CHECK (cardinality(items) = cardinality(probabilities) AND cardinality(items) = cardinality(expected)),
    CHECK ({dlints}.dlints_unpack(features, cardinality(items)) IS NOT NULL)
    ) PARTITION BY RANGE (id);

CREATE INDEX ON {s}.decision (person, id);

-- Rewards refer to nothing, so that they can come in any order.
CREATE TABLE {s}.reward (
    decision bigint,
    item     {item_type},
    outcome  text,
    value    float8 NOT NULL CHECK (abs(value) <= 1e50),
    at       timestamptz NOT NULL DEFAULT now(),
    learned  float8,                    -- what the models know of it
    PRIMARY KEY (decision, item, outcome)) PARTITION BY RANGE (decision);

CREATE INDEX ON {s}.reward (decision) WHERE learned IS DISTINCT FROM value;

-- Decisions that are not learned yet
CREATE TABLE {s}.due (decision bigint PRIMARY KEY);

-- Examples from the click log, by which the models begin: what was clicked, and items by chance that
-- stand for what was not, as features, and who each is of (NULL: a stranger's)
CREATE TABLE {s}.beginning (
    person   {person_type},
    features real[] NOT NULL,
    profile  real[]);

-- How well likeness explains the examples, if a person's clicks count half after so many days
CREATE TABLE {s}.tried (
    half_life float8 PRIMARY KEY,
    state     {dlints}.dlints NOT NULL);

-- What being alike is worth, as the examples say: a weight for each block of features, and one for
-- how popular an item is, the largest being 1; the same for each feature; how many clicks a 1 is
-- worth; after how many days a click counts half, for a person and for how popular its item is
-- (NULL: all count the same); and when that was found
CREATE TABLE {s}.likeness (
    single    boolean PRIMARY KEY DEFAULT true CHECK (single),
    weights   float8[] NOT NULL,
    scale     real[] NOT NULL,
    worth     float8 NOT NULL DEFAULT 0.1,
    half_life float8 CHECK (half_life > 0 AND half_life <= 36500),
    popular_half_life float8 DEFAULT 14 CHECK (popular_half_life > 0 AND popular_half_life <= 36500),
    found_at  timestamptz NOT NULL DEFAULT now());

CREATE TABLE {s}.decision_rest PARTITION OF {s}.decision DEFAULT;

CREATE TABLE {s}.reward_rest PARTITION OF {s}.reward DEFAULT;
