"""Measure dlints against what one would otherwise run."""
