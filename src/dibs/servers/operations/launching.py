"""Launch servers: find a place, claim it, and begin to deploy when it is a bare-metal node, all in one transaction.

A server that finds no place is kept too, in ERROR and with the reason: that is the answer that its maker waits for.
Whoever loses the last place to another that launches at the same moment looks again, in a transaction of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from dibs.access.access import Access
from dibs.candidates.model.candidates import Candidate, Candidates
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.operations.candidates import find_candidates
from dibs.database.transaction import Again, Transaction
from dibs.errors import DibsError
from dibs.flavors.model.flavors import Flavor, groups_of, question_of
from dibs.flavors.operations.flavors import OneFlavor, seen
from dibs.flavors.queries import flavors
from dibs.leases.model.hosts import DISABLED_TRAIT
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.errors import CapacityExceeded, NoSuchTrait, ResourceClassNotFound
from dibs.ledger.operations import claiming
from dibs.machines.model import states
from dibs.machines.model.nodes import Node, is_free
from dibs.machines.operations import node_claims
from dibs.machines.operations.conductors import choose_conductor
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import nodes
from dibs.servers.model.hypervisors import HypervisorQuery
from dibs.servers.model.servers import (
    ACTIVE,
    BUILD,
    LaunchRight,
    ServerView,
    flavor_kept,
    instance_info,
    unknown_reservation,
)
from dibs.servers.queries import hypervisors, launch_rights, servers

CONSUMER_TYPE = "INSTANCE"
NO_PLACE = "No valid host was found. "
CANDIDATES_FEW = 64
"""How many candidates are enough to choose from, when none of them is kept for leases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchServers(OneFlavor):
    """Launch one or several servers of a flavor."""

    servers: Sequence[tuple[str, str]]
    """Uuid and name of each."""
    image: str | None = None
    reservation: str | None = None
    """The uuid of a reservation of whole hosts: only on those."""
    host: str | None = None
    """The name of a hypervisor: only there."""
    availability_zone: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    configdrive: Mapping[str, Any] | None = None
    """What a node finds on its config drive."""
    validate: Callable[[Node], None]
    """Raises when a node's driver cannot deploy it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a server can lie."""

    root: Member
    candidate: Candidate
    node: Node | None


