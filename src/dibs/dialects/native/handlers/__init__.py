"""Handlers of the native dialect for what is made from events. Start with ``webhooks``."""
