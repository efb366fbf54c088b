-- Statements of the documents: decide and log, report, train on the log, correct, evaluate.
\ir include/helpers.sql

CREATE TABLE item (id integer PRIMARY KEY, shelf integer, features real[] NOT NULL);
INSERT INTO item SELECT i, i % 3, features(i, 5)::real[] FROM generate_series(1, 300) AS i;
CREATE TABLE member (id integer PRIMARY KEY, features real[] NOT NULL);
INSERT INTO member SELECT i, features(i + 1000, 5)::real[] FROM generate_series(1, 50) AS i;
CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
INSERT INTO model VALUES
	('offers', dlints_new(5, interactions => 'matched', half_life => '14 days')),
	('counts', dlints_new(5, interactions => 'matched'));

CREATE TABLE decision (
	id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	model     text NOT NULL REFERENCES model,
	member_id integer NOT NULL REFERENCES member,
	shelf     integer NOT NULL,
	made_at   timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE shown (
	decision_id bigint REFERENCES decision,
	item_id     integer REFERENCES item,
	rank        integer NOT NULL,
	probability float8 NOT NULL CHECK (probability > 0 AND probability <= 1),
	learned     float8,
	PRIMARY KEY (decision_id, item_id)
);
CREATE TABLE reward (
	decision_id bigint,
	item_id     integer,
	reward      float8 NOT NULL,
	PRIMARY KEY (decision_id, item_id),
	FOREIGN KEY (decision_id, item_id) REFERENCES shown
);

CREATE TEMP TABLE taught (name text PRIMARY KEY, statement text);
INSERT INTO taught VALUES
('decide', $$
WITH candidate AS (
    SELECT array_agg(id) AS ids, array_agg(features) AS features FROM item WHERE shelf = 1),
choice AS MATERIALIZED (
    SELECT d.*
    FROM   model m, member u, candidate c,
           dlints_decide(m.state, c.ids, c.features, 3, u.features, epsilon => 0.05) d
    WHERE  m.name = 'offers' AND u.id = 42),
made AS (
    INSERT INTO decision (model, member_id, shelf) VALUES ('offers', 42, 1) RETURNING id)
INSERT INTO shown (decision_id, item_id, rank, probability)
SELECT made.id, c.item, c.rank, c.probability
FROM   made, choice c
ORDER  BY c.rank
RETURNING decision_id, item_id, rank$$),
('decide for all', $$
WITH made AS (
    INSERT INTO decision (model, member_id, shelf, made_at)
    SELECT CASE WHEN n > 2 THEN 'counts' ELSE 'offers' END, id, 2,
           now() - interval '2 hours' + n * id * interval '1 second'
    FROM   member, generate_series(1, 4) n
    RETURNING *)
INSERT INTO shown (decision_id, item_id, rank, probability)
SELECT d.id, c.item, c.rank, c.probability
FROM   made d
       JOIN model m ON m.name = d.model
       JOIN member u ON u.id = d.member_id
       JOIN (SELECT shelf, array_agg(id) AS ids, array_agg(features) AS features
             FROM item GROUP BY shelf) i ON i.shelf = d.shelf,
       LATERAL dlints_decide(m.state, i.ids, i.features, 3, u.features, epsilon => 0.05) c$$),
('report', $$
INSERT INTO reward (decision_id, item_id, reward)
SELECT decision_id, item_id, 1 FROM shown
WHERE  (decision_id, rank) IN (VALUES (1, 2), (7, 1), (103, 3))
ON CONFLICT DO NOTHING$$),
('fold', $$
WITH due AS (
    UPDATE shown s
    SET    learned = coalesce((SELECT r.reward FROM reward r
                               WHERE  r.decision_id = s.decision_id AND r.item_id = s.item_id), 0)
    FROM   decision d
    WHERE  d.id = s.decision_id AND s.learned IS NULL AND d.made_at < now() - interval '1 hour'
    RETURNING d.model, d.member_id, d.made_at, s.item_id, s.learned)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, i.features, l.learned, u.features, l.made_at)
                      AS evidence
       FROM   due l
              JOIN model p ON p.name = l.model
              JOIN item i ON i.id = l.item_id
              JOIN member u ON u.id = l.member_id
       GROUP  BY p.name) e
