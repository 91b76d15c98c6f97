"""What projects use, as the packages that know it tell. The wiring registers a source for each of them."""

from collections import defaultdict
from collections.abc import Sequence

from dibs.database.transaction import Transaction
from dibs.quotas.model.rooms import Room
from dibs.quotas.model.uses import Queued, Use
from dibs.quotas.operations.limits import limits_of
from dibs.quotas.queries import node_uses


class UsageSource:
    """What one package knows about the use of projects."""

    def uses(self, tx: Transaction, now: int, projects: Sequence[str]) -> list[Use]:
        """Return what projects use now, and what is booked for them."""
        return []

    def queued(self, tx: Transaction, projects: Sequence[str]) -> list[Queued]:
        """Return how many allocations of projects have no node yet."""
        return []


class NodeUsage(UsageSource):
    """The nodes that projects have."""

    def uses(self, tx: Transaction, now: int, projects: Sequence[str]) -> list[Use]:
        """See UsageSource."""
        return node_uses.of_projects(tx, projects, now)


def read_rooms(tx: Transaction, now: int, projects: Sequence[str]) -> dict[str, Room]:
    """Return the rooms of those projects that have a quota. When none has one, this takes one statement."""
    found = limits_of(tx).get_many(tx, projects) if projects else {}
    if not found:
        return {}
    limited = sorted(found)
    uses: dict[str, list[Use]] = defaultdict(list)
    queued: dict[str, list[Queued]] = defaultdict(list)
    for source in tx.hooks.every(UsageSource):
        for use in source.uses(tx, now, limited):
            uses[use.project].append(use)
        for each in source.queued(tx, limited):
            queued[each.project].append(each)
    return {project: Room(quota, uses[project], queued[project], now) for project, quota in found.items()}
