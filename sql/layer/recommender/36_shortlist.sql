-- Of many items a list is chosen in two steps: the best of all, by blocks of vectors, and of these the
-- list, by all that counts.

-- What items are ranked by for the first step, a row of weights each.  For a person it is the draws by
-- which the list is then chosen and its probabilities are told, and at last what is expected; strangers
-- are not explored with, and the control goes by what is popular.
CREATE OR REPLACE FUNCTION {s}.rankings(profile real[], way text, seed bigint)
RETURNS TABLE (weights float8[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT CASE WHEN way = 'control'
                THEN ARRAY[array_fill(0::float8, ARRAY[{liked}]) || 1::float8 || array_fill(0::float8, ARRAY[{aged}])]
                WHEN l.weights IS NULL THEN w.weights
                ELSE (SELECT array_agg(ARRAY(SELECT a + b FROM unnest(w.weights[n:n], l.weights) u (a, b)) ORDER BY n)
                      FROM generate_subscripts(w.weights, 1) n) END
    FROM   {s}.model m,
           LATERAL (SELECT {dlints}.dlints_weights(m.state, rankings.profile::float8[]) AS weights) e,
           LATERAL (SELECT CASE way WHEN 'personal' THEN {dlints}.dlints_draw_weights(
                                        m.state, rankings.profile::float8[], rankings.seed, {draws}) || e.weights
                           ELSE ARRAY[e.weights] END AS weights) w,
           LATERAL (SELECT (SELECT {dlints}.dlints_weights(l.state, rankings.profile::float8[])
                            FROM   {s}.model l
                            WHERE  l.name = 'later' AND {dlints}.dlints_ne(l.state, {s}.empty())) AS weights) l
    WHERE  m.name = 'personal';
END;

-- The same with prices of what is promised, which the control does not know
CREATE OR REPLACE FUNCTION {s}.priced(weights float8[], way text) RETURNS TABLE (weights float8[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT array_agg(ARRAY(SELECT unnest(priced.weights[n:n])) || p.less ORDER BY n)
    FROM   generate_subscripts(priced.weights, 1) n
           CROSS JOIN (SELECT coalesce((SELECT ARRAY(SELECT -c FROM unnest(h.charges) c) FROM {s}.charges() h
                                        WHERE way <> 'control'),
                                       array_fill(0::float8, ARRAY[{promise_count}])) AS less OFFSET 0) p;
END;

-- The best of all under each of these: those under the first one first.  What is materialised is made
-- plain once, and not for each block.
CREATE OR REPLACE FUNCTION {s}.best(weights float8[], most bigint)
RETURNS TABLE (items {item_type}[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH w AS MATERIALIZED (SELECT best.weights AS weights)
    SELECT {dlints}.dlints_shortlist(b.items, b.vectors::{vector}, w.weights, best.most)
    FROM   w, {s}.block b
    WHERE  array_length(b.vectors, 2) = array_length(w.weights, 2);     -- or more, or less, is promised by now
END;

-- Some of all that may be shown, by chance, and what share of them that is
CREATE OR REPLACE FUNCTION {s}.by_chance(person {person_type}, context jsonb, most bigint)
RETURNS TABLE (items {item_type}[], share float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT coalesce({dlints}.dlints_top(a.item, random(), by_chance.most), '{}'),
           least(by_chance.most::float8 / nullif(count(*), 0), 1)
    FROM  (SELECT {once} a.item FROM {s}.eligible(by_chance.person, by_chance.context) a) a;
END;

-- Does PostgreSQL's planner take it that less than so many items may be shown?
CREATE OR REPLACE FUNCTION {s}.are_fewer(person {person_type}, context jsonb, items float8) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM %I.allowed($1, $2)', {name}) INTO plan USING person, context;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8 < items;
END
$body$;

-- Does it find an item by its key, and not by reading all of them?
CREATE OR REPLACE FUNCTION {s}.has_index() RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    one   {item_type} := (SELECT v.item FROM {s}.item_vector v LIMIT 1);
    a_row json;
    a_all json;
BEGIN
    EXECUTE format($query$EXPLAIN (FORMAT JSON) SELECT FROM %I.item i WHERE i.item {same_item} $1$query$, {name})
    INTO    a_row USING one;
    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM %I.item', {name}) INTO a_all;
    RETURN (a_row -> 0 -> 'Plan' ->> 'Total Cost')::float8 < 0.3 * (a_all -> 0 -> 'Plan' ->> 'Total Cost')::float8;
END
$body$;

-- How many places of a list these could fill
CREATE OR REPLACE FUNCTION {s}.places_for(items {item_type}[], person {person_type}, context jsonb) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF {cap} IS NULL THEN
        RETURN cardinality(items);
    END IF;
    RETURN (SELECT sum(CASE WHEN g.cap_group IS NULL THEN g.n ELSE least(g.n, {cap}) END)
            FROM  (SELECT g.cap_group, count(*) AS n
                   FROM   unnest(places_for.items) i (item),
                          LATERAL {s}.cap_group(i.item, places_for.person, places_for.context) g
                   GROUP  BY g.cap_group) g);
END
$body$;

-- The items that a list of k is chosen of, which are among so many best, more for a varied list; NULL: all
-- are.  Where those that may be shown cannot fill a list by the draw that it is chosen by, it is four times
-- as many, and at last all.  Rows that came after the last one with a vector take part.  What is left out
-- takes no place of what is looked for.  A list by chance is chosen of some, each of which is there with the
-- probability "share"; one of what trends of that table's best, and where these do not do of the most popular, too.
CREATE OR REPLACE FUNCTION {s}.shortlist(
    person {person_type}, context jsonb, profile real[], way text, k integer, seed bigint,
    OUT items {item_type}[], OUT share float8)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    most    bigint := CASE WHEN {diversity} IS NULL THEN greatest(32, 4 * k) ELSE greatest(100, 10 * k) END
                      + CASE WHEN context -> 'left_out' IS NULL THEN 0
                             ELSE jsonb_array_length(context -> 'left_out') END;
    all_of  bigint := {slots}::bigint * (SELECT max(b.n) + 1 FROM {s}.block b);
    trends  bigint := CASE WHEN way = 'trending' THEN (SELECT count(*) FROM {s}.trend) ELSE 0 END;
    weights float8[];
    found   {item_type}[];
    newest  {item_type};
BEGIN
    share := 1;
    IF all_of IS NULL AND way <> 'trending' OR way IN ('personal', 'stranger') AND {has_bonus} THEN
        RETURN;                         -- a bonus can lift any of them
    ELSIF way = 'chance' THEN
        SELECT c.items, c.share INTO items, share
        FROM   {s}.by_chance(shortlist.person, shortlist.context, 4 * k::bigint) c;
        RETURN;
    ELSIF way <> 'trending' THEN
        IF {s}.are_fewer(shortlist.person, shortlist.context, all_of / 20) THEN
            RETURN;
        END IF;
    END IF;
    LOOP
        IF most <= trends THEN
            found := ARRAY(SELECT t.item FROM {s}.trend t ORDER BY t.score DESC LIMIT most);
        ELSIF coalesce(most > all_of / 4, true) THEN
            items := NULL;
            RETURN;
        ELSE
            IF weights IS NULL THEN
                SELECT r.weights INTO weights
                FROM   {s}.rankings(profile, CASE way WHEN 'trending' THEN 'control' ELSE way END, seed) r;
                IF {has_promises} THEN
                    SELECT p.weights INTO weights FROM {s}.priced(weights, way) p;
                END IF;
            END IF;
            SELECT b.items INTO found FROM {s}.best(weights, most) b;
            IF trends > 0 THEN
                found := ARRAY(SELECT t.item FROM {s}.trend t UNION SELECT unnest(found));
            END IF;
        END IF;
        items := ARRAY(SELECT {once} a.item FROM {s}.eligible(shortlist.person, shortlist.context) a
                       WHERE  a.item {same_item} ANY (found));
        EXIT WHEN {s}.places_for(ARRAY(SELECT i.item FROM unnest(found[1:most + trends]) f (item)
                                                          JOIN unnest(items) i (item) ON i.item {same_item} f.item),
                                 shortlist.person, shortlist.context) >= k;
        most := 4 * most;
    END LOOP;
    IF {has_order} AND way <> 'trending' THEN
        SELECT v.item INTO newest FROM {s}.item_vector v ORDER BY v.item DESC LIMIT 1;
        items := items || ARRAY(SELECT a.item FROM {s}.eligible(shortlist.person, shortlist.context) a
                                WHERE  {is_newer} ORDER BY a.item DESC LIMIT 1000);
    END IF;
END
$body$;
