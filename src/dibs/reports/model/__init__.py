"""The values of reports. Start with ``measures``."""
