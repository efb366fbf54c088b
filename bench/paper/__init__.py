"""The experiments of the paper, through the extension."""
