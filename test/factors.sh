#!/bin/sh
# Compare latent factors with scipy, on made-up clicks and those of a MovieLens folder if given; prints TAP
PYTHONPATH=. exec "${PYTHON:-python3}" -B test/python/factors.py "$@"
