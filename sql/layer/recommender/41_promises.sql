-- What is left is to be used within 150 lists, or within as many as were made between two runs, and is counted
-- over many times that: what leaves the count comes back otherwise.  Lists of which an outcome may still come
-- are counted on top, since only older ones tell whether what is expected is right.
CREATE OR REPLACE FUNCTION {s}.horizon() RETURNS TABLE (choices float8, decisions bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS (
        SELECT d.items FROM {s}.decision d WHERE d.costs IS NOT NULL ORDER BY d.id DESC LIMIT 100),
    made AS (
        SELECT least(greatest(150, max((n.last_value - p.solved + 4194304) % 4194304)), 100000) AS lists
        FROM   {s}.promise p, {s}.decision_number n),
    waiting AS (
        SELECT count(*) AS lists
        FROM  (SELECT FROM {s}.decision d
               WHERE  d.costs IS NOT NULL
               AND    d.id >= (SELECT {s}.first_decision(now() - max(p.lag)) FROM {s}.promise p
                               HAVING max(p.lag) IS NOT NULL)
               LIMIT  100000) w)
    SELECT m.lists * coalesce((SELECT avg(cardinality(l.items)) FROM last l), 1)::float8,
           least(14 * m.lists + w.lists, 100000)
    FROM   made m, waiting w;
END;

-- What a place of the last lists since the first promise cost of each: of those that were chosen, and of those
-- by chance.  Of the control's nothing is promised.  An outcome counts as expected until most have come, and
-- then as it came.
CREATE OR REPLACE FUNCTION {s}.spent(most bigint)
RETURNS TABLE (decision bigint, promise text, cost float8, choices bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS MATERIALIZED (
        SELECT d.id, d.items, d.costs, cardinality(d.items) AS places FROM {s}.decision d
        WHERE  d.costs IS NOT NULL AND d.id >= (SELECT {s}.first_decision(min(p.since)) FROM {s}.promise p)
        ORDER  BY d.id DESC LIMIT most)
    SELECT l.id, p.name,
           CASE WHEN l.id < p.known_until
                THEN (SELECT count(*) FROM {s}.happened h
                      WHERE  h.decision = l.id AND h.outcome = p.outcome AND h.item {same_item} ANY (l.items))::float8
                     / l.places
                ELSE (l.costs ->> p.name)::float8 END, l.places::bigint
    FROM   last l
           CROSS JOIN (SELECT p.name, p.outcome, {s}.first_decision(p.since) AS since,
                              {s}.first_decision(now() - p.lag) AS known_until FROM {s}.promise p) p
    WHERE  l.costs ? p.name AND l.id >= p.since;
END;

-- What a price could lift into a list, of very many items: the best under each of these without prices, under
-- those that there are, and where what is promised counts more than all else
CREATE OR REPLACE FUNCTION {s}.liftable(weights float8[], way text, most bigint)
RETURNS TABLE (items {item_type}[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH priced AS (
        SELECT p.weights FROM {s}.priced(liftable.weights, way) p),
    large AS (
        SELECT p.sign * p.n AS promise, 100 * sqrt((SELECT sum(w ^ 2) FROM unnest(liftable.weights) w)) AS price
        FROM  (SELECT p.sign, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM {s}.promise p) p),
    ranking AS (
        SELECT ARRAY(SELECT unnest(p.weights[n:n])) AS weights
        FROM   priced p, generate_subscripts(p.weights, 1) n
        UNION ALL
        SELECT ARRAY(SELECT unnest(liftable.weights[n:n]))
               || ARRAY(SELECT CASE abs(l.promise) WHEN i THEN -sign(l.promise) * l.price ELSE 0 END
                        FROM   generate_series(1, {promise_count}) i ORDER BY i)::float8[]
        FROM   generate_subscripts(liftable.weights, 1) n, (SELECT promise, price FROM large UNION ALL SELECT 0, 0) l)
    SELECT b.items FROM {s}.best((SELECT array_agg(r.weights) FROM ranking r), most) b;
END;

-- The last 100 lists of the usual length that were chosen, made once more under two draws of the model as it is
-- now: what each candidate scores, and what it costs of each promise, in the order of their names.  Caps and
-- diversity are left out: what they do is part of what is missing, or left.  Of all items fewer lists are made.
CREATE OR REPLACE FUNCTION {s}.replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH promise AS MATERIALIZED (
        SELECT p.sign, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM {s}.promise p),
    size AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM {s}.block) AS has_blocks, count(*) AS items FROM {s}.item_vector),
    latest AS MATERIALIZED (
        SELECT d.id, d.person, d.context, d.items, cardinality(d.items) AS k,
               {dlints}.dlints_unpack(d.profile) AS profile
        FROM   {s}.decision d WHERE d.costs IS NOT NULL AND d.arm = 'personal' ORDER BY d.id DESC
        LIMIT (SELECT CASE WHEN s.has_blocks THEN 100
                           ELSE least(100, greatest(2, 200000 / greatest(s.items * {promise_count}, 1))) END
               FROM size s)),
    usual AS MATERIALIZED (
        SELECT l.*, w.way
        FROM   latest l, (SELECT mode() WITHIN GROUP (ORDER BY k) AS k FROM latest) u,
               LATERAL (SELECT CASE WHEN l.profile[1:{liked}] = array_fill(0::real, ARRAY[{liked}])
                                    AND {liked} > 0 AND EXISTS (SELECT FROM {s}.beginning)
                               THEN 'stranger' ELSE 'personal' END AS way) w
        WHERE  l.k = u.k),
    drawn AS MATERIALIZED (
        SELECT u.id, u.person, u.context, u.k, r.weights,
               CASE WHEN s.has_blocks THEN u.items || b.items END AS shortlist
        FROM   usual u CROSS JOIN size s
               CROSS JOIN LATERAL (SELECT r.weights[1:2] AS weights FROM {s}.rankings(u.profile, u.way, u.id) r) r
               LEFT JOIN LATERAL {s}.liftable(r.weights, u.way, 32 + 4 * u.k) b ON s.has_blocks),
    candidate AS MATERIALIZED (
        SELECT d.id, row_number() OVER (PARTITION BY d.id) AS n, c.features, c.bonus, c.costs
        FROM   drawn d, LATERAL {s}.candidate_of(d.person, d.context, d.shortlist) c WHERE c.features IS NOT NULL),
    draw AS MATERIALIZED (
        SELECT d.id, n, ARRAY(SELECT unnest(d.weights[n:n])) AS weights
        FROM   drawn d, LATERAL generate_subscripts(d.weights, 1) n),
    score AS (
        SELECT w.id, w.n AS draw,
               array_agg(c.bonus + {dlints}.dlints_dot(w.weights, c.features::{vector}) ORDER BY c.n) AS scores
        FROM   draw w JOIN candidate c ON c.id = w.id GROUP BY w.id, w.n),
    cost AS (
        SELECT k.id, array_agg(k.costs ORDER BY k.n) AS costs
        FROM  (SELECT c.id, p.n, array_agg(p.sign * c.costs[p.n] ORDER BY c.n)::float8[] AS costs
               FROM   candidate c CROSS JOIN promise p GROUP BY c.id, p.n) k
        GROUP  BY k.id),
    mean AS (
        SELECT array_agg(m.mean ORDER BY m.n) AS means
        FROM  (SELECT p.n, p.sign * avg(v.promised[p.n]) AS mean
               FROM   {s}.item_vector v CROSS JOIN promise p GROUP BY p.n, p.sign) m)
    SELECT s.scores, c.costs, m.means, d.k::bigint
    FROM   score s JOIN cost c ON c.id = s.id JOIN drawn d ON d.id = s.id CROSS JOIN mean m;
END;
