#!/bin/sh
# Item vectors against scipy, as TAP; with a MovieLens folder against that, too
exec "${PYTHON:-python3}" -B -m bench.vectors.check "$@"
