"""List the changes of a node, for the bare-metal API."""

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import EVERY_PROJECT, Access
from dibs.database.transaction import Transaction
from dibs.events.model.access import LIST_ALL
from dibs.events.model.stored import EventQuery
from dibs.events.queries import pages
from dibs.machines.operations.nodes import GetNode, get_node
from dibs.reports.model.node_history import HistoryEntry, history_entry

RULE = "baremetal:node:history:get"


class ListNodeHistory(Struct, frozen=True, kw_only=True):
    """List the changes of a node."""

    ident: str
    limit: int
    newest_first: bool = False
    marker: int | None = None
    """The id of the last event of the page before."""


class NodeHistory(Struct, frozen=True, kw_only=True):
    """The changes of a node."""

    node: str
    """Its uuid."""
    entries: tuple[HistoryEntry, ...]


class GetHistoryEntry(Struct, frozen=True, kw_only=True):
    """Show one change of a node."""

    ident: str
    event_id: int


def list_node_history(tx: Transaction, access: Access, now: int, command: ListNodeHistory) -> NodeHistory:
    """Return one page of the changes of a node, from those that its present owner may see."""
    query = _query(tx, access, now, command.ident)
    query = replace(query, limit=command.limit, marker=command.marker, oldest_first=not command.newest_first)
    return _history(tx, query)


def get_history_entry(tx: Transaction, access: Access, now: int, command: GetHistoryEntry) -> NodeHistory:
    """Return one change of a node; no entry when there is none."""
    query = replace(_query(tx, access, now, command.ident), limit=1, marker=command.event_id - 1, oldest_first=True)
    found = _history(tx, query)
    return replace(found, entries=tuple(each for each in found.entries if each.id == command.event_id))


def _query(tx: Transaction, access: Access, now: int, ident: str) -> EventQuery:
    """Return the query for the events of a node; only a caller that sees all events sees those of earlier owners."""
    node = get_node(tx, access, now, GetNode(ident=ident, rules=(RULE,))).node
    owner = frozenset() if node.owner is None else frozenset({node.owner})
    return EventQuery(projects=EVERY_PROJECT if access.allows(LIST_ALL, {}) else owner, node=node.uuid, type="node")


def _history(tx: Transaction, query: EventQuery) -> NodeHistory:
    return NodeHistory(node=query.node or "", entries=tuple(history_entry(event) for event in pages.page(tx, query)))
