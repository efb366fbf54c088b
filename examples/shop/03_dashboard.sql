-- Rewards of each treatment by day, and the expected rewards when the lists were chosen.  Exploration: mean
-- probability that another draw had shown another product.  Coverage: fraction of the stock that was shown.
CREATE VIEW by_day AS
SELECT day, treatment, pages, clicks / pages::float8 AS clicks_per_page, reward / pages AS reward_per_page,
       expected / pages AS expected_per_page, exploration,
       products::float8 / (SELECT count(*) FROM product WHERE stock > 0) AS coverage
FROM  (SELECT at::date AS day, treatment, count(DISTINCT decision) AS pages,
              count(*) FILTER (WHERE clicked) AS clicks, sum(reward) AS reward,
              sum(expected) AS expected, avg(1 - probability) AS exploration,
              count(DISTINCT item) AS products
       FROM   home.outcome GROUP BY 1, 2) d;
