-- Tables of a recommender --------------------------------------------------------
--
-- A template, which dlints_create_recommender() executes with the new schema first in the search_path.  Placeholders:
-- {item_type} and {user_type} are the types of keys; {size}, {factors}, {liked}, {n_weights} and {block_bytes} are
-- numbers.  Requests do not check the numbers in these tables, because CHECK constraints keep them finite.

CREATE FUNCTION _dlints_recommender_tables() RETURNS text LANGUAGE sql IMMUTABLE
RETURN @extschema@._dlints_common_tables() OPERATOR(pg_catalog.||) $tables$
-- The arguments of the recommender, and constants derived from them
CREATE TABLE setting (
    single        boolean PRIMARY KEY DEFAULT true CHECK (single),
    kind          text NOT NULL DEFAULT 'recommender',
    columns       text[] NOT NULL,
    clicks        text,                     -- NULL: use clicks on the recommender's lists
    candidates    text NOT NULL,
    outcomes      jsonb NOT NULL,
    bonus         text,
    cap_group     text,
    cap           integer,
    repeats       text,                     -- true, false, an interval, or NULL: let the log decide
    factors       integer NOT NULL,
    half_life     interval NOT NULL,
    attribution_window interval NOT NULL,
    control       float8 NOT NULL,
    epsilon       float8 NOT NULL,
    retention     interval NOT NULL,
    examination   float8[],                 -- probability by position; the last one applies to all further positions
    value_limit   float8 NOT NULL,
    exposure      float8 NOT NULL,
    diversity     float8 NOT NULL,
    constraints   jsonb NOT NULL,
    -- computed from the arguments when the recommender is created or altered
    relation      text NOT NULL,            -- name of the items' table, for messages
    vectors       jsonb NOT NULL,           -- how each column of items is encoded
    size          integer NOT NULL,         -- number of features: liked, popularity, aged and neighbour score
    liked         integer NOT NULL,         -- number of features that describe taste: factors and columns
    aged          integer NOT NULL,         -- number of features of dates
    feature_blocks int4range[] NOT NULL,    -- ranges of the liked features: the factors, and each column
    parts         text[] NOT NULL,          -- for explain(): column of each feature, or a name such as (popularity)
    column_names  text[] NOT NULL,          -- columns that a request's {"like": ...} may name
    first_outcome text NOT NULL,            -- outcome that the model "personal" is trained on
    has_unique_key  boolean NOT NULL,       -- the item key has a unique index
    has_ordered_key boolean NOT NULL,       -- the item key grows with time, and has an index
    block_slots   integer NOT NULL,         -- item vectors per row of "block"
    empty_model   @extschema@.dlints({size}, matched) NOT NULL,
    -- columns that maintenance changes, and _dlints_write_settings() does not write
    repeat_after  interval,                 -- lists leave out items clicked within this time; NULL: none
    repeat_share  float8,                   -- share of clicks on items that the user clicked in an earlier visit
    repeat_lift   float8,                   -- odds ratio, see _dlints_find_repeats()
    is_centered   boolean NOT NULL DEFAULT false,   -- training examples are centered within their list
    centered_since timestamptz,                     -- last change of is_centered; NULL: none
    made_at       timestamptz NOT NULL DEFAULT now(),   -- later items are new; -infinity: all items are new, because
                                                        -- popularity is not computed from a click log
    read_tables   jsonb NOT NULL DEFAULT '{}',      -- for arguments with names: the tables that they were bound to
    has_item_index boolean NOT NULL DEFAULT false,  -- the planner can find items by their key in an index
    effect_stddev float8,                           -- prior of new items' effects; NULL: too few rewards
    n_on_trial    integer NOT NULL DEFAULT 0,       -- number of items on trial
    history_prior float8 CHECK (history_prior > 0 AND history_prior < 'infinity'),
                                            -- limits how a user's earlier impressions change scores (see
                                            -- src/page/history.c); NULL: no change
    history_ratio float8 CHECK (history_ratio > 0 AND history_ratio < 'infinity'),
                                            -- factor of the expected rewards of a user's earlier impressions
    trained_from  bigint NOT NULL DEFAULT 0,        -- first decision in the models
    seed          bigint NOT NULL                  -- seed for assigning users to treatments
                  DEFAULT ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint,
    secret        bigint NOT NULL                  -- secret key that permutes decision numbers
                  DEFAULT ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint);

