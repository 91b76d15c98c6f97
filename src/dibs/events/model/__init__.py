"""The value of an event, and what it shows of an object. Start with ``events``."""
