#!/bin/sh
# Compare dlints_policy_value with numpy; prints TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/values.py
