"""Manage webhooks, and deliver events to them. Start with ``webhooks``."""
