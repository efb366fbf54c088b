-- 4,000 jobs, enough for a shortlist

INSERT INTO job
SELECT i, 'number ' || i, 'field ' || i % 5, i % 7, 1000 + i * 37 % 900, '{}', '{}', i % 2 = 0,
       now() - i % 90 * interval '1 day', i % 10 <> 0, 'same'
FROM   generate_series(201, 4000) i;
ANALYZE job;
