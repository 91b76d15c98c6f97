"""The only SQL of this package."""
