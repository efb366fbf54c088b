#!/bin/sh
# What "make records" reads, and the command itself, on made-up data, as TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/records.py
