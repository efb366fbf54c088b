-- A number as a word: whole ones below 32 (hours, weekdays, counts) stand for themselves,
-- others fall into bands, two for each doubling.  To have years apart, write them as text.
CREATE OR REPLACE FUNCTION {s}.band(x numeric) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN abs(x) < 32 AND x = trunc(x) THEN trunc(x)::text
            ELSE CASE WHEN x < 0 THEN '-2^' ELSE '2^' END
                 || round(2 * ln(greatest(least(abs(x), 1e300), 1e-300)::float8) / ln(2::float8)) / 2 END;

-- The names in documents: every value in one is a name, below the keys that lead to it
CREATE OR REPLACE FUNCTION {s}.names(documents jsonb) RETURNS TABLE (n integer, names text[])
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    WITH RECURSIVE part (n, path, value) AS (
        SELECT d.n::integer, '', d.value
        FROM   jsonb_array_elements(documents) WITH ORDINALITY d (value, n)
        UNION ALL
        SELECT p.n, e.path, e.value
        FROM   part p,
               LATERAL (SELECT p.path || '.' || key, value
                        FROM   jsonb_each(CASE jsonb_typeof(p.value) WHEN 'object' THEN p.value END)
                        UNION ALL
                        SELECT p.path, value
                        FROM   jsonb_array_elements(CASE jsonb_typeof(p.value) WHEN 'array' THEN p.value END)
                       ) e (path, value)
        WHERE  jsonb_typeof(p.value) IN ('object', 'array'))
    SELECT p.n, array_agg(p.path || '=' || CASE jsonb_typeof(p.value)
               WHEN 'number' THEN {s}.band(p.value::numeric) ELSE p.value #>> '{}' END)
    FROM   part p WHERE jsonb_typeof(p.value) IN ('string', 'number', 'boolean')
    GROUP  BY p.n;
END;

-- The actions of a request: what they are called, what they cost, and what they are.  A context
-- is the same for all of them and ranks nothing by itself.  So each of its names makes a pair
-- with each name of an action, and a model learns what the two are worth together.
-- The vectors of a context make pairs with the id alone: numbers of its own for each action.
CREATE OR REPLACE FUNCTION {s}.action(context jsonb, actions jsonb)
RETURNS TABLE (n integer, id text, price float8, features real[]) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT a.n::integer, coalesce(a.value ->> 'id', a.value #>> '{}'),
           coalesce((a.value ->> 'price')::float8, 0),
           {dlints}.dlints_encode({dim}, '', p.names{and_vectors})
    FROM  (SELECT jsonb_agg(CASE jsonb_typeof(e.value)      -- an id that is a number is no amount
                                WHEN 'object' THEN (e.value - {no_features})
                                                   || jsonb_build_object('id', e.value ->> 'id')
                                ELSE to_jsonb(e.value #>> '{}') END)
                      AS documents                          -- apart, so that names() becomes a part of this plan
           FROM   jsonb_array_elements(actions) e) d
           CROSS JOIN LATERAL {s}.names(d.documents) f
           JOIN jsonb_array_elements(actions) WITH ORDINALITY a (value, n) ON a.n = f.n
           CROSS JOIN (SELECT (SELECT w.names FROM {s}.names(jsonb_build_array({named})) w) AS names OFFSET 0) w,
           LATERAL (SELECT f.names || ARRAY(
               SELECT f.name || ' ' || c.name
               FROM   unnest(w.names) c (name), unnest(f.names) f (name)) AS names) p{vectors_read};
END;

-- An error if these are no actions
CREATE OR REPLACE FUNCTION {s}.check_actions(actions jsonb) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    action jsonb;
    name   text;
    ids    text[];
BEGIN
    IF jsonb_typeof(actions) IS DISTINCT FROM 'array' OR actions = '[]' THEN
        RAISE 'actions must be an array of at least one'
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'For example [{"id": "a", "features": {"size": "large"}}, {"id": "b"}].';
    END IF;
    FOR action IN SELECT value FROM jsonb_array_elements(actions) LOOP
        ids := ids || coalesce(action ->> 'id', CASE WHEN jsonb_typeof(action) IN ('string', 'number')
                                                     THEN action #>> '{}' END, '');
        IF ids[cardinality(ids)] = '' THEN
            RAISE 'an action must be an id, or an object with an "id"'
                USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', left(action::text, 200));
        END IF;
        FOREACH name IN ARRAY {no_features} LOOP
            IF jsonb_typeof(action -> name) NOT IN ('number', 'null') OR abs((action ->> name)::numeric) > 1e50
               OR abs((action ->> name)::numeric) < 1e-50 AND (action ->> name)::numeric <> 0 THEN
                RAISE 'the % of an action must be a number up to 1e50', name
                    USING ERRCODE = 'invalid_parameter_value', DETAIL = left(action::text, 200);
            END IF;
        END LOOP;
    END LOOP;
    IF (SELECT count(DISTINCT id) FROM unnest(ids) id) < cardinality(ids) THEN
        RAISE 'two actions have the same id' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$body$;
