"""Refusals about webhooks."""

from dibs.errors import DibsError


class WebhookNotFound(DibsError):
    """Webhook {webhook} could not be found."""


class TooManyWebhooks(DibsError):
    """A project may have at most {limit} webhooks. Delete one that is no longer used."""
