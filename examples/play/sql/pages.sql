-- Mean likes per page over the latest 600 pages, in 30 parts
SELECT avg(likes)::float8 AS likes, count(*) AS pages
FROM  (SELECT d.id, ntile(30) OVER (ORDER BY d.id) AS part,
              (SELECT count(*) FROM home.reward r WHERE r.decision = d.id AND r.value > 0) AS likes
       FROM  (SELECT id FROM home.decision ORDER BY id DESC LIMIT 600) d) pages
GROUP  BY part
ORDER  BY part