class _Nowhere(Exception):
    """There is no place; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Launch:
    """What holds for all servers of one command."""

    command: LaunchServers
    flavor: Flavor
    right: LaunchRight | None = None
    """The reservation that they are for."""
    tree: str | None = None
    """The uuid of the only provider that will do."""
    problem: str | None = None
    """Why none of them finds a place, known without looking for one."""


def launch_servers(tx: Transaction, access: Access, now: int, command: LaunchServers) -> list[ServerView]:
    """Launch servers; each finds its place, or ends in ERROR and says why."""
    flavor = seen(tx, flavors.get(tx, command.flavor), command)
    right = None
    try:
        right = _launch_right(tx, access, flavor, command)
        reason = right.reason_against(access.actor.project, flavor) if right else None
        launch = _Launch(command=command, flavor=flavor, right=right, tree=_tree(tx, command), problem=reason)
    except _Nowhere as nowhere:
        launch = _Launch(command=command, flavor=flavor, right=right, problem=str(nowhere))
    for uuid, name in command.servers:
        _launch(tx, access, now, launch, uuid, name)
    made = [servers.get(tx, uuid) for uuid, _ in command.servers]
    return [view for view in made if view is not None]


def _launch_right(tx: Transaction, access: Access, flavor: Flavor, command: LaunchServers) -> LaunchRight | None:
    """The reservation that the servers are for, locked: its lease cannot end in between; None when there is none.

    Servers that find no place because the lease has not begun are the lease's too, and go with it.
    """
    reservation_id = flavor.reservation_id
    if reservation_id is None and command.reservation is not None:
        reservation_id = launch_rights.id_of(tx, command.reservation)
        if reservation_id is None:
            raise _Nowhere(unknown_reservation(command.reservation))
    if reservation_id is None:
        return None
    launch_rights.lock(tx, [reservation_id])
    right = launch_rights.get(tx, reservation_id)
    if right is None or right.project_id != access.actor.project:
        raise _Nowhere(unknown_reservation(right.uuid if right else flavor.flavor))
    return right


def _tree(tx: Transaction, command: LaunchServers) -> str | None:
    """The provider that the caller insists on."""
    if command.host is None:
        return None
    found = hypervisors.page(tx, HypervisorQuery(name=command.host))
    if not found:
        raise _Nowhere(f"Host {command.host} could not be found.")
    return found[0].uuid


def _launch(tx: Transaction, access: Access, now: int, launch: _Launch, uuid: str, name: str) -> None:
    place, problem = None, launch.problem
    if problem is None:
        try:
            place = _find_place(tx, access, now, launch, uuid)
        except _Nowhere as nowhere:
            problem = str(nowhere)
    on_compute_host = place is not None and place.node is None
    # Whoever guards the hosts of leases looks here for what the consumer of a claim was launched for.
    row_id = servers.add(
        tx,
        {
            "uuid": uuid,
            "name": name,
            "project_id": access.actor.project,
            "user_id": access.actor.user,
            "status": ACTIVE if on_compute_host else BUILD,
            "flavor": flavor_kept(launch.flavor),
            "reservation_id": launch.right.id if launch.right else None,
            "provider_id": place.root.id if place else None,
            "image": launch.command.image,
            "availability_zone": launch.command.availability_zone,
            "properties": launch.command.properties,
            "created_at": now,
            "launched_at": now if on_compute_host else None,
        },
    )
    if place is not None:
        problem = _settle(tx, access, now, launch, place, uuid, name)
    if problem is not None:
        servers.fail(tx, row_id, NO_PLACE + problem)


def _find_place(tx: Transaction, access: Access, now: int, launch: _Launch, uuid: str) -> _Place:
    flavor, right = launch.flavor, launch.right
    if not any(group.resources for group in groups_of(flavor).values()):
        raise _Nowhere(f"Flavor {flavor.name} asks for no resources.")
    booked = None if right is None else launch_rights.booked(tx, right.id)
    # Who looks on few hosts among many has to look at all; others find a place among the first, nearly always.
    found = [] if booked is not None else _look(tx, access, now, launch, None, CANDIDATES_FEW)
    found = found or _look(tx, access, now, launch, booked, None)
    if not found:
        where = f" on the hosts of reservation {right.uuid}" if right else ""
        raise _Nowhere(f"There is no room for flavor {flavor.name}{where}.")
    # Those who look at the same moment do not all reach for the same place.
    found.sort(key=lambda place: crc32(f"{uuid} {place.root.uuid}".encode()))
    return _first_usable(tx, now, launch.command, found)


def _look(
    tx: Transaction, access: Access, now: int, launch: _Launch, booked: set[int] | None, limit: int | None
) -> list[_Place]:
    """Places for a server as the ledger sees them: on booked hosts only, or where no lease has a say."""
    in_service = Criteria(forbidden=frozenset({DISABLED_TRAIT}))
    query = question_of(launch.flavor, root_traits=in_service, in_tree=launch.tree, limit=limit)
    try:
        places = _rooted(find_candidates(tx, access, now, query))
    except (NoSuchTrait, ResourceClassNotFound) as error:
        raise _Nowhere(str(error)) from error
    if booked is None:
        kept = launch_rights.kept(tx, sorted({root.id for root, _ in places}))
        places = [(root, candidate) for root, candidate in places if root.id not in kept]
    else:
        places = [(root, candidate) for root, candidate in places if root.id in booked]
    machines = nodes.get_many(tx, sorted({root.uuid for root, _ in places}))
    found = [_Place(root=root, candidate=candidate, node=machines.get(root.uuid)) for root, candidate in places]
    # Between these two looks somebody may have taken a node.
    return [place for place in found if place.node is None or place.node.instance_uuid is None]


def _rooted(found: Candidates) -> list[tuple[Member, Candidate]]:
    """Each candidate with the root of the tree that it lies in; what shares with others is no place to lie in."""
    members = {member.uuid: member for member in found.providers}
    placed = []
    for candidate in found.candidates:
        own = next((members[uuid] for uuid in candidate.resources if not members[uuid].shares), None)
        if own is not None:
            placed.append((members[own.root], candidate))
    return placed


def _first_usable(tx: Transaction, now: int, command: LaunchServers, places: Sequence[_Place]) -> _Place:
    """The first place that can be used at once. A compute host always can; a node must be at rest and well set up."""
    reasons = []
    for place in places:
        if place.node is None:
            return place
        try:
            if is_free(place.node):
                command.validate(place.node)
                choose_conductor(
                    tx, now, driver=place.node.driver, group=place.node.conductor_group, seed=place.node.uuid
                )
                return place
            reasons.append(f"Node {place.node.uuid} is busy.")
        except DibsError as error:
            reasons.append(str(error))
    raise _Nowhere(" ".join(dict.fromkeys(reasons)))


def _settle(
    tx: Transaction, access: Access, now: int, launch: _Launch, place: _Place, uuid: str, name: str
) -> str | None:
    """Claim a place, and begin to deploy when it is a node; gives the reason when leases do not allow it."""
    request = ClaimRequest(
        consumer=uuid,
        resources=place.candidate.resources,
        generation=None,
        project_id=access.actor.project,
        user_id=access.actor.user,
        consumer_type=CONSUMER_TYPE,
    )
    try:
        claiming.replace_claims(tx, now, [request])
    except CapacityExceeded as error:
        raise Again from error  # Somebody else took it this very moment; there may be other places.
    except DibsError as error:
        # Nothing was written: all is checked before anything is.
        return str(error)
    if place.node is not None:
        _deploy(tx, access, now, launch, place, uuid, name)
    return None


def _deploy(tx: Transaction, access: Access, now: int, launch: _Launch, place: _Place, uuid: str, name: str) -> None:
    node = nodes.lock(tx, place.root.uuid, now)
    if node is None or not is_free(node):
        raise Again  # Somebody began to work on it this very moment.
    command, flavor = launch.command, launch.flavor
    asked = {trait for choice in groups_of(flavor)[""].traits.required for trait in choice}
    info = instance_info(name, command.image, flavor, tuple(sorted(asked & place.root.traits)))
    node = save_node(tx, node, now, instance_uuid=uuid, instance_name=name, instance_info=info)
    node_claims.associate(tx, now, node, uuid)
    request = RequestProvision(
        ident=node.uuid,
        guard=_allow,
        validate=command.validate,
        verb=states.DEPLOY,
        configdrive=dict(command.configdrive) if command.configdrive else None,
    )
    request_provision(tx, access, now, request)


def _allow(node: Node) -> None:
    """Whoever may have the server may have its node."""
