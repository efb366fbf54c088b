-- somebody new
INSERT INTO visitor (robot) VALUES (%(robot)s) RETURNING id