INSERT INTO job (name, done_at)
SELECT unnest('{run,refresh,items,refit,neighbours,learn,rebuild,months,costs,effects,versions}'::text[]), now()
UNION ALL SELECT 'prices', '-infinity';

-- Versions of item features, to which the log refers.  Each change of an item's factors or columns makes a version.
-- Ids begin with the time in seconds, so that they are unique even if tables were copied without the sequence.
CREATE SEQUENCE item_version_id MAXVALUE 16777215 CYCLE;

CREATE TABLE item_version (
    id       bigint PRIMARY KEY DEFAULT (date_part('epoch', now())::bigint << 24) + nextval('item_version_id'),
    made_at  timestamptz NOT NULL DEFAULT now(),
    item     {item_type},
    features bytea NOT NULL,                -- compressed features of factors and columns
    shown_on date,                          -- date of the last decision that refers to the version, as of the last fit
    CHECK (cardinality(@extschema@.dlints_unpack(features)) = {liked}));

ALTER SEQUENCE item_version_id OWNED BY item_version.id;

-- Item vectors
CREATE TABLE item_vector (
    item       {item_type},
    version    bigint NOT NULL              -- id of the current features in item_version
               DEFAULT (date_part('epoch', now())::bigint << 24) + nextval('item_version_id'),
    features   real[] NOT NULL,             -- latent factors, zeros without clicks, and features of the columns
    popularity real NOT NULL DEFAULT 0,     -- 1 for the most popular item
    dates      real[] NOT NULL,             -- Unix times, rounded; requests compute their features
    is_deleted boolean NOT NULL DEFAULT false,  -- the item is gone; profiles of users who clicked it need the vector
    costs      real[],                      -- cost for each constraint, in the order of constraint names
    outcome_rates real[],                   -- rate for each constraint on an outcome; NULL for other constraints
    effect     real NOT NULL DEFAULT 0,     -- reward per impression beyond what the features predict
    effect_stddev real,                     -- posterior standard deviation of the effect; NULL: not on trial
    since      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item) INCLUDE (is_deleted, popularity, effect, effect_stddev, since),  -- avoids reading wide rows
    CHECK (@extschema@._dlints_are_finite(features, {liked})),
    CHECK (@extschema@._dlints_are_finite(costs)),
    CHECK (abs(popularity) < 'infinity' AND abs(effect) < 'infinity'),
    CHECK (effect_stddev >= 0 AND effect_stddev < 'infinity')
    ) WITH (fillfactor = 50);               -- a fit writes all rows again: into the same pages, without index entries

-- no condition uses the elements of vectors, which take ANALYZE seconds to count
ALTER TABLE item_vector ALTER features SET STATISTICS 0, ALTER dates SET STATISTICS 0;

CREATE INDEX ON item_vector (item) WHERE effect_stddev IS NOT NULL;
CREATE INDEX ON item_vector (item) WHERE is_deleted;

-- Digests by which a refresh finds changed rows: one per hash bucket of item keys and, in bucket -1, one of the click
-- log
CREATE TABLE item_digest (
    bucket integer PRIMARY KEY,
    digest bigint NOT NULL);

-- Rounded copies of item vectors, in rows that fill about a disk page.  Requests compute scores from them.
CREATE TABLE block (
    n       integer PRIMARY KEY CHECK (n BETWEEN 0 AND 10000000),
    items   {item_type}[] NOT NULL,
    codes   bytea NOT NULL,                 -- features of factors and columns of each item, one byte each
    numbers real[] NOT NULL                 -- one row per item: popularity, effect, costs and dates
    ) WITH (toast_tuple_target = {block_bytes});

ALTER TABLE block ALTER codes SET STORAGE EXTERNAL, ALTER numbers SET STORAGE EXTERNAL,
                  ALTER items SET STATISTICS 0, ALTER codes SET STATISTICS 0, ALTER numbers SET STATISTICS 0;

