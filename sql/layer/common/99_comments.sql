-- What is for callers; the other functions are parts of these, and may change with any version.
COMMENT ON FUNCTION {s}.learn IS 'learns from what was shown before the wait, and corrects what was told later; how '
    'many decisions it took; any number of sessions at once';
COMMENT ON FUNCTION {s}.run IS 'all that is due, for cron: learn, refresh, forget, months of the log, prices of '
    'promises; what it did; what fails is a warning, and in report()';
COMMENT ON FUNCTION {s}.rebuild IS 'the models anew from the log and the archive; how many observations the first '
    'one has';
COMMENT ON FUNCTION {s}.forget IS 'takes back what decisions older than "keep" taught, so many at a time; how many '
    'it took';
COMMENT ON FUNCTION {s}.set_months IS 'makes the months of the log to come, and drops those older than "keep"';
COMMENT ON FUNCTION {s}.report IS 'is it working? what each arm earned since then with its standard error, promises, '
    'and what holds up learning';
COMMENT ON FUNCTION {s}.earned IS 'what a decision of an arm earned on average since then, with its standard error';
COMMENT ON VIEW {s}.outcome IS 'what was shown, and what came of it';
COMMENT ON VIEW {s}.learned IS 'what was learned, as it was learned';
COMMENT ON VIEW {s}.models IS 'models without megabytes of numbers';
COMMENT ON TABLE {s}.model IS 'what was learned; look at it with the view "models"';
COMMENT ON TABLE {s}.decision IS 'the log of what was shown, a decision a row, a month a partition';
COMMENT ON TABLE {s}.reward IS 'the log of what was told of decisions';
COMMENT ON TABLE {s}.due IS 'decisions to be learned from';
COMMENT ON TABLE {s}.promise IS 'promises with their prices';
COMMENT ON TABLE {s}.archive IS 'what decisions taught that the log has no more';
COMMENT ON TABLE {s}.set_aside IS 'decisions that could not be learned as told';
COMMENT ON TABLE {s}.job IS 'when each part of run() was done';
