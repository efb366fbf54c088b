-- The statements of a schema: the templates of sql/layer with the words filled in, in the order of
-- their files' numbers.  "parts" is a pattern of the names of those that are wanted; what has a
-- user's text in it is bound under the user's search_path, all else under PostgreSQL's own.
CREATE FUNCTION _dlints_statements(kind text, parts text, words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$layer$
DECLARE
	own_path text := format('SELECT pg_catalog.set_config(''search_path'', ''pg_catalog, pg_temp'', %s);',
	                        words ->> 'is_local');
	template record;
	filled text;
	unknown text;
BEGIN
	IF words::text LIKE '%$body$%' THEN
		RAISE 'names and texts of a % cannot contain $body$', kind
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF words ->> 'is_local' = 'false' THEN	-- else it ends with the function that executes them
		RETURN NEXT 'SELECT pg_catalog.set_config(''scaffold.search_path'', pg_catalog.current_setting(''search_path''), false);';
	END IF;
	RETURN NEXT own_path;
	FOR template IN
		SELECT * FROM (VALUES
@templates@
		) t (part, n, statement)
		WHERE  t.part ~ format('^(common|%s)/', kind) AND t.part ~ parts
		ORDER  BY regexp_replace(t.part, '.*/', ''), t.n
	LOOP
		-- In one pass: what a word brings along is not looked at.
		SELECT string_agg(p.part || coalesce(words ->> w.word[1], ''), '' ORDER BY n),
		       string_agg(w.word[1], ', ') FILTER (WHERE words ->> w.word[1] IS NULL)
		INTO   filled, unknown
		FROM   regexp_split_to_table(template.statement, '\{[a-z_]+\}') WITH ORDINALITY p (part, n)
		       LEFT JOIN regexp_matches(template.statement, '\{([a-z_]+)\}', 'g')
		           WITH ORDINALITY w (word, n) USING (n);
		IF unknown IS NOT NULL THEN
			RAISE 'no such word: %, in %', unknown, template.part USING ERRCODE = 'internal_error';
		END IF;
		IF template.part ~ '/bound/27' THEN
			RETURN NEXT format('SELECT pg_catalog.set_config(''search_path'', %s, %s);',
			                   words ->> 'path', words ->> 'is_local');
			RETURN NEXT filled;
			RETURN NEXT own_path;
		ELSE
			RETURN NEXT filled;
		END IF;
	END LOOP;
	IF words ->> 'is_local' = 'false' THEN
		RETURN NEXT 'SELECT pg_catalog.set_config(''search_path'', pg_catalog.current_setting(''scaffold.search_path''), false);';
	END IF;
END
$layer$;
COMMENT ON FUNCTION _dlints_statements(text, text, jsonb)
	IS 'the statements that make a recommender or a ranker';
