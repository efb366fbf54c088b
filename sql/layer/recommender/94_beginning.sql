-- The next run() makes the vectors and the beginning anew: a page does not wait for that.
UPDATE {s}.job SET done_at = '-infinity' WHERE name IN ('refresh', 'refit');
