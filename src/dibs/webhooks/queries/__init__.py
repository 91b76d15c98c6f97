"""The only SQL about webhooks."""
