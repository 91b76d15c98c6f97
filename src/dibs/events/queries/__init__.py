"""The only SQL about events."""
