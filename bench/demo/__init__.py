"""dlints at work: a movie service that knows its visitors, in PostgreSQL."""
