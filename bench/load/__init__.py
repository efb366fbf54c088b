"""Many clients at once: rewards straight into the model, or by a queue."""
