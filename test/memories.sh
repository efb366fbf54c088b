#!/bin/sh
# The memory in use and the noise against numpy, as TAP
exec "${PYTHON:-python3}" -B -m bench.drift.check
