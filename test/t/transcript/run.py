"""Execute statements with psycopg2.

Each line of standard input is a JSON document {"sql", "parameters"}. A parameter
"=column" stands for the column of the first row of the latest list. Prints the
rows of each statement as a line of JSON.
"""
import json
import re
import sys

import psycopg2

connection = psycopg2.connect('')
connection.autocommit = True
last = {}
for line in sys.stdin:
    statement = json.loads(line)
    with connection.cursor() as cursor:
        parameters = [last[p[1:]] if isinstance(p, str) and p.startswith('=') else p
                      for p in statement['parameters']]
        cursor.execute(re.sub(r'\$\d', '%s', statement['sql']), parameters or None)
        rows = []
        if cursor.description:
            names = [column.name for column in cursor.description]
            rows = [dict(zip(names, row)) for row in cursor]
    if rows and 'decision' in rows[0]:
        last = rows[0]
    print(json.dumps(rows, default=str), flush=True)