WHERE  m.name = e.name$$),
('correct', $$
WITH late AS (
    UPDATE shown s SET learned = r.reward
    FROM   reward r
           JOIN shown old USING (decision_id, item_id)
           JOIN decision d ON d.id = decision_id
    WHERE  s.decision_id = old.decision_id AND s.item_id = old.item_id
    AND    s.learned = old.learned AND s.learned <> r.reward
    RETURNING d.model, d.member_id, d.made_at, s.item_id, old.learned AS was, s.learned AS is_now)
UPDATE model m SET state = (m.state - e.was) || e.is_now
FROM  (SELECT p.name,
              dlints_evidence(p.state, i.features, l.was, u.features, l.made_at) AS was,
              dlints_evidence(p.state, i.features, l.is_now, u.features, l.made_at) AS is_now
       FROM   late l
              JOIN model p ON p.name = l.model
              JOIN item i ON i.id = l.item_id
              JOIN member u ON u.id = l.member_id
       GROUP  BY p.name) e
WHERE  m.name = e.name$$),
('judge', $$
SELECT (dlints_policy_value(o.reward, o.probability, t.target, t.predicted, t.expected)).*
FROM   model m, outcome o JOIN member u ON u.id = o.member_id
       JOIN (SELECT shelf, array_agg(id) AS ids, array_agg(features) AS features
             FROM item GROUP BY shelf) c ON c.shelf = o.shelf,
       LATERAL (
           SELECT max(d.probability) FILTER (WHERE d.item = o.item_id) AS target,
                  max(p.reward) FILTER (WHERE d.item = o.item_id) AS predicted,
                  sum(d.probability * p.reward) AS expected
           FROM   dlints_decide(m.state, c.ids, c.features, profile => u.features, epsilon => 0.5,
                                all_items => true) d
                  JOIN item i ON i.id = d.item,
                  LATERAL (SELECT dlints_predict(m.state, i.features, u.features) AS reward) p) t
WHERE  m.name = 'firm' AND o.shelf = 9$$),
('predict', $$
WITH judged AS (
    SELECT o.reward, dlints_progressive(dlints_new(5), i.features, o.reward)
                     OVER (ORDER BY o.id) AS predicted
    FROM   outcome o JOIN item i ON i.id = o.item_id
    WHERE  o.shelf = 9),
placed AS (
    SELECT *, least(greatest(predicted, 0.001), 0.999) AS chance,
           rank() OVER (ORDER BY predicted)
           + (count(*) OVER (PARTITION BY predicted) - 1) / 2.0 AS place
    FROM   judged)
SELECT sqrt(avg((reward - predicted) ^ 2)) AS rmse,
       regr_slope(reward, predicted) AS calibration,
       -avg(ln(CASE reward WHEN 1 THEN chance ELSE 1 - chance END)) AS log_loss,
       (sum(place) FILTER (WHERE reward = 1) - sum(reward) * (sum(reward) + 1) / 2)
       / (sum(reward) * sum(1 - reward)) AS auc
FROM   placed$$),
('compare', $$
SELECT discount, d, sqrt(avg((reward - predicted) ^ 2)) AS rmse
FROM  (SELECT discount, d, o.reward,
              dlints_progressive(dlints_new(5, d, 'matched', discount => discount),
                                 i.features, o.reward, u.features)
              OVER (PARTITION BY discount, d ORDER BY o.id) AS predicted
       FROM   unnest('{0.99, 0.999, 1}'::float8[]) discount, unnest('{2, 4, NULL}'::integer[]) d,
              outcome o
              JOIN item i ON i.id = o.item_id
              JOIN member u ON u.id = o.member_id
       WHERE  o.shelf = 9) s
GROUP  BY discount, d
ORDER  BY rmse$$);
INSERT INTO taught
SELECT 'decide for nobody',
       replace(replace(statement, 'shelf = 1)', 'shelf = 99)'), '42, 1)', '42, 99)')
