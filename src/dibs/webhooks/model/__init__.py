"""The values of webhooks, their messages, and the rules of retries. Start with ``webhooks``."""
