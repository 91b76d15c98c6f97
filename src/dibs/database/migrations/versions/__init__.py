"""The migrations themselves, in the order of their numbers."""