FROM taught WHERE name = 'decide';

-- result of a statement of the documents, row by row
CREATE FUNCTION run_taught(wanted text) RETURNS SETOF record LANGUAGE plpgsql AS
$$ BEGIN RETURN QUERY EXECUTE (SELECT statement FROM taught WHERE name = wanted); END $$;

CREATE FUNCTION do_taught(wanted text) RETURNS void LANGUAGE plpgsql AS
$$ BEGIN EXECUTE (SELECT statement FROM taught WHERE name = wanted); END $$;

-- executions of each window and each dlints_decide of a statement
CREATE FUNCTION windows(wanted text) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) '
		|| (SELECT statement FROM taught WHERE name = wanted) INTO plan;
	RETURN array_agg(node -> 'Actual Loops')
	FROM jsonb_path_query(plan,
		'strict $.**?(@."Node Type" == "WindowAgg" || @."Function Name" == "dlints_decide")') AS node;
END
$$;

-- model trained on the log row by row
CREATE TEMP TABLE empty AS SELECT * FROM model;
CREATE FUNCTION learned_directly(wanted text) RETURNS dlints LANGUAGE plpgsql AS $$
DECLARE
	state dlints := (SELECT empty.state FROM empty WHERE name = wanted);
	o record;
BEGIN
	FOR o IN
		SELECT i.features AS x, u.features AS u, s.learned, d.made_at
		FROM   shown AS s
		       JOIN decision AS d ON d.id = s.decision_id
		       JOIN item AS i ON i.id = s.item_id
		       JOIN member AS u ON u.id = d.member_id
		WHERE  d.model = wanted AND s.learned IS NOT NULL
		ORDER  BY d.made_at, s.rank
	LOOP
		state := dlints_update(state, o.x, o.learned, o.u, o.made_at);
	END LOOP;
	RETURN state;
END
$$;
-- models before a statement
CREATE TEMP TABLE before AS SELECT * FROM model;
CREATE FUNCTION remember() RETURNS void LANGUAGE sql AS
$$ UPDATE before AS b SET state = m.state FROM model AS m WHERE m.name = b.name $$;
CREATE FUNCTION stays(wanted text, what text) RETURNS text LANGUAGE sql AS $$
SELECT ok(same_bytes(m.state, b.state), format('%s %s', m.name, what))
FROM model AS m JOIN before AS b USING (name) WHERE m.name = wanted
$$;

SELECT plan(40);

-- ---------- decide and log ----------

CREATE TEMP TABLE answer AS
SELECT * FROM run_taught('decide') AS r (decision_id bigint, item_id integer, rank integer);
SELECT results_eq('SELECT rank FROM answer', '{1,2,3}'::integer[], 'a decision returns three items, best first');
SELECT set_eq('SELECT decision_id, item_id, rank FROM shown', 'TABLE answer', 'the log has the returned rows');
SELECT is(count(*), 3::bigint, 'logged items are candidates with a possible probability')
FROM shown JOIN item AS i ON i.id = item_id
WHERE i.shelf = 1 AND probability BETWEEN 0.05 * 3 / 100 AND 1;
SELECT is_empty($$SELECT * FROM run_taught('decide for nobody')
	AS r (decision_id bigint, item_id integer, rank integer)$$, 'a decision without candidates returns no rows');
SELECT is(count(*), 1::bigint, 'a decision without candidates is logged') FROM decision WHERE shelf = 99;

SELECT is(windows('decide'), '{1}', 'dlints_decide runs once for one decision');
SELECT is(windows('decide for all'), '{200}', 'dlints_decide runs once for each of many decisions');
SELECT results_eq('SELECT count(*) FROM shown GROUP BY decision_id ORDER BY decision_id',
                  'SELECT 3::bigint FROM generate_series(1, 202)', 'each decision has three items');
