-- What the A/B test says: clicks a page, and how many times those of the bestseller list, each
-- with a standard error that knows that customers come again.
CREATE VIEW page_view AS
SELECT d.id, d.customer_id, d.model, d.made_at, count(*) FILTER (WHERE s.reward > 0) AS clicks
FROM   decision d JOIN shown s ON s.decision_id = d.id GROUP BY d.id;

CREATE FUNCTION test(since timestamptz, until timestamptz DEFAULT 'infinity')
RETURNS TABLE (model text, pages numeric, clicks numeric, a_page float8, stderr float8, times float8, times_stderr float8)
LANGUAGE sql STABLE AS $$
WITH person AS (
    SELECT model, count(*) AS pages, sum(clicks) AS clicks FROM page_view
    WHERE  made_at >= since AND made_at < until GROUP BY model, customer_id),
total AS (SELECT model, sum(pages) AS pages, sum(clicks) AS clicks FROM person GROUP BY model),
seen AS (
    SELECT t.*, t.clicks / t.pages AS a_page,
           sqrt(sum((p.clicks - p.pages * t.clicks / t.pages) ^ 2)) / t.pages AS stderr
    FROM   total t JOIN person p USING (model) GROUP BY t.model, t.pages, t.clicks)
SELECT s.*, r, r * sqrt((s.stderr / nullif(s.a_page, 0)) ^ 2 + (b.stderr / b.a_page) ^ 2)
FROM   seen s LEFT JOIN seen b ON b.model = 'bestseller', LATERAL (SELECT s.a_page / nullif(b.a_page, 0)) x (r)
$$;
