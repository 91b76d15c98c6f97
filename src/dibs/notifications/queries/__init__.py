"""The only SQL about notifications."""
