#!/bin/sh
# Test the page of "make play" in a headless Chromium; prints TAP
export PYTHONPATH="${0%/*}/../..:${0%/*}/../python"
exec "${PYTHON:-python3}" -B "${0%/*}/check_browser.py"
