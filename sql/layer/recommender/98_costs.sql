-- What items cost of what is promised from now on, and blocks with that
UPDATE {s}.item_vector SET promised = NULL, rates = NULL WHERE promised IS NOT NULL;

DELETE FROM {s}.block;

SELECT {s}.refresh();
