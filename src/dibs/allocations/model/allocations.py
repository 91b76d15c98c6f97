"""Allocations: a client asks for a node of a class with traits, and a conductor finds it."""

from collections.abc import Collection
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from dibs.access.access import VisibleProjects
from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.conductors import after
from dibs.machines.model.errors import WrongState
from dibs.machines.model.nodes import RESOURCE_CLASS_LENGTH_MAX, Json, Node
from dibs.quotas.model.uses import NEVER

ALLOCATING = "allocating"
ACTIVE = "active"
ERROR = "error"
STATES = (ALLOCATING, ACTIVE, ERROR)


class Requirements(Struct, frozen=True, kw_only=True):
    """The nodes that an allocation accepts. Allocations with equal requirements accept the same nodes."""

    resource_class: str | None
    traits: tuple[str, ...] = ()
    candidate_nodes: tuple[str, ...] = ()
    """Uuids; empty accepts any node."""
    owner: str | None = None
    """Accept only nodes that this project owns or leases; None accepts the nodes of every project."""

    def accept(self, node: Node, traits: Collection[str]) -> bool:
        """Return True when the node is of the required kind, whether it is free or not."""
        return not mismatches(self, node, traits)


class Lifetime(NamedTuple):
    """How long an allocation lasts: from the moment at which it gets its node, or until a moment; or without an end."""

    seconds: int | None = None
    until: int | None = None

    def end_from(self, start: int) -> int:
        """Return the end when it begins at a moment; NEVER without an end."""
        if self.seconds is not None:
            return after(start, self.seconds)
        return NEVER if self.until is None else self.until


class Allocation(Struct, frozen=True, kw_only=True):
    """A request for one node, and its result."""

    id: int
    """Also the position in the queue by age."""
    uuid: str
    """Also the instance that the node will carry, and the consumer of its claim."""
    name: str | None = None
    state: str = ALLOCATING
    resource_class: str | None = None
    traits: tuple[str, ...] = ()
    candidate_nodes: tuple[str, ...] = ()
    """Uuids; empty accepts any node."""
    extra: Json = field(default_factory=dict)
    owner: str | None = None
    """The project that the allocation belongs to; it gets nodes that this project owns or leases. None gets any."""
    user_id: str | None = None
    """The user who created it."""
    last_error: str | None = None
    node_id: int | None = None
    node_uuid: str | None = None
    conductor_id: int | None = None
    """The conductor that finds the node."""
    wait_until: int | None = None
    """The deadline of an allocation that waits for a node to become free; None fails when no node is free."""
    sticky: bool = False
    """True keeps the node through a teardown."""
    keep_alive_seconds: int | None = None
    """How long it lives without a heartbeat of its client; None needs no heartbeats."""
    alive_until: int | None = None
    """When it ends unless a heartbeat comes before; None without heartbeats."""
    lifetime_seconds: int | None = None
    """How long it keeps its node; None has no end, or the one that its client named."""
    ends_at: int | None = None
    """Its end; None without one, and until it has its node when only the lifetime is known."""
    end_due_at: int | None = None
    """When a conductor gives notice of the end, or ends it."""
    noticed_at: int | None = None
    """When notice was given that it ends soon."""
    promised_at: int | None = None
    """When it has its node at the latest, while it waits; None when that is not known."""
    promise_nodes: tuple[str, ...] = ()
    """The uuids of the nodes that it counts on."""
    depends_on: str | None = None
    """What its start depends on while it is not known."""
    moved_by: str | None = None
    """What last moved its promised start to a later moment."""
    batch: str | None = None
    """Allocations of one batch get their nodes together or not at all."""
    created_at: int
    updated_at: int | None = None

    @property
    def requirements(self) -> Requirements:
        """The nodes that it accepts."""
        return Requirements(
            resource_class=self.resource_class,
            traits=self.traits,
            candidate_nodes=self.candidate_nodes,
            owner=self.owner,
        )

    @property
    def lifetime(self) -> Lifetime:
        """How long it lasts."""
        if self.lifetime_seconds is not None:
            return Lifetime(seconds=self.lifetime_seconds)
        return Lifetime(until=self.ends_at)

    def alive_from(self, now: int) -> int | None:
        """Return the end of its life after a heartbeat now; None when it needs no heartbeats."""
        return None if self.keep_alive_seconds is None else after(now, self.keep_alive_seconds)

    def kept_alive_for(self, seconds: int | UnsetType | None) -> "Allocation":
        """Return it with another time until a heartbeat is overdue; UNSET leaves the time as it is."""
        return self if seconds is UNSET else replace(self, keep_alive_seconds=seconds)

    def is_abandoned(self, now: int) -> bool:
        """Return True when the heartbeat of its client is overdue."""
        return self.alive_until is not None and self.alive_until <= now

    def waits(self, now: int) -> bool:
        """Return True until its deadline."""
        return self.wait_until is not None and now < self.wait_until


class AllocationQuery(Struct, frozen=True, kw_only=True):
    """One page of allocations."""

    projects: VisibleProjects = frozenset()
    """Only allocations that belong to these projects."""
    node: str | None = None
    """Only the allocation of this node, by uuid or name."""
    resource_class: str | None = None
    state: str | None = None
    sort_key: str = "id"
    descending: bool = False
    limit: int = 1_000
    marker: str | None = None


def check_resource_class(name: str) -> None:
    """Raise BadValue for a name that no node can have as its class."""
    if not name or len(name) > RESOURCE_CLASS_LENGTH_MAX:
        raise BadValue(
            reason=f"Field resource_class: a resource class has 1 to {RESOURCE_CLASS_LENGTH_MAX} characters."
        )


def check_removable(node: Node, allocation: Allocation) -> None:
    """Raise WrongState for a node that is in use or being deployed; maintenance lets an operator remove it anyway."""
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


def mismatches(required: Requirements, node: Node, traits: Collection[str]) -> list[str]:
    """Return every way in which a node differs from the requirements."""
    found = []
    if node.resource_class != required.resource_class:
        found.append(
            f"Resource class {node.resource_class} does not match the requested resource class "
            f"{required.resource_class}"
        )
    if missing := sorted(set(required.traits) - set(traits)):
        found.append(f"The node lacks the requested traits {', '.join(missing)}")
    if required.candidate_nodes and node.uuid not in required.candidate_nodes:
        found.append("Candidate nodes must be empty or contain the target node")
    if required.owner is not None and required.owner not in (node.owner, node.lessee):
        found.append(f"Project {required.owner} neither owns nor leases it")
    return found


def unfit_to_backfill(required: Requirements, node: Node, traits: Collection[str]) -> list[str]:
    """Return every reason against an allocation for a node that is deployed already."""
    found = mismatches(required, node, traits)
    if node.provision_state != states.ACTIVE:
        found.insert(0, f'Node must be in the "active" state, but the current state is "{node.provision_state}"')
    return found
