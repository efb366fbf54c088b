"""The one exception the demonstration turns into a message."""


class DemoError(Exception):
    """Something the user can mend; its text is one clear line."""
