"""Models that tell people apart, on people they have not met."""
