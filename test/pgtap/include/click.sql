-- 60 users of three tastes and 12 items, so that ten directions beside three factors make a decomposition exact
CREATE TEMP TABLE click AS
SELECT u AS user_id, i AS item_id, 1 + (h >> 8 & 1) AS weight
FROM generate_series(1, 60) AS u, generate_series(1, 12) AS i,
    LATERAL (SELECT hashint8extended(u * 100 + i, 5) & 1023) AS r (h)
WHERE h % 10 < CASE WHEN u % 3 = i % 3 THEN 8 ELSE 2 END;
