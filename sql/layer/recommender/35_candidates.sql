-- A model that has seen nothing
CREATE OR REPLACE FUNCTION {s}.empty() RETURNS {dlints}.dlints LANGUAGE sql IMMUTABLE
RETURN {dlints}.dlints_new({size}, interactions => 'matched', half_life => {half_life},
                           exploration => 0.025);

-- How far dates are from a moment, in steps of about a day, a week and a month
CREATE OR REPLACE FUNCTION {s}.ages(dates float8[], at timestamptz) RETURNS real[] LANGUAGE sql IMMUTABLE
RETURN {ages};

-- What a list may be of: what a request may be answered with, but for what "left_out" of the context names,
-- which the lists' own functions set.  That is read once, and not for each row.
CREATE OR REPLACE FUNCTION {s}.eligible(person {person_type}, context jsonb)
RETURNS TABLE (item {item_type}) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT a.item
    FROM   {s}.allowed(eligible.person, eligible.context) a
    WHERE  a.item IS NOT NULL
    AND    ((SELECT eligible.context -> 'left_out' IS NULL)
            OR NOT a.item {same_item} ANY (
                SELECT o.item::{item_type}
                FROM   jsonb_array_elements_text(eligible.context -> 'left_out') o (item)
                WHERE  o.item IS NOT NULL));
END;

-- What each item costs of what is promised, in the order of names: how often an outcome comes of it; or true
-- is 1, and what is no number up to 1e30 costs nothing
CREATE OR REPLACE VIEW {s}.item_cost AS
SELECT t.item, ARRAY(SELECT CASE WHEN abs(c.cost) BETWEEN 1e-30 AND 1e30 THEN c.cost ELSE 0 END
                     FROM   unnest(t.texts, v.rates, r.rates) WITH ORDINALITY u (text, rate, mean, n),
                            LATERAL (SELECT CASE u.text WHEN 'true' THEN 1 WHEN 'false' THEN 0
                                                        ELSE coalesce(u.text::float8, u.rate, u.mean) END AS cost) c
                     ORDER  BY u.n)::real[] AS costs
FROM   {s}.promised_text t LEFT JOIN {s}.item_vector v ON v.item {same_item} t.item
       CROSS JOIN (SELECT array_agg(CASE WHEN p.outcome IS NOT NULL THEN coalesce(p.rate, p.target) END
                                    ORDER BY p.name COLLATE "C") AS rates
                   FROM   {s}.promise p) r;

-- What one row costs, for rows that have no vector yet: what cannot be computed is 0, so that no page fails
CREATE OR REPLACE FUNCTION {s}.cost_of(item {item_type}) RETURNS real[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    nothing real[] := array_fill(0::real, ARRAY[{promise_count}]);
    costs   real[];
BEGIN
    costs := (SELECT c.costs FROM {s}.item_cost c WHERE c.item {same_item} cost_of.item LIMIT 1);
    RETURN CASE cardinality(costs) WHEN {promise_count} THEN costs ELSE nothing END;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
    RETURN nothing;
END
$body$;

-- The prices of what is promised, and what a unit of it so takes off a score, in the order of names
CREATE OR REPLACE FUNCTION {s}.charges() RETURNS TABLE (names text[], charges float8[], prices jsonb)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT array_agg(p.name ORDER BY p.name COLLATE "C"),
           array_agg(p.sign * p.price ORDER BY p.name COLLATE "C"), jsonb_object_agg(p.name, p.price)
    FROM   {s}.promise p HAVING count(*) = {promise_count};
END;

-- Who may be recommended what: the candidates, with what is added to their scores, the groups of which a
-- list has so many at most, and what they cost of what is promised.  A new row is a candidate at once; a bonus
-- that is no number is none.
CREATE OR REPLACE FUNCTION {s}.candidate(person {person_type}, context jsonb)
RETURNS TABLE (item {item_type}, features real[], popularity real, bonus float8, cap_group text, costs real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT {once} a.item,
           coalesce(v.features, (SELECT array_fill(0::real, ARRAY[{factors}]) || n.encoded
                                        || 0::real || {s}.ages(n.dates, now())
                                 FROM {s}.encoded_item n WHERE n.item {same_item} a.item LIMIT 1)),
           coalesce(v.popularity, 0), CASE WHEN b.bonus BETWEEN -1e50 AND 1e50 THEN b.bonus ELSE 0 END, g.cap_group,
           CASE WHEN {has_promises} THEN CASE cardinality(v.promised) WHEN {promise_count} THEN v.promised
               ELSE {s}.cost_of(a.item) END END
    FROM   {s}.eligible(candidate.person, candidate.context) a
           LEFT JOIN {s}.item_vector v ON v.item {same_item} a.item
           CROSS JOIN LATERAL {s}.bonus(a.item, candidate.person, candidate.context) b
           CROSS JOIN LATERAL {s}.cap_group(a.item, candidate.person, candidate.context) g;
END;

-- Those of a shortlist, or all
CREATE OR REPLACE FUNCTION {s}.candidate_of(person {person_type}, context jsonb, shortlist {item_type}[])
RETURNS TABLE (item {item_type}, features real[], popularity real, bonus float8, cap_group text, costs real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT c.item, c.features, c.popularity, c.bonus, c.cap_group, c.costs
    FROM   {s}.candidate(candidate_of.person, candidate_of.context) c WHERE shortlist IS NULL
    UNION ALL
    SELECT c.item, c.features, c.popularity, c.bonus, c.cap_group, c.costs
    FROM   {s}.candidate(candidate_of.person, candidate_of.context) c WHERE c.item {same_item} ANY (shortlist);
END;
