"""Programs that measure dlints, and one that shows it at work.

In the folder above this one, "python3 -m bench.speed" and the like run them:
demo, shop, speed, drift, load, paper, peers, ann. --help says what each takes. They
connect as libpq's environment says (PGHOST, PGDATABASE, ...) and work in a
schema of their own.
"""
