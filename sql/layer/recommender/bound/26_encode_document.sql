-- The same of a document of columns, {"column": value, ...}; those that it has not are NULL.
CREATE OR REPLACE FUNCTION {s}.encode_document(document jsonb) RETURNS real[] LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT {encode} FROM jsonb_to_record(document) i ({columns});
END;
