"""The only SQL about calendars."""
