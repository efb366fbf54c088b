UPDATE {s}.setting SET arguments = {arguments}, version = {version};

COMMENT ON TABLE {s}.setting IS {written};
