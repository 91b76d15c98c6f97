"""Launch servers: choose a host, claim it, and start the deployment when it is a bare-metal node, in one transaction.

A server without a valid host is stored too, in ERROR and with the reason: that is how Nova answers. A launch that loses
its host to a concurrent claim runs again, in a new transaction.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.access import SERVICE, Access
from dibs.database.transaction import Again, Transaction
from dibs.errors import DibsError
from dibs.flavors.model.flavors import Flavor, groups_of
from dibs.flavors.operations.flavors import FlavorReference, get_flavor
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import CapacityExceeded
from dibs.ledger.operations import claiming
from dibs.ledger.queries import providers
from dibs.machines.model import states
from dibs.machines.model.nodes import is_free
from dibs.machines.operations import node_claims
from dibs.machines.operations.node_claims import NewInstance
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import nodes
from dibs.servers.model.hypervisors import HypervisorQuery
from dibs.servers.model.launch_reservations import LaunchReservation, unknown_reservation
from dibs.servers.model.servers import ACTIVE, BUILD, Server, ServerView, embedded_flavor, instance_info
from dibs.servers.operations.scheduling import Destination, NoValidHost, RequestSpec, select_destination
from dibs.servers.queries import hypervisors, launch_reservations, servers

CONSUMER_TYPE = "INSTANCE"
NO_VALID_HOST = "No valid host was found. "
NOT_ENOUGH_HOSTS = "There are not enough hosts available."
"""The reason of Nova's scheduler when a request needs more hosts than there are."""


class TooFewHosts(Exception):
    """Fewer servers than the command's ``least`` got a host: the transaction must leave no trace of the others."""


class LaunchServers(FlavorReference, frozen=True, kw_only=True):
    """Launch one or several servers of a flavor."""

    servers: tuple[tuple[str, str], ...]
    """The uuid and the name of each."""
    least: int = 1
    """When fewer servers than this get a host, none does."""
    image: str | None = None
    reservation: str | None = None
    """The uuid of a reservation: only on its hosts."""
    host: str | None = None
    """The name of a hypervisor: only there."""
    availability_zone: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    configdrive: Mapping[str, Any] | None = None
    """The content of the config drive of a node."""


class _Launch(Struct, frozen=True, kw_only=True):
    """The facts that all servers of one command share."""

    command: LaunchServers
    spec: RequestSpec
    problem: str | None
    """Why none of the servers gets a host, known without a search."""


def launch_servers(tx: Transaction, access: Access, now: int, command: LaunchServers) -> list[ServerView]:
    """Launch servers; each gets a host, or ends in ERROR with the reason.

    Raise TooFewHosts when too few get one. The caller then runs ``fail_servers``: only the end of the transaction
    undoes the deployments that this one has started.
    """
    launch = _prepare(tx, access, now, command)
    spare = len(command.servers) - command.least
    with_host = without_host = 0
    for uuid, name in command.servers:
        if _launch(tx, access, now, launch, uuid, name):
            with_host += 1
        else:
            without_host += 1
        if without_host > spare:
            if with_host:
                raise TooFewHosts
            launch = replace(launch, problem=launch.problem or NOT_ENOUGH_HOSTS)
    return _views(tx, command)


def fail_servers(tx: Transaction, access: Access, now: int, command: LaunchServers) -> list[ServerView]:
    """Store servers in ERROR, because too few of them can get a host."""
    launch = _prepare(tx, access, now, command)
    launch = replace(launch, problem=launch.problem or NOT_ENOUGH_HOSTS)
    for uuid, name in command.servers:
        _launch(tx, access, now, launch, uuid, name)
    return _views(tx, command)


def _views(tx: Transaction, command: LaunchServers) -> list[ServerView]:
    launched = [servers.get(tx, uuid) for uuid, _ in command.servers]
    return [view for view in launched if view is not None]


def _prepare(tx: Transaction, access: Access, now: int, command: LaunchServers) -> _Launch:
    """Read the flavor, lock the reservation and find the host that the command names."""
    flavor = get_flavor(tx, access, now, command)
    reservation = host_uuid = problem = None
    try:
        reservation = _lock_reservation(tx, access, flavor, command)
        host_uuid = _find_host(tx, command)
        if reservation is not None:
            problem = reservation.reason_against(access.actor.project, flavor)
    except NoValidHost as error:
        problem = str(error)
    spec = RequestSpec(flavor=flavor, reservation=reservation, host_uuid=host_uuid)
    return _Launch(command=command, spec=spec, problem=problem)


