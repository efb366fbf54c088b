"""Policies judged by what others logged, against what they then earned."""
