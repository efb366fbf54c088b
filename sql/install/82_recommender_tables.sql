-- The tables of a recommender -----------------------------------------------

CREATE FUNCTION dlints_recommender_tables(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
CREATE SCHEMA {s}
$t$,
$t$
-- What it was made with; dlints_alter_recommender reads it.
CREATE TABLE {s}.setting (
    single    boolean PRIMARY KEY DEFAULT true CHECK (single),
    arguments jsonb NOT NULL)
$t$,
$t$
INSERT INTO {s}.setting (arguments) VALUES ({arguments})
$t$,
$t$
-- An item as numbers: what is clicked along with it, its columns, how popular it is (1: the
-- most popular one), and how far its dates were when it was last refreshed.
CREATE TABLE {s}.item_vector (
    item       {key_type} PRIMARY KEY,
    factors    real[],
    encoded    real[] NOT NULL,
    popularity real NOT NULL DEFAULT 0,
    ages       real[] NOT NULL,
    features   real[] NOT NULL GENERATED ALWAYS AS (
                   coalesce(factors, array_fill(0::real, ARRAY[{factors}]))
                   || encoded || popularity || ages) STORED)
$t$,
$t$
-- What was learned: "personal" of the first outcome, "later" of what follows it, which is
-- seldom and worth more; "control" nothing.  A state is large: look at the view "models".
CREATE TABLE {s}.model (
    name   text PRIMARY KEY,
    learns boolean NOT NULL,
    state  {dlints}.dlints({size}, matched) NOT NULL)
$t$,
$t$
-- Decisions are numbered by their time, so that a decision's number says in which
-- partition it is.
CREATE SEQUENCE {s}.decision_number MINVALUE 0 MAXVALUE 4194303 START 0 CYCLE
$t$,
$t$
CREATE TABLE {s}.decision (
    id      bigint PRIMARY KEY,
    person  {person_type},
    arm     text NOT NULL,              -- personal, control (the most popular) or chance
    at      timestamptz NOT NULL,
    profile real[] NOT NULL,            -- as it was then
    context jsonb NOT NULL) PARTITION BY RANGE (id)
$t$,
$t$
CREATE INDEX ON {s}.decision (person, id)
$t$,
$t$
CREATE TABLE {s}.shown (
    decision    bigint,
    item        {key_type},
    place       integer NOT NULL,
    probability float8 NOT NULL,        -- of being shown, under the decision's arm
    expected    float8 NOT NULL,        -- the reward that the model expected
    features    real[] NOT NULL,        -- as they were then
    PRIMARY KEY (decision, item)) PARTITION BY RANGE (decision)
$t$,
$t$
-- Rewards refer to nothing, so that they can come in any order.
CREATE TABLE {s}.reward (
    decision bigint,
    item     {key_type},
    outcome  text,
    value    float8 NOT NULL,
    at       timestamptz NOT NULL DEFAULT now(),
    learned  float8,                    -- what the models know of it
    PRIMARY KEY (decision, item, outcome)) PARTITION BY RANGE (decision)
$t$,
$t$
CREATE INDEX ON {s}.reward (decision) WHERE learned IS DISTINCT FROM value
$t$,
$t$
-- Decisions that are not learned yet
CREATE TABLE {s}.due (decision bigint PRIMARY KEY)
$t$,
$t$
-- Examples from the click log, by which the models begin: what was clicked (1), and
-- items by chance that stand for what was not (0).
CREATE TABLE {s}.beginning (
    person   {person_type},
    item     {key_type} NOT NULL,
    at       timestamptz NOT NULL,
    reward   float8 NOT NULL,
    features real[] NOT NULL,
    profile  real[] NOT NULL)
$t$,
$t$
-- When run() last did what is not due at each call
CREATE TABLE {s}.job (name text PRIMARY KEY, done_at timestamptz NOT NULL)
$t$,
$t$
INSERT INTO {s}.job VALUES ('refresh', now()), ('refit', now())
$t$,
$t$
CREATE TABLE {s}.decision_rest PARTITION OF {s}.decision DEFAULT
$t$,
$t$
CREATE TABLE {s}.shown_rest PARTITION OF {s}.shown DEFAULT
$t$,
$t$
CREATE TABLE {s}.reward_rest PARTITION OF {s}.reward DEFAULT
$t$,
$t$
CREATE VIEW {s}.models AS
SELECT m.name, m.learns, i.updates, i.newest, i.memory, i.memories, i.effective_sample_size,
       i.prior_sample_size, i.mean_reward, i.sigma, i.bytes, i.hint
FROM   {s}.model m, {dlints}.dlints_info(m.state) i
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_recommender_tables(jsonb)
	IS 'the statements that make a recommender''s tables';
