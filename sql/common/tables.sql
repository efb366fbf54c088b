-- Tables that recommenders and rankers share ---------------------------------------
--
-- Both templates of tables begin with these tables.

CREATE FUNCTION _dlints_common_tables() RETURNS text LANGUAGE sql IMMUTABLE
RETURN $tables$
-- Maintenance tasks: time of the last success, error message of a later failure, and the time of the first such
-- failure.  The row "run" has the time of the last call.
CREATE TABLE job (
    name    text PRIMARY KEY,
    done_at timestamptz NOT NULL,
    problem text,
    since   timestamptz);

-- Counter that makes decision numbers unique within a second
CREATE SEQUENCE decision_number MINVALUE 0 MAXVALUE 4194303 START 0 CYCLE;

-- Constraints, with their dual prices
CREATE TABLE constraint_price (
    name      text PRIMARY KEY,
    of        text,                         -- for recommenders: expression of the cost of item i
    outcome   text,                         -- for recommenders: the outcome whose rate is the cost
    sign      integer NOT NULL,             -- 1: the target is a maximum; -1: a minimum
    target    float8 NOT NULL CHECK (target > 0 AND target < 'infinity'),
    hard      boolean NOT NULL,             -- for rankers: exclude actions above the remaining budget
    since     timestamptz NOT NULL DEFAULT now(),
    price     float8 NOT NULL DEFAULT 0 CHECK (abs(price) < 'infinity'),
    decisions bigint NOT NULL DEFAULT 0,    -- number of decisions in the surplus
    solved    bigint NOT NULL DEFAULT 0,    -- decision_number when the price was computed
    surplus   float8 NOT NULL DEFAULT 0,    -- surplus when the price was computed
    target_cost float8 NOT NULL DEFAULT 0,  -- target for which the price was computed, adjusted by the surplus
    expected_cost float8 NOT NULL DEFAULT 0,    -- expected mean cost at this price
    reward_lost float8 NOT NULL DEFAULT 0,  -- for recommenders: loss of reward per position due to the price
    rate      float8,                       -- mean rate of the outcome per position
    lag       interval);                    -- time within which 19 of 20 outcomes arrive

-- Decisions for which training or a correction has failed
CREATE TABLE quarantine (
    decision   bigint PRIMARY KEY,
    is_applied boolean NOT NULL,            -- the models contain the decision without the failed correction
    problem    text NOT NULL,
    at         timestamptz NOT NULL DEFAULT now());

COMMENT ON TABLE job IS 'when each part of run() was last done, and why it failed';
COMMENT ON TABLE constraint_price IS 'constraints with their dual prices';
COMMENT ON TABLE quarantine IS 'decisions on which training or a correction has failed';
$tables$;
