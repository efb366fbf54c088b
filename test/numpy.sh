#!/bin/sh
# Choices against numpy, as TAP
exec "${PYTHON:-python3}" -B -m bench.paper.check
