-- The numpy loop as functions in PL/Python.

CREATE TABLE peer (name text PRIMARY KEY, state bytea NOT NULL)
WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
ALTER TABLE peer ALTER state SET STORAGE external;

-- Project all items and keep them, with a new model, in the session's memory.
CREATE FUNCTION peer_open(key text, reduced_dim integer, source text)
RETURNS bytea LANGUAGE plpython3u AS $$
    import numpy
    module = {}
    exec(source, module)
    items = [row['features'] for row in
             plpy.cursor('SELECT features FROM item ORDER BY id')]
    GD[key] = module['CarefulRule'](numpy.array(items), reduced_dim)
    return GD[key].dump()
$$;

-- State in session memory
CREATE FUNCTION memory_choose() RETURNS integer LANGUAGE plpython3u AS $$
    return GD['memory'].choose()
$$;

CREATE FUNCTION memory_learn(choice integer, reward float8)
RETURNS void LANGUAGE plpython3u AS $$
    GD['memory'].learn(choice, reward)
$$;

-- State in a row; the projected items stay in session memory
CREATE FUNCTION row_choose(model text)
RETURNS integer LANGUAGE plpython3u AS $$
    if 'read' not in SD:
        SD['read'] = plpy.prepare('SELECT state FROM peer WHERE name = $1',
                                  ['text'])
    rule = GD[model]
    rule.load(plpy.execute(SD['read'], [model])[0]['state'])
    return rule.choose()
$$;

CREATE FUNCTION row_learn(model text, choice integer, reward float8)
RETURNS void LANGUAGE plpython3u AS $$
    if 'read' not in SD:
        SD['read'] = plpy.prepare(
            'SELECT state FROM peer WHERE name = $1 FOR UPDATE', ['text'])
        SD['write'] = plpy.prepare(
            'UPDATE peer SET state = $2 WHERE name = $1', ['text', 'bytea'])
    rule = GD[model]
    rule.load(plpy.execute(SD['read'], [model])[0]['state'])
    rule.learn(choice, reward)
    plpy.execute(SD['write'], [model, rule.dump()])
$$;

-- The same, choosing among the items that a WHERE clause leaves
CREATE FUNCTION filtered_choose(model text)
RETURNS integer LANGUAGE plpython3u AS $$
    if 'read' not in SD:
        SD['read'] = plpy.prepare("""
            SELECT state, (SELECT array_agg(id) FROM item WHERE in_stock)
                   AS items
            FROM   peer WHERE name = $1""", ['text'])
    row = plpy.execute(SD['read'], [model])[0]
    rule = GD[model]
    rule.load(row['state'])
    return rule.choose_among([item - 1 for item in row['items']])
$$;

PREPARE memory_choose AS SELECT memory_choose();
PREPARE memory_learn (integer, float8) AS SELECT memory_learn($1, $2);
PREPARE row_choose (text) AS SELECT row_choose($1);
PREPARE row_learn (text, integer, float8) AS SELECT row_learn($1, $2, $3);
PREPARE filtered_choose (text) AS SELECT filtered_choose($1);
