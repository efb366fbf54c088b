-- The numpy loop as functions in PL/Python, with its state in session memory or
-- in a row; the projected items stay in session memory.

CREATE EXTENSION IF NOT EXISTS plpython3u;
CREATE TABLE peer (state bytea NOT NULL)
WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
ALTER TABLE peer ALTER state SET STORAGE external;

CREATE FUNCTION open_peer(reduced_dim integer, source text)
RETURNS void LANGUAGE plpython3u AS $$
    import numpy
    module = {}
    exec(source, module)
    items = [row['features'] for row in
             plpy.cursor('SELECT features FROM item ORDER BY id')]
    for name in ('memory', 'row'):
        GD[name] = module['CarefulRule'](numpy.array(items), reduced_dim)
    plan = plpy.prepare('INSERT INTO peer VALUES ($1)', ['bytea'])
    plpy.execute(plan, [GD['row'].dump()])
$$;

CREATE FUNCTION memory_choose() RETURNS integer LANGUAGE plpython3u AS $$
    return GD['memory'].choose()
$$;

CREATE FUNCTION memory_learn(choice integer, reward float8)
RETURNS void LANGUAGE plpython3u AS $$
    GD['memory'].learn(choice, reward)
$$;

CREATE FUNCTION row_choose() RETURNS integer LANGUAGE plpython3u AS $$
    if 'read' not in SD:
        SD['read'] = plpy.prepare('SELECT state FROM peer')
    rule = GD['row']
    rule.load(plpy.execute(SD['read'])[0]['state'])
    return rule.choose()
$$;

CREATE FUNCTION row_learn(choice integer, reward float8)
RETURNS void LANGUAGE plpython3u AS $$
    if 'read' not in SD:
        SD['read'] = plpy.prepare('SELECT state FROM peer FOR UPDATE')
        SD['write'] = plpy.prepare('UPDATE peer SET state = $1', ['bytea'])
    rule = GD['row']
    rule.load(plpy.execute(SD['read'])[0]['state'])
    rule.learn(choice, reward)
    plpy.execute(SD['write'], [rule.dump()])
$$;

-- Among the items that a WHERE clause leaves
CREATE FUNCTION filtered_choose() RETURNS integer LANGUAGE plpython3u AS $$
    if 'read' not in SD:
        SD['read'] = plpy.prepare("""
            SELECT state, (SELECT array_agg(id) FROM item WHERE in_stock)
                   AS items
            FROM   peer""")
    row = plpy.execute(SD['read'])[0]
    rule = GD['row']
    rule.load(row['state'])
    return rule.choose_among([item - 1 for item in row['items']])
$$;

PREPARE memory_choose AS SELECT memory_choose();
PREPARE memory_learn (integer, float8) AS SELECT memory_learn($1, $2);
PREPARE row_choose AS SELECT row_choose();
PREPARE row_learn (integer, float8) AS SELECT row_learn($1, $2);
PREPARE filtered_choose AS SELECT filtered_choose();
