-- A recommender and a ranker, trained on some rewards
\ir ../pgtap/include/recommender.sql
SELECT dlints_create_recommender('board', 'job', '{field,salary,posted}', factors => 32,
	clicks => 'SELECT who, job, at FROM visit', candidates => 'i.open',
	constraints => '{"far": {"of": "i.remote", "max": 0.5}}');
SELECT dlints_create_ranker('front', attribution_window => '0');
SELECT board.reward(decision, item) FROM generate_series(1, 20) p, board.recommend(p, 5) WHERE "position" = 1;
SELECT front.reward(event_id, 1) FROM generate_series(1, 9) e, front.rank('e' || e, '{}', '["a", "b"]');
SELECT board.learn('0'), front.learn();
CREATE VIEW learned AS
SELECT (SELECT md5(string_agg(d::text, '' ORDER BY id)) FROM board.decision d) AS shown,
       (SELECT md5(string_agg(state::text, '' ORDER BY name)) FROM board.model) AS models,
       (SELECT md5(string_agg(d::text, '' ORDER BY id)) FROM front.decision d) AS ranked;
