-- is it working?
SELECT * FROM home.report()
