#!/bin/sh
# Choices against numpy, as TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/choices.py
