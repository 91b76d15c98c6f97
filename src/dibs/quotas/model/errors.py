"""Errors about quotas."""

from dibs.errors import DibsError


class QuotaExceeded(DibsError):
    """Quota exceeded for {what} of project {project}: limit {limit}, used {used}, asked {asked}."""


class QuotaNotFound(DibsError):
    """Project {project} has no quota{detail}."""


class ShareNotFound(DibsError):
    """Project {project} has no weight."""
