"""Handlers of the native dialect: webhooks, quotas, shares, and explanations of allocation candidates."""
