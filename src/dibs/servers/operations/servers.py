"""Servers that are there: look at them, rename them, switch them, and let them go.

A server on a compute host goes at once. One on a bare-metal node goes with the beginning of the node's tear-down; while
a conductor is busy with the node it only waits for that (``LEAVING``), and a conductor lets it go as soon as it can.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dibs.access.access import SERVICE, Access
from dibs.database.transaction import Row, Transaction
from dibs.errors import BadValue
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations import claiming
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.model.nodes import Node
from dibs.machines.operations import node_claims
from dibs.machines.operations.provisioning import RequestPower, RequestProvision, request_power, request_provision
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import nodes
from dibs.servers.model.errors import ServerHasNoMachine, ServerNotFound
from dibs.servers.model.servers import BUILD, LEAVING, SHUTOFF, Server, ServerQuery, ServerView
from dibs.servers.queries import launch_rights, servers

Guard = Callable[[Server], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneServer:
    """A server by its uuid."""

    uuid: str
    guard: Guard
    """Raises when the caller may not do this with the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeServer(OneServer):
    """Give a server another name or other properties."""

    edit: Callable[[Server], tuple[str, Mapping[str, Any]]]
    """Gets the server as it is inside the transaction, returns its name and properties from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchServer(OneServer):
    """Switch the machine of a server on, off, or off and on."""

    action: str
    """What the caller calls it."""
    target: str
    validate: Callable[[Node], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLeaving:
    """Some of the servers that wait for their node to be torn down."""

    count_max: int


def get_server(tx: Transaction, access: Access, now: int, command: OneServer) -> ServerView:
    """One server."""
    return _guarded(servers.get(tx, command.uuid), command)


def list_servers(tx: Transaction, access: Access, now: int, command: ServerQuery) -> list[ServerView]:
    """One page of servers."""
    found = servers.page(tx, command)
    if found is None:
        raise BadValue(reason=f"marker [{command.marker}] not found")
    return found


def change_server(tx: Transaction, access: Access, now: int, command: ChangeServer) -> ServerView:
    """Rename a server or describe it anew."""
    view = _guarded(servers.lock(tx, command.uuid), command)
    name, properties = command.edit(view.server)
    servers.change(tx, view.server, name=name, properties=properties, now=now)
    return get_server(tx, access, now, command)


def switch_server(tx: Transaction, access: Access, now: int, command: SwitchServer) -> None:
    """Begin to switch the node that a server is."""
    view = _guarded(servers.lock(tx, command.uuid), command)
    node = nodes.with_instance(tx, command.uuid)
    if node is None or view.leaving:
        raise ServerHasNoMachine(action=command.action, server=command.uuid)
    request = RequestPower(ident=node.uuid, guard=_allow, validate=command.validate, target=command.target)
    request_power(tx, access, now, request)
    off = states.POWER_TARGETS[command.target] == states.POWER_OFF
    servers.mark(tx, view.server, SHUTOFF if off else BUILD, now)


def delete_server(tx: Transaction, access: Access, now: int, command: OneServer) -> None:
    """Let a server go."""
    view = _guarded(servers.lock(tx, command.uuid), command)
    _end(tx, access, now, view.server)


def end_servers_of(tx: Transaction, now: int, reservation_ids: Sequence[int]) -> None:
    """Let all servers go that were launched for reservations; nobody can launch more until the transaction ends.

    Their claims on reservation providers are gone then. What they have of nodes goes when those are torn down.
    """
    launch_rights.lock(tx, reservation_ids)
    for uuid in servers.of_reservations(tx, reservation_ids):
        view = servers.lock(tx, uuid)
        if view is not None:
            _end(tx, SERVICE, now, view.server)


def list_leaving(tx: Transaction, access: Access, now: int, command: ListLeaving) -> list[str]:
    """The uuids of servers whose node was busy when they were let go."""
    return servers.leaving(tx, command.count_max)


def end_leaving(tx: Transaction, access: Access, now: int, command: OneServer) -> bool:
    """Try again to let a server go; True when it is gone."""
    view = servers.lock(tx, command.uuid)
    if view is None or not view.leaving:
        return view is None
    _end(tx, access, now, view.server)
    return servers.get(tx, command.uuid) is None


def _guarded(view: ServerView | None, command: OneServer) -> ServerView:
    if view is None:
        raise ServerNotFound(server=command.uuid)
    command.guard(view.server)
    return view


def release_consumer(tx: Transaction, access: Access, now: int, consumer: str) -> bool:
    """Give back what a server or another consumer has; False while the node that carries it is busy.

    What it has of that node goes with the tear-down, which begins here.
    """
    on_it = nodes.with_instance(tx, consumer)
    _give_back(tx, now, consumer, on_it)
    node = nodes.lock(tx, on_it.uuid, now) if on_it else None
    if node is None or node.instance_uuid != consumer:
        return True
    if _can_go(node):
        request_provision(tx, access, now, RequestProvision(ident=node.uuid, guard=_allow, verb=states.UNDEPLOY))
        return True
    if node.provision_state == states.AVAILABLE and node.reservation is None:
        # It was put on the node and never deployed: nothing is there to be torn down.
        node_claims.release(tx, now, node)
        save_node(tx, node, now, instance_uuid=None)
        return True
    return False


def _end(tx: Transaction, access: Access, now: int, server: Server) -> None:
    """Give back what a locked server has, and remove it or let it wait for its node."""
    if release_consumer(tx, access, now, server.uuid):
        servers.remove(tx, server)
    else:
        servers.mark(tx, server, LEAVING, now)


def _give_back(tx: Transaction, now: int, consumer: str, node: Node | None) -> None:
    """Release every claim but the one on the node that carries the consumer."""
    held = claim_views.of_consumer(tx, consumer)
    staying = [row for row in held if node is not None and row["provider"] == node.uuid]
    if len(staying) == len(held):
        return
    if not staying:
        claiming.release_all(tx, now, consumer)
        return
    claiming.replace_claims(tx, now, [_only(staying)])


def _only(staying: Sequence[Row]) -> ClaimRequest:
    one = staying[0]
    resources = {one["provider"]: {row["resource_class"]: row["amount"] for row in staying}}
    return ClaimRequest(
        consumer=one["consumer"], resources=resources, project_id=one["project_id"], user_id=one["user_id"]
    )


def _can_go(node: Node) -> bool:
    """True when the node can be torn down at once."""
    undeployable = states.next_state(states.UNDEPLOY, node.provision_state) is not None
    return undeployable and node.reservation is None and not node.protected


def _allow(node: Node) -> None:
    """Whoever may have the server may have its node."""
