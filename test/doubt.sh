#!/bin/sh
# What is left when observations are taken back, as TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/doubt.py
