-- The router in examples/router, with its simulation.
\ir include/helpers.sql
\ir ../../examples/router/router.sql
\ir ../../examples/router/simulate.sql

SELECT plan(4);

SELECT ok(r.net_quality > max(o.net_quality),
  'a trained router earns more than any single model, and more than random choices')
  FROM policy_value r, policy_value o
  WHERE r.policy = 'router, second half' AND o.policy ~ '^(always|random)' GROUP BY r.net_quality;
SELECT is(updates, (SELECT count(*) FROM request WHERE is_judged), 'the router is trained on judged answers')
  FROM router.models WHERE name = 'reward';
SELECT ok(max(abs(value - (SELECT avg(truth(r, model) - price) FROM request r
  JOIN routed USING (n) JOIN language_model ON name = model))) < 0.07,
  'the report estimates the net quality of the router') FROM router.report() WHERE measure = 'earned by the ranker';
UPDATE language_model SET price = 100 WHERE name = 'large';
SELECT ok(count(*) FILTER (WHERE model = 'large') < 5, 'a new price counts at once')
  FROM (SELECT route('dear ' || n,
    '{"task": "mathematics", "words": 900, "language": "ja"}') AS model
      FROM generate_series(1, 40) n) s;

SELECT * FROM finish();
ROLLBACK;
