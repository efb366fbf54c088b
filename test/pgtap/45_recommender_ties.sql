-- Random tie-breaking in lists: all items of these catalogues have equal scores.
\ir include/helpers.sql

SELECT plan(6);

-- All items are candidates up to 40 items, the best of all are candidates up to 2,000, and a shortlist beyond.
CREATE TEMP TABLE catalogue (name text, n integer);
INSERT INTO catalogue VALUES ('uncut', 30), ('cut', 60), ('shortlist', 2500);
DO $$
DECLARE
	c record;
BEGIN
	SET LOCAL client_min_messages = warning;
	FOR c IN TABLE catalogue LOOP
		EXECUTE format('CREATE TABLE %I AS SELECT i AS id, i %% 2 AS kind FROM generate_series(1, %s) i', c.name || '_item',
		               c.n);
		EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (id)', c.name || '_item');
		PERFORM dlints_create_recommender(c.name, format('%I', c.name || '_item')::regclass, '{kind}', control => 1,
		                                  epsilon => 0);
	END LOOP;
END $$;

-- 400 lists of the control group.  Without clicks all items are equally popular.
CREATE TEMP TABLE page AS
SELECT 'uncut' AS name, r.* FROM generate_series(1, 400) u, LATERAL uncut.recommend(u, 10) r
UNION ALL
SELECT 'cut', r.* FROM generate_series(1, 400) u, LATERAL cut.recommend(u, 10) r
UNION ALL
SELECT 'shortlist', r.* FROM generate_series(1, 400) u, LATERAL shortlist.recommend(u, 10) r;

SELECT cmp_ok((abs(avg(p.w) - 1) / greatest(stddev(p.w), 1e-6) * sqrt(count(*)))::float8, '<', 5::float8,
              format('%s: the mean of 1 / probability over items that tie is 1', p.name))
FROM  (SELECT p.name, sum(1 / p.probability) / min(c.n) AS w FROM page p JOIN catalogue c USING (name)
       GROUP BY p.name, p.decision) p
GROUP  BY p.name ORDER BY p.name;

-- Each item is in a list with probability 10 / n: the number of distinct items, within six standard deviations
SELECT ok(abs(count(DISTINCT p.item) - c.n * (1 - (1 - 10.0 / c.n) ^ 400)) <= 6 * sqrt(c.n) / 2,
          format('%s: items that tie are shown equally often', c.name))
FROM   page p JOIN catalogue c USING (name) GROUP BY c.name, c.n ORDER BY c.name;

SELECT * FROM finish();
ROLLBACK;
