-- The functions of a recommender: learning, correcting, erasing -------------

CREATE FUNCTION dlints_recommender_learning(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- A model that has seen nothing
CREATE OR REPLACE FUNCTION {s}.empty() RETURNS {dlints}.dlints LANGUAGE sql IMMUTABLE AS $body$
SELECT {dlints}.dlints_new({size}, interactions => 'matched', half_life => {half_life})
$body$
$t$,
$t$
-- How likely a place is looked at, the last one that was given for all after it
CREATE OR REPLACE FUNCTION {s}.looked_at(place integer) RETURNS float8
LANGUAGE sql IMMUTABLE AS $body$
SELECT {looked_at}
$body$
$t$,
$t$
-- What the click log says beforehand: kept apart, at half its weight, and fading
CREATE OR REPLACE FUNCTION {s}.set_prior() RETURNS void
LANGUAGE sql SET search_path = {path} SET jit = off AS $body$
UPDATE {s}.model m
SET    state = {dlints}.dlints_with_prior(m.state, coalesce(e.evidence, 0 * m.state), 0.5)
FROM  (SELECT p.name, {dlints}.dlints_evidence(p.state, b.features, b.reward, b.profile, b.at) AS evidence
       FROM   {s}.model p LEFT JOIN {s}.beginning b ON true
       WHERE  p.learns AND p.name <> 'later' GROUP BY p.name) e
WHERE  m.name = e.name
$body$
$t$,
$t$
-- Examples of the latest clicks, each under the profile of the clicks before it, and with four
-- items by chance that stand for what was seen and not clicked; then the models begin with them.
-- One in three has no profile, to know what people like of whom nothing is known.
CREATE OR REPLACE FUNCTION {s}.set_beginning() RETURNS bigint
LANGUAGE plpgsql SET search_path = {path} SET jit = off AS $body$
DECLARE
    examples bigint;
BEGIN
    PERFORM FROM {s}.model WHERE learns ORDER BY name FOR UPDATE;
    DELETE FROM {s}.beginning;
    WITH vector AS MATERIALIZED (
        SELECT (i.*)::{items} AS source, v.item, v.features, row_number() OVER () AS place
        FROM   {s}.item_vector v JOIN {items} i ON i.{key} = v.item),
    clicked AS (
        SELECT c.person, c.at, v.place,
               row_number() OVER (ORDER BY c.at DESC) AS latest,
               {dlints}.dlints_profile(v.features[1:{known}],
                              2 ^ greatest(
                                  (date_part('epoch', c.at) - date_part('epoch', now())) / 86400 / 14, -300))
                   OVER (PARTITION BY c.person ORDER BY c.at
                         ROWS BETWEEN 50 PRECEDING AND 1 PRECEDING) AS profile
        FROM  (SELECT * FROM {s}.click WHERE at <= now() AND isfinite(at) ORDER BY at DESC LIMIT 50000) c
              JOIN vector v ON v.item = c.item),
    example AS (
        SELECT c.person, c.at, c.latest, c.profile, n,
               CASE n WHEN 0 THEN c.place
                      ELSE ceil(random() * (SELECT count(*) FROM vector))::bigint END AS place
        FROM   clicked c, generate_series(0, 4) n WHERE c.latest <= 5000)
    INSERT INTO {s}.beginning (person, item, at, reward, features, profile)
    SELECT e.person, v.item, e.at, (e.n = 0)::integer, v.features[1:{known}] || {s}.ages(v.source, e.at),
           CASE WHEN e.person IS NOT NULL AND e.latest % 3 > 0 AND e.profile <> '{}'
                THEN e.profile || array_fill(0::real, ARRAY[{aged}]) ELSE '{}' END
    FROM   example e JOIN vector v ON v.place = e.place;
    GET DIAGNOSTICS examples = ROW_COUNT;
    PERFORM {s}.set_prior();
    RETURN examples;
END
$body$
$t$,
$t$
-- Takes in what is older than the wait: every item that was shown, with what came of it or 0.
-- What comes later is a correction: what was learned is taken back, and what is right is learned,
-- as of the moment of the decision.  Sessions that learn at once wait for each other at the
-- models' rows; what a statement reads after the wait is what the other one has left.  With OFFSET 0
-- each decision is looked up by its number, in its month, however many there are; and no statistics
-- say that few rewards are late.
CREATE OR REPLACE FUNCTION {s}.learn(wait interval DEFAULT {wait}) RETURNS bigint
LANGUAGE plpgsql SET search_path = {path} SET jit = off SET enable_seqscan = off AS $body$
DECLARE
    until   bigint := {s}.first_decision(now() - wait + interval '1 second');
    learned bigint := 0;
    batch   bigint[];
    n       bigint;
BEGIN
    PERFORM FROM {s}.model WHERE learns ORDER BY name FOR UPDATE;
    LOOP
        WITH taken AS (
            DELETE FROM {s}.due WHERE decision = ANY (ARRAY(
                SELECT decision FROM {s}.due WHERE decision < until ORDER BY decision LIMIT 1000))
            RETURNING decision)
        SELECT array_agg(decision), count(*) INTO batch, n FROM taken;
        EXIT WHEN n = 0;
        WITH told AS (
            UPDATE {s}.reward r SET learned = r.value
            WHERE  r.decision = ANY (batch)
            RETURNING r.decision, r.item, r.outcome <> {first} AS later, r.value),
        shown AS (
            SELECT p.name, p.state, s.features, d.profile, d.at,
                   coalesce(t.value, 0) / l.looked_at AS reward, l.looked_at
            FROM   {s}.model p
                   CROSS JOIN unnest(batch) b (decision)
                   CROSS JOIN LATERAL (
                       SELECT * FROM {s}.decision d WHERE d.id = b.decision OFFSET 0) d
                   CROSS JOIN LATERAL (
                       SELECT * FROM {s}.shown s WHERE s.decision = b.decision OFFSET 0) s
                   CROSS JOIN LATERAL (SELECT {s}.looked_at(s.place) AS looked_at) l
                   LEFT JOIN (SELECT decision, item, later, sum(value) AS value
                              FROM   told GROUP BY 1, 2, 3) t
                       ON t.decision = s.decision AND t.item = s.item
                          AND t.later = (p.name = 'later')
            WHERE  p.learns),
        learn AS (
            UPDATE {s}.model m SET state = m.state || e.evidence
            FROM  (SELECT s.name,
                          {dlints}.dlints_evidence(s.state, s.features, s.reward, s.profile, s.at,
                                                   s.looked_at) AS evidence
                   FROM   shown s
                   WHERE  {dlints}.dlints_accepts(s.state, s.features, s.reward, s.profile, s.at,
                                                  s.looked_at)
                   GROUP  BY s.name) e
            WHERE  m.name = e.name)
        SELECT learned + n INTO learned;
        EXIT WHEN n < 1000;
    END LOOP;
    LOOP
        SELECT array_agg(l.decision), count(*) INTO batch, n
        FROM  (SELECT r.decision FROM {s}.reward r
               WHERE  r.learned IS DISTINCT FROM r.value
               AND    EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision OFFSET 0)
               AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = r.decision OFFSET 0)
               LIMIT  1000) l;
        EXIT WHEN n = 0;
        WITH late AS MATERIALIZED (
            SELECT r.decision, r.item, r.outcome, r.learned
            FROM   {s}.reward r
            WHERE  r.learned IS DISTINCT FROM r.value
            AND    r.decision = ANY (batch)),
        told AS (
            UPDATE {s}.reward r SET learned = r.value
            FROM   late l
            WHERE  r.decision = l.decision AND r.item = l.item AND r.outcome = l.outcome
            AND    r.decision = ANY (batch)
            RETURNING r.decision, r.item, r.outcome <> {first} AS later,
                      r.value - coalesce(l.learned, 0) AS change),
        shown AS (
            SELECT p.name, p.state, s.features, d.profile, d.at, w.was / o.looked_at AS was,
                   (w.was + t.change) / o.looked_at AS is_now, o.looked_at
            FROM  (SELECT decision, item, later, sum(change) AS change
                   FROM   told GROUP BY 1, 2, 3) t
                   CROSS JOIN LATERAL (
                       SELECT * FROM {s}.decision d WHERE d.id = t.decision OFFSET 0) d
                   CROSS JOIN LATERAL (
                       SELECT * FROM {s}.shown s
                       WHERE  s.decision = t.decision AND s.item = t.item OFFSET 0) s
                   CROSS JOIN LATERAL (SELECT {s}.looked_at(s.place) AS looked_at) o
                   JOIN {s}.model p ON p.learns AND (p.name = 'later') = t.later,
                   LATERAL (SELECT coalesce(sum(r.learned), 0) AS was FROM {s}.reward r
                            WHERE  r.decision = t.decision AND r.item = t.item
                            AND    (r.outcome <> {first}) = t.later) w),
        learn AS (
            UPDATE {s}.model m SET state = (m.state - e.was) || e.is_now
            FROM  (SELECT s.name,
                          {dlints}.dlints_evidence(s.state, s.features, s.was, s.profile, s.at,
                                                   s.looked_at) FILTER (
                              WHERE {dlints}.dlints_accepts(s.state, s.features, s.was, s.profile, s.at,
                                                            s.looked_at)) AS was,
                          {dlints}.dlints_evidence(s.state, s.features, s.is_now, s.profile, s.at,
                                                   s.looked_at) FILTER (
                              WHERE {dlints}.dlints_accepts(s.state, s.features, s.is_now, s.profile, s.at,
                                                            s.looked_at)) AS is_now
                   FROM   shown s GROUP BY s.name) e
            WHERE  m.name = e.name)
        SELECT learned + count(*) INTO learned FROM told;
        EXIT WHEN n < 1000;
    END LOOP;
    RETURN learned;
