UPDATE {s}.setting SET arguments = {arguments}, version = {version};
