-- How alike an item is to a person, in each block of features
CREATE OR REPLACE FUNCTION {s}.alike(features real[], sum real[], clicks float8) RETURNS float8[]
LANGUAGE sql IMMUTABLE
RETURN {alike};

-- What is worth what, for each feature
CREATE OR REPLACE FUNCTION {s}.spread(weights float8[]) RETURNS real[] LANGUAGE sql IMMUTABLE
RETURN {spread};

-- What the same people click, without a part of the log: examples of what made the vectors would
-- say that they know everything.
CREATE OR REPLACE FUNCTION {s}.fitted_without(part integer) RETURNS TABLE (item {item_type}, factors real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT f.item::{item_type}, f.factors
    FROM   {dlints}.dlints_factors(format(
               'SELECT person, item FROM (%s) c WHERE hashtext(person::text || '' '' || item::text) & 7 <> %s',
               {log}::text, part), {factors}::bigint, NULL::text, 0::bigint)
           f (item {hashed_type}, factors real[])
    WHERE  {factors} > 0;
END;

-- How long a click says that an item is popular: the half-life that foretells the last tenth of the
-- clicks best.  A shorter one has to do so by more clicks.
CREATE OR REPLACE FUNCTION {s}.weigh_popularity() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH clicked AS MATERIALIZED (
        SELECT c.item, date_part('epoch', c.at) / 86400 AS day, ntile(10) OVER (ORDER BY c.at) AS tenth
        FROM  (SELECT item, at FROM {s}.click WHERE at <= now() AND isfinite(at) AND item IS NOT NULL
               ORDER BY at DESC LIMIT 100000) c),
    now AS (
        SELECT max(day) FILTER (WHERE tenth < 10) AS day, count(DISTINCT item) AS items FROM clicked),
    half_life (n, days) AS (
        VALUES (1, 0.125::float8), (2, 0.25), (3, 1), (4, 7), (5, 14), (6, 30), (7, 90), (8, NULL)),
    score AS (
        SELECT h.n, c.item, sum({s}.faded(n.day - c.day, h.days)) AS score
        FROM   clicked c, now n, half_life h WHERE c.tenth < 10 GROUP BY h.n, c.item),
    total AS (
        SELECT n, sum(score) AS score FROM score GROUP BY n),
    foretold AS (
        SELECT h.n, h.days,
               avg(ln(0.9 * coalesce(s.score, 0) / t.score + 0.1 / n.items)) - 3.0 * (8 - h.n) / count(*) AS likely
        FROM   half_life h JOIN total t ON t.n = h.n CROSS JOIN now n CROSS JOIN clicked c
               LEFT JOIN score s ON s.n = h.n AND s.item {same_item} c.item
        WHERE  c.tenth = 10 GROUP BY h.n, h.days)
    UPDATE {s}.likeness SET popular_half_life = b.days
    FROM  (SELECT f.days FROM foretold f ORDER BY f.likely DESC LIMIT 1) b;
END;

-- What a stand-in counts that was clicked so often: it is drawn by its clicks, and was seen by these to
-- the power that "exposure" says
CREATE OR REPLACE FUNCTION {s}.rarity(clicks float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN clicks ^ ({exposure}::float8 - 1);

-- Examples of a part of the latest clicks.  Each has four stand-ins, of what else of this part was
-- clicked about that time, which count by how often they are taken to have been seen: evenly, and
-- popularity would explain all; as often as clicked, nothing.  How popular something was is that of the same
-- time, by the other parts.  A person is what else this person clicked, in half of the examples a few
-- clicks, to know what these are worth.  Each is once more a stranger's, which says what it is worth
-- to be popular; clicks of nobody are that alone.  What is alike is said for clicks that fade by half
-- in 14, 30 and 90 days, and that never fade.  Of all that is shown about one in twenty is clicked:
-- what was not counts five times.
CREATE OR REPLACE FUNCTION {s}.add_examples(part integer, most bigint, kept integer) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH latest AS MATERIALIZED (
        SELECT c.person, c.item, c.at,
               hashtext(coalesce(c.person::text, c.at::text) || ' ' || c.item::text) & 7 AS part,
               row_number() OVER (PARTITION BY c.person ORDER BY c.at DESC) AS n,
               count(*) OVER (PARTITION BY c.person) AS clicks,
               {s}.rarity(count(*) OVER (PARTITION BY c.item)) AS rarity,
               (date_part('epoch', max(c.at) OVER ()) - date_part('epoch', c.at)) / 86400 AS ago
        FROM  (SELECT c.person, c.item, c.at
               FROM   {s}.click c JOIN {s}.item_vector v ON v.item {same_item} c.item
               WHERE  c.at <= now() AND isfinite(c.at)
               ORDER  BY c.at DESC LIMIT 50000) c),
    clicked AS MATERIALIZED (
        SELECT l.*, row_number() OVER (PARTITION BY l.part ORDER BY l.at) AS place FROM latest l),
    log AS MATERIALIZED (
        SELECT l.popular_half_life AS half_life, least(max(c.ago), 250 * l.popular_half_life) AS longest,
               count(*) FILTER (WHERE c.part = add_examples.part) AS clicks,
               avg(c.rarity) FILTER (WHERE c.part = add_examples.part) AS rarity,
               greatest(count(*) FILTER (WHERE c.part = add_examples.part
                                         AND c.ago <= coalesce(l.popular_half_life, 'infinity')),
                        least(count(*) FILTER (WHERE c.part = add_examples.part), 60)) AS near
        FROM   clicked c, {s}.likeness l GROUP BY l.popular_half_life),
    top AS MATERIALIZED (
        SELECT greatest(max(i.score), 1) AS score
        FROM  (SELECT sum({s}.faded(c.ago, l.half_life)) AS score
               FROM   clicked c, log l WHERE c.part <> add_examples.part GROUP BY c.item) i),
    item AS MATERIALIZED (
        SELECT i.item, i.features, i.features || 1::real AS counted
        FROM  (SELECT v.item, coalesce(f.factors, array_fill(0::real, ARRAY[{factors}])) || v.encoded AS features
               FROM   {s}.item_vector v
                      LEFT JOIN {s}.fitted_without(part) f ON f.item {same_item} v.item OFFSET 0) i),
    example AS MATERIALIZED (
        SELECT c.*, row_number() OVER () AS id,
               CASE WHEN random() < 0.5 THEN 2 ^ floor(7 * random()) ELSE 100 END AS cut
        FROM  (SELECT c.* FROM clicked c, log l     -- apart, or random() is that of the order
               WHERE  c.part = add_examples.part AND c.ago <= l.longest
               ORDER  BY random() LIMIT most) c),
    person AS MATERIALIZED (
        SELECT e.id,
               {dlints}.dlints_profile(i.counted::{vector}, 1::float8) AS sum, count(*) AS clicks,
               {dlints}.dlints_profile(i.counted::{vector}, x.w90) AS sum90, sum(x.w90) AS clicks90,
               {dlints}.dlints_profile(i.counted::{vector}, x.w30) AS sum30, sum(x.w30) AS clicks30,
               {dlints}.dlints_profile(i.counted::{vector}, x.w14) AS sum14, sum(x.w14) AS clicks14
        FROM   example e CROSS JOIN generate_series(1, least(e.cut, e.clicks - 1)::bigint) s
               JOIN clicked o ON o.person {same_person} e.person AND o.n = (e.n + s - 1) % e.clicks + 1
                   AND NOT o.item {same_item} e.item
               JOIN item i ON i.item {same_item} o.item,
               LATERAL (SELECT abs(e.ago - o.ago) AS days) d,
               LATERAL (SELECT {s}.faded(d.days, 90) AS w90, {s}.faded(d.days, 30) AS w30,
                               {s}.faded(d.days, 14) AS w14) x
        GROUP  BY e.id),
    trial AS MATERIALIZED (     -- a row each: of VALUES every expression is prepared anew for every row
        SELECT p.id, 14::float8 AS half_life, p.sum14 AS sum, p.clicks14 AS clicks FROM person p
        UNION ALL
        SELECT p.id, 30::float8 AS half_life, p.sum30 AS sum, p.clicks30 AS clicks FROM person p
        UNION ALL
        SELECT p.id, 90::float8 AS half_life, p.sum90 AS sum, p.clicks90 AS clicks FROM person p
        UNION ALL
        SELECT p.id, 'infinity'::float8 AS half_life, p.sum, p.clicks::float8 AS clicks FROM person p),
    candidate AS MATERIALIZED (
        SELECT e.id, e.person, e.item, e.ago, 1 AS reward, 1::float8 AS weight FROM example e
        UNION ALL
        SELECT e.id, e.person, c.item, e.ago, 0, 5 * c.rarity / l.rarity
        FROM  (SELECT e.*, e.place + floor((2 * random() - 1) * l.near)::bigint AS stand_in
               FROM   example e, log l, generate_series(1, 4)) e CROSS JOIN log l
               JOIN clicked c ON c.part = add_examples.part
                   AND c.place = CASE WHEN e.stand_in < 1 THEN 1 - e.stand_in
                                      WHEN e.stand_in > l.clicks THEN 2 * l.clicks + 1 - e.stand_in
                                      ELSE e.stand_in END),
    known AS (      -- how often each was clicked about then, before and after
        SELECT t.id, t.person, t.item, t.reward, t.weight,
               CASE WHEN l.half_life IS NULL THEN sum(t.before) OVER (PARTITION BY t.item)
                    ELSE (sum(t.before) OVER (PARTITION BY t.item ORDER BY t.ago DESC, t.id NULLS FIRST)
                          / {s}.faded(t.ago, l.half_life)
                          + sum(t.after) OVER (PARTITION BY t.item ORDER BY t.ago, t.id NULLS LAST)
                          / {s}.faded(l.longest - t.ago, l.half_life))
                         * greatest(1 - {s}.faded(l.longest, l.half_life), 1e-9)
                         / greatest(2 - {s}.faded(l.longest - t.ago, l.half_life) - {s}.faded(t.ago, l.half_life), 1e-9)
                    END AS score
        FROM  (SELECT NULL::bigint AS id, NULL::{person_type} AS person, c.item, c.ago, NULL::integer AS reward,
                      NULL::float8 AS weight, v.is_known * {s}.faded(c.ago, l.half_life) AS before,
                      v.is_known * {s}.faded(l.longest - c.ago, l.half_life) AS after
               FROM   clicked c, log l, LATERAL (SELECT (c.part <> add_examples.part)::integer AS is_known) v
               UNION ALL
               SELECT c.id, c.person, c.item, c.ago, c.reward, c.weight, 0, 0 FROM candidate c) t, log l),
    shown AS MATERIALIZED (
        SELECT k.id, k.person, k.reward, k.weight, i.features,
               least(ln(1 + k.score) / ln(1 + t.score), 1) AS popularity
        FROM   known k JOIN item i ON i.item {same_item} k.item CROSS JOIN top t
        WHERE  k.id IS NOT NULL),
    begun AS (
        INSERT INTO {s}.beginning (person, features, profile)
        SELECT c.person, c.features || c.popularity::real, {s}.mean(p.sum, p.clicks)
        FROM   shown c JOIN person p ON p.id = c.id WHERE c.id <= kept
        UNION ALL
        SELECT NULL AS person, c.features || c.popularity::real AS features, NULL AS profile
        FROM   shown c WHERE c.id <= kept)
    INSERT INTO {s}.tried AS t (half_life, state)
    SELECT x.half_life, {dlints}.dlints_evidence(
               {dlints}.dlints_new({blocks} + 1, discount => 1, ridge => 1),
               (x.alike || x.popularity)::{vector}, x.reward, '{}'::{vector}, NULL::timestamptz, x.weight)
    FROM  (SELECT t.half_life, {s}.alike(c.features, t.sum, t.clicks) AS alike, c.popularity, c.reward, c.weight
           FROM   shown c JOIN trial t ON t.id = c.id
           UNION ALL
           SELECT h.half_life, array_fill(0::float8, ARRAY[{blocks}]), c.popularity, c.reward, 0.35 * c.weight
           FROM   shown c, unnest('{14,30,90,infinity}'::float8[]) h (half_life)) x
    GROUP  BY x.half_life
    ON CONFLICT (half_life) DO UPDATE SET state = {dlints}.dlints_concat(t.state, excluded.state);
END;

-- What being alike is worth: under the longest half-life that explains of the examples nearly as much as
-- any, since it knows more clicks.  To be alike, or popular, is never worth nothing: what has no weight
-- is never learned.
CREATE OR REPLACE FUNCTION {s}.weigh_likeness() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH fitted AS (
        SELECT f.half_life, ARRAY(
                   SELECT greatest(w, 0.02 * max(w) OVER (), 0.001)
                   FROM   unnest({dlints}.dlints_mean(f.state)) WITH ORDINALITY u (w, k)
                   WHERE  k <= {blocks} + 1 ORDER BY k) AS weights
        FROM  (SELECT t.*, i.sigma ^ 2 AS left_over, min(i.sigma ^ 2) OVER () AS least,
                      i.mean_reward * (1 - i.mean_reward) AS variance
               FROM   {s}.tried t, {dlints}.dlints_info(t.state) i) f
        WHERE  f.left_over <= 0.97 * f.least + 0.03 * f.variance ORDER BY f.half_life DESC LIMIT 1)
    UPDATE {s}.likeness l
    SET    weights = w.weights, scale = {s}.spread(w.weights), worth = b.worth,
           half_life = nullif(f.half_life, 'infinity'), found_at = now()
    FROM   fitted f, LATERAL (SELECT max(w) AS worth FROM unnest(f.weights) w) b,
           LATERAL (SELECT ARRAY(SELECT u.w / b.worth FROM unnest(f.weights) WITH ORDINALITY u (w, k)
                                 ORDER BY k) AS weights) w;
END;

-- What the click log says beforehand, kept apart and fading: how good an item is that is so alike,
-- and that nothing else is known to matter.  So an example is clicked as often as its likeness says:
-- by so much of it a 1, and for the rest a 0.  A log that others made counts much: it has told more than
-- some hundred lists, which are of like items, and whose people differ in how much they click.
CREATE OR REPLACE FUNCTION {s}.set_prior() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.model m
    SET    state = {dlints}.dlints_with_prior(
                       m.state, coalesce(e.evidence, {dlints}.dlints_scale(0::float8, m.state)),
                       CASE WHEN {has_log} THEN 30::float8 ELSE 0.3::float8 END)
    FROM  (SELECT p.name, {dlints}.dlints_evidence(p.state, b.features::{vector}, r.reward, b.profile::{vector},
                                                   b.found_at, r.weight) AS evidence
           FROM   {s}.model p LEFT JOIN (
                      SELECT b.features || array_fill(0::real, ARRAY[{aged}]) AS features,
                             {s}.profile_of(b.profile, l.scale, l.weights) AS profile, l.found_at, l.worth
                      FROM   {s}.beginning b, {s}.likeness l) b ON true
                  LEFT JOIN LATERAL (
                      SELECT least(greatest(0.05 + b.worth * {dlints}.dlints_dot(
                          b.profile::float8[], b.features::{vector}), 0.01), 0.95) AS rate) a
                      ON true
                  LEFT JOIN LATERAL (VALUES (1, a.rate), (0, 1 - a.rate)) r (reward, weight) ON true
           WHERE  p.learns AND p.name <> 'later' GROUP BY p.name) e
    WHERE  m.name = e.name;
END;

-- New examples, of as many parts of the log as have ten thousand, by which the models then begin.  Where
-- the log is that of the lists themselves there have to be some hundred clicks first.  Those that
-- learn are waited for at the end alone.
CREATE OR REPLACE FUNCTION {s}.set_beginning() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    clicks bigint := (SELECT count(*) FROM (
                          SELECT FROM {s}.click c JOIN {s}.item_vector v ON v.item {same_item} c.item
                          WHERE  c.at <= now() AND isfinite(c.at) LIMIT 50000) c);
    parts  integer := least(8, ceil(80000.0 / greatest(clicks, 1)));
    told   timestamptz := clock_timestamp();
BEGIN
    IF NOT {has_log} AND clicks < 300 THEN
        parts := 0;
    END IF;
    -- one at a time; who erases a person waits, and finds all examples of this person
    LOCK TABLE {s}.item_vector, {s}.beginning IN SHARE ROW EXCLUSIVE MODE;
    PERFORM {s}.weigh_popularity();
    DELETE FROM {s}.beginning;
    DELETE FROM {s}.tried;
    FOR part IN 0 .. parts - 1 LOOP
        PERFORM {s}.add_examples(part, 10000 / parts + 1, 1000 / parts);
        IF clock_timestamp() > told + interval '3 seconds' THEN
            told := clock_timestamp();
            RAISE NOTICE 'part % of % of the click log is looked at', part + 1, parts;
        END IF;
    END LOOP;
    PERFORM {s}.weigh_likeness();
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    PERFORM {s}.refresh_popularity();
    PERFORM {s}.refresh_trend();
    PERFORM {s}.set_blocks();
    PERFORM {s}.set_prior();
    RETURN CASE WHEN parts > 0 THEN least(clicks, 10000) ELSE 0 END;
END
$body$;
