-- What items cost of what is promised from now on, and blocks with that
DELETE FROM {s}.block;

SELECT {s}.refresh();
