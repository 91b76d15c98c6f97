"""Calls for those who run the machines."""
