-- What each arm earned by day, and what the model expected of it when it decided.  Exploration:
-- the share of places that another draw would have filled otherwise.  Coverage: the share of what
-- is in stock that was shown.
CREATE VIEW by_day AS
SELECT day, arm, pages, clicks / pages::float8 AS clicks_a_page, reward / pages AS reward_a_page,
       expected / pages AS expected_a_page, exploration,
       products::float8 / (SELECT count(*) FROM product WHERE stock > 0) AS coverage
FROM  (SELECT at::date AS day, arm, count(DISTINCT decision) AS pages,
              count(*) FILTER (WHERE clicked) AS clicks, sum(reward) AS reward,
              sum(expected) AS expected, avg(1 - probability) AS exploration,
              count(DISTINCT item) AS products
       FROM   home.outcome GROUP BY 1, 2) d;
