#!/bin/sh
# Values of policies against numpy, as TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/values.py
