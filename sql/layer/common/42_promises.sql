-- Promises: what choices cost, and the prices by which that is kept.  A price is found by making the last
-- decisions once more, under draws of the present model; so it is no step in a direction, and has no size to
-- be chosen.  What was spent too much, or is left, moves the target that it is found for.

-- What is left of each promise after the last decisions, so many; of what was left before no more may take
-- than that of half the horizon, or of 30 decisions if it is hard, so that what is kept is kept at all times
CREATE OR REPLACE FUNCTION {s}.balance(most bigint)
RETURNS TABLE (promise text, decisions bigint, ahead float8, target float8, hard boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH summed AS (
        SELECT s.promise, s.decision, sum(p.sign * (p.target - s.cost) * s.choices) OVER w AS ahead,
               CASE WHEN p.hard THEN 30 ELSE h.choices / 2 END * p.target AS limit
        FROM   {s}.horizon() h, {s}.spent(most) s JOIN {s}.promise p ON p.name = s.promise
        WINDOW w AS (PARTITION BY s.promise ORDER BY s.decision)),
    total AS (
        SELECT s.promise, count(*) AS decisions,
               least(greatest((array_agg(s.ahead ORDER BY s.decision DESC))[1] - greatest(max(s.ahead - s.limit), 0),
                              -1e53), 1e53) AS ahead
        FROM   summed s GROUP BY s.promise)
    SELECT p.name, coalesce(t.decisions, 0), coalesce(t.ahead, 0), p.target, p.hard
    FROM   {s}.promise p LEFT JOIN total t ON t.promise = p.name;
END;

-- Finds prices anew.  What is left is to be used within the horizon, and what is missing saved; what is
-- left to chance has its share of the costs.  What can be kept is never to cost the least that is possible,
-- which would count more than all else.  Of what is only expected to cost three quarters of what could be saved
-- are asked for at most, or what the promise needs and a fifth of the way from it to the least, and never the
-- last twentieth.  Of promises that nothing can keep prices end somewhere.
CREATE OR REPLACE FUNCTION {s}.solve() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH wanted AS MATERIALIZED (
        SELECT p.name, p.sign, p.sign * p.target AS promised, p.outcome IS NOT NULL AS is_expected,
               b.decisions, b.ahead, p.sign * p.target
               * least(greatest(1 + p.sign * b.ahead / (h.choices * abs(p.target)), 0.05), 3) AS target,
               row_number() OVER (ORDER BY p.name COLLATE "C") AS n
        FROM   {s}.horizon() h, LATERAL {s}.balance(h.decisions) b JOIN {s}.promise p ON p.name = b.promise),
    decision AS MATERIALIZED (
        SELECT * FROM {s}.replay()),
    mean AS (
        SELECT u.n, avg(u.mean) AS mean FROM decision d, unnest(d.means) WITH ORDINALITY u (mean, n) GROUP BY u.n),
    bound AS (
        SELECT w.n, avg(l.cost) AS least, avg(f.cost) AS free
        FROM   decision d CROSS JOIN wanted w
               CROSS JOIN LATERAL (
                   SELECT avg(c.cost) AS cost
                   FROM  (SELECT c.cost FROM unnest(d.costs[w.n:w.n]) c (cost) ORDER BY c.cost LIMIT d.k) c) l
               CROSS JOIN LATERAL (
                   SELECT avg(c.cost) AS cost
                   FROM  (SELECT c.cost FROM unnest(d.scores, d.costs[w.n:w.n]) c (score, cost)
                          ORDER BY c.score DESC LIMIT d.k) c) f
        GROUP  BY w.n),
    asked AS MATERIALIZED (
        SELECT array_agg(greatest((w.target - {epsilon} * m.mean) / greatest(1 - {epsilon}, 0.01),
                                  CASE WHEN w.is_expected
                                       THEN b.least + greatest(
                                           0.05 * (b.free - b.least),
                                           least(0.25 * (b.free - b.least), CASE WHEN b.least < w.promised
                                                 THEN 0.8 * (w.promised - b.least) END))
                                       WHEN b.least < w.promised
                                       THEN b.least + 0.05 * (w.promised - b.least) END) ORDER BY w.n) AS targets
        FROM   wanted w JOIN mean m ON m.n = w.n JOIN bound b ON b.n = w.n),
    found AS (
        SELECT {dlints}.dlints_prices(d.scores, d.costs, d.k, a.targets) AS prices
        FROM   decision d, asked a)
    UPDATE {s}.promise p
    SET    price = least(f.prices[1][w.n], 1e15 * greatest(1, 1 / abs(p.target)), 1e45),
           decisions = w.decisions, ahead = w.ahead, wanted = p.sign * a.targets[w.n], means = p.sign * f.prices[2][w.n]
    FROM   found f, asked a, wanted w WHERE w.name = p.name AND f.prices IS NOT NULL;
END;

-- Have there been so many decisions since prices were found?  Of few there are, each counts.
CREATE OR REPLACE FUNCTION {s}.has_decided(many bigint) RETURNS TABLE (has_decided boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (n.last_value - min(p.solved) + 4194304) % 4194304 >= least(many, greatest(1, min(p.decisions) / 4))
    FROM   {s}.promise p, {s}.decision_number n GROUP BY n.last_value;
END;

CREATE OR REPLACE FUNCTION {s}.is_to_solve() RETURNS TABLE (is_to_solve boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT h.has_decided FROM {s}.has_decided(20) h;
END;

-- What each price takes off the reward of a choice: what some of the last decisions would score, made once more
-- under all prices but this one, and under all
CREATE OR REPLACE FUNCTION {s}.reward_lost() RETURNS TABLE (promise text, lost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH price AS MATERIALIZED (
        SELECT p.name, p.price, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM {s}.promise p),
    decision AS MATERIALIZED (
        SELECT d.scores, d.costs, d.k, ARRAY(
                   SELECT sum(p.price * d.costs[p.n][i])
                   FROM   generate_subscripts(d.scores, 1) i CROSS JOIN price p GROUP BY i ORDER BY i) AS charges
        FROM  (SELECT d.* FROM {s}.replay() d WHERE EXISTS (SELECT FROM price p WHERE p.price > 0) LIMIT 100) d),
    left_out AS (
        SELECT p.name, p.n, p.price FROM price p WHERE p.price > 0
        UNION ALL
        SELECT NULL AS name, 1 AS n, 0 AS price),
    scored AS (
        SELECT l.name, avg(c.score) AS mean
        FROM   left_out l CROSS JOIN decision d,
               LATERAL (SELECT u.score FROM unnest(d.scores, d.charges) WITH ORDINALITY u (score, charge, i)
                        ORDER BY u.score - u.charge + l.price * d.costs[l.n][u.i] DESC LIMIT d.k) c
        GROUP  BY l.name)
    SELECT w.name, w.mean - a.mean FROM scored w, scored a WHERE w.name IS NOT NULL AND a.name IS NULL;
END;
