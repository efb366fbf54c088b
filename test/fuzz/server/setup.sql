-- Create a database for the module dlints_fuzz.  The variable "module" is the path of the module.
\set ON_ERROR_STOP 1
\set QUIET 1
CREATE EXTENSION dlints;
\ir ../../t/models.sql
\ir ../../t/probes.sql
CREATE FUNCTION dlints_read_inputs(bytea[]) RETURNS boolean[] AS :'module' LANGUAGE C;
