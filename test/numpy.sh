#!/bin/sh
# Choices against numpy, as TAP
exec "${PYTHON:-python3}" -B bench/paper/check.py
