-- Which projections are kept when there is no room for all: those that were used last.
\ir include/helpers.sql
SELECT plan(1);
-- matrices of 1.6 MB, of .8, of 1.6 again, and another one of .8 that takes the room of
-- what was used longest ago
SET LOCAL dlints.projection_cache_size = '2600kB';
CREATE FUNCTION use(seed bigint, d integer) RETURNS integer LANGUAGE sql AS
$$ SELECT cardinality(dlints_project(one_memory(1000, d, seed => seed),
    array_fill(1, ARRAY[1000]))) $$;
SELECT use(1, 200), use(2, 100), use(1, 200), use(3, 100) \gset used
SELECT is(array_agg(total_bytes > 1500000 ORDER BY total_bytes), '{false,true}',
    'the one used longest ago goes')
FROM pg_backend_memory_contexts WHERE name = 'dlints projection';
SELECT * FROM finish();
ROLLBACK;
