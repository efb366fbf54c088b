#!/bin/sh
# The memory in use and the noise against numpy, as TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/memories.py
