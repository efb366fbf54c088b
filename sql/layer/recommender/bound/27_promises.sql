-- What each row costs of what is promised, as PostgreSQL writes it
CREATE OR REPLACE VIEW {s}.promised_text AS
SELECT i.{key} AS item, ARRAY[{promised_texts}]::pg_catalog.text[] AS texts FROM {items} i;
