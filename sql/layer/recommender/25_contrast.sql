-- Whether lists are learned by contrast.  One that 0.1.0 made learned them whole.
DO $body$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = to_regclass(format('%I.likeness', {name})) AND attname = 'by_contrast') THEN
        ALTER TABLE {s}.likeness ADD by_contrast boolean NOT NULL DEFAULT false;
    END IF;
END
$body$;
