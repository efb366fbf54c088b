-- Simulated requests; the quality of each answer is hidden from the router
SELECT setseed(0.5);
CREATE TABLE request AS
SELECT n, (ARRAY['chat', 'extract', 'translate', 'code', 'mathematics'])[1 + floor(random() * 5)] AS task,
       floor(20 * exp(random() * 5))::integer AS words, (ARRAY['en', 'de', 'ja'])[1 + floor(random() * 3)] AS language,
       random() < 0.4 AS is_judged
FROM   generate_series(1, 1500) n;

-- Probability of a good answer.  The small model fails at hard and long requests, and the medium model at
-- Japanese.
CREATE FUNCTION truth(r request, model text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$
SELECT CASE model WHEN 'large' THEN 0.95
       WHEN 'medium' THEN CASE WHEN r.language = 'ja' THEN 0.35 WHEN r.task = 'mathematics' THEN 0.5 ELSE 0.9 END
       ELSE CASE WHEN r.task IN ('code', 'mathematics') THEN 0.1 WHEN r.words > 500 THEN 0.3 ELSE 0.85 END END
$$;

CREATE TABLE routed (n integer PRIMARY KEY, model text NOT NULL);
DO
$$
DECLARE
    r     request;
    model text;
BEGIN
    FOR r IN SELECT * FROM request ORDER BY n LOOP
        model := route('request ' || r.n, jsonb_build_object('task', r.task, 'words', r.words, 'language', r.language));
        INSERT INTO routed VALUES (r.n, model);
        IF r.is_judged THEN
            PERFORM judge('request ' || r.n, CASE WHEN random() < truth(r, model) THEN 1 ELSE 0 END);
        END IF;
        IF r.n % 50 = 0 THEN
            PERFORM router.learn();
        END IF;
    END LOOP;
END
$$;

-- Mean quality less price of each policy
CREATE VIEW policy_value AS
WITH choice (policy, n, model, weight) AS (
    SELECT 'router', n, model, 1.0::float8 FROM routed
    UNION ALL
    SELECT 'router, second half', n, model, 1 FROM routed WHERE n > 750
    UNION ALL
    SELECT 'always ' || m.name, n, m.name, 1 FROM request, language_model m
    UNION ALL
    SELECT 'random', n, m.name, 1.0 / 3 FROM request, language_model m
    UNION ALL
    (SELECT DISTINCT ON (r.n) 'the best, if all were known', r.n, m.name, 1
     FROM request r, language_model m ORDER BY r.n, truth(r, m.name) - m.price DESC))
SELECT policy, round((sum(weight * truth(r, m.name)) / sum(weight))::numeric, 3) AS quality,
       round((sum(weight * m.price) / sum(weight))::numeric, 3) AS price,
       round((sum(weight * (truth(r, m.name) - m.price)) / sum(weight))::numeric, 3) AS net_quality
FROM   choice c JOIN request r USING (n) JOIN language_model m ON m.name = c.model
GROUP  BY policy;
SELECT * FROM policy_value ORDER BY net_quality DESC;
SELECT measure, round(value::numeric, 3) AS value, round(error::numeric, 3) AS error, meaning FROM router.report();
