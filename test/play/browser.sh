#!/bin/sh
# The page of "make play" in a headless Chromium, as TAP
export PYTHONPATH="${0%/*}/../..:${0%/*}/../python"
exec "${PYTHON:-python3}" -B "${0%/*}/check_browser.py"