-- 100 if decisions for a member and model shared a draw; in trials the number was 165 to 195 of 200
SELECT cmp_ok(count(DISTINCT items), '>', 120::bigint, 'each decision has a separate draw, also of one member')
FROM (SELECT array_agg(item_id ORDER BY rank) AS items FROM shown WHERE decision_id > 2 GROUP BY decision_id) AS s;
-- If PostgreSQL expects repeated members, it memoizes their results.
ANALYZE decision, member, item, model;
INSERT INTO taught
SELECT 'choose again', regexp_replace(
	replace(statement, 'made d', 'decision d'),
	'WITH made .* RETURNING [*]\)|INSERT INTO shown [^)]*\)', '', 'g')
FROM taught WHERE name = 'decide for all';
SELECT is(windows('choose again'), '{202}', 'dlints_decide runs again for a member with several rows');

-- ---------- report ----------

SELECT do_taught('report'), do_taught('report');
SELECT is(array_agg(reward), '{1,1,1}'::float8[], 'a report that is repeated counts once')
FROM reward;
SELECT throws_ok(statement, code, NULL, what) FROM (VALUES
	('INSERT INTO reward VALUES (1000000, 1, 1)', '23503', 'a reward of an unknown decision is refused'),
	('INSERT INTO reward SELECT decision_id, item_id + 1000, 1 FROM shown LIMIT 1', '23503',
	 'and of an item that was not shown'),
	('INSERT INTO shown VALUES (1, 300, 4, 0)', '23514', 'a probability of 0 cannot be logged'))
	AS v (statement, code, what);
SELECT is(count(*), 3::bigint, 'rejected rewards are not stored') FROM reward;

-- ---------- learn ----------

SELECT do_taught('fold');
SELECT is(count(*), 600::bigint, 'impressions older than an hour are trained')
FROM shown WHERE learned IS NOT NULL;
SELECT is(array_agg(learned), '{1,1}'::float8[], 'impressions are trained with their rewards') FROM shown
  WHERE learned <> 0;
SELECT is((dlints_info(state)).updates, 300::bigint, format('%s is trained on its own impressions', name))
FROM model ORDER BY name;
SELECT cmp_ok(model_difference(state, learned_directly(name)), '<', 1e-10::float8,
              'the model equals one that is trained row by row') FROM model WHERE name = 'offers';
SELECT remember(), do_taught('fold');
SELECT stays(name, 'learns nothing twice') FROM model ORDER BY name;

-- a late reward, and one that is corrected
CREATE FUNCTION report_late(wanted text, most integer) RETURNS void LANGUAGE sql AS $$
INSERT INTO reward
SELECT decision_id, item_id, rank FROM shown JOIN decision ON id = decision_id
WHERE model = wanted AND learned = 0 AND rank <= most AND member_id = 9
$$;
SELECT report_late('offers', 2);
UPDATE reward SET reward = 0.5 WHERE decision_id = 7;
SELECT do_taught('correct');
SELECT results_eq('SELECT count(*), sum(learned) FROM shown WHERE learned <> 0',
                  'SELECT count(*), sum(reward) FROM reward WHERE decision_id <> 1', 'late rewards are applied');
SELECT is((dlints_info(state)).updates, 300::bigint, 'a late reward replaces its training example')
FROM model WHERE name = 'offers';
SELECT cmp_ok(model_difference(state, learned_directly(name)), '<', 1e-10::float8,
              'late rewards give the model of timely rewards') FROM model WHERE name = 'offers';
SELECT remember(), do_taught('correct');
SELECT stays('offers', 'does not apply late rewards twice');
SELECT is(count(*), 0::bigint, 'nothing is left to correct')
FROM reward JOIN shown USING (decision_id, item_id) WHERE learned <> reward.reward;

-- a model that forgets by count cannot retract
SELECT report_late('counts', 1);
SELECT throws_ok($$SELECT do_taught('correct')$$, '22023', NULL, 'a model that forgets by count rejects corrections');
SELECT is(count(*), 2::bigint, 'rejected corrections are not marked as applied')
FROM reward JOIN shown USING (decision_id, item_id) WHERE learned <> reward.reward;
SELECT stays(name, 'stays as it was') FROM model ORDER BY name;

-- ---------- judge ----------

