-- Compare models, and those of a recommender or ranker with its log

-- Numbers at a path of a JSON form, as one array
CREATE FUNCTION numbers_at(form jsonb, path jsonpath) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT string_to_array(translate(jsonb_path_query_array(form, path)::text, '[] ', ''), ',')::float8[]
$$;

-- Largest difference between the evidence and priors of two models, in units of the largest number of each kind
CREATE FUNCTION far(a dlints, b dlints) RETURNS float8 LANGUAGE sql AS $$
SELECT coalesce(max(d), 0)
FROM   (SELECT a::jsonb, b::jsonb OFFSET 0) j (a, b),
       unnest('{$.updates,$.evidence.b,$.evidence.G,$.prior.b,$.prior.G}'::jsonpath[]) path,
       LATERAL (SELECT max(coalesce(abs(x - y), 'infinity')) / coalesce(nullif(max(greatest(abs(x), abs(y))), 0), 1)
                FROM   unnest(numbers_at(j.a, path), numbers_at(j.b, path)) u (x, y)) p (d)
$$;

-- Difference, as of far(), between the models of a recommender or ranker and those that rebuild() trains, at one time:
-- a model whose latest observation was retracted keeps that observation's time.  The models are not changed.
CREATE FUNCTION difference_from_log(schema name) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	difference float8;
BEGIN
	EXECUTE format('CREATE TEMP TABLE was ON COMMIT DROP AS SELECT * FROM %I.model', schema);
	EXECUTE format('SELECT %I.rebuild()', schema);
	EXECUTE format('SELECT max(far(dlints_at(w.state, now()), dlints_at(m.state, now())))
	                FROM was w JOIN %I.model m USING (name)', schema) INTO difference;
	EXECUTE format('UPDATE %I.model m SET state = w.state FROM was w WHERE w.name = m.name', schema);
	DROP TABLE was;
	RETURN coalesce(difference, 'infinity');
END $$;
