"""Choose the host of a new server: search candidates, keep to leases, and check that a node can be deployed.

A choice is a hint. The claim checks it again under its locks.
"""

from collections.abc import Sequence
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.candidates.model.candidates import Candidate, Candidates
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.operations.candidates import find_candidates
from dibs.database.transaction import Transaction
from dibs.errors import DibsError
from dibs.flavors.model.flavors import Flavor, candidate_query, groups_of
from dibs.leases.model.hosts import DISABLED_TRAIT
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.errors import NoSuchTrait, ResourceClassNotFound
from dibs.machines.model import states
from dibs.machines.model.nodes import Node, is_free
from dibs.machines.operations.conductors import choose_conductor
from dibs.machines.operations.guards import node_drivers
from dibs.machines.queries import nodes
from dibs.servers.model.launch_reservations import LaunchReservation
from dibs.servers.queries import launch_reservations

FIRST_SEARCH_MAX = 64
"""The number of candidates of the first search: nearly always, leases leave at least one of them free."""


class NoValidHost(Exception):
    """No host can run the server; the message says why."""


class RequestSpec(Struct, frozen=True, kw_only=True):
    """The requirements that the servers of one request have for a host."""

    flavor: Flavor
    reservation: LaunchReservation | None = None
    """The reservation that they are launched for: only its hosts."""
    host_uuid: str | None = None
    """The only provider that the caller accepts."""


class Destination(Struct, frozen=True, kw_only=True):
    """A host for one server, and the resources that the server claims there."""

    root: Member
    candidate: Candidate
    provider_ids: frozenset[int]
    """The row ids of the root and of every provider that the server claims from."""
    node: Node | None = None
    """None for a compute host."""


def select_destination(tx: Transaction, access: Access, now: int, spec: RequestSpec, server_uuid: str) -> Destination:
    """Return a host for a server; raise NoValidHost when there is none."""
    flavor, reservation = spec.flavor, spec.reservation
    if not any(group.resources for group in groups_of(flavor).values()):
        raise NoValidHost(f"Flavor {flavor.name} asks for no resources.")
    if reservation is None:
        found = _outside_leases(tx, access, now, spec, FIRST_SEARCH_MAX) or _outside_leases(tx, access, now, spec, None)
    else:
        found = _on_booked_hosts(tx, access, now, spec, reservation)
    if not found:
        where = f" on the hosts of reservation {reservation.uuid}" if reservation else ""
        raise NoValidHost(f"There is no room for flavor {flavor.name}{where}.")
    # Each server has its own order, so that concurrent launches do not all claim the same host.
    found.sort(key=lambda destination: crc32(f"{server_uuid} {destination.root.uuid}".encode()))
    return _first_deployable(tx, now, found)


def _outside_leases(
    tx: Transaction, access: Access, now: int, spec: RequestSpec, limit: int | None
) -> list[Destination]:
    """Return destinations that no lease keeps for itself."""
    found = _search(tx, access, now, spec, limit)
    kept = launch_reservations.kept_for_leases(tx, sorted({each.root.id for each in found}))
    return _without_instance(tx, [each for each in found if each.root.id not in kept])


def _on_booked_hosts(
    tx: Transaction, access: Access, now: int, spec: RequestSpec, reservation: LaunchReservation
) -> list[Destination]:
    """Return destinations on the hosts of a reservation. They are few among many, so the search has no limit."""
    booked = launch_reservations.booked_providers(tx, reservation.id)
    found = _search(tx, access, now, spec, None)
    return _without_instance(tx, [each for each in found if each.root.id in booked])


def _search(tx: Transaction, access: Access, now: int, spec: RequestSpec, limit: int | None) -> list[Destination]:
    """Return the candidates of the ledger on enabled hosts; their nodes are not read yet."""
    enabled = Criteria(forbidden=frozenset({DISABLED_TRAIT}))
    query = candidate_query(spec.flavor, root_traits=enabled, in_tree=spec.host_uuid, limit=limit)
    try:
        return _destinations(find_candidates(tx, access, now, query))
    except (NoSuchTrait, ResourceClassNotFound) as error:
        raise NoValidHost(str(error)) from error


def _destinations(found: Candidates) -> list[Destination]:
    """Return each candidate with the root of its tree; a candidate of sharing providers alone has no host."""
    members = {member.uuid: member for member in found.providers}
    rooted = []
    for candidate in found.candidates:
        own = next((members[uuid] for uuid in candidate.resources if not members[uuid].shares), None)
        if own is not None:
            root = members[own.root]
            claimed = frozenset(members[uuid].id for uuid in candidate.resources)
            rooted.append(Destination(root=root, candidate=candidate, provider_ids=claimed | {root.id}))
    return rooted


def _without_instance(tx: Transaction, found: Sequence[Destination]) -> list[Destination]:
    """Read the nodes among the roots; leave out those that got an instance since the search."""
    machines = nodes.get_many(tx, sorted({each.root.uuid for each in found}))
    destinations = [replace(each, node=machines.get(each.root.uuid)) for each in found]
    return [each for each in destinations if each.node is None or each.node.instance_uuid is None]


def _first_deployable(tx: Transaction, now: int, found: Sequence[Destination]) -> Destination:
    """Return the first compute host, or the first idle node that its driver and a live conductor can deploy."""
    reasons = []
    for destination in found:
        node = destination.node
        if node is None:
            return destination
        if not is_free(node):
            reasons.append(f"Node {node.uuid} is busy.")
            continue
        try:
            node_drivers(tx).check_settings(node, states.DEPLOY)
            choose_conductor(tx, now, driver=node.driver, group=node.conductor_group, seed=node.uuid)
        except DibsError as error:
            reasons.append(str(error))
        else:
            return destination
    raise NoValidHost(" ".join(dict.fromkeys(reasons)))
