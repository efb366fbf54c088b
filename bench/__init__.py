"""Programs that measure dlints, and one that shows it at work.

"python3 -m bench NAME" in the folder above runs them, as make does. They work in a
schema of their own.
"""
