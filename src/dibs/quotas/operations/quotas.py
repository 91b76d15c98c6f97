"""Set, show, list and remove quotas."""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.quotas.model.access import require_to_see, require_to_update, visible_quotas
from dibs.quotas.model.errors import QuotaNotFound
from dibs.quotas.model.quotas import CLASSES_MAX, NO_LIMITS, Limits, Quota
from dibs.quotas.operations.limits import limits_of
from dibs.quotas.operations.sources import read_rooms
from dibs.quotas.queries import quotas


class SetQuota(Struct, frozen=True, kw_only=True):
    """Set limits of a project for one class of nodes, or for all classes together."""

    project: str
    resource_class: str = ""
    limits: Mapping[str, int | None] = field(default_factory=dict)
    """The limits that change, by name; None removes one."""


class RemoveQuota(Struct, frozen=True, kw_only=True):
    """Remove the limits of a project: of one class, or all of them."""

    project: str
    resource_class: str | None = None
    """None removes all limits."""


class ListQuotas(Struct, frozen=True, kw_only=True):
    """List quotas in the order of the projects."""

    limit: int
    marker: str = ""
    """The last project of the previous page."""


class QuotaUsage(Struct, frozen=True, kw_only=True):
    """The quota of a project, and what the project uses of each limit."""

    quota: Quota
    used: Mapping[str, Limits]


def set_quota(tx: Transaction, access: Access, now: int, command: SetQuota) -> QuotaUsage:
    """Set limits. What the project has already stays, even when it is more than a new limit."""
    require_to_update(access)
    limits_of(tx).require_own()
    before = _lock(tx, command.project)
    limits = dict(before.limits) if before is not None else {}
    changed = replace(limits.get(command.resource_class, NO_LIMITS), **command.limits)
    limits[command.resource_class] = changed
    limits = {name: each for name, each in limits.items() if each != NO_LIMITS}
    if len(limits) > CLASSES_MAX:
        raise BadValue(reason=f"A project can have limits for at most {CLASSES_MAX} classes.")
    if limits:
        quotas.write(tx, before, command.project, limits, now)
    elif before is not None:
        quotas.remove(tx, before)
    # An allocation that waits because of the quota may get its node now.
    tx.publish(CAPACITY_FREED)
    return _usage(tx, now, command.project)


def remove_quota(tx: Transaction, access: Access, now: int, command: RemoveQuota) -> None:
    """Remove limits; raise QuotaNotFound when there are none."""
    require_to_update(access)
    limits_of(tx).require_own()
    before = _lock(tx, command.project)
    if before is None or (command.resource_class is not None and command.resource_class not in before.limits):
        raise QuotaNotFound(project=command.project, detail=_detail(command.resource_class))
    kept = {name: each for name, each in before.limits.items() if command.resource_class not in (None, name)}
    if kept:
        quotas.write(tx, before, command.project, kept, now)
    else:
        quotas.remove(tx, before)
    tx.publish(CAPACITY_FREED)


def get_quota(tx: Transaction, access: Access, now: int, project: str) -> QuotaUsage:
    """Return the limits of a project, and what it uses of them; a project without a quota has no limits."""
    require_to_see(access, project)
    return _usage(tx, now, project)


def list_quotas(tx: Transaction, access: Access, now: int, command: ListQuotas) -> list[Quota]:
    """Return the quotas that the caller sees."""
    return limits_of(tx).page(tx, visible_quotas(access), command.marker, command.limit)


def _lock(tx: Transaction, project: str) -> Quota | None:
    return quotas.get_many(tx, [project])[project] if quotas.lock(tx, [project]) else None


def _usage(tx: Transaction, now: int, project: str) -> QuotaUsage:
    room = read_rooms(tx, now, [project]).get(project)
    if room is None:
        return QuotaUsage(quota=Quota(project=project, limits={}), used={})
    return QuotaUsage(quota=room.quota, used={name: room.used(name) for name in room.quota.limits})


def _detail(resource_class: str | None) -> str:
    if resource_class is None:
        return ""
    return f" for class {resource_class}" if resource_class else " for all classes together"
