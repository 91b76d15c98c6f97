"""Commands for webhooks, calendars and reports, which use events. Start with ``webhook``."""
