-- So do texts of rules.
DO $body$
DECLARE
    argument text := 'candidates';
BEGIN
    PERFORM count(*) FROM {s}.allowed(NULL, '{}');
    argument := 'bonus';
    PERFORM max(b.bonus) FROM {s}.allowed(NULL, '{}') a, LATERAL {s}.bonus(a.item, NULL, '{}') b;
    argument := 'cap_group';
    PERFORM max(g.cap_group) FROM {s}.allowed(NULL, '{}') a, LATERAL {s}.cap_group(a.item, NULL, '{}') g;
EXCEPTION WHEN data_exception THEN
    RAISE 'in the argument "%": %', argument, SQLERRM
        USING ERRCODE = SQLSTATE, HINT = 'It is asked of each item, with person and context, which may be NULL.';
END
$body$;
