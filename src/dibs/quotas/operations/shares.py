"""Count what each project has of the nodes, and set its weight, where the order of the queue is fair share.

``ShareKeeper`` counts before the commit of every transaction in which a project gets or releases a node, by the claims
that the transaction recorded: no path can forget it. A share is one row, and the row is the lock: while a transaction
gives nodes to a project from the queue, no other one changes what the project has (docs/adr/0019).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.runner import Cause, CommitHook
from dibs.database.transaction import Transaction
from dibs.events.model.events import CREATED, DELETED, Event, merge
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.machines.model.conductors import after
from dibs.quotas.model.access import require_to_update, visible_quotas
from dibs.quotas.model.errors import ShareNotFound
from dibs.quotas.model.shares import FORGOTTEN_AFTER, NO_PROJECT, Share, Standing, standing_of
from dibs.quotas.queries import shares

FORGOTTEN_MAX = 500
"""How many shares one transaction forgets."""

_CUSTOM = "CUSTOM_"
"""The beginning of each resource class of a node."""


class SetWeight(Struct, frozen=True, kw_only=True):
    """Set the weight of a project; None sets the default again."""

    project: str
    weight: int | None


class ListShares(Struct, frozen=True, kw_only=True):
    """List shares in the order of the projects."""

    limit: int
    marker: str = ""
    """The last project of the previous page."""


class ShareKeeper(CommitHook):
    """Counts the nodes of projects in the transactions that change them; without a half-life it counts nothing."""

    def __init__(self, half_life_seconds: float | None = None) -> None:
        self.half_life = None if half_life_seconds is None else after(0, half_life_seconds)
        """In microseconds; None where the order of the queue is that of arrival."""

    def before_commit(self, tx: Transaction, now: int, cause: Cause) -> None:
        """Count the nodes of every project that got or released one, in the order of the projects."""
        if self.half_life is None:
            return
        changes = _changes(merge(event for event in tx.recorded if isinstance(event, Event)))
        for project, change in sorted(changes.items()):
            before = shares.lock(tx, project)
            has = _count_nodes(tx, project)
            present = before or _uncounted(project, has - change, now)
            shares.write(tx, before, present.counted(now, self.half_life, has))


def half_life_of(tx: Transaction) -> int | None:
    """Return the half-life of what projects had; None where the order of the queue is that of arrival."""
    (keeper,) = tx.hooks.every(ShareKeeper)
    return keeper.half_life


def lock_share(tx: Transaction, now: int, project: str | None) -> None:
    """Let no other transaction change what a project has, where this decides the order of the queue."""
    if half_life_of(tx) is None:
        return
    project = project or NO_PROJECT
    if shares.lock(tx, project) is None:
        shares.write(tx, None, _uncounted(project, _count_nodes(tx, project), now))


def read_standings(tx: Transaction, now: int, half_life: int, projects: Sequence[str]) -> dict[str, Standing]:
    """Return what projects have and had, by project."""
    counted, has = shares.get_many(tx, projects), shares.count_nodes(tx, projects)
    return {
        project: standing_of(counted.get(project), project, has.get(project, 0), now, half_life) for project in projects
    }


def set_weight(tx: Transaction, access: Access, now: int, command: SetWeight) -> Share:
    """Set the weight of a project; the queue has another order at once."""
    require_to_update(access)
    before = shares.lock(tx, command.project)
    if command.weight is None and (before is None or before.weight is None):
        raise ShareNotFound(project=command.project)
    present = before or _uncounted(command.project, _count_nodes(tx, command.project), now)
    changed = replace(present, weight=command.weight)
    shares.write(tx, before, changed)
    # An allocation that waits may come before others now.
    tx.publish(CAPACITY_FREED)
    return changed


def list_shares(tx: Transaction, access: Access, now: int, command: ListShares) -> list[Share]:
    """Return the shares that the caller sees, as they are now."""
    half_life = half_life_of(tx)
    found = shares.page(tx, visible_quotas(access), command.marker, command.limit)
    return found if half_life is None else [each.counted(now, half_life, each.nodes) for each in found]


def forget_shares(tx: Transaction, access: Access, now: int, command: None) -> int:
    """Remove shares that say nothing any more; return how many."""
    half_life = half_life_of(tx)
    return 0 if half_life is None else shares.forget(tx, now - FORGOTTEN_AFTER * half_life, FORGOTTEN_MAX)


def _changes(events: Iterable[Event]) -> Counter[str]:
    """Return by how many the claims on nodes of each project change; a project whose number stays is there with 0."""
    found: Counter[str] = Counter()
    for event in events:
        number = {f"claim.{CREATED}": 1, f"claim.{DELETED}": -1}.get(event.type)
        if number is not None and any(name.startswith(_CUSTOM) for name in event.after or event.before or ()):
            found[event.project or NO_PROJECT] += number
    return found


def _count_nodes(tx: Transaction, project: str) -> int:
    return shares.count_nodes(tx, [project]).get(project, 0)


def _uncounted(project: str, nodes: int, now: int) -> Share:
    """Return the share of a project that had these nodes when counting begins; it has had them for long."""
    return Share(project=project, average=float(max(nodes, 0)), nodes=max(nodes, 0), counted_at=now)
