-- A recommender and a ranker that have learned
\ir ../pgtap/include/recommender.sql
-- Defaults are those of the version that makes it.
SELECT dlints_create_recommender('board', 'job', '{field,salary,posted}', factors => 32,
	clicks => 'SELECT who, job, at FROM visit', candidates => 'i.open',
	promises => '{"far": {"of": "i.remote", "most": 0.5}}');
SELECT dlints_create_ranker('front', wait => '0');
SELECT board.reward(decision, item) FROM generate_series(1, 20) p, board.recommend(p, 5) WHERE place = 1;
SELECT front.reward(event_id, 1) FROM generate_series(1, 9) e, front.rank('e' || e, '{}', '["a", "b"]');
SELECT board.learn('0'), front.learn();
CREATE VIEW learned AS
SELECT (SELECT md5(string_agg(d::text, '' ORDER BY id)) FROM board.decision d) AS shown,
       (SELECT md5(string_agg(state::text, '' ORDER BY name)) FROM board.model) AS models,
       (SELECT md5(string_agg(d::text, '' ORDER BY id)) FROM front.decision d) AS ranked;
