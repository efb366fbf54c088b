"""Item vectors from a click log."""
