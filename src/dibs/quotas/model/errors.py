"""Errors about quotas."""

from dibs.database.errors import StoreUnavailable
from dibs.errors import DibsError


class QuotaExceeded(DibsError):
    """Quota exceeded for {what} of project {project}: limit {limit}, used {used}, asked {asked}."""


class QuotaNotFound(DibsError):
    """Project {project} has no quota{detail}."""


class ShareNotFound(DibsError):
    """Project {project} has no weight."""


class QuotaInKeystone(DibsError):
    """Quotas are unified limits of Keystone here. Set them there: openstack limit create|set."""


class LimitsUnknown(StoreUnavailable):
    """The limits of projects cannot be read from Keystone. Please try again."""
