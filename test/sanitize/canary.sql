-- psql -v library=... -v fault=... : commit one of the faults in canary.c
CREATE FUNCTION canary(cstring) RETURNS integer AS :'library' LANGUAGE c;
SELECT canary(:'fault');
