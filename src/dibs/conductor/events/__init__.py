"""What conductors do with events. Start with ``publishing``."""
