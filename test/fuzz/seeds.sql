-- Initial inputs for fuzzing the readers: models of every kind, in each form that the extension reads.  They are
-- written to server files in the folder of the variable "folder".  The first byte selects the reader, see
-- test/fuzz/server/doors.c.

CREATE TEMP TABLE seed AS
SELECT name, learned(model, rows) AS model
FROM (VALUES
    ('plain', dlints_new(2), 4),
    ('lasting', dlints_new(3, discount => 1, policy => 'greedy'), 4),
    ('projected', dlints_new(4, 2, discount => 0.5, seed => -7, policy => 'ucb'), 4),
    ('scaled', dlints_new(5, 3, discount => 0.9, ridge => 1e-3, exploration => 2, noise => 0.5, seed => 9,
        projection_scale => 0.25), 4),
    ('intercept', dlints_new(2, discount => 1, intercept => true), 4),
    ('matched_ucb', dlints_new(2, discount => 0.9, policy => 'ucb', interactions => 'matched',
        intercept => false), 4),
    ('matched', dlints_new(2, discount => 0.9, interactions => 'matched'), 4),
    ('matched_projected',
        dlints_new(3, 2, seed => 8, interactions => 'matched', intercept => false), 4),
    ('memories', dlints_new(1, ridge => 2), 6),
    ('by_time', dlints_new(2, half_life => '1 day', memories => 2), 4),
    ('prior', dlints_with_prior(dlints_new(2), learned(dlints_new(2), 3), 0.5), 4),
    ('untrained', dlints_new(300, 1), 0)
) AS n (name, model, rows);

CREATE TEMP TABLE file AS
SELECT name || '_' || form AS name, lo_from_bytea(0, door || bytes) AS object
FROM seed, LATERAL (VALUES
    ('binary', '\x30'::bytea, dlints_send(model)),
    ('text', '\x31', convert_to(model::text, 'UTF8')),
    ('jsonb', '\x32', convert_to(model::jsonb::text, 'UTF8')),
    ('state', '\x33', dlints_send(model))
) AS f (form, door, bytes);

SELECT count(lo_export(object, :'folder' || '/' || name)) AS seeds FROM file;
