-- somebody new
INSERT INTO visitor (model, robot) VALUES (%(model)s, %(robot)s) RETURNING id
