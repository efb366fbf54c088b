#!/bin/sh
# Test "make records" on made-up data; prints TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/records.py