END
$body$
$t$,
$t$
-- All that each model has learned.  What is seldom looked at weighs less: it is learned as
-- reward / looked_at, with looked_at as its weight.
CREATE OR REPLACE VIEW {s}.learned AS
SELECT m.name AS model, d.id AS decision, d.person, d.at, d.profile, s.item, s.features,
       coalesce(r.reward, 0) AS reward, {s}.looked_at(s.place) AS looked_at
FROM   {s}.model m
       CROSS JOIN {s}.decision d
       JOIN {s}.shown s ON s.decision = d.id
       LEFT JOIN LATERAL (SELECT sum(r.learned) AS reward FROM {s}.reward r
                          WHERE  r.decision = s.decision AND r.item = s.item
                          AND    (r.outcome <> {first}) = (m.name = 'later')) r ON true
WHERE  m.learns AND NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
$t$,
$t$
-- The models anew: the beginning, and what the log says that was learned
CREATE OR REPLACE FUNCTION {s}.rebuild() RETURNS bigint
LANGUAGE plpgsql SET search_path = {path} SET jit = off AS $body$
BEGIN
    PERFORM FROM {s}.model WHERE learns ORDER BY name FOR UPDATE;
    UPDATE {s}.model m SET state = (0 * m.state) || e.evidence
    FROM  (SELECT p.name,
                  {dlints}.dlints_evidence(p.state, l.features, l.reward / l.looked_at, l.profile, l.at,
                                           l.looked_at) AS evidence
           FROM   {s}.model p LEFT JOIN {s}.learned l ON l.model = p.name
                      AND {dlints}.dlints_accepts(p.state, l.features, l.reward / l.looked_at, l.profile,
                                                  l.at, l.looked_at)
           WHERE  p.learns GROUP BY p.name) e
    WHERE  m.name = e.name;
    PERFORM {s}.set_prior();
    RETURN (SELECT count(*) FROM {s}.shown s
            WHERE  NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = s.decision));
