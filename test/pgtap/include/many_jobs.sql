-- 4,000 items, and functions that compare lists with all candidates
\ir helpers.sql
\ir clock.sql
\ir recommender.sql
SELECT insert_many_jobs();
ANALYZE job;
\ir lists.sql
SET LOCAL check_function_bodies = on;
