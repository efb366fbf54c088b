#!/bin/sh
# Values of policies against numpy, as TAP
exec "${PYTHON:-python3}" -B -m bench.judge.check
