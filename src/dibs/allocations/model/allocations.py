"""Allocations for a node: "give me one of this class, with these traits". The bare-metal API calls them allocations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.errors import WrongState
from dibs.machines.model.nodes import RESOURCE_CLASS_LENGTH_MAX, Json, Node

ALLOCATING = "allocating"
ACTIVE = "active"
ERROR = "error"
STATES = (ALLOCATING, ACTIVE, ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What somebody asked for, and what came of it."""

    id: int
    uuid: str
    """Also the instance that the node will carry, and the consumer of its claim."""
    name: str | None = None
    state: str = ALLOCATING
    resource_class: str | None = None
    traits: tuple[str, ...] = ()
    candidate_nodes: tuple[str, ...] = ()
    """Uuids; empty when any node will do."""
    extra: Json = field(default_factory=dict)
    owner: str | None = None
    """The project whose nodes it may have: those that it owns or leases. None may have any."""
    last_error: str | None = None
    node_id: int | None = None
    node_uuid: str | None = None
    conductor_id: int | None = None
    """Who is to find the node."""
    wait_until: int | None = None
    """When it stops waiting for a node to become free; None when it does not wait at all."""
    sticky: bool = False
    """True when it keeps its node after a tear-down."""
    batch: str | None = None
    """Allocations of one batch are served together or not at all."""
    created_at: int
    updated_at: int | None = None

    def fits(self, node: Node, traits: Collection[str]) -> bool:
        """True when the node is of the kind that is asked for, whether it is free or not."""
        return (
            node.resource_class == self.resource_class
            and (not self.candidate_nodes or node.uuid in self.candidate_nodes)
            and set(self.traits) <= set(traits)
            and (self.owner is None or self.owner in (node.owner, node.lessee))
        )

    def waits(self, now: int) -> bool:
        """True while it would rather wait than fail."""
        return self.wait_until is not None and now < self.wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationQuery:
    """One page of allocations. They come whole: an allocation is small."""

    node: str | None = None
    """The uuid of the node that it has."""
    resource_class: str | None = None
    state: str | None = None
    owner: str | None = None
    sort_key: str = "id"
    descending: bool = False
    limit: int = 1_000
    marker: str | None = None


def check_resource_class(name: str) -> None:
    """Refuse what cannot be a class of a node."""
    if not name or len(name) > RESOURCE_CLASS_LENGTH_MAX:
        raise BadValue(
            reason=f"Field resource_class: a resource class has 1 to {RESOURCE_CLASS_LENGTH_MAX} characters."
        )


def check_removable(node: Node, allocation: Allocation) -> None:
    """Refuse to take a node away that is in use or on its way there; in maintenance that is how it is got back."""
    if node.maintenance:
        return
    why = None
    if node.target_provision_state and node.provision_state not in states.UPDATE_ALLOWED_STATES:
        why = f"in state {node.provision_state} where updates are not allowed"
    elif node.provision_state == states.ACTIVE:
        why = "active"
    if why:
        raise WrongState(
            reason=f"Cannot remove allocation {allocation.uuid} for node {node.uuid}, because the node is {why} "
            "(and maintenance mode is off)"
        )


# --- why there is no node ---

HELD, IN_USE, IN_MAINTENANCE, NOT_AVAILABLE = "held", "in use", "in maintenance", "not available"
RETIRED, POWER_UNKNOWN, LOCKED, PROMISED = "retired", "power unknown", "locked", "promised"
FREE, BOOKED = "free", "booked"
LACKS = "lacks "
"""Begins the reason of nodes that lack the trait of the number that follows."""

_WORDS = {
    FREE: "free",
    IN_USE: "in use",
    HELD: "held by a reservation",
    BOOKED: "booked by a lease",
    IN_MAINTENANCE: "in maintenance",
    NOT_AVAILABLE: "not available",
    RETIRED: "retired",
    POWER_UNKNOWN: "with unknown power state",
    LOCKED: "locked",
    PROMISED: "promised to allocations that wait",
}


def explain_shortage(allocation: Allocation, counts: Mapping[str, int]) -> str:
    """Why nothing was found, from how many nodes fail for which reason: "3 nodes of class gold: 2 in use, 1 locked"."""
    total = sum(counts.values())
    noun = "candidate node" if allocation.candidate_nodes else "node"
    text = f"{total or 'no'} {noun}{'' if total == 1 else 's'} of class {allocation.resource_class}"
    if allocation.owner is not None:
        text += f" of project {allocation.owner}"
    most_first = sorted(counts.items(), key=lambda item: -item[1])
    reasons = [f"{count} {_words(reason, count, allocation.traits)}" for reason, count in most_first]
    return f"{text}: {', '.join(reasons)}" if reasons else text


def reason_codes(allocation: Allocation, counts: Mapping[str, int]) -> dict[str, int]:
    """The same counts for programs: ``in_use``, ``power_unknown``, ``lacks:CUSTOM_GPU`` …, the most frequent first."""
    most_first = sorted(counts.items(), key=lambda item: -item[1])
    return {_code(reason, allocation.traits): count for reason, count in most_first}


def _code(reason: str, traits: Sequence[str]) -> str:
    if reason.startswith(LACKS):
        return f"lacks:{traits[int(reason.removeprefix(LACKS))]}"
    return reason.replace(" ", "_")


def _words(reason: str, count: int, traits: Sequence[str]) -> str:
    if reason.startswith(LACKS):
        return f"{'lacks' if count == 1 else 'lack'} {traits[int(reason.removeprefix(LACKS))]}"
    return _WORDS[reason]


def mismatches(allocation: Allocation, node: Node, traits: Collection[str]) -> list[str]:
    """Everything in which a node that was named differs from what the allocation asks for."""
    found = []
    if node.resource_class != allocation.resource_class:
        found.append(
            f"Resource class {node.resource_class} does not match the requested resource class "
            f"{allocation.resource_class}"
        )
    if missing := sorted(set(allocation.traits) - set(traits)):
        found.append(f"The node lacks the requested traits {', '.join(missing)}")
    if allocation.candidate_nodes and node.uuid not in allocation.candidate_nodes:
        found.append("Candidate nodes must be empty or contain the target node")
    if allocation.owner is not None and allocation.owner not in (node.owner, node.lessee):
        found.append(f"Project {allocation.owner} neither owns nor leases it")
    return found


def unfit_to_backfill(allocation: Allocation, node: Node, traits: Collection[str]) -> list[str]:
    """Everything that keeps an allocation from being entered for a node that somebody already has."""
    found = mismatches(allocation, node, traits)
    if node.provision_state != states.ACTIVE:
        found.insert(0, f'Node must be in the "active" state, but the current state is "{node.provision_state}"')
    return found
