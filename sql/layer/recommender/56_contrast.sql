-- How much more lists are clicked that suit their people better, in standard errors, by the last 2,000.  Below 0
-- lists contradict the models: people differ in how much they click at all, and who is easily suited clicks
-- less.  What is learned of whole lists is then about people, and wrong about items.
CREATE OR REPLACE FUNCTION {s}.agreement() RETURNS TABLE (errors float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH list AS (
        SELECT avg(s.suits) AS suits, avg(s.reward) AS reward
        FROM  (SELECT l.decision, {dlints}.dlints_dot(l.profile::float8[], l.whole::{vector}) AS suits, l.reward
               FROM  (SELECT d.id FROM {s}.decision d
                      WHERE  cardinality(d.items) > 1 AND d.id >= (SELECT t.known_from FROM {s}.setting t)
                      ORDER  BY d.id DESC LIMIT 2000) d,
                      LATERAL (SELECT * FROM {s}.learned l
                               WHERE  l.model = 'personal' AND l.decision = d.id
                               AND    cardinality(l.profile) = cardinality(l.whole) OFFSET 0) l) s
        GROUP  BY s.decision),
    summed AS (
        SELECT count(*) - 2 AS freedom, regr_sxx(l.reward, l.suits) AS xx, regr_sxy(l.reward, l.suits) AS xy,
               regr_syy(l.reward, l.suits) AS yy
        FROM   list l)
    SELECT s.xy / s.xx / sqrt(nullif(greatest(s.yy - s.xy ^ 2 / s.xx, 0), 0) / s.freedom / s.xx)
    FROM   summed s WHERE s.freedom >= 30 AND s.xx > 1e-12;
END;

-- Should the log be learned anew, since lists contradict the models beyond chance, or no longer do so at all?
-- What is archived cannot be, and is not mixed with what is learned otherwise.
CREATE OR REPLACE FUNCTION {s}.turn_contrast() RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    IF EXISTS (SELECT FROM {s}.archive) THEN
        RETURN false;
    END IF;
    UPDATE {s}.contrast c SET is_on = NOT c.is_on, since = now()
    FROM   {s}.agreement() a
    WHERE  CASE WHEN c.is_on THEN a.errors > 0 AND c.since < now() - interval '7 days' ELSE a.errors < -3 END;
    RETURN FOUND;
END
$body$;
