"""Execute calls from a file of 050_clients.pl with a Python driver.

    calls.py psycopg calls

A line has a statement with $1, $2, ..., each once and in this order, and the
parameters, separated by tabs. Prints the first row of each result.
"""
import importlib
import re
import sys


def value(text):
    if text == "null":
        return None
    number = float if "." in text else int
    if text.startswith("{"):
        return [number(element) for element in text[1:-1].split(",") if element]
    return number(text) if text[0].isdigit() else text


db = importlib.import_module(sys.argv[1]).connect("")
db.autocommit = True
cursor = db.cursor()
with open(sys.argv[2], encoding="ascii") as calls:
    for line in calls:
        statement, *parameters = line.rstrip("\n").split("\t")
        cursor.execute(re.sub(r"\$\d", "%s", statement), [value(text) for text in parameters])
        if cursor.description:
            print(*cursor.fetchone())
