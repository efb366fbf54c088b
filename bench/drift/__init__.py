"""Problems that change, or do not, and what the default makes of them."""
