"""Nodes as they were at a moment: what they are now, with the later changes undone, and the first reason against each.

What waits in the queue and which nodes tasks have locked is not undone: a node that only these kept from others counts
as free.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from dibs.allocations.model import shortages
from dibs.allocations.model.allocations import Requirements
from dibs.machines.model import states

NODE, HOLD, CLAIM, BOOKING = "node", "hold", "claim", "booking"
"""The kinds of objects that decide about a node."""

Uses = Mapping[str, int]
"""How many holds, claims and bookings a node has."""


class LaterChange(NamedTuple):
    """A change of a node or of one of its uses, after the moment."""

    kind: str
    node: str
    existed: bool
    """Whether the object existed before the change."""
    exists: bool
    """Whether it existed after the change."""
    before: Mapping[str, Any]
    """What the change of a node changed, as it was."""


class PastNodes(NamedTuple):
    """Nodes and their uses, by the uuids of the nodes; ``undo`` changes them."""

    attributes: dict[str, dict[str, Any]]
    uses: defaultdict[str, Counter[str]]

    def undo(self, later: Iterable[LaterChange]) -> None:
        """Undo changes, the newest first. A node that is not here, and was not deleted, is of another class."""
        for change in later:
            if change.kind != NODE:
                self.uses[change.node][change.kind] += change.existed - change.exists
            elif not change.existed:
                self.attributes.pop(change.node, None)
            elif not change.exists:
                self.attributes[change.node] = dict(change.before)
            elif change.node in self.attributes:
                self.attributes[change.node].update(change.before)

    def count_reasons(self, required: Requirements, visible: Iterable[str]) -> dict[str, int]:
        """Return how many of the visible nodes fail for which reason first, and how many are free."""
        found = Counter(first_reason(self.attributes[uuid], self.uses[uuid], required) for uuid in visible)
        return dict(sorted(found.items()))


def is_concerned(uuid: str, node: Mapping[str, Any], required: Requirements) -> bool:
    """Return True for a node of the class, the candidates, by uuid or name, and the project."""
    return (
        node.get("resource_class") == required.resource_class
        and (not required.candidate_nodes or not {uuid, node.get("name")}.isdisjoint(required.candidate_nodes))
        and (required.owner is None or required.owner in (node.get("owner"), node.get("lessee")))
    )


def first_reason(node: Mapping[str, Any], uses: Uses, required: Requirements) -> str:
    """Return the first reason against a node, in the order of ``allocations.queries.free_nodes``; FREE without one."""
    lacks = (number for number, trait in enumerate(required.traits) if trait not in (node.get("traits") or ()))
    lacked = next(lacks, None)
    reasons = (
        (uses.get(HOLD), shortages.HELD),
        (node.get("instance_uuid") or uses.get(CLAIM), shortages.IN_USE),
        (uses.get(BOOKING), shortages.BOOKED),
        (node.get("maintenance"), shortages.IN_MAINTENANCE),
        (node.get("provision_state") != states.AVAILABLE, shortages.NOT_AVAILABLE),
        (node.get("retired"), shortages.RETIRED),
        (node.get("power_state") in (None, states.POWER_ERROR), shortages.POWER_UNKNOWN),
        (lacked is not None, f"{shortages.LACKS}{lacked}"),
    )
    return next((reason for against, reason in reasons if against), shortages.FREE)
