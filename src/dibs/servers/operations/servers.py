"""Existing servers: show and list them, change their name and metadata, switch their power."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from dibs.access.access import SERVICE, Access
from dibs.database.paging import Page
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.operations.provisioning import RequestPower, request_power
from dibs.machines.queries import nodes
from dibs.servers.model.access import require_server_access
from dibs.servers.model.errors import ServerHasNoMachine, ServerNotFound
from dibs.servers.model.metadata import MetadataChange, change_items
from dibs.servers.model.servers import BUILD, SHUTOFF, ServerQuery, ServerView
from dibs.servers.queries import servers


class OneServer(Struct, frozen=True, kw_only=True):
    """A server by its uuid."""

    uuid: str
    rules: tuple[str, ...] = ()
    """The rules that must allow this, besides the one to see the server."""


class ChangeServer(OneServer, frozen=True, kw_only=True):
    """Change the name and properties of a server."""

    name: str | None = None
    """None keeps the name."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Properties to set; the others stay as they are."""


class ChangeMetadata(OneServer, frozen=True, kw_only=True):
    """Change the metadata of a server."""

    change: MetadataChange


class SwitchServer(OneServer, frozen=True, kw_only=True):
    """Switch the node of a server on, off, or off and on."""

    action: str
    """The name of the action in the request."""
    target: str


def get_server(tx: Transaction, access: Access, now: int, command: OneServer) -> ServerView:
    """Return one server."""
    return _require(access, servers.get(tx, command.uuid), command)


def list_servers(tx: Transaction, access: Access, now: int, command: ServerQuery) -> Page[ServerView]:
    """Return one page of servers."""
    found = servers.page(tx, command)
    if found is None:
        raise BadValue(reason=f"marker [{command.marker}] not found")
    return found


def change_server(tx: Transaction, access: Access, now: int, command: ChangeServer) -> ServerView:
    """Change the name and properties of a server."""
    server = lock_server(tx, access, command).server
    properties = {**server.properties, **command.properties}
    name = server.name if command.name is None else command.name
    servers.change(tx, server, name=name, properties=properties, now=now)
    return get_server(tx, access, now, command)


def change_metadata(tx: Transaction, access: Access, now: int, command: ChangeMetadata) -> Mapping[str, str]:
    """Change the metadata of a server; return all of it."""
    server = lock_server(tx, access, command).server
    metadata = change_items(server.properties.get("metadata", {}), command.change)
    servers.change(tx, server, name=server.name, properties={**server.properties, "metadata": metadata}, now=now)
    return metadata


def switch_server(tx: Transaction, access: Access, now: int, command: SwitchServer) -> None:
    """Start to switch the node of a server."""
    view = lock_server(tx, access, command)
    node = nodes.with_instance(tx, command.uuid)
    if node is None or view.delete_deferred:
        raise ServerHasNoMachine(action=command.action, server=command.uuid)
    # A caller that may switch the server may switch its node.
    request_power(tx, SERVICE, now, RequestPower(ident=node.uuid, rules=(), target=command.target))
    off = states.POWER_TARGETS[command.target] == states.POWER_OFF
    servers.set_status(tx, view.server, SHUTOFF if off else BUILD, now)


def lock_server(tx: Transaction, access: Access, command: OneServer) -> ServerView:
    """Lock a server and check the caller's rules on it."""
    return _require(access, servers.lock(tx, command.uuid), command)


def _require(access: Access, view: ServerView | None, command: OneServer) -> ServerView:
    if view is None:
        raise ServerNotFound(server=command.uuid)
    require_server_access(access, view.server, command.rules)
    return view
