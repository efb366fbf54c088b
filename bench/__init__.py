"""Benchmark programs, and a demonstration.

"python3 -m bench" in the folder above lists them, and with a NAME runs one, as
make does. They use separate schemas.
"""
