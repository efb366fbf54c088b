CREATE VIEW clicks_by_day AS
SELECT made_at::date AS day, model, count(*) AS pages, sum(clicks) AS clicks, avg(clicks)::float8 AS a_page
FROM   page_view GROUP BY 1, 2;

-- What the model expected when it decided: a slope of 1 is right, below it promises too much.
-- Exploration: how many places another draw would have given to another product.  Coverage: how
-- much of what is in stock was shown.
CREATE VIEW choices_by_day AS
SELECT d.made_at::date AS day, d.model, avg(s.expected) AS expected, avg(s.reward) AS earned,
       regr_slope(s.reward, s.expected) AS slope, avg(1 - s.probability) AS exploration,
       count(DISTINCT s.product_id)::float8 / (SELECT count(*) FROM product WHERE stock > 0) AS coverage
FROM   decision d JOIN shown s ON s.decision_id = d.id GROUP BY 1, 2;

-- The memory in use, 1 being the shortest, and how many observations it holds
CREATE VIEW models AS
SELECT m.name, i.memory, i.updates, i.effective_sample_size, i.sigma, i.bytes
FROM   model m, dlints_info(m.state) i;

CREATE VIEW queue_now AS
SELECT count(*) AS waiting, coalesce(now() - min(at), '0') AS age, (SELECT count(*) FROM misfit) AS set_aside
FROM   queue;
