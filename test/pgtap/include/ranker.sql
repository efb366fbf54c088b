-- What tests of rankers share.

-- how far a ranker's models are from those that its log gives; they stay as they are
CREATE FUNCTION off(schema text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	most float8;
BEGIN
	EXECUTE format('CREATE TEMP TABLE was ON COMMIT DROP AS SELECT * FROM %I.model', schema);
	EXECUTE format('SELECT %I.rebuild()', schema);
	EXECUTE format('SELECT max(CASE WHEN (dlints_info(w.state)).updates = (dlints_info(m.state)).updates
		THEN difference(dlints_mean(w.state), dlints_mean(m.state)) ELSE ''infinity'' END)
		FROM was w JOIN %I.model m USING (name)', schema) INTO most;
	EXECUTE format('UPDATE %I.model m SET state = w.state FROM was w WHERE w.name = m.name', schema);
	DROP TABLE was;
	RETURN coalesce(most, 'infinity');
END $$;