-- Means of the items in one or more blocks, in catalogues of at least 3,000 items.  Requests read the blocks with the
-- highest upper bounds of scores.
CREATE TABLE centroid (
    n       integer PRIMARY KEY,
    blocks  integer[] NOT NULL,             -- for each mean, the first and the last of its blocks
    codes   bytea NOT NULL,                 -- means, followed by two principal axes each, in the format of block.codes
    numbers real[] NOT NULL,                -- means in the format of block.numbers
    spreads real[] NOT NULL                 -- for each mean: standard deviation of factors and that of columns in
                                            -- other directions, and the largest distance of each number from its mean
    ) WITH (toast_tuple_target = {block_bytes});

ALTER TABLE centroid ALTER codes SET STORAGE EXTERNAL, ALTER numbers SET STORAGE EXTERNAL,
                     ALTER spreads SET STORAGE EXTERNAL;

-- The items that trending() shows first, with their scores
CREATE TABLE trend (
    item  {item_type} PRIMARY KEY,
    score real NOT NULL CHECK (abs(score) < 'infinity'));

-- Items that a click on this item predicts.  The neighbour score of an item is the sum of its weights over a user's
-- clicks.
CREATE TABLE neighbour (
    item       {item_type} PRIMARY KEY,
    neighbours {item_type}[] NOT NULL,
    weights    real[] NOT NULL,
    CHECK (@extschema@._dlints_are_finite(weights, cardinality(neighbours))));

ALTER TABLE neighbour ALTER neighbours SET STATISTICS 0, ALTER weights SET STATISTICS 0;

-- The log of lists, one partition per month
CREATE TABLE decision (
    id       bigint PRIMARY KEY,
    at       timestamptz NOT NULL,
    seed     bigint NOT NULL,               -- seed of the posterior draws that chose the list
    n_scored integer,                       -- items on the shortlist; NULL: all candidates, or a random list
    user_id  {user_type},
    treatment text NOT NULL,                -- personal, control, random or trending
    session  text,
    context  jsonb NOT NULL,
    profile  bytea NOT NULL,                -- the user's profile, compressed
    items    {item_type}[] NOT NULL,        -- in the order of positions, like the arrays below
    probabilities real[] NOT NULL,          -- propensity of each impression under the treatment
    expected real[] NOT NULL,               -- expected reward of each impression, with its item's effect
    effects  real[],                        -- effect of each item when the list was chosen; NULL: not used
    versions bigint[] NOT NULL,             -- versions of the items: features of factors and columns
    features bytea NOT NULL,                -- other features of the items, compressed
    prices   jsonb,                         -- dual price of each constraint
    costs    jsonb,                         -- mean cost per position, of each constraint
    CHECK (cardinality(items) = cardinality(probabilities) AND cardinality(items) = cardinality(expected)
           AND cardinality(items) = cardinality(versions)),
    CHECK (@extschema@.dlints_unpack(features, cardinality(items)) IS NOT NULL)
    ) PARTITION BY RANGE (id);

CREATE INDEX ON decision (user_id, id);
CREATE INDEX decision_session ON decision (hashtextextended(session, 0), id) WHERE session IS NOT NULL;
CREATE INDEX ON decision (id) WHERE costs IS NOT NULL;

CREATE TABLE decision_rest PARTITION OF decision DEFAULT;

-- The log of rewards.  A reward may arrive before its decision, so there is no foreign key.
CREATE TABLE reward (
    decision bigint,
    item     {item_type},
    outcome  text,
    value    float8 NOT NULL CHECK (abs(value) <= 1e50),
    at       timestamptz NOT NULL DEFAULT now(),
    applied  float8,                        -- value on which the models were trained
    PRIMARY KEY (decision, item, outcome)) PARTITION BY RANGE (decision);

CREATE INDEX ON reward (decision) WHERE applied IS DISTINCT FROM value;

CREATE TABLE reward_rest PARTITION OF reward DEFAULT;

-- Decisions that the models have not been trained on yet
CREATE TABLE pending (decision bigint PRIMARY KEY);

-- Requests that returned no list.  The id is a decision number, but there is no such decision.
CREATE TABLE empty_request (
    id        bigint PRIMARY KEY,
    treatment text NOT NULL);

