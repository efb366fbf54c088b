"""Policies at play, through SQL."""

import zlib

import numpy as np

from bench.bakeoff import vw
from bench.server import copy, session, value

BENT = 64
# Features are scaled so that the default scale is seven tenths of their median
# distance.
TABLES = f"""
CREATE TEMP TABLE arm (id integer PRIMARY KEY);
CREATE TEMP TABLE example (
    number integer PRIMARY KEY, features real[] NOT NULL, class integer NOT NULL,
    curves real[] NOT NULL GENERATED ALWAYS AS
        (features || dlints_fourier(features, {BENT})) STORED)"""

PLAY = """
CREATE OR REPLACE FUNCTION pg_temp.play(empty dlints) RETURNS float8 AS $$
DECLARE
    states dlints[] := array_fill(empty, ARRAY[(SELECT count(*)::integer FROM arm)]);
    e      record;
    chosen integer;
    wrong  integer := 0;
BEGIN
    FOR e IN SELECT class, {column} AS features FROM example ORDER BY number LOOP
        SELECT {choice} INTO chosen FROM arm a;
        wrong := wrong + (chosen <> e.class)::integer;
        {lesson};
    END LOOP;
    RETURN wrong::float8 / (SELECT count(*) FROM example);
END
$$ LANGUAGE plpgsql"""
# One model for each arm, which hears of the examples that were given this arm
ARMS = {
    'choice': 'dlints_recommend_arms(states[a.id + 1], a.id, e.features)',
    'lesson': """states[chosen + 1] := dlints_update(
            states[chosen + 1], e.features, (chosen = e.class)::integer)"""}
# One model for each arm, which hears of every example
SUPERVISED = {
    'choice': """(array_agg(a.id ORDER BY dlints_predict(
            states[a.id + 1], e.features) DESC))[1]""",
    'lesson': """states := ARRAY(
            SELECT dlints_update(m.state, e.features,
                                 (m.number = e.class + 1)::integer)
            FROM   unnest(states) WITH ORDINALITY AS m (state, number)
            ORDER  BY m.number)"""}
RUN = 'SELECT pg_temp.play(dlints_new(%(features)s{named}))'

PLAIN, CURVES, BOUND = 'arms', 'arms, curves', 'all classes, curves'
# name: (form, column of examples, what dlints_new takes beyond the sizes)
POLICIES = {
    PLAIN: (ARMS, 'features', {}),
    'one memory': (ARMS, 'features', {'discount': 1}),
    CURVES: (ARMS, 'curves', {}),
    'all classes': (SUPERVISED, 'features', {'discount': 1}),
    BOUND: (SUPERVISED, 'curves', {'discount': 1})}
# What is shown of each set, if it was played
SHOWN = PLAIN, CURVES, *vw.GIVEN, BOUND


def play(chosen, draw, rows):
    """Return {policy: share of wrong choices} in a shuffle of a Set."""
    random = np.random.default_rng([draw, zlib.crc32(chosen.name.encode())])
    order = random.permutation(len(chosen.classes))[:rows]
    with session() as cursor:
        cursor.execute(TABLES)
        copy(cursor, 'arm', ((arm,) for arm in range(chosen.arms)))
        copy(cursor, 'example', zip(range(len(order)), chosen.features[order],
                                    chosen.classes[order]))
        cursor.execute('ANALYZE arm, example')
        found = {name: _play_policy(cursor, chosen, *policy)
                 for name, policy in POLICIES.items()}
        return found | vw.play(cursor, chosen.arms, draw)


def _play_policy(cursor, chosen, form, column, model):
    """Return the share of wrong choices."""
    cursor.execute(PLAY.format(column=column, **form))
    named = ''.join(f', {name} => %({name})s' for name in model)
    numbers = chosen.features.shape[1] + BENT * (column == 'curves')
    return value(cursor, RUN.format(named=named), **model, features=numbers)
