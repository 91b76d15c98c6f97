"""Handlers of the native dialect: webhooks, quotas, and explanations of allocation candidates."""
