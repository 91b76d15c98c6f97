"""Set and read quotas in tests."""

from dibs.access.access import SERVICE
from dibs.quotas.model.quotas import Limits
from dibs.quotas.operations.quotas import RemoveQuota, SetQuota, get_quota, remove_quota, set_quota
from tests.builders import Ledger


def limit(ledger: Ledger, project: str, resource_class: str = "", **limits: int | None) -> None:
    """Set limits of a project."""
    ledger.runner.write(set_quota, SERVICE, SetQuota(project=project, resource_class=resource_class, limits=limits))


def unlimit(ledger: Ledger, project: str, resource_class: str | None = None) -> None:
    """Remove limits of a project."""
    ledger.runner.write(remove_quota, SERVICE, RemoveQuota(project=project, resource_class=resource_class))


def used(ledger: Ledger, project: str, resource_class: str = "") -> Limits:
    """Return what a project with a quota uses."""
    return ledger.runner.read(get_quota, SERVICE, project).used[resource_class]
