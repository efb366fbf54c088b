-- What an item costs of each promise, in the order of their names, and the outcomes among that; and of a list
-- what its prices were then, and what its places cost on average.  One that was made before there were promises
-- gets them when it is renewed.
DO $body$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = to_regclass(format('%I.item_vector', {name})) AND attname = 'promised') THEN
        ALTER TABLE {s}.item_vector ADD promised real[], ADD rates real[];
        ALTER TABLE {s}.decision ADD prices jsonb, ADD costs jsonb;
        CREATE INDEX ON {s}.decision (id) WHERE costs IS NOT NULL;
        INSERT INTO {s}.job (name, done_at) VALUES ('costs', now()) ON CONFLICT DO NOTHING;
    END IF;
END
$body$;
