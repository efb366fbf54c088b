-- How far lists contradict themselves, in standard errors.  Within a list what suits its person better is
-- clicked more, or the models could learn nothing.  Lists that suit their people better should be clicked more, too.
-- Where they are clicked less, people differ in how much they click at all, and who is easy to suit clicks
-- less: what is learned of whole lists is then about people, and wrong about items.  The last 2,000 tell.
CREATE OR REPLACE FUNCTION {s}.contradiction() RETURNS TABLE (errors float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH shown AS (
        SELECT l.decision, {dlints}.dlints_dot(l.profile::float8[], l.whole::{vector}) AS suits, l.reward
        FROM  (SELECT d.id FROM {s}.decision d
               WHERE  cardinality(d.items) > 1 AND d.id >= (SELECT t.known_from FROM {s}.setting t)
               ORDER  BY d.id DESC LIMIT 2000) d,
               LATERAL (SELECT * FROM {s}.learned l WHERE l.model = 'personal' AND l.decision = d.id OFFSET 0) l),
    list AS (
        SELECT count(*) AS items, avg(s.suits) AS suits, avg(s.reward) AS reward, regr_sxx(s.reward, s.suits) AS xx,
               regr_sxy(s.reward, s.suits) AS xy, regr_syy(s.reward, s.suits) AS yy
        FROM   shown s GROUP BY s.decision),
    summed AS (
        SELECT sum(l.items) - count(*) - 1 AS freedom, sum(l.xx) AS xx, sum(l.xy) AS xy, sum(l.yy) AS yy FROM list l
        UNION ALL
        SELECT count(*) - 2, regr_sxx(l.reward, l.suits), regr_sxy(l.reward, l.suits), regr_syy(l.reward, l.suits)
        FROM   list l),
    slope AS (
        SELECT s.xy / s.xx AS slope, greatest(s.yy - s.xy ^ 2 / s.xx, 0) / s.freedom / s.xx AS variance, s.freedom
        FROM   summed s WHERE s.freedom >= 30 AND s.xx > 1e-12)
    SELECT (max(s.slope) FILTER (WHERE s.n = 1) - max(s.slope) FILTER (WHERE s.n = 2)) / nullif(sqrt(sum(s.variance)), 0)
    FROM  (SELECT s.*, row_number() OVER (ORDER BY s.freedom DESC) AS n FROM slope s) s;
END;

-- Lists are learned by contrast from when they contradict themselves beyond chance until they no longer do so
-- at all.  All of the log is then learned anew.
CREATE OR REPLACE FUNCTION {s}.set_contrast() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    was   boolean := (SELECT l.by_contrast FROM {s}.likeness l FOR UPDATE);
    is_so boolean;
BEGIN
    SELECT c.errors > CASE WHEN was THEN 0 ELSE 3 END INTO is_so FROM {s}.contradiction() c;
    IF is_so <> was THEN
        UPDATE {s}.likeness SET by_contrast = is_so;
        PERFORM {s}.rebuild();
    END IF;
END
$body$;