CREATE TABLE model (
    name   text PRIMARY KEY,                -- personal, later (outcomes after the first) or control
    learns boolean NOT NULL,
    state  @extschema@.dlints({size}, matched) NOT NULL,
    prior  @extschema@.dlints({size}, matched));    -- evidence of warm_start_example, if the model learns

-- Training examples from the click log, for the prior
CREATE TABLE warm_start_example (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id  {user_type},                   -- NULL: the example has no user profile
    features real[] NOT NULL,               -- features except those of dates
    neighbour_score real NOT NULL,
    own_score real NOT NULL,                -- see similarity.weights
    profile  real[],
    CHECK (@extschema@._dlints_are_finite(features || neighbour_score || own_score, {liked} + 3)),
    CHECK (@extschema@._dlints_are_finite(profile, {liked})));

ALTER TABLE warm_start_example ALTER features SET STATISTICS 0, ALTER profile SET STATISTICS 0;

CREATE INDEX ON warm_start_example (user_id);

-- Candidate half-lives of a user's clicks, with the evidence for each half-life
CREATE TABLE half_life_candidate (
    half_life float8 PRIMARY KEY,           -- days; 0: evidence for the weight of own clicks
    state     @extschema@.dlints NOT NULL); -- evidence for similarities, popularity and the neighbour score

-- How similarity to a user's clicks predicts the user's next click
CREATE TABLE similarity (
    single    boolean PRIMARY KEY DEFAULT true CHECK (single),
    weights   float8[] NOT NULL,            -- weights of blocks, popularity, neighbour score, and own clicks
    scale     real[] NOT NULL,              -- weights of blocks, repeated for each liked feature
    click_value float8 NOT NULL DEFAULT 0.1 CHECK (abs(click_value) < 'infinity'),    -- click rate per similarity
    reward_scale float8 NOT NULL DEFAULT 1          -- ratio of rewards on our lists to predicted click rates
                 CHECK (abs(reward_scale) < 'infinity'),
    half_life float8 CHECK (half_life > 0 AND half_life <= 36500),      -- days, for a user's clicks; NULL: no decay
    own_half_life float8 CHECK (own_half_life > 0 AND own_half_life <= 36500),  -- for clicks on the same item
    popularity_half_life float8 DEFAULT 14
        CHECK (popularity_half_life > 0 AND popularity_half_life <= 36500), -- days; NULL: no decay
    found_at  timestamptz NOT NULL DEFAULT now() CHECK (isfinite(found_at)),
    latest_from timestamptz CHECK (isfinite(latest_from)),     -- start of the latest million clicks; NULL: use all
    newest_from timestamptz CHECK (isfinite(newest_from)),     -- start of the newest 100,000 clicks; NULL: use all
    CHECK (@extschema@._dlints_are_finite(weights::real[], {n_weights})),
    CHECK (@extschema@._dlints_are_finite(scale, {liked})));

COMMENT ON TABLE setting IS 'arguments of the recommender, and constants derived from them';
COMMENT ON TABLE item_version IS 'features of items as they are or were; the log refers to them';
COMMENT ON TABLE item_vector IS 'features of items';
COMMENT ON TABLE item_digest IS 'digests of items and of the click log, by which refresh() finds changes';
COMMENT ON TABLE block IS 'rounded features of items in blocks, from which requests compute scores';
COMMENT ON TABLE trend IS 'items that trending() shows first';
COMMENT ON TABLE centroid IS 'means of the items in blocks, by which requests select the blocks that they read';
COMMENT ON TABLE neighbour IS 'items that a click on an item predicts';
COMMENT ON TABLE decision IS 'log of lists, a month per partition';
COMMENT ON TABLE reward IS 'log of reported rewards';
COMMENT ON TABLE pending IS 'decisions that the models have not been trained on yet';
COMMENT ON TABLE empty_request IS 'requests that returned no list, within the retention';
COMMENT ON TABLE model IS 'models; the view "models" has their counts';
COMMENT ON TABLE warm_start_example IS 'training examples from the click log, for the prior';
COMMENT ON TABLE half_life_candidate IS 'half-lives of clicks that were compared';
COMMENT ON TABLE similarity IS 'weights of similarity to a user''s clicks, and half-lives';
$tables$;