END
$body$
$t$,
$t$
-- A person is erased: the models forget what they learned from this person, to rounding as if
-- they had never seen it; the log and the beginning lose the rows.  The click log is not touched.
CREATE OR REPLACE FUNCTION {s}.erase(person {person_type}) RETURNS bigint
LANGUAGE plpgsql SET search_path = {path} SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    erased bigint[];
BEGIN
    PERFORM FROM {s}.model WHERE learns ORDER BY name FOR UPDATE;
    erased := ARRAY(SELECT id FROM {s}.decision WHERE person = erase.person);
    UPDATE {s}.model m SET state = m.state - e.evidence
    FROM  (SELECT p.name,
                  {dlints}.dlints_evidence(p.state, l.features, l.reward / l.looked_at, l.profile, l.at,
                                           l.looked_at) AS evidence
           FROM   {s}.model p JOIN {s}.learned l ON l.model = p.name
           WHERE  l.person = erase.person
           AND    {dlints}.dlints_accepts(p.state, l.features, l.reward / l.looked_at, l.profile,
                                          l.at, l.looked_at)
           GROUP  BY p.name) e
    WHERE  m.name = e.name;
    DELETE FROM {s}.due WHERE decision = ANY (erased);
    DELETE FROM {s}.reward WHERE decision = ANY (erased);
    DELETE FROM {s}.shown WHERE decision = ANY (erased);
    DELETE FROM {s}.decision WHERE id = ANY (erased);
    DELETE FROM {s}.beginning WHERE person = erase.person;
    IF FOUND THEN
        PERFORM {s}.set_prior();
    END IF;
    RETURN cardinality(erased);
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_recommender_learning(jsonb)
	IS 'the statements that make what a recommender learns and erases by';
