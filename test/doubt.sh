#!/bin/sh
# Test what remains after observations are retracted; prints TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/doubt.py
