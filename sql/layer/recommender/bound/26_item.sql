-- The keys of the rows to recommend
CREATE OR REPLACE VIEW {s}.item AS
SELECT i.{key} AS item FROM {items} i;
