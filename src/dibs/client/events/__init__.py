"""What is made from events. Start with ``webhooks``."""