def _lock_reservation(
    tx: Transaction, access: Access, flavor: Flavor, command: LaunchServers
) -> LaunchReservation | None:
    """Lock the reservation that the servers are for, so that its lease cannot end meanwhile; None when there is none.

    A server that fails because its lease has not started belongs to the lease too, and is deleted with it.
    """
    reservation_id = flavor.reservation_id
    if reservation_id is None and command.reservation is not None:
        reservation_id = launch_reservations.id_of(tx, command.reservation)
        if reservation_id is None:
            raise NoValidHost(unknown_reservation(command.reservation))
    if reservation_id is None:
        return None
    launch_reservations.lock(tx, [reservation_id])
    reservation = launch_reservations.get(tx, reservation_id)
    if reservation is None or reservation.project_id != access.actor.project:
        raise NoValidHost(unknown_reservation(reservation.uuid if reservation else flavor.flavor))
    return reservation


def _find_host(tx: Transaction, command: LaunchServers) -> str | None:
    """Return the uuid of the hypervisor that the command names."""
    if command.host is None:
        return None
    found = hypervisors.page(tx, HypervisorQuery(name=command.host))
    if not found:
        raise NoValidHost(f"Host {command.host} could not be found.")
    return found[0].uuid


def _launch(tx: Transaction, access: Access, now: int, launch: _Launch, uuid: str, name: str) -> bool:
    """Launch one server; return False when it got no host."""
    destination, problem = None, launch.problem
    if problem is None:
        try:
            destination = select_destination(tx, access, now, launch.spec, uuid)
        except NoValidHost as error:
            problem = str(error)
    if destination is not None:
        _lock_providers(tx, now, destination)
    # The row comes before the claim: the guard of leased hosts reads the consumer's reservation from it.
    server = _add_server(tx, access, now, launch, destination, uuid, name)
    if destination is not None:
        problem = _claim(tx, access, now, destination, uuid)
        if problem is None and destination.node is not None:
            _deploy(tx, access, now, launch, destination, uuid, name)
    if problem is not None:
        servers.fail(tx, server, NO_VALID_HOST + problem)
    return problem is None


def _lock_providers(tx: Transaction, now: int, destination: Destination) -> None:
    """Lock what the server will claim, before its row is inserted (docs/adr/0010).

    The row's foreign key takes a shared lock on the host in MariaDB. Two launches that both have one deadlock when they
    claim.
    """
    if providers.lock_many(tx, destination.provider_ids, now) != len(destination.provider_ids):
        raise Again  # A concurrent transaction removed a provider; another host may have room.


def _add_server(
    tx: Transaction, access: Access, now: int, launch: _Launch, destination: Destination | None, uuid: str, name: str
) -> Server:
    on_compute_host = destination is not None and destination.node is None
    return servers.add(
        tx,
        Server(
            id=0,
            uuid=uuid,
            name=name,
            project_id=access.actor.project,
            user_id=access.actor.user,
            status=ACTIVE if on_compute_host else BUILD,
            flavor=embedded_flavor(launch.spec.flavor),
            reservation_id=launch.spec.reservation.id if launch.spec.reservation else None,
            provider_id=destination.root.id if destination else None,
            image=launch.command.image,
            availability_zone=launch.command.availability_zone,
            properties=launch.command.properties,
            created_at=now,
            launched_at=now if on_compute_host else None,
        ),
    )


def _claim(tx: Transaction, access: Access, now: int, destination: Destination, uuid: str) -> str | None:
    """Claim the destination; return the reason when a guard refuses it."""
    request = ClaimRequest(
        consumer=uuid,
        resources=destination.candidate.resources,
        generation=None,
        project_id=access.actor.project,
        user_id=access.actor.user,
        consumer_type=CONSUMER_TYPE,
    )
    try:
        claiming.replace_claims(tx, now, [request])
    except CapacityExceeded as error:
        raise Again from error  # A concurrent claim took it; another host may have room.
    except DibsError as error:
        # replace_claims checks everything before its first write, so nothing has to be undone.
        return str(error)
    return None


def _deploy(
    tx: Transaction, access: Access, now: int, launch: _Launch, destination: Destination, uuid: str, name: str
) -> None:
    """Make the server the instance of its node, and start the deployment."""
    node = nodes.lock(tx, destination.root.uuid, now)
    if node is None or not is_free(node):
        raise Again  # A concurrent transaction changed the node; another one may be free.
    command, flavor = launch.command, launch.spec.flavor
    required = {trait for choice in groups_of(flavor)[""].traits.required for trait in choice}
    info = instance_info(name, command.image, flavor, tuple(sorted(required & destination.root.traits)))
    node = save_node(tx, node, now, instance_uuid=uuid, instance_name=name, instance_info=info)
    node_claims.associate(tx, now, [NewInstance(node, uuid)])
    request = RequestProvision(
        ident=node.uuid,
        rules=(),
        verb=states.DEPLOY,
        configdrive=dict(command.configdrive) if command.configdrive else None,
    )
    # A caller that may launch the server may deploy its node.
    request_provision(tx, SERVICE, now, request)
