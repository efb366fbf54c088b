"""dlints at work: a movie service on MovieLens, in PostgreSQL."""
