"""Manage calendars, and read their feeds. Start with ``calendars``."""
