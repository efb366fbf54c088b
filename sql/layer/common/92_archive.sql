DELETE FROM {s}.archive;
