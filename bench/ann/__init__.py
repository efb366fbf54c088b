"""Indexes of pgvector against all items, and what they find."""
