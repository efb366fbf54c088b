-- What fuzzing of the readers starts from: models of every kind, in each of the
-- forms that the extension reads.  Written to files of the server's in the
-- folder that the variable of this name says.  The first byte is the door, see
-- test/fuzz/server/readers.c.

CREATE TEMP TABLE seed AS
WITH new (name, model) AS (VALUES
    ('plain', dlints_new(2)),
    ('lasting', dlints_new(3, discount => 1, policy => 'greedy')),
    ('projected', dlints_new(4, 2, 0.5, seed => -7, policy => 'ucb')),
    ('scaled', dlints_new(5, 3, 0.9, 1e-3, 2, 9, 0.25)),
    ('untrained', dlints_new(300, 1))
)
SELECT name, CASE name WHEN 'untrained' THEN model ELSE model || (
    SELECT dlints_evidence(model,
                           ARRAY(SELECT sin(i * j)::real FROM generate_series(1, (dlints_info(model)).context_dim) AS j),
                           cos(i) ORDER BY i)
    FROM generate_series(1, 4) AS i) END AS model
FROM new;

CREATE TEMP TABLE file AS
SELECT name || '_' || form AS name, lo_from_bytea(0, door || bytes) AS object
FROM seed, LATERAL (VALUES
    ('binary', '\x30'::bytea, dlints_send(model)),
    ('text', '\x31', convert_to(model::text, 'UTF8')),
    ('jsonb', '\x32', convert_to(model::jsonb::text, 'UTF8')),
    ('state', '\x33', dlints_send(model))
) AS f (form, door, bytes);

SELECT count(lo_export(object, :'folder' || '/' || name)) AS seeds FROM file;
