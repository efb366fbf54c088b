-- Tables that recommenders and rankers share ---------------------------------------
--
-- The beginning of both templates of tables.

CREATE FUNCTION _dlints_common_tables() RETURNS text LANGUAGE sql IMMUTABLE
RETURN $tables$
-- When run() was last called, when each of its parts was last done, and why a part failed
CREATE TABLE job (
    name    text PRIMARY KEY,
    done_at timestamptz NOT NULL,
    problem text);

-- The number of a decision within a second
CREATE SEQUENCE decision_number MINVALUE 0 MAXVALUE 4194303 START 0 CYCLE;

-- Constraints with their dual prices
CREATE TABLE constraint_price (
    name      text PRIMARY KEY,
    of        text,                         -- recommenders: cost of an item, an expression of i
    outcome   text,                         -- recommenders: the outcome whose rate is the cost
    sign      integer NOT NULL,             -- 1: at most the target; -1: at least
    target    float8 NOT NULL CHECK (target > 0 AND target < 'infinity'),
    hard      boolean NOT NULL,             -- rankers: an action that costs more than is left is never chosen
    since     timestamptz NOT NULL DEFAULT now(),
    price     float8 NOT NULL DEFAULT 0 CHECK (abs(price) < 'infinity'),
    decisions bigint NOT NULL DEFAULT 0,    -- decisions that the price was computed from
    solved    bigint NOT NULL DEFAULT 0,    -- number of the newest decision then
    surplus   float8 NOT NULL DEFAULT 0,    -- budget left over then
    target_cost float8 NOT NULL DEFAULT 0,  -- mean cost that the price was computed for
    expected_cost float8 NOT NULL DEFAULT 0,    -- mean cost expected at this price
    reward_lost float8 NOT NULL DEFAULT 0,  -- recommenders: reward per position that the price costs
    rate      float8,                       -- of the outcome, per position
    lag       interval);                    -- time within which 19 of 20 outcomes arrive

-- Decisions that could not be applied or corrected
CREATE TABLE quarantine (
    decision   bigint PRIMARY KEY,
    is_applied boolean NOT NULL,            -- the models contain it as it was before the failed correction
    problem    text NOT NULL,
    at         timestamptz NOT NULL DEFAULT now());

COMMENT ON TABLE job IS 'when each part of run() was last done, and why it failed';
COMMENT ON TABLE constraint_price IS 'constraints with their dual prices';
COMMENT ON TABLE quarantine IS 'decisions that could not be applied or corrected';
$tables$;
COMMENT ON FUNCTION _dlints_common_tables() IS 'template: tables of recommenders and rankers';
