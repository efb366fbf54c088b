#!/bin/sh
# Compare choices and probabilities with numpy; prints TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/choices.py
