-- What is promised: on average at most, or at least, so much of a cost.  A price keeps it, which was found
-- of so many decisions, when the latest had the number "solved".
DO $body$
BEGIN
    IF to_regclass(format('%I.promise', {name})) IS NULL THEN
        CREATE TABLE {s}.promise (
            name      text PRIMARY KEY,
            of        text,                     -- what costs, of an item: an expression
            outcome   text,                     -- or what comes of it
            sign      integer NOT NULL,         -- of what costs: -1 where it is to be at least so much
            target    float8 NOT NULL,
            hard      boolean NOT NULL,         -- is what costs more than is left never chosen?
            since     timestamptz NOT NULL DEFAULT now(),
            price     float8 NOT NULL DEFAULT 0,
            decisions bigint NOT NULL DEFAULT 0,
            solved    bigint NOT NULL DEFAULT 0,
            ahead     float8 NOT NULL DEFAULT 0,    -- what was left then of what is promised
            wanted    float8 NOT NULL DEFAULT 0,    -- what a choice was to cost then, chance apart
            means     float8 NOT NULL DEFAULT 0,    -- what it does at this price
            lost      float8 NOT NULL DEFAULT 0,    -- and, of a recommender, what that takes off its reward
            rate      float8,                   -- of a place of the lists, how often that outcome comes of it
            lag       interval);                -- within which most have come
    END IF;
END
$body$;

-- one that was made before there were any; run() has not come for prices yet
INSERT INTO {s}.job (name, done_at) VALUES ('prices', '-infinity') ON CONFLICT DO NOTHING;
