-- The value of an embedding of the request for a router.  Three rankers route the same requests: with the
-- task, with an embedding of 25 numbers, and with both.  Each of ten simulated worlds has six tasks and four
-- models.  The probability of a good answer depends on the task, and on linear and nonlinear functions of the
-- embedding.
CREATE TABLE world (world integer, n integer, task text, embedding jsonb, truth float8[]);
CREATE FUNCTION normal() RETURNS float8 LANGUAGE sql VOLATILE AS
$$ SELECT sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) $$;
CREATE FUNCTION dot(a float8[], b float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT sum(x * y) FROM unnest(a, b) u (x, y) $$;
CREATE FUNCTION make_world(world integer) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    line   float8[] := ARRAY(SELECT normal() / 3.5 FROM generate_series(1, 125));
    curve  float8[] := ARRAY(SELECT normal() / 3.5 FROM generate_series(1, 100));
    liking float8[] := ARRAY(SELECT normal() * 0.7 FROM generate_series(1, 24));
    centre float8[] := ARRAY(SELECT normal() * 0.5 FROM generate_series(1, 150));
    x      float8[];
    task   integer;
BEGIN
    FOR n IN 1..1500 LOOP
        task := floor(random() * 6);
        x := ARRAY(SELECT c + normal() FROM unnest(centre[task * 25 + 1:task * 25 + 25]) c);
        INSERT INTO world
        SELECT world, n, 'task ' || task, to_jsonb(ARRAY(SELECT round(v::numeric, 4) FROM unnest(x) v)),
               ARRAY(SELECT 1 / (1 + exp(-(liking[task * 4 + m] + dot(x, line[m * 25 + 1:m * 25 + 25])
                                           + dot(x, line[1:25]) + tanh(dot(x, curve[m * 25 - 24:m * 25])))))
                     FROM generate_series(1, 4) m);
    END LOOP;
END
$$;
CREATE TABLE answered (facts text, world integer, n integer, quality float8);
CREATE PROCEDURE play(facts text, world integer) LANGUAGE plpgsql AS
$$
DECLARE
    ranker text := format('%s %s', facts, world);
    r      world;
    model  integer;
BEGIN
    PERFORM dlints_create_ranker(ranker, attribution_window => '0',
                                 vectors => CASE facts WHEN 'task' THEN '{}' ELSE '{"embedding": 25}' END::jsonb);
    FOR r IN SELECT * FROM world w WHERE w.world = play.world ORDER BY n LOOP
        EXECUTE format('SELECT action FROM %I.rank($1, $2, ''["1", "2", "3", "4"]'') WHERE position = 1', ranker)
        INTO  model
        USING r.n::text, CASE WHEN facts ~ 'task' THEN jsonb_build_object('task', r.task) ELSE '{}' END
                         || CASE WHEN facts ~ 'vector' THEN jsonb_build_object('embedding', r.embedding) ELSE '{}' END;
        INSERT INTO answered VALUES (facts, world, r.n, r.truth[model]);
        EXECUTE format('SELECT %I.reward($1, $2)', ranker) USING r.n::text, (random() < r.truth[model])::integer;
        IF r.n % 20 = 0 THEN
            EXECUTE format('SELECT %I.learn()', ranker);
            COMMIT;
        END IF;
    END LOOP;
    EXECUTE format('DROP SCHEMA %I CASCADE', ranker);
    COMMIT;
END
$$;
SET client_min_messages = warning;
SELECT setseed(0.25);
SELECT count(make_world(w)) AS worlds FROM generate_series(1, 10) w;
SELECT format('CALL play(%L, %s)', facts, w)
FROM   generate_series(1, 10) w, unnest('{task,vector,task and vector}'::text[]) facts \gexec

SELECT facts, round(avg(quality)::numeric, 4) AS quality, round((stddev(quality) / sqrt(10))::numeric, 4) AS error,
       round(avg(later)::numeric, 4) AS last_500
FROM  (SELECT facts, world, avg(quality) AS quality, avg(quality) FILTER (WHERE n > 1000) AS later
       FROM answered GROUP BY 1, 2
       UNION ALL
       SELECT 'the truth: the best model of each request', world, avg(b.best), avg(b.best) FILTER (WHERE n > 1000)
       FROM world, LATERAL (SELECT max(t) AS best FROM unnest(truth) t) b GROUP BY 2
       UNION ALL
       SELECT 'none: the best model of all requests', world, max(mean), max(later)
       FROM (SELECT world, m, avg(truth[m]) AS mean, avg(truth[m]) FILTER (WHERE n > 1000) AS later
             FROM world, generate_series(1, 4) m GROUP BY 1, 2) s GROUP BY world) s
GROUP  BY facts ORDER BY quality;
