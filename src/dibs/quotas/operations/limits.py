"""Where the limits of projects are: in rows of Dibs, or in Keystone. The wiring registers one of the two.

Either way the row of a project is the lock of its quota (docs/adr/0017).
"""

from collections.abc import Callable, Sequence
from itertools import islice

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database.transaction import Transaction
from dibs.quotas.model.errors import QuotaInKeystone
from dibs.quotas.model.quotas import Quota
from dibs.quotas.model.unified_limits import UnifiedLimits
from dibs.quotas.queries import quotas


class LimitSource:
    """The limits that administrators set in Dibs."""

    def get_many(self, tx: Transaction, projects: Sequence[str]) -> dict[str, Quota]:
        """Return the quotas of those projects that have one."""
        return quotas.get_many(tx, projects)

    def lock(self, tx: Transaction, now: int, projects: Sequence[str]) -> bool:
        """Lock the quotas of projects until the transaction ends; return False when none of them has one."""
        return quotas.lock(tx, projects)

    def page(self, tx: Transaction, projects: VisibleProjects, after: str, limit: int) -> list[Quota]:
        """Return quotas of projects whose names follow another in the order of names."""
        return quotas.page(tx, projects, after, limit)

    def require_own(self) -> None:
        """Raise QuotaInKeystone when the limits cannot be set in Dibs."""


class KeystoneLimitSource(LimitSource):
    """The unified limits of Keystone, as they are known in this process: no transaction waits for Keystone."""

    def __init__(self, known: Callable[[], UnifiedLimits]) -> None:
        self._known = known

    def get_many(self, tx: Transaction, projects: Sequence[str]) -> dict[str, Quota]:
        """See LimitSource."""
        found = (self._known().quota_of(project) for project in projects)
        return {quota.project: quota for quota in found if quota.limits}

    def lock(self, tx: Transaction, now: int, projects: Sequence[str]) -> bool:
        """See LimitSource."""
        limited = sorted(self.get_many(tx, projects))
        for project in limited:
            quotas.lock_or_add(tx, project, now)
        return bool(limited)

    def page(self, tx: Transaction, projects: VisibleProjects, after: str, limit: int) -> list[Quota]:
        """Return the quotas of projects with limits of their own; the defaults of the others are in Keystone."""
        known = self._known()
        visible = known.projects if projects is EVERY_PROJECT else projects
        found = (known.quota_of(project) for project in sorted(visible) if project > after)
        return list(islice((quota for quota in found if quota.limits), limit))

    def require_own(self) -> None:
        """See LimitSource."""
        raise QuotaInKeystone


def limits_of(tx: Transaction) -> LimitSource:
    """Return where the limits of this site are."""
    (source,) = tx.hooks.every(LimitSource)
    return source
