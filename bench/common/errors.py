"""The one exception these programs turn into a message."""


class UserError(Exception):
    """Something the user can mend; its text is one clear line."""