-- A policy without randomness except epsilon, evaluated on its own log: every weight is 1.
UPDATE item SET shelf = 9 WHERE id <= 12;
INSERT INTO model
SELECT 'firm', dlints_set(state, policy => 'greedy') FROM model WHERE name = 'offers';
INSERT INTO decision (model, member_id, shelf)
SELECT 'firm', id, 9 FROM member, generate_series(1, 4);
INSERT INTO shown (decision_id, item_id, rank, probability)
SELECT d.id, c.item, c.rank, c.probability
FROM   decision AS d JOIN model AS m ON m.name = d.model JOIN member AS u ON u.id = d.member_id
       JOIN (SELECT shelf, array_agg(id) AS ids, array_agg(features) AS features
             FROM item GROUP BY shelf) AS i ON i.shelf = d.shelf,
       LATERAL dlints_decide(m.state, i.ids, i.features, profile => u.features, epsilon => 0.5) AS c
WHERE  d.model = 'firm';
INSERT INTO reward
SELECT decision_id, item_id, 1 FROM shown JOIN decision ON id = decision_id
WHERE model = 'firm' AND decision_id % 3 = 0;
CREATE VIEW outcome AS
SELECT d.id, d.member_id, d.shelf, d.made_at, s.item_id, s.probability,
       coalesce(r.reward, 0) AS reward
FROM   decision d
       JOIN shown s ON s.decision_id = d.id
       LEFT JOIN reward r ON r.decision_id = d.id AND r.item_id = s.item_id;
CREATE TEMP TABLE value AS
SELECT v.* FROM run_taught('judge') AS v (
	observations bigint, mean_reward float8, mean_reward_stderr float8, ips float8,
	ips_stderr float8, snips float8, snips_stderr float8, dr float8, dr_stderr float8,
	mean_weight float8, mean_weight_stderr float8, effective_sample_size float8,
	max_weight float8);
SELECT is(observations, 200::bigint, 'every decision is evaluated') FROM value;
SELECT cmp_ok(difference(
	ARRAY[mean_weight, max_weight, effective_sample_size / 200, ips, snips, ips_stderr],
	ARRAY[1, 1, 1, mean_reward, mean_reward, mean_reward_stderr]), '<', 1e-12::float8,
	'a policy''s value from its own log is its mean reward') FROM value;
SELECT cmp_ok(abs(mean_reward - (SELECT avg(reward) FROM outcome WHERE shelf = 9)),
              '<', 1e-12::float8, 'the mean reward is that of the log') FROM value;
SELECT is(windows('judge'), '{200}', 'dlints_decide runs once for each judged decision');

-- predictions before training, against their definitions
CREATE TEMP TABLE prediction AS
SELECT o.reward,
       dlints_progressive(dlints_new(5), i.features, o.reward) OVER (ORDER BY o.id) AS predicted
FROM outcome AS o JOIN item AS i ON i.id = o.item_id WHERE o.shelf = 9;
CREATE TEMP TABLE measure AS
SELECT m.* FROM run_taught('predict') AS m (rmse float8, calibration float8, log_loss float8, auc float8);
SELECT cmp_ok(abs(auc - (SELECT avg((sign(a.predicted - b.predicted) + 1) / 2)
                         FROM prediction AS a, prediction AS b
                         WHERE a.reward = 1 AND b.reward = 0)),
              '<', 1e-12::float8, 'AUC by places is that by pairs') FROM measure;
SELECT cmp_ok(abs(rmse ^ 2 - (SELECT avg((reward - predicted) ^ 2) FROM prediction)),
              '<', 1e-12::float8, 'the mean square is theirs') FROM measure;
SELECT is(windows('predict'), '{1,1,1}', 'a window to predict, and two to place');
SELECT is(windows('compare'), '{1}', 'one window for all models that are compared');
SELECT is(count(*), 9::bigint, 'each of them has a result')
FROM run_taught('compare') AS c (discount float8, d integer, rmse float8)
WHERE rmse BETWEEN 0.3 AND 0.7;

SELECT * FROM finish();
ROLLBACK;
