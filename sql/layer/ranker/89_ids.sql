-- Ids that are numbers were amounts until 0.2.0: what was learned by them is learned anew.
DO $body$
BEGIN
    IF EXISTS (SELECT FROM {s}.setting WHERE version < '0.2.0') AND NOT EXISTS (SELECT FROM {s}.archive)
       AND EXISTS (SELECT FROM {s}.decision d
                   WHERE  jsonb_path_exists(d.actions, '$[*].id ? (@.type() == "number")')) THEN
        PERFORM {s}.rebuild();
    END IF;
END
$body$;
