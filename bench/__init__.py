"""Programs that measure dlints, and one that shows it at work.

"python3 -m bench" in the folder above lists them, with a NAME it runs one, as make
does. They work in a schema of their own.
"""
