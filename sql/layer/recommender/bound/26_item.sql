-- The rows to recommend, each with its key
CREATE OR REPLACE VIEW {s}.item AS
SELECT i.{key} AS item, i.*::{items} AS source FROM {items} i;
