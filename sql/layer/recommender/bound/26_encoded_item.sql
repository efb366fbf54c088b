-- Their columns as numbers, apart from each other, so that a model can tell which matter; and their
-- dates.  No function takes a row: PostgreSQL then refuses to add columns to the table.
CREATE OR REPLACE VIEW {s}.encoded_item AS
SELECT i.{key} AS item,
       {encode} AS encoded,
       {dates}::pg_catalog.float8[] AS dates
FROM   {items} i;
