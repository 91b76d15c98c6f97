"""Show what a node was at an earlier moment."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from dibs.access.access import EVERY_PROJECT, Access
from dibs.database.transaction import Transaction
from dibs.errors import BadValue, Forbidden
from dibs.events.model.access import LIST_ALL, visible_events
from dibs.events.model.documents import format_time
from dibs.events.model.stored import EventQuery
from dibs.events.queries import pages
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.model.events import node_state
from dibs.machines.model.nodes import is_uuid
from dibs.machines.operations.nodes import GetNode, get_node
from dibs.reports.model.history import state_before

EVENTS_MAX = 10_000
"""How many changes of a node are undone at most."""


class ShowNodeAt(Struct, frozen=True, kw_only=True):
    """Show a node as it was at a moment."""

    ident: str
    """Its name today, or its uuid; a node that was deleted has only its uuid."""
    moment: int


class NodeAt(Struct, frozen=True, kw_only=True):
    """A node at a moment: its attributes that were not empty, and its traits, as events show them."""

    uuid: str
    attributes: Mapping[str, Any]


def show_node_at(tx: Transaction, access: Access, now: int, command: ShowNodeAt) -> NodeAt:
    """Return a node as it was at a moment; raise NodeNotFound when it did not exist then.

    A caller that does not see all events sees the past of a node only for times when its project owned the node.
    """
    projects = visible_events(access)
    oldest = pages.oldest_moment(tx)
    if oldest is None or not oldest <= command.moment <= now:
        reach = f"from {format_time(oldest)} until now" if oldest is not None else "no time"
        raise BadValue(reason=f"The past of nodes is known for {reach}. The events of other times do not exist.")
    uuid, present = _present(tx, access, now, command.ident)
    query = EventQuery(projects=projects, node=uuid, type="node", since=command.moment + 1, limit=EVENTS_MAX)
    later = pages.page(tx, query)
    if len(later) == EVENTS_MAX:
        raise BadValue(reason=f"Node {command.ident} has changed {EVENTS_MAX} times since then. Choose a later time.")
    found = state_before(present, later)
    if found is None:
        raise NodeNotFound(node=command.ident)
    if projects is not EVERY_PROJECT and found.get("owner") not in projects:
        raise Forbidden(resource=LIST_ALL)
    return NodeAt(uuid=uuid, attributes=found)


def _present(tx: Transaction, access: Access, now: int, ident: str) -> tuple[str, dict[str, Any] | None]:
    """Return the uuid of a node and what it is now; None for a node that was deleted."""
    try:
        view = get_node(tx, access, now, GetNode(ident=ident, rules=()))
    except NodeNotFound:
        if not is_uuid(ident):
            raise
        return ident.lower(), None
    return view.node.uuid, msgspec.to_builtins({**node_state(view.node), "traits": sorted(view.traits)})
