-- The function that "make fuzz" calls.
CREATE FUNCTION dlints_fuzz(log text, arguments text[]) RETURNS void AS :'module' LANGUAGE C;
