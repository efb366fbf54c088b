#!/bin/sh
# Test the page of "make play" over HTTP; prints TAP
export PYTHONPATH="${0%/*}/..:${0%/*}/python"
exec "${PYTHON:-python3}" -B "${0%/*}/play/check_http.py"
