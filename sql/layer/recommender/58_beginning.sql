-- What the click log says beforehand: kept apart, at half its weight, and fading
CREATE OR REPLACE FUNCTION {s}.set_prior() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.model m
    SET    state = {dlints}.dlints_with_prior(
                       m.state, coalesce(e.evidence, {dlints}.dlints_scale(0::float8, m.state)), 0.5::float8)
    FROM  (SELECT p.name, {dlints}.dlints_evidence(p.state, b.features::{vector}, b.reward,
                                                   b.profile::{vector}, b.at) AS evidence
           FROM   {s}.model p LEFT JOIN {s}.beginning b ON true
           WHERE  p.learns AND p.name <> 'later' GROUP BY p.name) e
    WHERE  m.name = e.name;
END;

-- Examples of the latest clicks, each under the profile of the clicks before it, and with four
-- items by chance that stand for what was seen and not clicked.  One in three has no profile, to
-- know what people like of whom nothing is known.
CREATE OR REPLACE FUNCTION {s}.make_examples() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.beginning;
    WITH vector AS MATERIALIZED (
        SELECT i.dates, v.item, v.features, row_number() OVER () AS place
        FROM   {s}.item_vector v JOIN {s}.encoded_item i ON i.item {same_item} v.item),
    clicked AS (
        SELECT c.person, c.at, v.place,
               row_number() OVER (ORDER BY c.at DESC) AS latest,
               {dlints}.dlints_profile(v.features[1:{known}]::{vector},
                              2::float8 ^ greatest(
                                  (date_part('epoch', c.at) - date_part('epoch', now())) / 86400 / 14, -300))
                   OVER (PARTITION BY c.person ORDER BY c.at
                         ROWS BETWEEN 50 PRECEDING AND 1 PRECEDING) AS profile
        FROM  (SELECT * FROM {s}.click WHERE at <= now() AND isfinite(at) ORDER BY at DESC LIMIT 50000) c
              JOIN vector v ON v.item {same_item} c.item),
    example AS (
        SELECT c.person, c.at, c.latest, c.profile, n,
               CASE n WHEN 0 THEN c.place
                      ELSE ceil(random() * (SELECT count(*) FROM vector))::bigint END AS place
        FROM   clicked c, generate_series(0, 4) n WHERE c.latest <= 5000)
    INSERT INTO {s}.beginning (person, item, at, reward, features, profile)
    SELECT e.person, v.item, e.at, (e.n = 0)::integer, v.features[1:{known}] || {s}.ages(v.dates, e.at),
           CASE WHEN e.person IS NOT NULL AND e.latest % 3 > 0 AND e.profile <> '{}'
                THEN e.profile || array_fill(0::real, ARRAY[{aged}]) ELSE '{}' END
    FROM   example e JOIN vector v ON v.place = e.place;
END;

-- New examples, with which the models then begin
CREATE OR REPLACE FUNCTION {s}.set_beginning() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    PERFORM {s}.make_examples();
    PERFORM {s}.set_prior();
    RETURN (SELECT count(*) FROM {s}.beginning);
END
$body$;
