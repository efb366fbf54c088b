#!/bin/sh
# Item vectors against scipy, as TAP; with a MovieLens folder against that, too
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/factors.py "$@"
