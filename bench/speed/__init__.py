"""Measure dlints and print a table of what it has to reach."""
