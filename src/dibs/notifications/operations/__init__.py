"""Send events as notifications. Start with ``sending``."""
