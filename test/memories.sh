#!/bin/sh
# Compare the memory in use and the noise with numpy; prints TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/memories.py
